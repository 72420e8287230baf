// SPDX-License-Identifier: BSD-3-Clause
// Operations that need more stack than they have; stack_overflow_test runs it.
#include <cstdio>
#include <string>

#include <ovlp/ovlp.hpp>
#include <ovlp/runtime/real.hpp>
#include <ovlp/simkernel/simulated.hpp>

namespace {

struct Task {
  std::string kind;
  int number;
};

[[gnu::noinline]] int recurse(int depth) {
  int volatile frame[64]{};
  frame[depth % 64] = depth;
  return depth == 0 ? 0 : recurse(depth + 1) + frame[(depth + 1) % 64];
}

/// The lowest address of the frame is far below the stack.
[[gnu::noinline]] double large_frame(int at) {
  double volatile frame[100'000];  // not all of it is touched
  frame[at] = at;
  return frame[at];
}

/// Larger than the guard below a stack, which it could jump over.
[[gnu::noinline]] double huge_frame(int at) {
  double volatile frame[1'000'000];
  frame[at] = at;
  return frame[at];
}

int overflow(Task const& task) {
  if (task.kind == "recursion") return recurse(1);
  if (task.kind == "frame") return static_cast<int>(large_frame(task.number));
  if (task.kind == "huge") return static_cast<int>(huge_frame(task.number));
  return 0;
}

struct Waiting {
  int there = 0;
};

template <class Engine>
int run_application(int argc, char** argv) {
  std::string kind = "recursion", backend;
  ovlp::options options{"overflow", "Needs more stack than it has"};
  options.add("--kind", kind, "how").one_of({"recursion", "frame", "huge", "condition", "state"});
  options.add("--backend", backend, "real or simulated");
  Engine run{argc, argv, options};
  ovlp::threads<> const master{"master", "node0"};
  ovlp::threads<Waiting> const workers{"workers", run.nodes(), [kind](std::size_t index) {
                                         return Waiting{kind == "state" && index > 1 ? recurse(1) : 0};
                                       }};
  ovlp::graph<Task, int> const g =
      ovlp::split("post", master.at(0),
                  [](Task task, ovlp::out<Task>& tasks) {
                    for (int i = 0; i < 8; ++i) tasks.post({task.kind, i});
                  }) >>
      ovlp::leaf("greedy", workers.by([](Task const&, ovlp::routing const& now) { return now.size - 1; }),
                 [](ovlp::here<Waiting>& here, Task task) {
                   if (++here.state.there < 8) {
                     here.wait_until([&] {
                       bool const all = here.state.there == 8;
                       return all && (task.kind != "condition" || recurse(1) == 0);
                     });
                   }
                   return task.number + overflow(task);
                 }) >>
      ovlp::merge("add", master.at(0), [](ovlp::in<int>& numbers) {
        int sum = 0;
        while (auto const number = numbers.wait()) sum += *number;
        return sum;
      });
  run.add(g);
  if (kind == "state") run.resize(workers, run.nodes() + 1);
  std::printf("%d\n", run(g, {kind, 0}));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--backend=simulated") return run_application<ovlp::sim::engine>(argc, argv);
  }
  return run_application<ovlp::real::engine>(argc, argv);
}
