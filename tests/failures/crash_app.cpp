// SPDX-License-Identifier: BSD-3-Clause
// Operations that end their process, or never end; crashes_test runs it.
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include <ovlp/ovlp.hpp>
#include <ovlp/runtime/real.hpp>
#include <ovlp/simkernel/simulated.hpp>

namespace {

struct Task {
  std::string kind;
  int number;
};
using Here = ovlp::here<>;
struct State {
  int value = 0;
};

/// The address of an ovlp::out<Task>, of an operation that has ended.
std::uintptr_t kept = 0;
std::mutex held;
std::atomic<int> want_it = 0;

void touch_nowhere() {
  std::uintptr_t volatile const nowhere = 8;      // so that no compiler sees it coming
  *reinterpret_cast<int volatile*>(nowhere) = 1;  // NOLINT(performance-no-int-to-ptr)
}

void touch_what_no_file_has() {
  int const file = ::memfd_create("empty", 0);
  void* const bytes = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  *static_cast<char volatile*>(bytes) = 1;
}

int harm(Here& here, Task const& task) {
  int volatile zero = 0;
  if (task.kind == "SIGSEGV") touch_nowhere();
  if (task.kind == "SIGBUS") touch_what_no_file_has();
  if (task.kind == "SIGFPE") return task.number / zero;
  if (task.kind == "SIGILL") __builtin_trap();
  if (task.kind == "SIGABRT") std::abort();
  if (task.kind == "lost thread") std::thread([] { ::pause(); });  // joinable, and gone
  if (task.kind == "own thread") std::thread([] { touch_nowhere(); }).join();
  if (task.kind == "uncaught") std::thread([] { throw std::runtime_error("in a thread of its own"); }).join();
  if (task.kind == "exit") std::exit(0);
  if (task.kind == "exit in a thread") std::thread([] { std::exit(0); }).join();
  if (task.kind == "killed") {
    ::kill(::getpid(), SIGSEGV);
    for (;;) ::pause();  // another OS thread may take it, and a moment later
  }
  if (task.kind == "other thread") std::thread([&] { here.kernel("crash.one", {1}, [] {}); }).join();
  if (task.kind == "loop") {
    while (zero == 0) {
    }
  }
  if (task.kind == "kernel") {
    here.kernel("crash.endless", {1}, [&] {
      while (zero == 0) {
      }
    });
  }
  if (task.kind == "sleep") std::this_thread::sleep_for(std::chrono::hours(1));
  return 0;
}

template <class Engine>
int run_application(int argc, char** argv) {
  std::string kind = "none", backend;
  ovlp::options options{"crash", "Operations that end their process"};
  options.add("--kind", kind, "how");
  options.add("--backend", backend, "real or simulated");
  Engine run{argc, argv, options};
  ovlp::threads<> const master{"master", "node0"}, workers{"workers", run.nodes()};
  ovlp::graph<int, int> const nothing = ovlp::leaf("nothing", master.at(0), [&kind](int i) {
    while (kind == "mutex" && want_it < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return i;
  });
  ovlp::graph<Task, int> const g =
      ovlp::split("post", master.at(0),
                  [](Task task, ovlp::out<Task>& tasks) {
                    kept = reinterpret_cast<std::uintptr_t>(&tasks);
                    for (int i = 0; i < 2; ++i) tasks.post({task.kind, i});
                  }) >>
      ovlp::leaf("bad", workers.by([](Task const&, ovlp::routing const& now) { return now.size - 1; }),
                 [&nothing](Here& here, Task task) {
                   if (task.kind == "mutex") {
                     ++want_it;
                     std::lock_guard const lock(held);  // across a call: the next operation of this thread waits for it
                     return here.call(nothing, task.number);
                   }
                   if (task.kind != "kept") here.call(nothing, task.number);  // suspends
                   if (task.kind == "kept" && task.number == 1)
                     reinterpret_cast<ovlp::out<Task>*>(kept)->post(task);  // NOLINT(performance-no-int-to-ptr)
                   return harm(here, task);
                 }) >>
      ovlp::merge("add", master.at(0), [](ovlp::in<int>& numbers) {
        int sum = 0;
        while (auto const number = numbers.wait()) sum += *number;
        return sum;
      });
  run.add(g);
  run.add(nothing);
  ovlp::threads<State> places{"places", ovlp::mapping("node0"), [kind](std::size_t index) {
                                if (kind == "maker" && index == 1) touch_nowhere();
                                if (kind == "exit in maker" && index == 1) std::exit(0);
                                return State{};
                              }};
  places.on_leave([](std::size_t, State&) { touch_nowhere(); });
  ovlp::graph<int, int> const visit = ovlp::leaf("visit", places.at(0), [](ovlp::here<State>&, int i) { return i; });
  run.add(visit);
  run.estimate("crash.endless", 1.0);
  if (kind == "maker" || kind == "exit in maker" || kind == "on_leave") {
    run.resize(places, 2);
    run.resize(places, 1);
    return run(visit, 0);
  }
  std::printf("%d\n", run(g, {kind, 0}));
  if (kind == "exit in main") std::exit(0);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--backend=simulated") return run_application<ovlp::sim::engine>(argc, argv);
  }
  return run_application<ovlp::real::engine>(argc, argv);
}
