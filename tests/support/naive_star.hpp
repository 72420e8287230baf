// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "drive_network.hpp"

/// A star network solved from its definition alone: all rates are computed anew at every event, in long double.
/// Cost: O(transfers at once) an event. It shares no code with the models.
namespace naive_star {

using ovlp::testing::start;

/// When a transfer is in its bandwidth phase; for one of 0 bytes both are the end of its latency phase.
struct phase {
  long double begin_s = 0;
  long double end_s = 0;
};

/// One phase for each start, in their order. `starts` are in order of time.
std::vector<phase> solve(std::vector<ovlp::net::node_link> const& links, double latency_s,
                         std::vector<start> const& starts);

}  // namespace naive_star
