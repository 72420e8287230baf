// SPDX-License-Identifier: BSD-3-Clause
// How much work operations hide, as flow graphs: overlap_bench_real and overlap_bench_sim.
//
//   overlap_bench_real --nodes 3 --bytes 1000000 broadcast all-to-all
//   overlap_bench_sim --nodes 9 --platform gigabit --execution partial --no-alloc
#include <cstdio>

#include <ovlp/ovlp.hpp>

#include "trials.hpp"

int main(int argc, char** argv) try {
  using namespace ovlp::overlap_bench;
  settings what;
  double add_ns = 0, tolerance = 0;
  std::size_t runs = 0, searches = 0;
  ovlp::options options{"overlap_bench", "The most work that operations hide, as flow graphs; node 0 only conducts"};
  options.add_arguments("operations", what.operations, "broadcast, ...; none: all");
  options.add("--bytes", what.bytes, "of a block").at_least(1).at_most(settings::most_bytes);
  options.add("--time", what.least_s, "seconds that an operation is to take, in the place of --bytes; 0: as it is")
      .at_least(0);
  options.add("--slices", what.slices, "of the work, in the row with progress").at_least(2).at_most(1e6);
  options.add("--runs", runs, "of each trial; 0: 20, in a simulation 1").at_most(1e6);
  options.add("--searches", searches, "how many; 0: 6, in a simulation 1").at_most(1e6);
  options
      .add("--tolerance", tolerance,
           "by which a trial may be longer, as a part of the reference; 0: none, in a simulation 0.01")
      .at_least(0)
      .at_most(1);
  options.add("--add-ns", add_ns, "simulated: nanoseconds that a reduction takes to add a number").at_least(0);
  ovlp::engine run{argc, argv, options};
  operations_named(what.operations);  // in every process, before there is a run
  // A simulation knows of the least delay; a measurement's standard error, of which it allows two, is up to a
  // hundredth.
  if (!run.computes()) what.search = {0, 1, 0, 1, 1e-9, 0.01};
  if (runs > 0) what.search.runs = runs;
  if (searches > 0) what.search.searches = searches;
  if (tolerance > 0) what.search.tolerance = tolerance;

  trials all(run, 1e-9 * add_ns);
  run_benchmark(what, run.computes() ? "real" : "simulated", all.ranks(),
                [&](trial const& one, std::size_t times) { return all.run(one, times); });
} catch (ovlp::config_error const& error) {
  std::fprintf(stderr, "overlap_bench: %s\n", error.what());
  return 2;
} catch (ovlp::error const& error) {
  std::fprintf(stderr, "overlap_bench: %s\n", error.what());
  return 1;
}
