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

std::vector<operation> operations_named(std::vector<std::string> const& given) {
  std::vector<std::string> const all(names.begin(), names.end());
  std::vector<operation> found;
  for (std::string const& name : given.empty() ? all : given) {
    auto const at = std::ranges::find(all, name);
    if (at == all.end())
      throw config_error("operation: expected one of " + base::joined(all) + ", got " + base::quoted(name));
    found.push_back(static_cast<operation>(at - all.begin()));
  }
  return found;
}

}  // namespace ovlp::overlap_bench
