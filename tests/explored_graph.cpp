// SPDX-License-Identifier: BSD-3-Clause
// A random flow graph as a program, for ovlp explore:  explored_graph --seed 7 --steps 40
#include <cstdint>
#include <exception>
#include <iostream>

#include <ovlp/ovlp.hpp>

#include "support/random_graphs.hpp"

int main(int argc, char** argv) try {
  using namespace ovlp::testing::random_graphs;
  std::uint64_t seed = 1;
  int steps = 40;
  ovlp::options options{"explored_graph", "A random flow graph, whose collections change meanwhile"};
  options.add("--seed", seed, "of the graph");
  options.add("--steps", steps, "operations that a call runs, at most");
  ovlp::engine run{argc, argv, options};
  plan of_run = make_plan(seed, false, steps);
  of_run.nodes = run.nodes();  // as many as --nodes says
  std::string const wrong = play(of_run, seed, run);
  if (wrong.empty()) return 0;
  std::cerr << "explored_graph: " << wrong << '\n';
  return 1;
} catch (std::exception const& error) {
  std::cerr << "explored_graph: " << error.what() << '\n';
  return 1;
}
