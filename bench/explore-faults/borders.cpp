// SPDX-License-Identifier: BSD-3-Clause
// Two calls whose iterations end with a border each, at which a policy of the program's own lets a node leave.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include <ovlp/ovlp.hpp>

#include "numbers.hpp"

namespace {

using bench::explore_faults::add_up;
using bench::explore_faults::deal;

/// One node less at each border.
class one_less final : public ovlp::policy {
 public:
  std::optional<ovlp::decision> decide(ovlp::border const& at) override {
    return ovlp::decision{{at.nodes - std::min<std::size_t>(static_cast<std::size_t>(at.iteration), at.nodes - 1)},
                          "fewer and fewer"};
  }
};

ovlp::mapping on(std::size_t nodes) {
  std::vector<ovlp::node_id> all;
  for (std::size_t i = 0; i < 4; ++i) all.push_back(static_cast<ovlp::node_id>(i % nodes));
  return ovlp::mapping(all);
}
int work(ovlp::here<>& here, int task) {
  here.kernel("work", {task}, [] {});
  return task + 1;
}

}  // namespace

int main(int argc, char** argv) try {
  ovlp::engine run{argc, argv};
  run.follow(std::make_shared<one_less>());
  ovlp::threads<> const master{"master", 1}, workers{"workers", on(run.nodes())};
  ovlp::graph<int, int> const farm{"farm", ovlp::split("deal", master.at(0), deal) >>
                                               ovlp::leaf("work", workers.in_turn(), work) >>
                                               ovlp::merge("add up", master.at(0), add_up)};
  ovlp::graph<int, int> const iterations{
      "iterations", ovlp::leaf("iterate", master.at(0), [&](ovlp::here<>& here, int first) {
        int sum = 0;
        for (int k = first; k <= 4; k += 2) {
          sum += here.call(farm, 2);
          here.end_of_iteration(k, [&](ovlp::held_nodes const& held) { here.remap(workers, on(held.nodes)); });
        }
        return sum;
      })};
  run.add(farm);
  ovlp::pending_call<int> odd = run.async(iterations, 1);
  for (int pause = 0; pause < 12; ++pause) run(farm, 0);
  ovlp::pending_call<int> even = run.async(iterations, 2);
  return odd.get() == 6 && even.get() == 6 ? 0 : 1;
} catch (std::exception const& error) {
  std::fprintf(stderr, "borders: %s\n", error.what());
  return 1;
}
