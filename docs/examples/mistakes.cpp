// SPDX-License-Identifier: BSD-3-Clause
// What goes wrong, and how it is told:  mistakes --nodes 2 --kind throw
#include <cstdio>
#include <ovlp/ovlp.hpp>
#include <stdexcept>
#include <string>

struct Number {
  int value;
};

void each(Number last, ovlp::out<Number>& numbers) {
  for (int i = 0; i < last.value; ++i) numbers.post({i});
}
Number fail(Number number) {
  if (number.value == 3) throw std::runtime_error("3 is not welcome");
  return number;
}
Number wait(ovlp::here<>& here, Number number) {
  here.wait_until([=] { return number.value != 3; });
  return number;
}
Number sum(ovlp::in<Number>& numbers) {
  Number all{0};
  for (Number const& number : numbers) all.value += number.value;
  return all;
}

int main(int argc, char** argv) try {
  std::string kind = "none";
  ovlp::options options{"mistakes", "Shows errors"};
  options.add("--kind", kind, "what goes wrong").one_of({"none", "throw", "stall", "graph"});
  ovlp::engine run{argc, argv, options};
  ovlp::threads<> master{"master", 1}, workers{"workers", run.nodes()};

  ovlp::graph<Number, Number> g("numbers");
  auto split = g.split("each", master, each);
  auto leaf = kind == "stall" ? g.leaf("check", workers, wait) : g.leaf("check", workers, fail);
  auto merge = g.merge("sum", master, sum);
  g.enter(split, ovlp::at(0));
  g.edge(split, leaf, ovlp::in_turn());
  if (kind != "graph") g.edge(leaf, merge, ovlp::at(0));
  g.leave(merge);

  std::printf("sum %d\n", run(g, {kind == "none" ? 3 : 4}).value);
} catch (ovlp::operation_error const& error) {
  std::fprintf(stderr, "%s of %s threw: %s\n", error.operation.c_str(), error.thread.c_str(), error.text.c_str());
  return 1;
} catch (ovlp::error const& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
