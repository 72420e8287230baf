// SPDX-License-Identifier: BSD-3-Clause
// The cheapest of several candidates; of two that cost as much, the one that was numbered first.
#include <cstdio>
#include <exception>
#include <optional>

#include <ovlp/ovlp.hpp>

#include "numbers.hpp"

namespace {

using bench::explore_faults::deal;

struct Candidate {
  int number;
  int cost;
};

Candidate rate(int number) { return {number, (number * 7 + 3) % 5}; }
Candidate choose(ovlp::in<Candidate>& candidates) {
  std::optional<Candidate> best;
  for (Candidate const& one : candidates) {
    if (!best || one.cost < best->cost || (one.cost == best->cost && one.number < best->number)) best = one;
  }
  return best.value_or(Candidate{-1, 0});
}

}  // namespace

int main(int argc, char** argv) try {
  ovlp::engine run{argc, argv};
  ovlp::threads<> const master{"master", 1}, workers{"workers", 4};
  ovlp::graph<int, Candidate> const search{"search", ovlp::split("propose", master.at(0), deal) >>
                                                         ovlp::leaf("rate", workers.in_turn(), rate) >>
                                                         ovlp::merge("choose", master.at(0), choose)};
  run(search, 12);
  return 0;
} catch (std::exception const& error) {
  std::fprintf(stderr, "candidates: %s\n", error.what());
  return 1;
}
