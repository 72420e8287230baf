// SPDX-License-Identifier: BSD-3-Clause
#include "search/moment.hpp"

#include <unordered_map>

namespace ovlp::explore {

interleaving difference_of(moments const& run) {
  std::unordered_map<std::uint64_t, std::uint64_t> passed;  // by what might have happened: what did in its place, last
  for (moment const& now : run) {
    for (std::size_t i = 0; i < now.chosen; ++i) passed[now.possible[i].name] = now.name();
  }
  interleaving all;
  for (moment const& now : run) {
    if (auto const found = passed.find(now.name()); found != passed.end()) {
      all.push_back({found->first, found->second});
      passed.erase(found);
    }
  }
  // What has never happened waits, too. In an order that does not depend on hashes.
  if (!run.empty()) {
    for (choice const& left : run.back().possible) {
      if (auto const found = passed.find(left.name); found != passed.end())
        all.push_back({found->first, found->second});
    }
  }
  return all;
}

}  // namespace ovlp::explore
