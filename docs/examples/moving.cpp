// SPDX-License-Identifier: BSD-3-Clause
// Threads join, leave and move while the program runs:  moving --nodes 3
#include <cstdio>
#include <ovlp/ovlp.hpp>
#include <string>
#include <vector>

struct Visits {
  int count = 0;
};
using Here = ovlp::here<Visits>;

struct Visit {};
struct Seen {
  std::size_t thread;
  ovlp::node_id node;
  int visits;
};

void everywhere(Here& here, Visit, ovlp::out<Visit>& visits) {
  for (std::size_t i = 0; i < here.size(); ++i) visits.post({});
}
Seen visit(Here& here, Visit) { return {here.index(), here.node(), ++here.state.count}; }
std::string list(ovlp::in<Seen>& all) {
  std::vector<std::string> places;
  while (auto seen = all.wait()) {
    places.resize(std::max(places.size(), seen->thread + 1));
    places[seen->thread] = ovlp::node_name(seen->node) + ": " + std::to_string(seen->visits) + "  ";
  }
  std::string text;
  for (auto const& place : places) text += place;
  return text;
}

int main(int argc, char** argv) {
  ovlp::engine run{argc, argv};
  ovlp::threads<Visits> places{"places", 3};
  places.on_leave([](std::size_t, Visits&) {});  // nothing to save: they may go
  ovlp::graph const tour = ovlp::split("everywhere", places.at(0), everywhere) >>
                           ovlp::leaf("visit", places.in_turn(), visit) >> ovlp::merge("list", places.at(0), list);

  std::printf("at first   %s\n", run(tour, {}).c_str());
  run.remap(places, "node0*3");  // with their state; the other nodes are released
  std::printf("remapped   %s\n", run(tour, {}).c_str());
  run.resize(places, 5);  // new ones go where the first mapping says; nodes are launched
  std::printf("more       %s\n", run(tour, {}).c_str());
  run.resize(places, 2);
  std::printf("fewer      %s\n", run(tour, {}).c_str());
}
