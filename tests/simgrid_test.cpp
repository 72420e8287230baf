// SPDX-License-Identifier: BSD-3-Clause
// One star of SimGrid for all cases: a process has one machine.
#include <ovlp/netmodel/simgrid.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/netmodel/fair_star.hpp>

#include "support/drive_network.hpp"
#include "support/seed.hpp"

namespace {

using ovlp::net::make_fair_star;
using ovlp::net::simgrid_engine;
using ovlp::net::simgrid_machine;
using ovlp::testing::ends_of;
using ovlp::testing::start;

constexpr std::size_t nodes = 16;
constexpr double bandwidth = 1e8, latency_s = 1e-4;
// SimGrid takes moments closer than its precision/timing for one.
constexpr double simgrid_precision_s = 1e-9;

simgrid_machine star_of(unsigned long count) {
  simgrid_machine machine;
  machine.what = simgrid_machine::star{count};
  machine.bandwidth = bandwidth;
  machine.latency_s = latency_s / 2;
  machine.settings = {
      {"network/model", "CM02"}, {"network/crosstraffic", "0"}, {"network/TCP-gamma", "0"}, {"network/optim", "Full"}};
  return machine;
}

std::unique_ptr<ovlp::net::network> make_network() { return simgrid_engine::load(star_of(nodes)).make_network(nodes); }

std::vector<start> random_starts(std::mt19937_64& random) {
  auto const draw = [&](std::uint64_t below) {
    return std::uniform_int_distribution<std::uint64_t>(0, below - 1)(random);
  };
  std::vector<start> starts;
  double at_s = 0;
  for (std::uint64_t i = 0, count = 1 + draw(60); i < count; ++i) {
    if (draw(3) > 0) at_s += std::uniform_real_distribution<double>(0, 0.01)(random);
    auto const source = static_cast<std::uint32_t>(draw(nodes));
    auto const step = static_cast<std::uint32_t>(1 + draw(nodes - 1));
    std::uint64_t const bytes = draw(5) == 0 ? 0 : draw(2) == 0 ? draw(2'000) : draw(2'000'000);
    starts.push_back({at_s, {i, source, (source + step) % static_cast<std::uint32_t>(nodes), bytes}});
  }
  return starts;
}

}  // namespace

TEST_CASE("SimGrid's star: transfers end when those of a max-min fair star do") {
  std::mt19937_64 random(ovlp::testing::new_seed());
  for (int list = 0; list < 2000; ++list) {
    auto const starts = random_starts(random);
    auto const simulated = make_network();
    auto const ours = make_fair_star(ovlp::net::alike(nodes, bandwidth), latency_s);
    auto const got = ends_of(*simulated, starts), expected = ends_of(*ours, starts);
    REQUIRE(got.size() == expected.size());
    for (std::size_t i = 0; i < starts.size(); ++i) {
      CAPTURE(list);
      CAPTURE(i);
      double const took_s = expected[i] - starts[i].at_s;
      REQUIRE(std::abs(got[i] - expected[i]) <= 1e-6 * took_s + simgrid_precision_s);
    }
  }
}

TEST_CASE("SimGrid's star: as many transfers are in their bandwidth phase as in a max-min fair star") {
  std::mt19937_64 random(ovlp::testing::new_seed());
  for (int list = 0; list < 200; ++list) {
    auto const starts = random_starts(random);
    auto const simulated = make_network();
    auto& counts = *simulated->phases();
    auto const ours = make_fair_star(ovlp::net::alike(nodes, bandwidth), latency_s);
    std::size_t next = 0;
    std::vector<std::uint32_t> before(2 * nodes, 0);
    for (int look = 0; look < 407; ++look) {
      double const now_s = 0.00123 * look;  // between events
      for (; next < starts.size() && starts[next].at_s <= now_s; ++next) {
        for (ovlp::net::network* network : {simulated.get(), ours.get()}) {
          network->start(starts[next].what, now_s);
        }
      }
      simulated->advance(now_s);
      double last_event_s = 0;
      while (ours->next_event() <= now_s) {
        last_event_s = ours->next_event();
        ours->advance(last_event_s);
      }
      ours->advance(now_s);
      // On which side of such an event one looks, the two need not agree.
      if (now_s - last_event_s < 1e-6 || ours->next_event() - now_s < 1e-6) continue;
      std::vector<bool> touched(nodes, false);
      for (std::uint32_t node : counts.touched_nodes()) touched[node] = true;
      counts.clear_touched_nodes();
      for (std::uint32_t node = 0; node < nodes; ++node) {
        REQUIRE(counts.incoming(node) == ours->phases()->incoming(node));
        REQUIRE(counts.outgoing(node) == ours->phases()->outgoing(node));
        bool const as_before =
            before[2 * node] == counts.incoming(node) && before[2 * node + 1] == counts.outgoing(node);
        REQUIRE((as_before || touched[node]));
        before[2 * node] = counts.incoming(node);
        before[2 * node + 1] = counts.outgoing(node);
      }
    }
  }
}

TEST_CASE("SimGrid's star: ends have their own times, in order, however far one advances") {
  auto const network = make_network();
  network->start({7, 0, 1, 1'000'000}, 1);
  network->start({8, 2, 3, 100'000}, 1);
  network->start({9, 4, 5, 100'000}, 1);
  CHECK(network->next_event() > 1);
  auto const ends = network->advance(5);
  REQUIRE(ends.size() == 3);
  CHECK(ends[0].id == 8);
  CHECK(ends[1].id == 9);
  CHECK(ends[2].id == 7);
  CHECK(ends[0].time_s == doctest::Approx(1 + 1e-4 + 1e-3).epsilon(1e-12));
  CHECK(ends[2].time_s == doctest::Approx(1 + 1e-4 + 1e-2).epsilon(1e-12));
  CHECK(network->next_event() == std::numeric_limits<double>::infinity());
}

TEST_CASE("SimGrid's star: a network that is left with transfers under way does not disturb the next one") {
  {
    auto const left = make_network();
    left->start({1, 0, 1, 1'000'000'000}, 0);
    left->advance(0.01);
    CHECK_THROWS_AS(make_network(), std::logic_error);  // one at a time
  }
  auto const next = make_network();
  auto const ends = ends_of(*next, {{0, {0, 0, 1, 1'000'000}}});
  CHECK(ends.at(0) == doctest::Approx(latency_s + 0.01).epsilon(1e-9));
}

TEST_CASE("SimGrid's star: what a correct caller never does is an error") {
  auto const network = make_network();
  network->advance(1);
  CHECK_THROWS_AS(network->start({1, 0, 1, 1}, 0.5), std::logic_error);
  CHECK_THROWS_AS(network->start({1, 0, 0, 1}, 1), std::logic_error);
  CHECK_THROWS_AS(network->start({1, 0, nodes, 1}, 1), std::logic_error);
  CHECK_THROWS_AS(network->advance(0.5), std::logic_error);
}

TEST_CASE("a process has one machine of SimGrid") {
  CHECK(simgrid_engine::load(star_of(nodes)).hosts().size() == nodes);
  CHECK_THROWS_WITH_AS(simgrid_engine::load(star_of(nodes + 1)), doctest::Contains("run another process"),
                       ovlp::config_error);
}
