// SPDX-License-Identifier: BSD-3-Clause
// A split with two ports, whose objects take different ways to the same merge.
#include <cstdio>
#include <functional>
#include <iostream>
#include <ovlp/ovlp.hpp>
#include <vector>

struct Even {
  long value;
};
struct Odd {
  long value;
};

void sort_out(std::vector<long> numbers, ovlp::out<Even>& evens, ovlp::out<Odd>& odds) {
  for (long number : numbers) {
    if (number % 2 == 0) evens.post({number});
    else odds.post({number});
  }
}
long halve(Even even) { return even.value / 2; }
long triple(Odd odd) { return 3 * odd.value + 1; }

int main(int argc, char** argv) {
  bool draw = false;
  ovlp::options options{"ports", "A step of the Collatz sequence for several numbers"};
  options.add("--draw", draw, "print the graph for Graphviz");
  ovlp::engine run{argc, argv, options};
  ovlp::threads<> master{"master", 1}, workers{"workers", 4};

  ovlp::graph<std::vector<long>, long> collatz("collatz");
  auto opener = collatz.split("sort out", master, sort_out);
  auto half = collatz.leaf("halve", workers, halve);
  auto three = collatz.leaf("triple", workers, triple);
  auto closer = collatz.reduce<long>("sum", master, std::plus<>{});
  collatz.enter(opener, ovlp::at(0));
  collatz.edge(opener.port<Even>(), half, ovlp::in_turn());
  collatz.edge(opener.port<Odd>(), three, ovlp::by(&Odd::value));
  collatz.edge(half, closer, ovlp::at(0));
  collatz.edge(three, closer, ovlp::at(0));
  collatz.leave(closer);

  std::printf("%ld\n", run(collatz, {1, 2, 3, 4, 5, 6}));
  if (draw) collatz.write_graphviz(std::cout);
}
