// SPDX-License-Identifier: BSD-3-Clause
// Threads join, leave and move while the program runs:  moving --nodes 3
#include <cstdio>
#include <functional>
#include <ovlp/ovlp.hpp>
#include <string>

struct Visits {
  int count = 0;
};
using Here = ovlp::here<Visits>;

struct Visit {};
std::string visit(Here& here, Visit) {
  return ovlp::node_name(here.node()) + ": " + std::to_string(++here.state.count) + "  ";
}

int main(int argc, char** argv) {
  ovlp::engine run{argc, argv};
  ovlp::threads<Visits> places{"places", 3};
  places.on_leave([](std::size_t, Visits&) {});  // nothing to save: they may go
  ovlp::graph const tour = ovlp::everywhere("visit", places, visit) >>
                           ovlp::reduce("list", places.at(0), std::plus<>{}, ovlp::in_group_order);

  std::printf("at first   %s\n", run(tour, {}).c_str());
  run.remap(places, "node0*3");  // with their state; the other nodes are released
  std::printf("remapped   %s\n", run(tour, {}).c_str());
  run.resize(places, 5);  // new ones go where the first mapping says; nodes are launched
  std::printf("more       %s\n", run(tour, {}).c_str());
  run.resize(places, 2);
  std::printf("fewer      %s\n", run(tour, {}).c_str());
}
