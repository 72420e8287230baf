// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/netmodel/bus.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <list>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

#include "support/drive_network.hpp"
#include "support/seed.hpp"

namespace {

using ovlp::net::alike;
using ovlp::net::bus_limits;
using ovlp::net::factor_over_time;
using ovlp::net::make_bus;
using ovlp::net::node_link;
using ovlp::net::transfer;
using ovlp::testing::ends_of;
using ovlp::testing::start;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// One that begins: quarter by quarter, in which bandwidths do not change.
double naive_end_s(node_link const& from, node_link const& to, double now_s, std::uint64_t bytes) {
  auto left_bytes = static_cast<double>(bytes);
  for (;;) {
    double const rate = std::min(from.out_Bps * from.factor(now_s), to.in_Bps * to.factor(now_s));
    double const until_s = (std::floor(4 * now_s) + 1) / 4;
    if (left_bytes <= rate * (until_s - now_s)) return now_s + left_bytes / rate;
    left_bytes -= rate * (until_s - now_s);
    now_s = until_s;
  }
}

/// From the definition alone: after each end and each latency, those that wait are gone through from the oldest on.
std::vector<double> naive_ends(std::vector<node_link> const& links, double latency_s, bus_limits limits,
                               std::vector<start> const& starts) {
  std::size_t const nodes = links.size();
  auto const order = ovlp::testing::order_of_latency_ends(starts, links, latency_s);
  auto const ready_s = [&](std::size_t i) { return ovlp::testing::ready_s(starts[i], links, latency_s); };
  auto const free = [](std::size_t taken, std::size_t limit) { return limit == 0 || taken < limit; };
  std::vector<double> ends(starts.size(), -1);
  std::vector<std::size_t> taken_out(nodes, 0), taken_in(nodes, 0);
  std::size_t taken_buses = 0, come = 0;
  std::list<start const*> waiting;
  std::vector<start const*> crossing;
  for (;;) {
    double now_s = come < starts.size() ? ready_s(order[come]) : infinity;
    for (start const* s : crossing) now_s = std::min(now_s, ends[s->what.id]);
    if (now_s == infinity) return ends;
    std::erase_if(crossing, [&](start const* s) {
      if (ends[s->what.id] > now_s) return false;
      --taken_out[s->what.source];
      --taken_in[s->what.destination];
      --taken_buses;
      return true;
    });
    for (; come < starts.size() && ready_s(order[come]) <= now_s; ++come) waiting.push_back(&starts[order[come]]);
    waiting.remove_if([&](start const* s) {
      transfer const& what = s->what;
      if (what.bytes > 0) {
        if (!free(taken_buses, limits.buses) || !free(taken_out[what.source], limits.output_links) ||
            !free(taken_in[what.destination], limits.input_links))
          return false;
        ++taken_out[what.source];
        ++taken_in[what.destination];
        ++taken_buses;
        crossing.push_back(s);
      }
      ends[what.id] = naive_end_s(links[what.source], links[what.destination], now_s, what.bytes);
      return true;
    });
  }
}

}  // namespace

TEST_CASE("a bus: a transfer alone takes the latency and its bytes divided by the bandwidth") {
  auto const network = make_bus(alike(2, 100), 0.5, {});
  CHECK(ends_of(*network, {{1, {0, 0, 1, 200}}}) == std::vector<double>{3.5});
}

TEST_CASE("a bus: transfers out of one node, or into one, take turns") {
  auto const network = make_bus(alike(3, 100), 0, {});
  SUBCASE("out") { CHECK(ends_of(*network, {{0, {0, 0, 1, 100}}, {0, {1, 0, 2, 100}}}) == std::vector<double>{1, 2}); }
  SUBCASE("in") { CHECK(ends_of(*network, {{0, {0, 0, 2, 100}}, {0, {1, 1, 2, 100}}}) == std::vector<double>{1, 2}); }
  SUBCASE("out and in at once") {
    CHECK(ends_of(*network, {{0, {0, 0, 1, 100}}, {0, {1, 1, 0, 100}}}) == std::vector<double>{1, 1});
  }
}

TEST_CASE("a bus: as many transfers cross at once as there are links and buses") {
  std::vector<start> const starts{{0, {0, 0, 3, 100}}, {0, {1, 1, 3, 100}}, {0, {2, 2, 3, 100}}};
  SUBCASE("two links into each node") {
    auto const network = make_bus(alike(4, 100), 0, {0, 1, 2});
    CHECK(ends_of(*network, starts) == std::vector<double>{1, 1, 2});
  }
  SUBCASE("and one bus") {
    auto const network = make_bus(alike(4, 100), 0, {1, 1, 2});
    CHECK(ends_of(*network, starts) == std::vector<double>{1, 2, 3});
  }
  SUBCASE("no limits: nobody waits") {
    auto const network = make_bus(alike(4, 100), 0, {0, 0, 0});
    CHECK(ends_of(*network, starts) == std::vector<double>{1, 1, 1});
  }
}

TEST_CASE("a bus: one that waits holds nothing, and holds back no younger one") {
  auto const network = make_bus(alike(4, 100), 0, {});
  // 1 waits for node 1's input until 2, so 2 leaves its source at once, and 1 waits for that, too.
  CHECK(ends_of(*network, {{0, {0, 0, 1, 200}}, {0, {1, 2, 1, 100}}, {1, {2, 2, 3, 200}}}) ==
        std::vector<double>{2, 4, 3});
}

