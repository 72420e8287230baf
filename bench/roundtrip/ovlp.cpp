// SPDX-License-Identifier: BSD-3-Clause
// Ping-pong of B bytes between two nodes: a leaf on node 0 calls a graph whose only leaf runs on node 1, and gets the
// object back. Each call carries one object each way.
//
//   taskset -c 0 roundtrip_ovlp --nodes 2 --launch 'taskset -c {node} {program} {arguments}' --poll-us 50 --bytes 8
#include <cstdint>
#include <vector>

#include <ovlp/ovlp.hpp>

#include "../contestant.hpp"

namespace {

struct Small {
  std::uint64_t value;
};
struct Large {
  ovlp::buffer<std::uint64_t> values;
};
struct Rounds {
  int count;
  std::uint64_t bytes;
};
struct Times {
  std::vector<double> round_trips_s;
  bool came_back;  ///< the last ball, as it was
};

bool is_as_sent(Small const& ball) { return ball.value == 1; }
bool is_as_sent(Large const& ball) { return bench::is_filled(ball.values.view()); }

template <class Ball>
ovlp::graph<Ball, Ball> pong(ovlp::threads<>& there) {
  return ovlp::leaf("pong", there.at(0), [](Ball ball) { return ball; });
}

/// Seconds of each round trip of `ball`, after a tenth as many to warm up.
template <class Ball>
Times play(ovlp::here<>& here, ovlp::graph<Ball, Ball> const& pong, Ball ball, int rounds) {
  for (int i = 0; i < rounds / 10; ++i) ball = here.call(pong, std::move(ball));
  Times times{};
  for (int i = 0; i < rounds; ++i) {
    auto const start = bench::clock::now();
    ball = here.call(pong, std::move(ball));
    times.round_trips_s.push_back(bench::seconds_since(start));
  }
  times.came_back = is_as_sent(ball);
  return times;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t bytes = 8;
  int rounds = 20000;
  ovlp::options options{"roundtrip_ovlp", "Round trip of an object between two nodes"};
  options.add("--bytes", bytes, "size of the object").at_least(8);
  options.add("--rounds", rounds, "round trips").at_least(10);
  ovlp::engine run{argc, argv, options};
  ovlp::threads<> home{"home", "node0"};
  ovlp::threads<> there{"there", "node1"};
  auto const small = pong<Small>(there);
  auto const large = pong<Large>(there);
  ovlp::graph<Rounds, Times> const ping =
      ovlp::leaf("ping", home.at(0), [small, large](ovlp::here<>& here, Rounds order) {
        if (order.bytes == 8) return play(here, small, Small{1}, order.count);
        Large ball{ovlp::buffer<std::uint64_t>(order.bytes / 8)};
        bench::fill(ball.values.mutate());
        return play(here, large, std::move(ball), order.count);
      });
  run.add(small);
  run.add(large);

  Times const times = run(ping, Rounds{rounds, bytes});
  if (!times.came_back) {
    std::fprintf(stderr, "roundtrip_ovlp: the object is not what was sent\n");
    return 1;
  }
  bench::report(bench::round_trip_result("ovlp", bytes, times.round_trips_s));
}
