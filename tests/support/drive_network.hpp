// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include <ovlp/netmodel/network.hpp>
#include <ovlp/netmodel/node_link.hpp>

#include "seed.hpp"

namespace ovlp::testing {

struct start {
  double at_s;
  net::transfer what;
};

/// When its latency ends, on a network with this latency and these links.
inline double ready_s(start const& s, std::vector<net::node_link> const& links, double latency_s) {
  double const whole_s = latency_s + links[s.what.source].latency_s + links[s.what.destination].latency_s;
  return s.what.handed_over_s ? std::max(s.at_s, *s.what.handed_over_s + whole_s) : s.at_s + whole_s;
}
/// The places of starts in the order in which their latencies end, then of their start.
inline std::vector<std::size_t> order_of_latency_ends(std::vector<start> const& starts,
                                                      std::vector<net::node_link> const& links, double latency_s) {
  std::vector<std::size_t> order(starts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return ready_s(starts[a], links, latency_s) < ready_s(starts[b], links, latency_s);
  });
  return order;
}

/// Gives the starts to the network at their times, going from event to event, until all has ended.
inline std::vector<net::completion> run(net::network& network, std::vector<start> const& starts) {
  std::vector<net::completion> ends;
  auto const advance = [&](double to_s) {
    auto const done = network.advance(to_s);
    ends.insert(ends.end(), done.begin(), done.end());
  };
  for (start const& s : starts) {
    while (network.next_event() <= s.at_s) advance(network.next_event());
    network.start(s.what, s.at_s);
  }
  while (network.next_event() < std::numeric_limits<double>::infinity()) advance(network.next_event());
  return ends;
}

/// The end of each transfer by its id, which are 0, 1, ... up to as many as have ended.
inline std::vector<double> by_id(std::vector<net::completion> const& ends) {
  std::vector<double> times(ends.size(), -1);
  for (net::completion const& end : ends) times.at(end.id) = end.time_s;
  return times;
}

inline std::vector<double> ends_of(net::network& network, std::vector<start> const& starts) {
  return by_id(run(network, starts));
}

/// 100 bytes per second: times can be computed by heart.
inline std::vector<net::node_link> plain(std::size_t nodes) { return net::alike(nodes, 100); }

inline void check_equal(std::vector<double> const& computed, std::vector<double> const& expected,
                        double within = 1e-14) {
  REQUIRE(computed.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(computed[i] == doctest::Approx(expected[i]).epsilon(within));
  }
}

/// Transfers of pairs of nodes with links of 100 bytes per second and a latency of a millisecond, of which those with
/// the first ids end at one instant by the equations. Each link has served another number of bytes when they come.
struct ending_together {
  static constexpr std::uint32_t pairs = 100, each = 20, count = pairs * each;
  static constexpr double latency_s = 1e-3;
  static constexpr double end_s = 1000 + latency_s + 1234 * (each + 1) / 100.0;  // one more is under way on each link

  std::vector<start> starts;

  ending_together() {
    std::mt19937_64 random(new_seed());
    std::uniform_real_distribution<double> begins(0, 1000);
    for (std::uint32_t i = 0; i < pairs; ++i) starts.push_back({begins(random), {count + i, i, pairs + i, 10'000'000}});
    for (std::uint32_t i = 0; i < count; ++i) starts.push_back({1000, {i, i % pairs, pairs + i % pairs, 1234}});
    std::stable_sort(starts.begin(), starts.end(), [](start const& a, start const& b) { return a.at_s < b.at_s; });
  }
};

}  // namespace ovlp::testing
