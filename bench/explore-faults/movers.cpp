// SPDX-License-Identifier: BSD-3-Clause
// Calls whose leaves, splits and merges stand in threads that move from node to node meanwhile, so that nodes leave and
// join, too. Some groups are empty.
#include <cstdio>
#include <exception>
#include <vector>

#include <ovlp/ovlp.hpp>

#include "numbers.hpp"

namespace {

using bench::explore_faults::add_up;
using bench::explore_faults::deal;

struct Place {
  int visits = 0;
};

int visit(ovlp::here<Place>& here, int /*guest*/) {
  ++here.state.visits;
  return 1;
}
int visit_nobody(int guest) { return guest; }
void ask_back(int guest, ovlp::out<int>& to) {
  for (int i = 0; i <= guest % 2; ++i) to.post(1);
}

}  // namespace

int main(int argc, char** argv) try {
  ovlp::engine run{argc, argv};
  ovlp::threads<> const master{"master", 1}, hosts{"hosts", ovlp::mapping("node3")};
  ovlp::threads<Place> const places{"places", ovlp::mapping("node1 node2")};
  auto const itself = [](int guest) { return guest; };
  ovlp::graph<int, int> const visits{"visits", ovlp::split("invite", hosts.at(0), deal) >>
                                                   ovlp::leaf("visit", places.by(itself), visit) >>
                                                   ovlp::merge("count", places.at(1), add_up)};
  ovlp::threads<> const helpers{"helpers", ovlp::mapping("node3")};
  auto const answer = [&](ovlp::here<>& here, int one) {
    here.resize(helpers, 2);
    return one;
  };
  ovlp::graph<int, int> const help{"help", ovlp::leaf("help", helpers.at(0), visit_nobody)};
  ovlp::graph<int, int> const returns{"returns", ovlp::split("ask back", places.by(itself), ask_back) >>
                                                     ovlp::leaf("answer", hosts.at(0), answer) >>
                                                     ovlp::merge("count", master.at(0), add_up)};
  run.add(visits);
  run.add(returns);
  run.add(help);
  std::vector<ovlp::pending_call<int>> calls;
  auto const pause = [&] {
    for (int hops = 0; hops < 4; ++hops) run(help, 0);
  };
  calls.push_back(run.async(visits, 2));
  run.remap(places, ovlp::mapping("node2 node1"));
  calls.push_back(run.async(returns, 1));
  pause();
  run.remap(places, ovlp::mapping("node0 node1"));
  calls.push_back(run.async(visits, 0));
  pause();
  run.remap(places, ovlp::mapping("node0 node2"));
  calls.push_back(run.async(visits, 1));
  int sum = 0;
  for (auto& call : calls) sum += call.get();
  return sum == 5 ? 0 : 1;
} catch (std::exception const& error) {
  std::fprintf(stderr, "movers: %s\n", error.what());
  return 1;
}
