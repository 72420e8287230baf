// SPDX-License-Identifier: BSD-3-Clause
// Primes are counted by one graph, which is called in three ways and is a part of another graph.
#include <cstdio>
#include <functional>
#include <ovlp/ovlp.hpp>
#include <string>
#include <vector>

struct Range {
  int first, last;
};

void cut(Range range, ovlp::out<Range>& pieces) {
  for (int i = range.first; i < range.last; i += 100) pieces.post({i, std::min(i + 100, range.last)});
}
int count(Range range) {
  int primes = 0;
  for (int i = std::max(range.first, 2); i < range.last; ++i) {
    bool prime = true;
    for (int d = 2; prime && d * d <= i; ++d) prime = i % d != 0;
    primes += prime ? 1 : 0;
  }
  return primes;
}

int main(int argc, char** argv) {
  ovlp::engine run{argc, argv};
  ovlp::threads<> master{"master", 1}, workers{"workers", 4};

  ovlp::graph const primes{"primes", ovlp::split("cut", master.at(0), cut) >>              //
                                         ovlp::leaf("count", workers.in_turn(), count) >>  //
                                         ovlp::reduce("sum", master.at(0), std::plus<>{})};

  // A leaf that calls the graph for both halves of its range at once.
  auto halves = [primes](ovlp::here<>& here, Range range) {
    int const middle = (range.first + range.last) / 2;
    auto lower = here.async(primes, {range.first, middle});
    int const upper = here.call(primes, {middle, range.last});
    return lower.get() + upper;
  };
  ovlp::graph const by_halves = ovlp::leaf("halves", workers.at(0), halves);

  // A graph with the whole of `primes` in the place of an operation.
  ovlp::graph<int, std::string> report("report");
  auto begin = report.leaf("from zero", master, [](int last) { return Range{0, last}; });
  auto middle = report.part("primes", primes);
  auto end = report.leaf("write", master, [](int found) { return std::to_string(found) + " primes"; });
  report.enter(begin, ovlp::at(0));
  report.edge(begin, middle, ovlp::at(0));
  report.edge(middle, end, ovlp::at(0));
  report.leave(end);

  run.add(primes);
  run.add(by_halves);
  run.add(report);

  std::vector<ovlp::pending_call<int>> pending;
  for (int i = 0; i < 3; ++i) pending.push_back(run.async(primes, {1000 * i, 1000 * (i + 1)}));
  for (auto& call : pending) std::printf("%d\n", call.get());
  std::printf("%d\n", run(by_halves, {0, 3000}));
  std::printf("%s\n", run(report, 3000).c_str());
}
