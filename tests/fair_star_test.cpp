// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/netmodel/fair_star.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

#include "support/drive_network.hpp"
#include "support/seed.hpp"

namespace {

using ovlp::net::link_burst;
using ovlp::net::make_fair_star;
using ovlp::net::node_link;
using ovlp::testing::check_equal;
using ovlp::testing::ends_of;
using ovlp::testing::plain;
using ovlp::testing::start;

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("a fair star: a transfer alone takes the latency and its bytes divided by the bandwidth") {
  auto const network = make_fair_star(plain(2), 1);
  CHECK(network->next_event() == infinity);
  network->start({7, 0, 1, 500}, 2);
  CHECK(network->next_event() == 3);  // the end of its latency phase
  CHECK(network->advance(3).empty());
  CHECK(network->phases()->outgoing(0) == 1);
  CHECK(network->phases()->incoming(1) == 1);
  CHECK(network->next_event() == 8);
  CHECK(network->advance(7.5).empty());
  auto const done = network->advance(8);
  REQUIRE(done.size() == 1);
  CHECK(done[0].id == 7);
  CHECK(done[0].time_s == 8);
  CHECK(network->phases()->incoming(1) == 0);
  CHECK(network->next_event() == infinity);
}

TEST_CASE("a fair star: what a transfer cannot use of its share others get") {
  // 0 and 1 send to 2, so 0 -> 2 has 50 B/s; 0 -> 3 has the other 50 of node 0, and 4 -> 3 what is left of node 3.
  auto const network = make_fair_star(plain(5), 0);
  check_equal(ends_of(*network, {{0, {0, 0, 2, 50}}, {0, {1, 1, 2, 50}}, {0, {2, 0, 3, 50}}, {0, {3, 4, 3, 50}}}),
              {1, 1, 1, 1});
  // Three into node 3, so 33 1/3 each; 0 -> 4 gets the other 66 2/3 of node 0, where equal shares would give it 50.
  auto const other = make_fair_star(plain(5), 0);
  auto const ends =
      ends_of(*other, {{0, {0, 0, 3, 100}}, {0, {1, 1, 3, 100}}, {0, {2, 2, 3, 100}}, {0, {3, 0, 4, 100}}});
  check_equal(ends, {3, 3, 3, 1.5});
}

TEST_CASE("a fair star: shares change when a transfer starts or ends") {
  auto const network = make_fair_star(plain(3), 0);
  // Alone until 1, two until 3, alone again.
  check_equal(ends_of(*network, {{0, {0, 0, 1, 300}}, {1, {1, 0, 2, 100}}}), {4, 3});
}

TEST_CASE("a fair star: an idle link saves up its burst and passes it at line speed") {
  link_burst const bursty{50, 1000};
  SUBCASE("a transfer within the burst") {
    auto const network = make_fair_star(plain(2), 0, bursty);
    check_equal(ends_of(*network, {{0, {0, 0, 1, 40}}}), {0.04});
  }
  SUBCASE("a longer one: the bucket fills while it runs dry") {
    // 1000 B/s until 50 + 100 t = 1000 t, then 100 B/s.
    double const dry_s = 50.0 / 900;
    auto const network = make_fair_star(plain(2), 0, bursty);
    check_equal(ends_of(*network, {{0, {0, 0, 1, 250}}}), {dry_s + (250 - 1000 * dry_s) / 100});
  }
  SUBCASE("the bucket fills while the link is idle, and not beyond its size") {
    double const dry_s = 50.0 / 900, first_s = dry_s + (250 - 1000 * dry_s) / 100;
    auto const network = make_fair_star(plain(2), 0, bursty);
    // A quarter of a second later there are 25 bytes; after ten more seconds there are 50.
    double const quarter_dry_s = 25.0 / 900;
    double const second_s = first_s + 0.25 + quarter_dry_s + (100 - 1000 * quarter_dry_s) / 100;
    double const third_s = second_s + 10 + dry_s + (250 - 1000 * dry_s) / 100;
    check_equal(
        ends_of(*network, {{0, {0, 0, 1, 250}}, {first_s + 0.25, {1, 0, 1, 100}}, {second_s + 10, {2, 0, 1, 250}}}),
        {first_s, second_s, third_s});
  }
  SUBCASE("the bucket of either side holds a transfer up") {
    double const dry_s = 50.0 / 900;
    auto const network = make_fair_star(plain(3), 0, bursty);
    // The second one finds node 0's bucket empty and that of node 2 full.
    double const first_s = dry_s + (250 - 1000 * dry_s) / 100;
    check_equal(ends_of(*network, {{0, {0, 0, 1, 250}}, {first_s, {1, 0, 2, 100}}}), {first_s, first_s + 1});
  }
}

TEST_CASE("a fair star: a burst changes nothing where links are as fast as the line") {
  auto const network = make_fair_star(ovlp::net::alike(2, 2000), 0, {50, 1000});
  check_equal(ends_of(*network, {{0, {0, 0, 1, 4000}}}), {2});
}

TEST_CASE("a fair star: a transfer of no bytes ends with its latency phase") {
  auto const network = make_fair_star(plain(3), 2);
  check_equal(ends_of(*network, {{0, {0, 0, 1, 0}}, {0, {1, 0, 1, 100}}, {0.5, {2, 1, 2, 0}}}), {2, 3, 2.5});
  CHECK(network->phases()->outgoing(0) == 0);
}

TEST_CASE("a fair star: completions are in order of time, then of start; changed nodes are listed once") {
  auto const network = make_fair_star(plain(6), 0);
  for (std::uint64_t i = 0; i < 3; ++i) {
    network->start({10 - i, static_cast<std::uint32_t>(2 * i), static_cast<std::uint32_t>(2 * i + 1), 100}, 0);
  }
  network->advance(0);
  auto touched = std::vector(network->phases()->touched_nodes().begin(), network->phases()->touched_nodes().end());
  std::sort(touched.begin(), touched.end());
  CHECK(touched == std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5});
  network->phases()->clear_touched_nodes();
  CHECK(network->phases()->touched_nodes().empty());
  auto const done = network->advance(5);
  REQUIRE(done.size() == 3);
  CHECK(done[0].id == 10);
  CHECK(done[1].id == 9);
  CHECK(done[2].id == 8);
}

