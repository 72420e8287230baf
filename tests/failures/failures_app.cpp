// SPDX-License-Identifier: BSD-3-Clause
// An application that goes wrong as it is told to; failures_test runs it.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <ovlp/ovlp.hpp>

namespace {

struct Plan {
  std::string mode;
  int node;
  int tasks;
  int lines;
  double seconds;
};
struct Task {
  int number;
  Plan plan;
};

/// Tells the test which process this node is, once.
void announce(ovlp::node_id node) {
  static std::atomic<bool> told = false;
  if (!told.exchange(true))
    std::fprintf(stderr, "node %u is at work: process %d.\n", node, static_cast<int>(::getpid()));
}

void compute(double seconds) {
  auto const until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < until) {
  }
}

void sleep(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

/// Moves for some time.
struct Ballast {
  ovlp::buffer<unsigned char> bytes{std::size_t{32} << 20};
};

/// Much outside of buffers and in them.
struct Load {
  std::vector<int> outside;
  ovlp::buffer<int> inside;
};
void load(Plan plan, ovlp::out<Load>& loads) {
  for (int i = 0; i < plan.tasks; ++i) {
    auto const size = static_cast<std::size_t>(i % 4 == 0 ? plan.lines : i % 4 == 1 ? 9'000 : i) << 8;
    Load made{std::vector<int>(i % 3 == 0 ? 7 : size, i), ovlp::buffer<int>(i % 3 == 1 ? 7 : size)};
    std::fill(made.inside.mutate().begin(), made.inside.mutate().end(), i + 1);
    loads.post(std::move(made));
  }
}
/// What it is made of, and whether it is.
Load weigh(Load what) {
  if (what.outside.empty()) return what;
  for (int number : what.outside) {
    if (number != what.outside[0]) throw std::logic_error("a vector arrived damaged");
  }
  for (int number : what.inside.view()) {
    if (number != what.outside[0] + 1) throw std::logic_error("a buffer arrived damaged");
  }
  return what;
}
int unload(ovlp::in<Load>& loads) {
  std::size_t sum = 0;
  for (Load const& one : loads) {
    Load const same = weigh(one);
    sum += same.outside.size() + same.inside.size();
  }
  return static_cast<int>(sum % 1'000'000'007);
}

/// Lets its OS thread, and so its process, take long to end.
struct Lingering {
  double seconds = 0;
  ~Lingering() { sleep(seconds); }
};

void do_harm(ovlp::here<>& here, Task const& task) {
  Plan const& plan = task.plan;
  if (plan.node >= 0 && here.node() != static_cast<ovlp::node_id>(plan.node)) return;
  if (plan.mode == "print" || plan.mode == "print-throw") {
    for (int i = 0; i < plan.lines; ++i) std::printf("task %d line %d ends here\n", task.number, i);
    if (plan.mode == "print-throw") throw std::runtime_error("printed enough");
    return;
  }
  if (plan.mode == "throw") throw std::runtime_error("deliberately wrong");
  if (plan.mode == "throw-int") throw 42;
  if (plan.mode == "exit") std::_Exit(7);
  if (plan.mode == "quit") std::exit(0);
  if (plan.mode == "compute") here.kernel("compute", {}, [&] { compute(plan.seconds); });
  if (plan.mode == "sleep" || plan.mode == "abandon") sleep(plan.seconds);
  if (plan.mode == "relaunch" || plan.mode == "linger") {
    static thread_local Lingering lingering;
    lingering.seconds = plan.seconds;
  }
  if (plan.mode == "stall" && static_cast<std::size_t>(task.number) < here.size())
    here.wait_until([] { return false; });
}

template <class State>
int visit(ovlp::here<State>& here, Task task) {
  announce(here.node());
  return task.number * task.number;
}

int run_application(int argc, char** argv) {
  Plan plan{"normal", -1, 12, 100, 1};
  std::string marker, gate, own;
  bool uncaught = false;
  ovlp::options options{"failures_app", "Goes wrong as it is told to"};
  options.add("--mode", plan.mode, "what the tasks do")
      .one_of({"normal",  "throw",  "throw-int", "throw-first", "throw-last",  "exit",          "quit",
               "compute", "sleep",  "stall",     "print",       "print-throw", "throw-in-main", "no-memory-in-main",
               "leave",   "shrink", "border",    "borders",     "relaunch",    "linger",        "abandon",
               "load"});
  options.add("--node", plan.node, "only on this node; -1: on all");
  options.add("--tasks", plan.tasks, "tasks").at_least(0);
  options.add("--lines", plan.lines, "lines that a task prints").at_least(0);
  options.add("--seconds", plan.seconds, "seconds that a task takes").at_least(0);
  options.add("--marker", marker, "for the test, to find the processes");
  options.add("--gate", gate,
              "mode border: the iteration ends when there is a file of this name; mode borders: the last one does");
  options.add("--own", own, "nothing; processes may differ in it").may_differ();
  options.add("--uncaught", uncaught, "do not catch what a call throws");
  auto body = [&] {
    ovlp::engine run{argc, argv, options};
    std::size_t const extra = std::getenv("FAILURES_OTHER_SIZE") != nullptr ? 1 : 0;
    ovlp::threads<> master{"master", 1}, workers{"workers", run.nodes() + extra};
    ovlp::threads<int> guests{"guests", run.nodes()};
    guests.on_leave([seconds = plan.seconds](std::size_t index, int&) {
      sleep(seconds);
      std::printf("thread %zu has left\n", index);
    });
    auto split = ovlp::split("deal out", master.at(0), [](Plan given, ovlp::out<Task>& tasks) {
      if (given.mode == "throw-first") throw std::logic_error("the split is wrong");
      for (int i = 0; i < given.tasks; ++i) tasks.post({i, given});
    });
    auto const squared = [](ovlp::here<>& here, Task task, double /*bound*/, std::vector<int> const& /*bound*/) {
      announce(here.node());
      do_harm(here, task);
      return task.number * task.number;
    };
    double const bound = std::getenv("FAILURES_OTHER_NUMBER") != nullptr ? 0.1 + 0.2 : 0.3;
    std::vector<int> const large(1000, std::getenv("FAILURES_OTHER_VECTOR") != nullptr ? 1 : 0);
    auto work = ovlp::leaf("work", workers.by(&Task::number), squared, bound, large);
    auto again = ovlp::leaf("again", workers.in_turn(), [](int number) { return number; });
    auto merge = ovlp::merge("add up", master.at(0), [last = plan.mode == "throw-last"](ovlp::in<int>& numbers) {
      int sum = 0;
      while (auto n = numbers.wait()) sum += *n;
      if (last) throw std::logic_error("the merge is wrong");
      return sum;
    });
    if (plan.mode == "abandon") {
      [[maybe_unused]] auto const call = run.async(ovlp::graph<Plan, int>(split >> work >> merge), plan);
      sleep(0.5);
      return;
    }
    auto const over = [&](std::size_t nodes) { return ovlp::mapping::in_turn(run.nodes(), nodes); };
    if (plan.mode == "border") {
      ovlp::threads<Ballast> const movers{"movers", over(run.held_at_start().nodes),
                                          [](std::size_t) { return Ballast{}; }};
      ovlp::graph<Plan, int> const visits(split >> ovlp::leaf("visit", movers.by(&Task::number), visit<Ballast>) >>
                                          merge);
      run(visits, plan);
      while (!gate.empty() && !std::filesystem::exists(gate)) sleep(0.01);
      run.end_of_iteration(1, [&](ovlp::held_nodes const& held) { run.remap(movers, over(held.nodes)); });
      std::printf("result %d\n", run(visits, plan));
      return;
    }
    if (plan.mode == "borders") {
      ovlp::threads<int> const movers{"movers", over(run.held_at_start().nodes)};
      ovlp::graph<Plan, int> const visits(split >> ovlp::leaf("visit", movers.by(&Task::number), visit<int>) >> merge);
      auto const march = [&](ovlp::here<>& here, Plan given) {
        for (int iteration = 1;; ++iteration) {
          int const result = here.call(visits, given);
          if (gate.empty() || std::filesystem::exists(gate)) return result;
          sleep(0.005);
          here.end_of_iteration(iteration, [&](ovlp::held_nodes const& held) { here.remap(movers, over(held.nodes)); });
        }
      };
      run.add(visits);
      ovlp::graph<Plan, int> const all(ovlp::leaf("march", master.at(0), march));
      std::printf("result %d\n", run(all, plan));
      return;
    }
    if (plan.mode == "leave" || plan.mode == "shrink") {
      int const visits = run(split >> ovlp::leaf("visit", guests.by(&Task::number), visit<int>) >> merge, plan);
      if (plan.mode == "leave") run.resize(guests, 1);
      for (std::size_t left = run.nodes() - 1; plan.mode == "shrink" && left > 0; --left) {
        run.resize(guests, left);
        sleep(2 * plan.seconds);
      }
      std::printf("result %d\n", visits);
      std::fflush(stdout);
      return;
    }
    if (plan.mode == "relaunch") {
      ovlp::graph<Plan, int> const again_and_again(split >> work >> merge);
      run(again_and_again, plan);
      run.remap(workers, ovlp::mapping("node0*2"));
      sleep(0.2);  // until node 1 has been released
      run.remap(workers, ovlp::mapping("node0 node1"));
      std::printf("result %d\n", run(again_and_again, plan));
      return;
    }
    if (plan.mode == "load") {
      auto const loads = ovlp::split("load", master.at(0), load).window(6) >>
                         ovlp::leaf("weigh", workers.in_turn(), weigh) >> ovlp::merge("unload", master.at(0), unload);
      std::printf("result %d\n", run(loads, plan));
      return;
    }
    static int engines = 0;
    bool const other = std::getenv("FAILURES_OTHER_GRAPH") != nullptr || engines++ > 0;
    int const sum = other ? run(split >> work >> again >> merge, plan) : run(split >> work >> merge, plan);
    std::printf("result %d\n", sum);
    std::fflush(stdout);
    if (plan.mode == "no-memory-in-main") throw std::bad_alloc();
    if (plan.mode == "throw-in-main") throw std::logic_error("the main program is wrong");
  };
  if (uncaught) {
    body();
    return 0;
  }
  try {
    body();
    return 0;
  } catch (ovlp::error const& error) {
    std::fprintf(stderr, "failures_app: %s\n", error.what());
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (std::getenv("FAILURES_IGNORE_CHILDREN") != nullptr) ::signal(SIGCHLD, SIG_IGN);
  if (std::getenv("FAILURES_TWO_ENGINES") != nullptr) run_application(argc, argv);
  return run_application(argc, argv);
}
