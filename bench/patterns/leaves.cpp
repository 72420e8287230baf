// SPDX-License-Identifier: BSD-3-Clause
// A split on node 0, one leaf on each node, a merge on node 0. With fewer objects than nodes the rest stays idle.
//
//   leaves_sim --nodes 10000 --execution partial --platform gigabit
#include <functional>

#include "pattern.hpp"

namespace {

struct Order {
  std::size_t objects;
};
struct Object {
  std::size_t node;
};

void hand_out(Order order, ovlp::out<Object>& objects) {
  for (std::size_t i = 0; i < order.objects; ++i) objects.post({i});
}
std::uint64_t answer(ovlp::here<>& here, Object object) { return object.node ^ bench::value_of(here.node()); }

}  // namespace

int main(int argc, char** argv) {
  std::size_t objects = 0;
  ovlp::options options{"leaves", "An object to each node and back"};
  options.add("--objects", objects, "how many; 0: one for each node");
  ovlp::engine run{argc, argv, options};
  if (objects == 0) objects = run.nodes();

  ovlp::threads<> master{"master", 1}, workers{"workers", run.nodes()};
  ovlp::graph const leaves{"leaves", ovlp::split("hand out", master.at(0), hand_out) >>
                                         ovlp::leaf("answer", workers.in_turn(), answer) >>
                                         ovlp::reduce("add up", master.at(0), std::plus<>{})};
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < objects; ++i) sum += i ^ bench::value_of(i % run.nodes());
  return bench::measure(run, leaves, {objects}, sum, {{"contestant", "leaves"}, {"objects", objects}});
}
