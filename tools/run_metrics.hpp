// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>

#include <ovlp/store/stored_run.hpp>

namespace ovlp::tools {

/// Where the time of a run went: its critical path, by activity, operation, edge, kernel, node, and its efficiencies.
/// `ideal`: the same run on an ideal network; `reference`: the one to which computation is compared; both may be null.
/// `broken`: identities that do not hold, a line each; no figure can be trusted then.
/// What each number means: docs/reading-a-run.md. Errors: ovlp::error, if no call of the run has ended.
nlohmann::ordered_json metrics_of(stored_run const& run, stored_run const* ideal, stored_run const* reference);

}  // namespace ovlp::tools