TEST_CASE("a fair star: what ends at one instant by the equations does so whatever the rounding") {
  ovlp::testing::ending_together const all;
  auto const network = make_fair_star(plain(2 * all.pairs), all.latency_s);
  std::vector<double> const ends = ends_of(*network, all.starts);
  CHECK(ends[0] == doctest::Approx(all.end_s).epsilon(1e-12));
  for (std::uint32_t i = 0; i < all.count; ++i) {
    CAPTURE(i);
    CHECK(ends[i] == ends[0]);
  }
}

TEST_CASE("a fair star: transfers too short for the resolution of time end") {
  auto const network = make_fair_star(ovlp::net::alike(2, 1e12), 0, {1e3, 1e13});
  std::vector<start> starts;
  for (std::uint64_t i = 0; i < 100; ++i) starts.push_back({1e9, {i, 0, 1, 1 + i}});
  for (double end_s : ends_of(*network, starts)) CHECK(end_s == doctest::Approx(1e9));
}

TEST_CASE("a fair star: a mistake of the caller is a logic_error") {
  CHECK_THROWS_AS(make_fair_star(ovlp::net::alike(2, 0), 0), std::logic_error);
  CHECK_THROWS_AS(make_fair_star(ovlp::net::alike(2, infinity), 0), std::logic_error);
  CHECK_THROWS_AS(make_fair_star(plain(2), 0, {-1}), std::logic_error);
  CHECK_THROWS_AS(make_fair_star(plain(2), 0, {10, infinity}), std::logic_error);
  CHECK_THROWS_AS(make_fair_star(plain(2), -1), std::logic_error);
  auto const network = make_fair_star(plain(2), 0);
  CHECK_THROWS_AS(network->start({0, 0, 0, 1}, 0), std::logic_error);
  CHECK_THROWS_AS(network->start({0, 0, 2, 1}, 0), std::logic_error);
  network->advance(3);
  CHECK_THROWS_AS(network->start({0, 0, 1, 1}, 2), std::logic_error);
  CHECK_THROWS_AS(network->advance(2), std::logic_error);
  CHECK_THROWS_AS(network->phases()->incoming(2), std::logic_error);
}

