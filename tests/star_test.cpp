// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/netmodel/star.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "support/drive_network.hpp"
#include "support/naive_star.hpp"
#include "support/seed.hpp"

namespace {

using naive_star::phase;
using ovlp::net::completion;
using ovlp::net::make_star;
using ovlp::net::node_link;
using ovlp::testing::by_id;
using ovlp::testing::check_equal;
using ovlp::testing::ends_of;
using ovlp::testing::plain;
using ovlp::testing::run;
using ovlp::testing::start;

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("a transfer alone takes the latency and its bytes divided by the bandwidth") {
  auto const network = make_star(plain(2), 1);
  CHECK(network->next_event() == infinity);
  network->start({7, 0, 1, 500}, 2);
  CHECK(network->next_event() == 3);  // the end of its latency phase
  CHECK(network->advance(3).empty());
  CHECK(network->next_event() == 8);
  CHECK(network->advance(7.5).empty());
  CHECK(network->next_event() == 8);
  auto const done = network->advance(8);
  REQUIRE(done.size() == 1);
  CHECK(done[0].id == 7);
  CHECK(done[0].time_s == 8);
  CHECK(network->next_event() == infinity);
}

TEST_CASE("transfers from one source share its link out") {
  SUBCASE("that start together") {
    auto const network = make_star(plain(4), 1);
    check_equal(ends_of(*network, {{0, {0, 0, 1, 500}}, {0, {1, 0, 2, 500}}}), {11, 11});
  }
  SUBCASE("that start at different times") {
    // 0 is alone for 2 s; from 3 to 9 each has 50 B/s; then 1 has 100 B/s for its last 200 bytes.
    auto const network = make_star(plain(4), 1);
    check_equal(ends_of(*network, {{0, {0, 0, 1, 500}}, {2, {1, 0, 2, 500}}}), {9, 11});
  }
  SUBCASE("that are three") {
    // From 0 to 3 each has 100/3 B/s and 0 ends; 1 and 2 have 50 B/s until 5, when 1 ends; 2 has 100 B/s.
    auto const network = make_star(plain(4), 0);
    check_equal(ends_of(*network, {{0, {0, 0, 1, 100}}, {0, {1, 0, 2, 200}}, {0, {2, 0, 3, 300}}}), {3, 5, 6});
  }
  SUBCASE("that go to the same destination") {
    auto const network = make_star(plain(4), 0);
    check_equal(ends_of(*network, {{0, {0, 0, 1, 100}}, {0, {1, 0, 1, 200}}, {0, {2, 0, 1, 300}}}), {3, 5, 6});
  }
}

TEST_CASE("transfers to one destination share its link in") {
  // 0 and 1 have 50 B/s until 3, then all have 100/3 B/s until 7.5, then 2 has 100 B/s for its last 150 bytes.
  auto const network = make_star(plain(4), 0);
  check_equal(ends_of(*network, {{0, {0, 1, 0, 300}}, {0, {1, 2, 0, 300}}, {3, {2, 3, 0, 300}}}), {7.5, 7.5, 9});
}

TEST_CASE("transfers that share no link do not disturb each other") {
  auto const network = make_star(plain(4), 0);
  SUBCASE("between other nodes") { check_equal(ends_of(*network, {{0, {0, 0, 1, 300}}, {1, {1, 2, 3, 300}}}), {3, 4}); }
  SUBCASE("in opposite directions: links are full duplex") {
    check_equal(ends_of(*network, {{0, {0, 0, 1, 300}}, {1, {1, 1, 0, 300}}}), {3, 4});
  }
  SUBCASE("in a ring") {
    check_equal(ends_of(*network, {{0, {0, 0, 1, 300}}, {0, {1, 1, 2, 300}}, {0, {2, 2, 0, 300}}}), {3, 3, 3});
  }
}

TEST_CASE("what a transfer cannot use of its share is not given to others") {
  // Two leave node 0 and three enter node 2. 0 has 100/2 B/s, although 1 uses but 100/3 of its 100/2 B/s; max-min
  // fairness would give 0 the rest, 200/3 B/s.
  auto const network = make_star(plain(5), 0);
  check_equal(ends_of(*network, {{0, {0, 0, 1, 300}}, {0, {1, 0, 2, 300}}, {0, {2, 3, 2, 300}}, {0, {3, 4, 2, 300}}}),
              {6, 9, 9, 9});
}

TEST_CASE("the smaller share of the two links is the rate when bandwidths differ") {
  auto const network = make_star({{100, 100}, {100, 30}, {10, 100}, {1000, 1000}}, 0);
  SUBCASE("slow in") { check_equal(ends_of(*network, {{0, {0, 0, 1, 300}}}), {10}); }
  SUBCASE("slow out") { check_equal(ends_of(*network, {{0, {0, 2, 3, 300}}}), {30}); }
  SUBCASE("slow in, with another from the same source") {
    // 0 has 30 B/s, 1 has 50 B/s until 6; then 0 goes on with 30 B/s.
    check_equal(ends_of(*network, {{0, {0, 0, 1, 300}}, {0, {1, 0, 3, 300}}}), {10, 6});
  }
  SUBCASE("a fast link into which two slower ones lead") {
    check_equal(ends_of(*network, {{0, {0, 0, 3, 300}}, {0, {1, 2, 3, 300}}}), {3, 30});
  }
}

TEST_CASE("a transfer keeps its bytes when its bottleneck changes sides, there and back") {
  // 0 -> 1 shares its way out: 50 B/s. From 2 to 5 two others enter node 1: 100/3 B/s, 100 bytes. Then 50 B/s again,
  // until the other one has left at 12: all 0 has by then is 100 + 100 + 350, and 50 bytes are left at 100 B/s.
  auto const network = make_star(plain(5), 0);
  check_equal(ends_of(*network, {{0, {0, 0, 1, 600}}, {0, {1, 0, 2, 600}}, {2, {2, 3, 1, 100}}, {2, {3, 4, 1, 100}}}),
              {12.5, 12, 5, 5});
  CHECK(network->counts().flips == 2);
}

TEST_CASE("a transfer of no bytes ends with its latency phase and is never in a bandwidth phase") {
  auto const network = make_star(plain(3), 1);
  network->start({0, 0, 1, 0}, 4);
  network->start({1, 0, 2, 100}, 4);
  CHECK(network->next_event() == 5);
  auto const done = network->advance(5);
  REQUIRE(done.size() == 1);
  CHECK(done[0].id == 0);
  CHECK(done[0].time_s == 5);
  CHECK(network->phases()->outgoing(0) == 1);
  CHECK(network->phases()->incoming(1) == 0);
  CHECK(network->next_event() == 6);
}

TEST_CASE("a latency of 0 ends at the start") {
  auto const network = make_star(plain(2), 0);
  network->start({0, 0, 1, 0}, 3);
  network->start({1, 0, 1, 100}, 3);
  CHECK(network->phases()->outgoing(0) == 0);  // nothing changes before advance
  CHECK(network->next_event() == 3);
  CHECK(network->advance(3).size() == 1);
  CHECK(network->phases()->outgoing(0) == 1);
  CHECK(network->next_event() == 4);
}

TEST_CASE("starts and ends at one instant are applied before rates are set") {
  SUBCASE("a start when another ends") {
    auto const network = make_star(plain(3), 0);
    check_equal(ends_of(*network, {{0, {0, 0, 1, 100}}, {1, {1, 0, 2, 200}}}), {1, 3});
    CHECK(network->counts().flips == 0);
  }
  SUBCASE("a latency phase that ends when a transfer ends") {
    auto const network = make_star(plain(3), 1);
    check_equal(ends_of(*network, {{0, {0, 0, 1, 100}}, {1, {1, 0, 2, 200}}}), {2, 4});
  }
  SUBCASE("one transfer after the other between the same nodes") {
    auto const network = make_star(plain(2), 0);
    check_equal(ends_of(*network, {{0, {0, 0, 1, 100}}, {1, {1, 0, 1, 100}}, {2, {2, 0, 1, 100}}}), {1, 2, 3});
  }
}

TEST_CASE("completions are in order of time, then of start") {
  auto const network = make_star(plain(6), 0);
  auto const ends = run(*network, {{0, {0, 4, 5, 300}},
                                   {0, {1, 2, 3, 100}},
                                   {0, {2, 0, 1, 100}},
                                   {0, {3, 0, 1, 100}},
                                   {2, {4, 3, 2, 0}},
                                   {2, {5, 2, 3, 100}}});
  std::vector<std::pair<std::uint64_t, double>> got;
  for (completion const& end : ends) got.emplace_back(end.id, end.time_s);
  CHECK(got == std::vector<std::pair<std::uint64_t, double>>{{1, 1}, {2, 2}, {3, 2}, {4, 2}, {0, 3}, {5, 3}});
}

TEST_CASE("many that end at one instant are in order of start") {
  auto const network = make_star(plain(40), 0);
  std::vector<start> starts;
  for (std::uint32_t i = 0; i < 20; ++i) starts.push_back({1.0 * i, {i, i, 20 + i, 100 * (20 - i)}});
  auto const ends = run(*network, starts);
  REQUIRE(ends.size() == 20);
  for (std::uint32_t i = 0; i < 20; ++i) {
    CHECK(ends[i].id == i);
    CHECK(ends[i].time_s == 20);
  }
}

TEST_CASE("what ends at one instant by the equations does so whatever the rounding, in order of start") {
  ovlp::testing::ending_together const all;
  auto const network = make_star(plain(2 * all.pairs), all.latency_s);
  std::vector<completion> const ends = run(*network, all.starts);
  CHECK(ends[0].time_s == doctest::Approx(all.end_s).epsilon(1e-12));
  for (std::uint32_t i = 0; i < all.count; ++i) {
    CAPTURE(i);
    CHECK(ends[i].id == i);
    CHECK(ends[i].time_s == ends[0].time_s);
  }
}

TEST_CASE("transfers too short for the resolution of time end at their start, in order") {
  auto const network = make_star(ovlp::net::alike(2, 1e10), 0);
  for (std::uint64_t id = 0; id < 3; ++id) network->start({id, 0, 1, 3 - id}, 1e9);
  auto const ends = network->advance(1e9);
  REQUIRE(ends.size() == 3);
  for (std::uint64_t id = 0; id < 3; ++id) {
    CHECK(ends[id].id == id);
    CHECK(ends[id].time_s == 1e9);
  }
  CHECK(network->phases()->outgoing(0) == 0);
}

TEST_CASE("what a link carried before it was idle does not blur what comes after") {
  // A clock that stood at 1e18 bytes would count in steps of 128.
  auto const network = make_star(ovlp::net::alike(2, 1e18), 0);
  network->start({0, 0, 1, 1'000'000'000'000'000'000}, 0);
  CHECK(network->advance(1).size() == 1);
  for (std::uint64_t id = 1; id <= 10'000; ++id) network->start({id, 0, 1, 100}, 1.5);
  auto const ends = network->advance(2);
  REQUIRE(ends.size() == 10'000);
  CHECK(std::abs(ends.front().time_s - 1.5 - 1e-12) < 1e-15);
  CHECK(std::abs(ends.back().time_s - 1.5 - 1e-12) < 1e-15);
}

TEST_CASE("one advance goes through many events") {
  auto const network = make_star(plain(3), 1);
  network->start({0, 0, 1, 100}, 0);
  network->start({1, 0, 2, 300}, 0);
  network->start({2, 1, 2, 100}, 10);  // before what happens until then was asked for
  auto const done = network->advance(20);
  REQUIRE(done.size() == 3);
  CHECK(done[0].time_s == 3);
  CHECK(done[1].time_s == 5);
  CHECK(done[2].time_s == 12);
}

TEST_CASE("counts are those of transfers in their bandwidth phase, and nodes whose counts change are listed once") {
  auto const network = make_star(plain(4), 1);
  auto const touched = [&] {
    std::vector<std::uint32_t> nodes(network->phases()->touched_nodes().begin(),
                                     network->phases()->touched_nodes().end());
    network->phases()->clear_touched_nodes();
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  };
  using nodes = std::vector<std::uint32_t>;
  network->start({0, 0, 1, 100}, 0);
  network->start({1, 0, 2, 200}, 0);
  network->advance(0.5);
  CHECK(network->phases()->outgoing(0) == 0);
  CHECK(touched().empty());
  network->advance(1);
  CHECK(network->phases()->outgoing(0) == 2);
  CHECK(network->phases()->incoming(0) == 0);
  CHECK(network->phases()->incoming(1) == 1);
  CHECK(network->phases()->incoming(2) == 1);
  CHECK(touched() == nodes{0, 1, 2});
  CHECK(touched().empty());
  network->advance(3);
  CHECK(network->phases()->outgoing(0) == 1);
  CHECK(network->phases()->incoming(1) == 0);
  CHECK(touched() == nodes{0, 1});
  network->advance(4);
  CHECK(network->phases()->outgoing(0) == 0);
  CHECK(touched() == nodes{0, 2});
}

TEST_CASE("a mistake of the caller is a logic_error") {
  auto const network = make_star(plain(2), 1);
  CHECK_THROWS_AS(network->start({0, 1, 1, 100}, 0), std::logic_error);
  CHECK_THROWS_AS(network->start({0, 0, 2, 100}, 0), std::logic_error);
  CHECK_THROWS_AS(network->start({0, 2, 0, 100}, 0), std::logic_error);
  CHECK_THROWS_AS(network->start({0, 0, 1, 100}, infinity), std::logic_error);
  CHECK_THROWS_AS(network->phases()->incoming(2), std::logic_error);
  CHECK_THROWS_AS(network->advance(infinity), std::logic_error);
  network->start({0, 0, 1, 100}, 5);
  CHECK_THROWS_AS(network->start({1, 0, 1, 100}, 4), std::logic_error);
  network->advance(6);
  CHECK_THROWS_AS(network->advance(5), std::logic_error);
  CHECK_THROWS_AS(network->start({1, 0, 1, 100}, 5.5), std::logic_error);
  CHECK_THROWS_AS(make_star({{0, 100}, {100, 100}}, 1), std::logic_error);
  CHECK_THROWS_AS(make_star({{100, infinity}, {100, 100}}, 1), std::logic_error);
  CHECK_THROWS_AS(make_star(plain(2), -1), std::logic_error);
  CHECK_THROWS_AS(make_star(plain(2), std::nan("")), std::logic_error);
}

namespace {

class dice {
 public:
  explicit dice(std::uint64_t seed) : engine_(seed) {}
  /// 0, 1, ..., sides - 1.
  std::uint64_t operator()(std::uint64_t sides) { return engine_() % sides; }
  bool one_in(std::uint64_t sides) { return (*this)(sides) == 0; }
  /// In [0, 1).
  double fraction() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  /// In [low, high), all orders of magnitude alike.
  double magnitude(double low, double high) { return low * std::pow(high / low, fraction()); }

 private:
  std::mt19937_64 engine_;
};

struct scenario {
  std::vector<node_link> links;
  double latency_s = 0;
  std::vector<start> starts;
};

/// Some of them while transfers go, and all for many of them.
std::shared_ptr<ovlp::net::factor_over_time const> any_changes(dice& random, double alone_s) {
  std::vector<ovlp::net::factor_over_time::step> steps;
  double at_s = 0;
  for (std::uint64_t i = 0, count = 1 + random(20); i < count; ++i) {
    at_s += alone_s * random.magnitude(1e-3, 10);
    steps.push_back({at_s, random.magnitude(0.05, 20)});
  }
  return std::make_shared<ovlp::net::factor_over_time const>(std::move(steps));
}

scenario any_scenario(dice& random, std::size_t transfers) {
  scenario made;
  std::uint64_t const nodes = 2 + random(random.one_in(4) ? 60 : 8);
  bool const alike = random.one_in(2);
  double const bandwidth_Bps = random.magnitude(1e3, 1e10);
  for (std::uint64_t i = 0; i < nodes; ++i) {
    auto const any = [&] {
      return alike ? bandwidth_Bps : bandwidth_Bps * (random.one_in(2) ? 1 : 0.1 + random.fraction());
    };
    made.links.push_back({any(), any()});
  }
  bool const unequal_latencies = random.one_in(3);
  bool const unsteady = random.one_in(3);
  double const largest_bytes = random.magnitude(10, 1e9);
  double const alone_s = largest_bytes / bandwidth_Bps;
  made.latency_s = random.one_in(3) ? 0 : alone_s * random.magnitude(1e-4, 10);
  for (node_link& l : made.links) {
    if (unequal_latencies && random.one_in(2)) l.latency_s = alone_s * random.magnitude(1e-4, 10);
    if (unsteady && random.one_in(2)) l.over_time = any_changes(random, alone_s);
  }
  double const pause_s = alone_s * random.magnitude(1e-3, 1) / static_cast<double>(nodes);
  // Most traffic may be that of one node, at either end or at both.
  bool const one_source = random.one_in(3);
  bool const one_destination = random.one_in(3);
  bool const one_size = random.one_in(4);
  bool const some_waited = random.one_in(3);
  std::uint64_t const burst = 1 + random(random.one_in(2) ? 1 : 20);
  double now_s = 0;
  for (std::size_t id = 0; id < transfers; ++id) {
    if (random.one_in(burst)) now_s += pause_s * static_cast<double>(burst) * 2 * random.fraction();
    auto const source = static_cast<std::uint32_t>(one_source && !random.one_in(4) ? 0 : random(nodes));
    auto destination = static_cast<std::uint32_t>(one_destination && !random.one_in(4) ? 1 : random(nodes));
    if (destination == source) destination = static_cast<std::uint32_t>((source + 1) % nodes);
    auto const bytes = static_cast<std::uint64_t>(one_size ? largest_bytes : random.magnitude(0.5, largest_bytes));
    made.starts.push_back({now_s, {id, source, destination, bytes}});
    if (some_waited && random.one_in(2))
      made.starts.back().what.handed_over_s = now_s - made.latency_s * random.magnitude(1e-3, 3);
  }
  return made;
}

/// The largest difference of an end from the naive solver's, relative to the last end.
double deviation(std::vector<double> const& ends, std::vector<phase> const& expected) {
  REQUIRE(ends.size() == expected.size());
  long double last_s = 0;
  long double worst_s = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    last_s = std::max(last_s, expected[i].end_s);
    worst_s = std::max(worst_s, std::abs(expected[i].end_s - static_cast<long double>(ends[i])));
  }
  return last_s > 0 ? static_cast<double>(worst_s / last_s) : 0;
}

/// Goes to random moments and compares the counts there; a moment at which something changes is left out.
void check_counts(scenario const& given, std::vector<phase> const& phases, dice& random) {
  long double last_s = 0;
  for (phase const& p : phases) last_s = std::max(last_s, p.end_s);
  std::vector<double> moments(10);
  for (double& moment : moments) moment = static_cast<double>(last_s) * random.fraction();
  std::sort(moments.begin(), moments.end());
  auto const network = make_star(given.links, given.latency_s);
  std::size_t started = 0;
  std::vector<std::uint32_t> known_out(given.links.size());
  std::vector<std::uint32_t> known_in(given.links.size());
  for (double const moment : moments) {
    for (; started < given.starts.size() && given.starts[started].at_s <= moment; ++started) {
      network->start(given.starts[started].what, given.starts[started].at_s);
    }
    network->advance(moment);
    for (std::uint32_t const node : network->phases()->touched_nodes()) {
      known_out[node] = network->phases()->outgoing(node);
      known_in[node] = network->phases()->incoming(node);
    }
    network->phases()->clear_touched_nodes();
    std::vector<std::uint32_t> leaving(given.links.size());
    std::vector<std::uint32_t> entering(given.links.size());
    bool is_clear = true;
    for (std::size_t i = 0; i < phases.size(); ++i) {
      long double const margin_s = 1e-9L * last_s;
      if (std::abs(phases[i].begin_s - moment) < margin_s || std::abs(phases[i].end_s - moment) < margin_s) {
        is_clear = false;
      }
      if (phases[i].begin_s > moment || phases[i].end_s <= moment) continue;
      ++leaving[given.starts[i].what.source];
      ++entering[given.starts[i].what.destination];
    }
    if (!is_clear) continue;
    CHECK(known_out == leaving);
    CHECK(known_in == entering);
  }
}

}  // namespace

TEST_CASE("a star does what its definition says, on thousands of random lists of transfers") {
  dice random(ovlp::testing::new_seed());
  double worst = 0;
  for (int list = 0; list < 4000 / ROUNDS_DIVIDED_BY; ++list) {
    CAPTURE(list);
    scenario const given = any_scenario(random, 1 + random(100));
    auto const expected = naive_star::solve(given.links, given.latency_s, given.starts);
    auto const network = make_star(given.links, given.latency_s);
    auto const ends = run(*network, given.starts);
    CHECK(std::is_sorted(ends.begin(), ends.end(), [](auto const& a, auto const& b) { return a.time_s < b.time_s; }));
    double const here = deviation(by_id(ends), expected);
    CHECK(here < 1e-9);
    worst = std::max(worst, here);
    check_counts(given, expected, random);
  }
  MESSAGE("largest deviation " << worst);
}

TEST_CASE("errors of rounding do not add up over thousands of transfers") {
  dice random(ovlp::testing::new_seed());
  double worst = 0;
  for (int list = 0; list < 10; ++list) {
    CAPTURE(list);
    scenario const given = any_scenario(random, 3000);
    auto const network = make_star(given.links, given.latency_s);
    double const here =
        deviation(ends_of(*network, given.starts), naive_star::solve(given.links, given.latency_s, given.starts));
    CHECK(here < 1e-9);
    worst = std::max(worst, here);
  }
  MESSAGE("largest deviation " << worst);
}

TEST_CASE("the same transfers have the same times, to the last bit") {
  dice random(ovlp::testing::new_seed());
  for (int list = 0; list < 20; ++list) {
    scenario const given = any_scenario(random, 1000);
    auto const first = make_star(given.links, given.latency_s);
    auto const second = make_star(given.links, given.latency_s);
    auto const a = run(*first, given.starts);
    auto const b = run(*second, given.starts);
    CHECK(std::equal(a.begin(), a.end(), b.begin(), b.end(),
                     [](auto const& x, auto const& y) { return x.id == y.id && x.time_s == y.time_s; }));
  }
}

namespace {

/// How many pairs are looked at for a start or an end of a transfer, or, if they are more, for each of those and of the
/// flips.
double looks_per_event(ovlp::net::network const& network, std::size_t transfers) {
  return static_cast<double>(network.counts().looks) /
         (2 * static_cast<double>(transfers) + static_cast<double>(network.counts().flips));
}

}  // namespace

TEST_CASE("a start or an end looks at a few pairs and moves a logarithmic number, however many leave one node") {
  struct size {
    std::size_t nodes, transfers;
  };
  for (size const given : {size{2, 1'000}, size{2, 100'000}, size{64, 1'000}, size{64, 100'000}, size{64, 1'000'000},
                           size{50'000, 100'000}}) {
    CAPTURE(given.nodes);
    CAPTURE(given.transfers);
    dice random(1);
    auto const network = make_star(ovlp::net::alike(given.nodes, 1e9), 1e-6);
    std::uint32_t most = 0;
    std::size_t ended = 0;
    double now_s = 0;
    for (std::size_t id = 0; id < given.transfers; ++id) {
      auto const destination = static_cast<std::uint32_t>(1 + id % (given.nodes - 1));
      network->start({id, 0, destination, 1'000'000 + random(1'000'000)}, now_s);
      now_s += 1e-9;
      ended += network->advance(now_s).size();
    }
    while (network->next_event() < infinity) {
      most = std::max(most, network->phases()->outgoing(0));
      ended += network->advance(network->next_event()).size();
    }
    CHECK(ended == given.transfers);
    CHECK(most == given.transfers);  // all at once
    CHECK(looks_per_event(*network, given.transfers) < 3);
    auto const transfers = static_cast<double>(given.transfers);
    CHECK(static_cast<double>(network->counts().moves) < 2 * transfers * (2 + std::log2(transfers)));
    CHECK(network->counts().flips == 0);  // never do fewer leave node 0 than enter another
  }
}

TEST_CASE("under mixed loads a start, an end or a flip looks at few more pairs than a node has") {
  for (std::size_t const nodes : {std::size_t{4}, std::size_t{64}, std::size_t{1'000}}) {
    CAPTURE(nodes);
    for (std::size_t const at_once : {std::size_t{1'000}, std::size_t{5'000}, std::size_t{30'000}}) {
      CAPTURE(at_once);
      std::size_t const transfers = 4 * at_once;
      dice random(1);
      auto const network = make_star(ovlp::net::alike(nodes, 1e9), 1e-6);
      auto const start_any = [&](std::size_t id, double now_s) {
        auto const source = static_cast<std::uint32_t>(random(nodes));
        auto const destination = static_cast<std::uint32_t>((source + 1 + random(nodes - 1)) % nodes);
        network->start({id, source, destination, static_cast<std::uint64_t>(random.magnitude(1, 1e6))}, now_s);
      };
      std::size_t started = 0;
      while (started < at_once) start_any(started++, 0);
      while (network->next_event() < infinity) {
        double const now_s = network->next_event();
        std::size_t const ended = network->advance(now_s).size();
        for (std::size_t i = 0; i < ended && started < transfers; ++i) start_any(started++, now_s);
      }
      double const pairs_of_a_node =
          std::min<double>(static_cast<double>(nodes), 2 * static_cast<double>(at_once) / static_cast<double>(nodes));
      CHECK(looks_per_event(*network, transfers) < 3 * pairs_of_a_node);
      CHECK(network->counts().flips > 0);
    }
  }
}
