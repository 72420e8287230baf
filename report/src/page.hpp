// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include <ovlp/report/run_figures.hpp>

#include "columns.hpp"

namespace ovlp::report {

/// What is put on a page, run by run.
class page {
 public:
  void add(run_figures& run);
  std::string html() const;

 private:
  nlohmann::ordered_json describe(run_figures& run);

  columns columns_;
  std::string runs_;
};

/// The page without its data, as esbuild has bundled it; empty if this ovlp was built without.
std::string_view page_template();

}  // namespace ovlp::report