namespace {

/// The same from the definition, event by event: rates rise together, and those stay that fill one of their links.
std::vector<double> solve(std::vector<node_link> const& links, double latency_s, link_burst limits,
                          std::vector<start> const& starts) {
  std::size_t const nodes = links.size();
  struct flow {
    std::size_t index;
    long double left, rate;
  };
  std::vector<double> ends(starts.size());
  std::vector<flow> flows;
  std::size_t begun = 0;
  long double now = 0;
  long double const burst = limits.bytes;
  auto const order = ovlp::testing::order_of_latency_ends(starts, links, latency_s);
  auto const ready_s = [&](std::size_t i) { return ovlp::testing::ready_s(starts[i], links, latency_s); };
  auto const bandwidth = [&](std::size_t p) -> long double {
    node_link const& l = links[p % nodes];
    return (p < nodes ? l.out_Bps : l.in_Bps) * l.factor(static_cast<double>(now));
  };
  constexpr long double infinite = std::numeric_limits<long double>::infinity();
  std::vector<long double> tokens(2 * nodes, burst);
  auto const ports = [&](flow const& f) {
    return std::pair(starts[f.index].what.source, nodes + starts[f.index].what.destination);
  };
  for (;;) {
    std::vector<bool> fixed(flows.size());
    for (flow& f : flows) f.rate = 0;
    while (std::find(fixed.begin(), fixed.end(), false) != fixed.end()) {
      std::vector<long double> room(2 * nodes);
      for (std::size_t p = 0; p < 2 * nodes; ++p) {
        room[p] = bandwidth(p);
        if (tokens[p] > 1e-9L) room[p] = std::max<long double>(room[p], limits.line_Bps);
      }
      std::vector<int> rising(2 * nodes);
      for (std::size_t i = 0; i < flows.size(); ++i) {
        for (std::size_t p : {ports(flows[i]).first + std::size_t{0}, ports(flows[i]).second}) {
          room[p] -= flows[i].rate;
          if (!fixed[i]) ++rising[p];
        }
      }
      long double rise = std::numeric_limits<long double>::infinity();
      for (std::size_t p = 0; p < 2 * nodes; ++p) {
        if (rising[p] > 0) rise = std::min(rise, room[p] / rising[p]);
      }
      for (std::size_t i = 0; i < flows.size(); ++i) {
        if (!fixed[i]) flows[i].rate += rise;
      }
      for (std::size_t i = 0; i < flows.size(); ++i) {
        auto const [out, in] = ports(flows[i]);
        auto const full = [&](std::size_t p) { return room[p] - rise * rising[p] <= 1e-12L * bandwidth(p); };
        if (full(out) || full(in)) fixed[i] = true;
      }
    }
    std::vector<long double> drain(2 * nodes);
    for (std::size_t p = 0; p < 2 * nodes; ++p) drain[p] = -bandwidth(p);
    for (flow const& f : flows) {
      drain[ports(f).first] += f.rate;
      drain[ports(f).second] += f.rate;
    }
    long double next = infinite;
    for (std::size_t p = 0; p < 2 * nodes; ++p) {
      if (tokens[p] > 1e-9L && drain[p] > 1e-9L * bandwidth(p)) next = std::min(next, now + tokens[p] / drain[p]);
    }
    for (flow const& f : flows) next = std::min(next, now + f.left / f.rate);
    if (begun < starts.size()) next = std::min(next, static_cast<long double>(ready_s(order[begun])));
    for (node_link const& l : links) {
      next = std::min(next, static_cast<long double>(l.next_change_s(static_cast<double>(now))));
    }
    if (flows.empty() && begun == starts.size()) return ends;
    for (flow& f : flows) f.left -= f.rate * (next - now);
    for (std::size_t p = 0; p < 2 * nodes; ++p) {
      tokens[p] = std::clamp(tokens[p] - drain[p] * (next - now), 0.0L, burst);
    }
    now = next;
    std::erase_if(flows, [&](flow const& f) {
      if (f.left > 1e-9L) return false;
      ends[f.index] = static_cast<double>(now);
      return true;
    });
    for (; begun < starts.size() && ready_s(order[begun]) <= now; ++begun) {
      flows.push_back({order[begun], static_cast<long double>(starts[order[begun]].what.bytes), 0});
    }
  }
}

}  // namespace

