// SPDX-License-Identifier: BSD-3-Clause
// How fast the simulator predicts the LU factorization of the example, and in how much memory.
//
//   lu_simulated --n 120000 --block 500 --nodes 64 --graph pipelined --flow-control 256 --platform gigabit
//                --execution partial --no-alloc
//
// With --flow FILE it writes the task flow for other simulators, which replay it (simgrid_actors.cpp,
// simgrid_activities.cpp), and is not to be timed. They know nothing of what communication takes from a core, so there
// the platform has to be one without.
#include <memory>
#include <string>

#include "../simulation.hpp"
#include "flow_recorder.hpp"
#include "graph.hpp"

int main(int argc, char** argv) {
  int n = 2592;
  int block = 216;
  std::string graph = "basic";
  std::size_t window = 0;
  ovlp::options options{"lu_simulated", "Speed of the simulator"};
  options.add("--n", n, "order of the matrix").at_least(1);
  options.add("--block", block, "order of a block").at_least(1);
  options.add("--graph", graph, "flow graph").one_of({"basic", "pipelined"});
  options.add("--flow-control", window, "products in circulation");
  std::string flow;
  options.add("--flow", flow, "file for the task flow");
  ovlp::engine run{argc, argv, options};

  lu::Layout layout{n, block, 1};
  layout.threads = layout.blocks();
  auto const columns = lu::make_columns(layout, run.nodes());
  auto const factor =
      lu::paper_graph(columns, {run.nodes(), run.nodes(), run.nodes()}, layout, {graph == "pipelined", window});
  run.add(factor);
  run.record();
  auto const recorder = std::make_shared<bench::flow_recorder>();
  if (!flow.empty()) run.attach(recorder);

  double const ready_s = bench::process_cpu_s();
  auto const start = bench::clock::now();
  run(factor, {});
  double const wall_s = bench::seconds_since(start), simulation_cpu_s = bench::process_cpu_s() - ready_s;
  auto const figures = run.summary();

  if (!flow.empty()) bench::write_flow(recorder->take(figures), flow);
  bench::json report{{"contestant", "simulated"},
                     {"graph", graph},
                     {"n", n},
                     {"block", block},
                     {"simulation_cpu_s", simulation_cpu_s}};
  report.update(bench::figures_of(figures, wall_s));
  bench::report(report);
}
