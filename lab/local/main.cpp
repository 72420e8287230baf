// SPDX-License-Identifier: BSD-3-Clause
// What messages and steps cost between two processes of this machine: figures for the platform `local`, as JSON on
// standard output. simkernel/machine/src/local_platform.cpp starts it, once with threads that sleep when they are idle
// and once with threads that poll, and computes with what it says.
//   ovlp-local --nodes 2 --poll-us 0
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/base/host.hpp>
#include <ovlp/base/statistics.hpp>
#include <ovlp/runtime/options.hpp>
#include <ovlp/runtime/real.hpp>

#include "patterns.hpp"

namespace {

using ovlp::lab::calibrate::measured;
using ovlp::lab::calibrate::patterns;

constexpr std::uint32_t small_count = 400, step_count = 2000, awaited_count = 60, few = 8, large_count = 4;
constexpr std::uint64_t large_bytes = 1'600'000;

/// Of each figure one value a round.
std::map<std::string, std::vector<double>> measure(patterns& ask, double seconds) {
  std::map<std::string, std::vector<double>> all;
  double const start_s = ovlp::base::monotonic_s();
  constexpr int least_rounds = 5;
  for (int round = 0; round < least_rounds || ovlp::base::monotonic_s() - start_s < seconds; ++round) {
    auto const note = [&](std::string const& name, double value) { all[name].push_back(value); };
    note("three_steps_cpu_s", ask.run({{{1, 1, 0, step_count}}}).node_cpu_s[1] / step_count);
    auto const each = [&](std::string const& name, measured const& of, std::uint32_t count) {
      note(name + "_s", of.time_s / count);
      note(name + "_sender_cpu_s", of.node_cpu_s[0] / count);
      note(name + "_receiver_cpu_s", of.node_cpu_s[1] / count);
    };
    each("small", ask.run({{{0, 1, 0, small_count}}}), small_count);
    each("awaited", ask.run({{{0, 1, 0, awaited_count}}, true}), awaited_count);
    // So short that on a busy machine some are not disturbed.
    for (int i = 0; i < 8; ++i) note("awaited_few_s", ask.run({{{0, 1, 0, few}}, true}).time_s / few);
    each("large", ask.run({{{0, 1, large_bytes, large_count}}}), large_count);
    each("awaited_large", ask.run({{{0, 1, large_bytes, large_count}}, true}), large_count);
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) try {
  double seconds = 0.5;
  ovlp::options options{"ovlp-local", "Measure what messages and steps cost on this machine"};
  options.add("--seconds", seconds, "how long, about").at_least(0);
  ovlp::real::engine run{argc, argv, options};
  if (run.nodes() != 2) throw ovlp::config_error("--nodes: expected 2, got " + std::to_string(run.nodes()));
  ovlp::lab::calibrate::process_clocks clocks;
  patterns ask(run, clocks, 2);
  ask.limits();  // from here on in node 0 only
  double const launch_s = ask.launch_last();
  ask.run({{{0, 1, large_bytes, 2}, {1, 0, 0, small_count}}});  // memory is allocated, code is loaded

  nlohmann::ordered_json figures{{"launch_s", launch_s}, {"large_bytes", large_bytes}};
  for (auto const& [name, values] : measure(ask, seconds)) {
    // What comes in between makes times longer, and nothing makes them shorter.
    bool const is_cpu = name.ends_with("cpu_s");
    figures[name] = is_cpu ? ovlp::base::median(values) : *std::ranges::min_element(values);
  }
  std::printf("%s\n", figures.dump().c_str());
  return 0;
} catch (std::exception const& failed) {
  std::fprintf(stderr, "ovlp-local: %s\n", failed.what());
  return 1;
}
