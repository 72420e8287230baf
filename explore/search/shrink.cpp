// SPDX-License-Identifier: BSD-3-Clause
#include "search/shrink.hpp"

#include <algorithm>
#include <cstddef>

namespace ovlp::explore {

interleaving shrink(interleaving all, std::function<bool(interleaving const&)> const& fails) {
  if (fails({})) return {};
  for (std::size_t parts = 2; all.size() > 1;) {
    std::size_t const size = (all.size() + parts - 1) / parts;
    bool smaller = false;
    for (std::size_t begin = 0; begin < all.size() && !smaller; begin += size) {
      auto const from = all.begin() + static_cast<std::ptrdiff_t>(begin);
      auto const to = all.begin() + static_cast<std::ptrdiff_t>(std::min(begin + size, all.size()));
      interleaving const part(from, to);
      interleaving rest(all.begin(), from);
      rest.insert(rest.end(), to, all.end());
      if (fails(part)) {
        all = part;
        parts = 2;
        smaller = true;
      } else if (parts > 2 && fails(rest)) {
        all = rest;
        parts = std::max<std::size_t>(parts - 1, 2);
        smaller = true;
      }
    }
    if (smaller) continue;
    if (parts >= all.size()) break;
    parts = std::min(2 * parts, all.size());
  }
  return all;
}

}  // namespace ovlp::explore
