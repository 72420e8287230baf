// SPDX-License-Identifier: BSD-3-Clause
// Desks that open groups and close them, and that leave, move and come back while calls run.
#include <cstdio>
#include <exception>
#include <numeric>
#include <vector>

#include <ovlp/ovlp.hpp>

#include "numbers.hpp"

namespace {

using bench::explore_faults::add_up;

struct Order {
  int number;
  int parts;
};

void deal(int orders, ovlp::out<Order>& to) {
  for (int i = 0; i < orders; ++i) to.post({i, 1 + i % 2});
}
void cut(Order order, ovlp::out<int>& to) {
  for (int i = 0; i < order.parts; ++i) to.post(i);
}
int make(int part) { return part + 1; }
int assemble(Order const& order, ovlp::in<int>& parts) { return add_up(parts) - order.parts; }

}  // namespace

int main(int argc, char** argv) try {
  ovlp::engine run{argc, argv};
  ovlp::threads<> const master{"master", 1}, makers{"makers", 2};
  ovlp::threads<> const desks{"desks", ovlp::mapping("node0 node1 node2")};
  auto const make_graph = [&](char const* name, auto const& closer) {
    return ovlp::graph<int, int>{
        name, ovlp::split("deal", master.at(0), deal) >> ovlp::split("cut", desks.by(&Order::number), cut) >>
                  ovlp::leaf("make", makers.in_turn(), make) >> ovlp::merge("close", desks.at_opener(), closer) >>
                  ovlp::merge("add up", master.at(0), add_up)};
  };
  auto const counting = make_graph("counting", add_up), assembling = make_graph("assembling", assemble);
  ovlp::graph<int, int> const pause{"pause", ovlp::leaf("pause", makers.at(1), make)};
  run.add(counting);
  run.add(pause);
  run.add(assembling);
  std::vector<ovlp::pending_call<int>> calls;
  calls.push_back(run.async(assembling, 4));
  run.remap(desks, ovlp::mapping("node1 node2 node0"));
  calls.push_back(run.async(counting, 4));
  for (int hops = 0; hops < 8; ++hops) run(pause, 0);
  run.resize(desks, 1);
  return calls[0].get() == 2 && calls[1].get() == 8 ? 0 : 1;
} catch (std::exception const& error) {
  std::fprintf(stderr, "leavers: %s\n", error.what());
  return 1;
}
