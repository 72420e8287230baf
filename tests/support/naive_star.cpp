// SPDX-License-Identifier: BSD-3-Clause
#include "naive_star.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace naive_star {

namespace {

struct moving {
  std::size_t index;
  long double remaining_bytes;
  long double rate_Bps;
  long double end_s;  // at this rate
};

}  // namespace

std::vector<phase> solve(std::vector<ovlp::net::node_link> const& links, double latency_s,
                         std::vector<start> const& starts) {
  std::vector<phase> phases(starts.size());
  auto const order = ovlp::testing::order_of_latency_ends(starts, links, latency_s);
  auto const ready_s = [&](std::size_t i) { return ovlp::testing::ready_s(starts[i], links, latency_s); };
  auto const factor = [&](std::size_t node, long double at_s) -> long double {
    return links[node].factor(static_cast<double>(at_s));
  };
  std::vector<moving> moved;
  std::vector<int> leaving(links.size());
  std::vector<int> entering(links.size());
  std::size_t begun = 0;
  long double now_s = 0;
  for (;;) {
    for (moving& m : moved) {
      ovlp::net::transfer const& what = starts[m.index].what;
      m.rate_Bps =
          std::min(factor(what.source, now_s) * links[what.source].out_Bps / leaving[what.source],
                   factor(what.destination, now_s) * links[what.destination].in_Bps / entering[what.destination]);
      m.end_s = now_s + m.remaining_bytes / m.rate_Bps;
    }
    long double next_s = std::numeric_limits<long double>::infinity();
    for (moving const& m : moved) next_s = std::min(next_s, m.end_s);
    for (ovlp::net::node_link const& l : links) {
      next_s = std::min(next_s, static_cast<long double>(l.next_change_s(static_cast<double>(now_s))));
    }
    if (begun < starts.size()) {
      next_s = std::min(next_s, static_cast<long double>(ready_s(order[begun])));
    } else if (moved.empty()) {
      return phases;
    }
    for (moving& m : moved) m.remaining_bytes -= m.rate_Bps * (next_s - now_s);
    now_s = next_s;

    for (moving const& m : moved) {
      if (m.end_s > now_s) continue;
      phases[m.index].end_s = now_s;
      --leaving[starts[m.index].what.source];
      --entering[starts[m.index].what.destination];
    }
    moved.erase(std::remove_if(moved.begin(), moved.end(), [&](moving const& m) { return m.end_s <= now_s; }),
                moved.end());
    for (; begun < starts.size() && ready_s(order[begun]) <= now_s; ++begun) {
      phases[order[begun]] = {now_s, now_s};
      ovlp::net::transfer const& what = starts[order[begun]].what;
      if (what.bytes == 0) continue;
      ++leaving[what.source];
      ++entering[what.destination];
      moved.push_back({order[begun], static_cast<long double>(what.bytes), 0, 0});
    }
  }
}

}  // namespace naive_star
