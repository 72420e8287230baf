// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include <ovlp/analysis/matched_calls.hpp>
#include <ovlp/report/run_figures.hpp>

#include "columns.hpp"

namespace ovlp::report {

/// What a page's JSON says of a run, with its columns. `among`: the calls of all runs of the page.
nlohmann::ordered_json describe(run_figures const& what, columns& into, analysis::matched_calls const& among);

/// The page without its data, as esbuild has bundled it; empty if this ovlp was built without.
std::string_view page_template();

}  // namespace ovlp::report
