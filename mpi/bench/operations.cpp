// SPDX-License-Identifier: BSD-3-Clause
#include "operations.hpp"

#include <algorithm>
#include <array>

#include <ovlp/base/error.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp::overlap_bench {
namespace {

constexpr std::array<std::string_view, 9> names{"broadcast",  "scatter",    "gather",      "reduce", "all-reduce",
                                                "all-gather", "all-to-all", "all-to-allv", "barrier"};

}  // namespace

std::string_view name_of(operation what) { return names[static_cast<std::size_t>(what)]; }

operation operation_named(std::string_view name) {
  auto const* const found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<operation>(found - names.begin());
  throw config_error("operation: expected one of " + base::joined({names.begin(), names.end()}) + ", got " +
                     base::quoted(name));
}

std::vector<operation> operations_named(std::vector<std::string> const& given) {
  std::vector<operation> found;
  for (std::string const& name : given) found.push_back(operation_named(name));
  if (given.empty()) {
    for (std::string_view const name : names) found.push_back(operation_named(name));
  }
  return found;
}

}  // namespace ovlp::overlap_bench