TEST_CASE("a fair star does what its definition says, on random lists of transfers") {
  std::mt19937_64 random(ovlp::testing::new_seed());
  auto const from_0_to = [&](std::uint64_t most) {
    return std::uniform_int_distribution<std::uint64_t>(0, most)(random);
  };
  for (int list = 0; list < 400; ++list) {
    CAPTURE(list);
    std::size_t const nodes = 2 + from_0_to(6);
    link_burst const burst = list % 2 == 0 ? link_burst{} : link_burst{50, 1000};
    std::vector<node_link> links = plain(nodes);
    for (node_link& l : links) {
      if (list % 4 >= 2) l = {static_cast<double>(1 + from_0_to(200)), static_cast<double>(1 + from_0_to(200))};
      if (list % 8 >= 4) l.latency_s = static_cast<double>(from_0_to(4)) / 8;
      if (list % 16 >= 8) {
        double const at_s = static_cast<double>(1 + from_0_to(40)) / 4;
        l.over_time =
            std::make_shared<ovlp::net::factor_over_time const>(std::vector<ovlp::net::factor_over_time::step>{
                {at_s, static_cast<double>(1 + from_0_to(20)) / 10}, {2 * at_s, 0.25}, {3 * at_s, 2}});
      }
    }
    double const latency_s = list % 3 == 0 ? 0 : 0.25;
    std::uint64_t const sizes = list % 5 == 0 ? 1 : 1000;  // alike, or not
    double const gap_s = list % 7 == 0 ? 0 : 0.7;          // all at once, or not
    std::vector<start> starts;
    double at_s = 0;
    for (std::uint64_t i = 0, count = 1 + from_0_to(40); i < count; ++i) {
      at_s += static_cast<double>(from_0_to(3)) * gap_s;
      auto const source = static_cast<std::uint32_t>(from_0_to(nodes - 1));
      auto const step = static_cast<std::uint32_t>(1 + from_0_to(nodes - 2));
      starts.push_back({at_s, {i, source, (source + step) % static_cast<std::uint32_t>(nodes), from_0_to(sizes) * 7}});
      if (list % 3 == 2 && from_0_to(1) == 0)
        starts.back().what.handed_over_s = at_s - static_cast<double>(from_0_to(8)) / 16;
    }
    auto const network = make_fair_star(links, latency_s, burst);
    check_equal(ends_of(*network, starts), solve(links, latency_s, burst, starts), 1e-8);
  }
}

TEST_CASE("a fair star does what its definition says, with hundreds of transfers at once") {
  std::mt19937_64 random(ovlp::testing::new_seed());
  constexpr std::uint32_t nodes = 12;
  std::vector<start> starts;
  for (std::uint64_t i = 0; i < 400; ++i) {
    auto const source = std::uniform_int_distribution<std::uint32_t>(0, nodes - 1)(random);
    auto const step = std::uniform_int_distribution<std::uint32_t>(1, nodes - 1)(random);
    auto const bytes = std::uniform_int_distribution<std::uint64_t>(1, 1'000'000)(random);
    starts.push_back({0, {i, source, (source + step) % nodes, bytes}});
  }
  auto const network = make_fair_star(plain(nodes), 0);
  check_equal(ends_of(*network, starts), solve(plain(nodes), 0, {}, starts), 1e-9);
}

TEST_CASE("a fair star keeps the most loaded link busy to the end, through tens of thousands of transfers") {
  std::mt19937_64 random(ovlp::testing::new_seed());
  // All send to all, but node 0 more than all others together, so its link out is full from the first byte to the last.
  constexpr std::uint32_t nodes = 24;
  std::vector<start> starts;
  double most = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    auto const drawn = std::uniform_int_distribution<std::uint32_t>(0, 3 * nodes)(random);
    std::uint32_t const source = drawn < nodes ? drawn : 0;
    auto const step = std::uniform_int_distribution<std::uint32_t>(1, nodes - 1)(random);
    auto const bytes = std::uniform_int_distribution<std::uint64_t>(1, 1'000'000)(random);
    starts.push_back({0, {i, source, (source + step) % nodes, bytes}});
    if (source == 0) most += static_cast<double>(bytes);
  }
  auto const network = make_fair_star(plain(nodes), 0);
  auto const ends = ends_of(*network, starts);
  CHECK(*std::max_element(ends.begin(), ends.end()) == doctest::Approx(most / 100).epsilon(1e-9));
}
