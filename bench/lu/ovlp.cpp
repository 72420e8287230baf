// SPDX-License-Identifier: BSD-3-Clause
// LU factorization of the example, timed from the call of the graph to its result; the matrix is filled before.
//
//   taskset -c 0 lu_ovlp --nodes 2 --launch 'taskset -c {node} {program} {arguments}' --n 4096 --block 256
#include <cmath>
#include <string>

#include <ovlp/ovlp.hpp>

#include "../contestant.hpp"
#include "graph.hpp"
#include "kernels.hpp"
#include "matrix.hpp"

int main(int argc, char** argv) {
  int n = 4096;
  int block = 256;
  std::string graph = "owner";
  std::size_t window = 16;
  std::size_t seed = 1;
  ovlp::options options{"lu_ovlp", "Time of the LU factorization"};
  options.add("--n", n, "order of the matrix").at_least(1);
  options.add("--block", block, "order of a block").at_least(1);
  options.add("--graph", graph, "flow graph").one_of({"pipelined", "owner"});
  options.add("--flow-control", window, "products in circulation, in graph pipelined").at_least(0);
  options.add("--seed", seed, "of the matrix").at_least(0);
  bool check = false;
  options.add("--check", check, "compute the residual; the run fails above 10");
  ovlp::engine run{argc, argv, options};
  lu::use_one_blas_thread();

  lu::Layout layout{n, block, 1};
  layout.threads = graph == "owner" ? static_cast<int>(run.nodes()) : layout.blocks();
  auto const columns = lu::make_columns(layout, run.nodes());
  auto const fill = lu::fill_graph(columns);
  auto const factor = graph == "owner"
                          ? lu::owner_graph(columns, layout)
                          : lu::paper_graph(columns, {run.nodes(), run.nodes(), run.nodes()}, layout, {true, window});
  auto const gather = lu::gather_graph(columns);
  run.add(fill);
  run.add(factor);
  run.add(gather);

  run(fill, {seed});
  run(factor, {});  // warm-up: pages, connections, the BLAS library
  run(fill, {seed});
  auto const start = bench::clock::now();
  lu::Factored const factored = run(factor, {});
  double const seconds = bench::seconds_since(start);
  bench::json result{{"contestant", "ovlp"}, {"graph", graph},     {"n", n},
                     {"block", block},       {"seconds", seconds}, {"gflops", 2e-9 / 3.0 * std::pow(n, 3) / seconds}};
  if (check) result["residual"] = lu::residual(run(gather, factored), seed);
  bench::report(result);
  return check && !(result["residual"] <= bench::most_residual) ? 1 : 0;
}
