// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <ovlp/analysis/matched_calls.hpp>
#include <ovlp/report/run_figures.hpp>

#include "columns.hpp"

namespace ovlp::report {

/// What is put on a page, run by run.
class page {
 public:
  /// `among`: the calls of all runs of the page.
  void add(run_figures& run, analysis::matched_calls const& among);
  /// `comparison`: what is compared, in a line, or empty.
  std::string html(std::string const& comparison) const;

  static analysis::matched_calls match(std::vector<std::unique_ptr<run_figures>> const& runs);
  static std::vector<std::string> names_of(std::vector<std::unique_ptr<run_figures>> const& runs);

 private:
  nlohmann::ordered_json describe(run_figures& run, analysis::matched_calls const& among);

  columns columns_;
  std::string runs_;
};

/// The page without its data, as esbuild has bundled it; empty if this ovlp was built without.
std::string_view page_template();

}  // namespace ovlp::report
