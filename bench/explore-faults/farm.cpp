// SPDX-License-Identifier: BSD-3-Clause
// Tasks for whichever worker has the fewest, a few of them under way at a time.
#include <cstddef>
#include <cstdio>
#include <exception>
#include <string>

#include <ovlp/ovlp.hpp>

#include "numbers.hpp"

namespace {

using bench::explore_faults::add_up;
using bench::explore_faults::deal;

int work(int task) { return task + 1; }

}  // namespace

int main(int argc, char** argv) try {
  ovlp::engine run{argc, argv};
  ovlp::threads<> const master{"master", 1}, workers{"workers", 3}, closers{"closers", ovlp::mapping("node1")};
  auto const make = [&](std::string const& name, std::size_t window, auto const& route) {
    ovlp::graph<int, int> farm(name);
    auto const split = farm.split("deal", master, deal);
    auto const leaf = farm.leaf("work", workers, work);
    auto const merge = farm.merge("add up", closers, add_up);
    farm.enter(split, ovlp::at(0));
    farm.edge(split.template port<int>().window(window), leaf, route);
    farm.edge(leaf, merge, ovlp::at(0));
    farm.leave(merge);
    return farm;
  };
  auto const one_by_one = make("one by one", 1, ovlp::in_turn());
  auto const by_load = make("by load", 2, ovlp::least_loaded());
  run.add(one_by_one);
  run.add(by_load);
  return run(one_by_one, 6) == 21 && run(by_load, 6) == 21 ? 0 : 1;
} catch (std::exception const& error) {
  std::fprintf(stderr, "farm: %s\n", error.what());
  return 1;
}
