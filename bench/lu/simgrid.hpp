// SPDX-License-Identifier: BSD-3-Clause
/// What both programs for SimGrid share: its settings, the machine, what is counted and checked.
#pragma once

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <ovlp/base/json_object.hpp>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "../contestant.hpp"
#include "flow.hpp"

namespace bench {

namespace sg = simgrid::s4u;

/// Hosts with one core around a switch that never limits, links shared max-min fair: what a platform of ovlp with the
/// network "max-min" describes. So there is no cross traffic, and there are no TCP windows.
class simgrid_star {
 public:
  static constexpr double speed = 1e9;  ///< flop/s of a host

  simgrid_star(int& argc, char** argv, std::uint32_t nodes, const json& network) : engine_(&argc, argv) {
    for (const char* setting : {"network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0",
                                "network/latency-factor:1", "network/bandwidth-factor:1", "network/weight-S:0"})
      sg::Engine::set_config(setting);
    sg::NetZone* const star = sg::create_star_zone("star");
    for (std::uint32_t i = 0; i < nodes; ++i) {
      sg::Host* const host = star->create_host("node" + std::to_string(i), speed);
      const auto* const link =
          star->create_split_duplex_link("link" + std::to_string(i), network.at("bandwidth_Bps").get<double>())
              ->set_latency(network.at("latency_s").get<double>() / 2);
      star->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {{link, sg::LinkInRoute::Direction::UP}});
      hosts_.push_back(host);
    }
    star->seal();
  }

  sg::Engine& engine() { return engine_; }
  sg::Host* host(std::uint32_t node) const { return hosts_[node]; }

 private:
  sg::Engine engine_;
  std::vector<sg::Host*> hosts_;
};

/// What a replay has done.
struct replayed {
  std::uint64_t tasks = 0;
  std::uint64_t transfers = 0;
};

/// The command line, the clocks, the check and the report. A `Replay` makes what is to be simulated, and counts.
///
/// `tolerance` is the largest relative difference of the simulated time, if the command line has no other. There is
/// some: the flow ends without the last group totals, which take a latency, and what happens at one instant may happen
/// in another order. A wrong model of the network would show as some per cent.
template <class Replay>
int compete(int argc, char** argv, const char* contestant, double tolerance,
            const std::vector<std::string>& settings) try {
  std::string path, platform, network = "Full";
  CLI::App app(std::string(contestant) + ": replays the task flow of a simulation of ovlp");
  app.add_option("--flow", path, "file of lu_simulated --flow")->required();
  app.add_option("--platform", platform, "file of the platform of that simulation")->required();
  app.add_option("--optim", network, "network/optim of SimGrid: Full, Lazy");
  app.add_option("--tolerance", tolerance, "largest relative difference of the simulated time");
  CLI11_PARSE(app, argc, argv);

  const flow what = read_flow(path);
  std::string program = contestant, quiet = "--log=root.thresh:error";
  std::vector<char*> arguments{program.data(), quiet.data()};
  std::vector<std::string> configured;
  configured.push_back("--cfg=network/optim:" + network);
  for (const std::string& setting : settings) configured.push_back("--cfg=" + setting);
  for (std::string& setting : configured) arguments.push_back(setting.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  simgrid_star machine(count, arguments.data(), what.about.nodes, ovlp::base::read_json(platform).at("network"));

  const double before_s = process_cpu_s();
  Replay replay(machine, what);
  const double ready_s = process_cpu_s();
  const auto start = clock::now();
  machine.engine().run();
  const double wall_s = seconds_since(start), cpu_s = process_cpu_s() - ready_s, time_s = sg::Engine::get_clock();

  const replayed done = replay.done();
  const double difference = time_s / what.about.time_s - 1;
  if (done.tasks != what.about.tasks || done.transfers != what.about.transfers ||
      !(std::abs(difference) <= tolerance)) {
    std::fprintf(stderr, "%s: %.9f s, %zu tasks and %zu transfers instead of %.9f s, %zu and %zu\n", contestant, time_s,
                 done.tasks, done.transfers, what.about.time_s, what.about.tasks, what.about.transfers);
    return 1;
  }
  report({{"contestant", contestant},
          {"nodes", what.about.nodes},
          {"time_s", time_s},
          {"difference", difference},
          {"tasks", done.tasks},
          {"transfers", done.transfers},
          {"wall_s", wall_s},
          {"prepare_cpu_s", ready_s - before_s},
          {"simulation_cpu_s", cpu_s},
          {"events_per_cpu_s", static_cast<double>(what.about.events) / cpu_s},
          {"peak_memory_bytes", peak_memory_bytes()}});
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s: %s\n", contestant, e.what());
  return 2;
}

}  // namespace bench
