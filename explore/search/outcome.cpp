// SPDX-License-Identifier: BSD-3-Clause
#include "search/outcome.hpp"

#include <algorithm>

namespace ovlp::explore {

std::string difference(outcome const& plain, outcome const& of) {
  if (!of.failure.empty() || of.given_up) return of.failure;
  if (of.results.size() != plain.results.size()) {
    return "it made " + std::to_string(of.results.size()) + " calls, in the plain order " +
           std::to_string(plain.results.size());
  }
  auto const [mine, other] = std::ranges::mismatch(of.results, plain.results);
  if (mine == of.results.end()) return "";
  return "call " + std::to_string(mine - of.results.begin() + 1) + " had another result than in the plain order";
}

}  // namespace ovlp::explore
