// SPDX-License-Identifier: BSD-3-Clause
// Many steps with hardly any work: what such a run takes is the runtime's own cost.
//   small_steps --nodes 2 --tasks 30000    counts the placements of four queens, again and again
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ovlp/ovlp.hpp>

namespace {

struct Tasks {
  int count;
};
struct Task {
  int number;
};
std::int64_t solutions(unsigned columns, unsigned left, unsigned right, unsigned all) {
  if (columns == all) return 1;
  std::int64_t found = 0;
  for (unsigned free = all & ~(columns | left | right); free != 0; free &= free - 1) {
    unsigned const queen = free & -free;
    found += solutions(columns | queen, (left | queen) << 1, (right | queen) >> 1, all);
  }
  return found;
}

std::int64_t queens(ovlp::engine& run, int tasks, int workers_a_node) {
  ovlp::threads<> master{"master", 1}, workers{"workers", static_cast<std::size_t>(workers_a_node) * run.nodes()};
  auto split = ovlp::split("place", master.at(0), [](Tasks all, ovlp::out<Task>& out) {
                 for (int i = 0; i < all.count; ++i) out.post({i});
               }).window(256);
  auto solve = ovlp::leaf("solve", workers.in_turn(), [](ovlp::here<>& here, Task) {
    std::int64_t found = 0;
    here.kernel("small.queens", {4}, [&] { found = solutions(0, 0, 0, 15); });
    return found;
  });
  auto sum = ovlp::merge("sum", master.at(0), [](ovlp::in<std::int64_t>& in) {
    std::int64_t all = 0;
    while (auto found = in.wait()) all += *found;
    return all;
  });
  return run(split >> solve >> sum, Tasks{tasks});
}

}  // namespace

int main(int argc, char** argv) try {
  int tasks = 10'000, workers = 2;
  ovlp::options options{"small_steps", "Many steps with hardly any work"};
  options.add("--tasks", tasks, "tasks").at_least(1);
  options.add("--workers", workers, "threads a node").at_least(1);
  ovlp::engine run{argc, argv, options};
  auto const start = std::chrono::steady_clock::now();
  long long const placements = queens(run, tasks, workers);
  double const took_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%lld placements in %.6f s\n", placements, took_s);
} catch (ovlp::error const& error) {
  std::fprintf(stderr, "small_steps: %s\n", error.what());
  return 1;
}
