// SPDX-License-Identifier: BSD-3-Clause
// Three calls whose merges stand in two threads, and need what passes the other one, while the two move.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <ovlp/ovlp.hpp>

#include "numbers.hpp"

namespace {

using bench::explore_faults::add_up;
using bench::explore_faults::deal;

void invite_one(int /*guests*/, ovlp::out<int>& to, ovlp::out<int>& /*to_nobody*/) { to.post(0); }
int visit(int /*guest*/) { return 1; }

}  // namespace

int main(int argc, char** argv) try {
  ovlp::engine run{argc, argv};
  ovlp::threads<> const hosts{"hosts", ovlp::mapping("node2 node3")};
  ovlp::threads<> const places{"places", ovlp::mapping("node0 node1")};
  auto const itself = [](int guest) { return guest; };
  auto const meet_at = [&](std::size_t place) {
    return ovlp::graph<int, int>{"meet " + std::to_string(place), ovlp::split("invite", hosts.at(place), deal) >>
                                                                      ovlp::leaf("visit", places.by(itself), visit) >>
                                                                      ovlp::merge("count", places.at(place), add_up)};
  };
  auto const first = meet_at(0), second = meet_at(1);
  ovlp::graph<int, int> pair("pair");  // nothing comes by the second port
  auto const split = pair.split("invite one", hosts, invite_one);
  auto const left = pair.leaf("left", hosts, visit), right = pair.leaf("right", hosts, visit);
  auto const merge = pair.merge("count", places, add_up);
  pair.enter(split, ovlp::at(0));
  pair.edge(split.port<0>(), left, ovlp::at(0));
  pair.edge(split.port<1>(), right, ovlp::at(0));
  pair.edge(left, merge, ovlp::at(0));
  pair.edge(right, merge, ovlp::at(0));
  pair.leave(merge);

  run.add(first);
  run.add(second);
  run.add(pair);
  std::vector<ovlp::pending_call<int>> calls;
  calls.push_back(run.async(second, 2));
  calls.push_back(run.async(first, 2));
  calls.push_back(run.async(pair, 1));
  run.remap(places, ovlp::mapping("node1 node0"));
  int sum = 0;
  for (auto& call : calls) sum += call.get();
  return sum == 5 ? 0 : 1;
} catch (std::exception const& error) {
  std::fprintf(stderr, "crossing: %s\n", error.what());
  return 1;
}