TEST_CASE("a bus: the oldest that can begin begins first") {
  SUBCASE("at a node") {
    auto const network = make_bus(alike(4, 100), 0, {});
    CHECK(ends_of(*network, {{0, {0, 0, 1, 100}}, {0, {1, 0, 2, 100}}, {0, {2, 0, 3, 100}}, {0, {3, 1, 2, 200}}}) ==
          std::vector<double>{1, 3, 2, 2});  // 1 finds node 2 taken when its turn comes, so 2 goes
  }
  SUBCASE("in the whole network") {
    auto const network = make_bus(alike(6, 100), 0, {1, 1, 1});
    CHECK(ends_of(*network, {{0, {0, 0, 1, 100}}, {0, {1, 4, 5, 100}}, {0, {2, 2, 3, 100}}, {0, {3, 0, 1, 100}}}) ==
          std::vector<double>{1, 2, 3, 4});
  }
}

TEST_CASE("a bus: a transfer of no bytes takes no link and ends with its latency") {
  auto const network = make_bus(alike(2, 100), 0.25, {1, 1, 1});
  CHECK(ends_of(*network, {{0, {0, 0, 1, 100}}, {0, {1, 0, 1, 0}}}) == std::vector<double>{1.25, 0.25});
}

TEST_CASE("a bus: counts are those of transfers that cross, and changed nodes are listed once") {
  auto const network = make_bus(alike(3, 100), 0, {});
  network->start({0, 0, 1, 100}, 0);
  network->start({1, 2, 1, 100}, 0);
  network->advance(0);
  CHECK(network->phases()->outgoing(0) == 1);
  CHECK(network->phases()->outgoing(2) == 0);  // it waits
  CHECK(network->phases()->incoming(1) == 1);
  CHECK(network->phases()->touched_nodes().size() == 2);
  network->phases()->clear_touched_nodes();
  network->advance(1);
  CHECK(network->phases()->outgoing(0) == 0);
  CHECK(network->phases()->outgoing(2) == 1);
  CHECK(network->phases()->incoming(1) == 1);
  CHECK(network->phases()->touched_nodes().size() == 3);
}

TEST_CASE("a bus: a mistake of the caller is a logic_error") {
  CHECK_THROWS_AS(make_bus(alike(2, 100), -1, {}), std::logic_error);
  CHECK_THROWS_AS(make_bus(alike(2, 0), 0, {}), std::logic_error);
  CHECK_THROWS_AS(make_bus(alike(2, infinity), 0, {}), std::logic_error);
  auto const network = make_bus(alike(2, 100), 0, {});
  CHECK_THROWS_AS(network->start({0, 0, 2, 1}, 0), std::logic_error);
  CHECK_THROWS_AS(network->start({0, 1, 1, 1}, 0), std::logic_error);
  network->start({0, 0, 1, 1}, 1);
  CHECK_THROWS_AS(network->start({1, 0, 1, 1}, 0.5), std::logic_error);
  CHECK_THROWS_AS(network->advance(infinity), std::logic_error);
}

TEST_CASE("a bus does what its definition says, on thousands of random lists of transfers") {
  std::mt19937_64 random(ovlp::testing::new_seed());
  auto const up_to = [&](std::uint64_t most) { return random() % (most + 1); };
  auto const power_of_2 = [&](std::uint64_t most) { return std::ldexp(1, static_cast<int>(up_to(most))); };
  for (int list = 0; list < 3000; ++list) {
    CAPTURE(list);
    auto const nodes = static_cast<std::uint32_t>(2 + up_to(8));
    bus_limits const limits{up_to(4), up_to(3), up_to(3)};
    // All times are sums of powers of two, which doubles add exactly.
    double const latency_s = static_cast<double>(up_to(4)) / 4;
    std::vector<start> starts;
    double at_s = 0;
    for (std::uint64_t id = 0, count = up_to(200); id < count; ++id) {
      at_s += up_to(2) == 0 ? static_cast<double>(up_to(8)) / 4 : 0;
      auto const source = static_cast<std::uint32_t>(up_to(nodes - 1));
      auto const destination = static_cast<std::uint32_t>((source + 1 + up_to(nodes - 2)) % nodes);
      starts.push_back({at_s, {id, source, destination, up_to(20)}});
      if (up_to(3) == 0) starts.back().what.handed_over_s = at_s - static_cast<double>(up_to(8)) / 4;
    }
    std::vector<node_link> links = alike(nodes, 4);
    bool const unequal = up_to(1) == 0, unsteady = up_to(1) == 0;
    for (node_link& l : links) {
      if (unequal) l = {power_of_2(3), power_of_2(3), static_cast<double>(up_to(4)) / 4};
      if (unsteady && up_to(1) == 0) {
        l.over_time = std::make_shared<factor_over_time const>(
            std::vector<factor_over_time::step>{{static_cast<double>(up_to(8)) / 4, power_of_2(2)},
                                                {2 + static_cast<double>(1 + up_to(80)) / 4, 0.25 * power_of_2(3)}});
      }
    }
    auto const network = make_bus(links, latency_s, limits);
    CHECK(ends_of(*network, starts) == naive_ends(links, latency_s, limits, starts));
  }
}
