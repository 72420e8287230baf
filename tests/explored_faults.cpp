// SPDX-License-Identifier: BSD-3-Clause
// Programs that ovlp explore has something to say of:  explored_faults check --nodes 2
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <random>
#include <string>
#include <thread>

#include <ovlp/ovlp.hpp>

namespace {

/// In one interleaving of some the second object comes first.
ovlp::graph<int, double> sum(std::string const& fault, int& seen, int& most) {
  ovlp::threads<> const master{"master", 1}, workers{"workers", 2};
  auto const deal = ovlp::split("deal", master.at(0), [](int count, ovlp::out<int>& to) {
    for (int i = 0; i < count; ++i) to.post(i);
  });
  auto const work = ovlp::leaf("work", workers.in_turn(), [fault, &seen, &most](ovlp::here<>& here, int number) {
    if (fault == "random") number += static_cast<int>(std::random_device{}() % 1000);
    if (fault == "clock")
      number += static_cast<int>(std::chrono::steady_clock::now().time_since_epoch().count() % 1000);
    if (fault == "late-thread") {
      static std::jthread const other([](std::stop_token const& stop) {
        while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      });
    }
    if (fault == "blocks") ::pause();
    if (fault == "crash" && seen == 1 && number == 0) std::raise(SIGSEGV);
    if (fault == "status" && seen == 1 && number == 0) std::_Exit(3);
    most = std::max(most, ++seen);
    here.kernel("work", {1}, [] {});
    if (fault == "check") {
      here.wait_until([] { return true; });
      --seen;
    }
    return number;
  });
  auto const add = ovlp::merge("add", master.at(0), [fault](ovlp::in<int>& numbers) {
    double total = 0;
    int first = -1;
    for (int const number : numbers) {
      if (first < 0) first = number;
      total += std::pow(0.1, number + 1) / 3;
    }
    if (fault == "rounding" || fault == "random" || fault == "clock") return total;
    return fault == "compared" ? static_cast<double>(first) : std::floor(total);
  });
  return deal >> work >> add;
}

void run_program(int argc, char** argv) {
  std::string fault = "nothing";
  std::vector<std::string> given;
  ovlp::options options{"explored_faults", "Programs that ovlp explore has something to say of"};
  options.add_arguments("fault", given, "which one").required();
  ovlp::engine run{argc, argv, options};
  fault = given.front();
  std::jthread early;
  if (fault == "early-thread")
    early = std::jthread([](std::stop_token const& stop) {
      while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
  int seen = 0, most = 0;
  ovlp::graph<int, double> const all = sum(fault, seen, most);
  if (fault == "check")
    run.check(
        "never two", [&] { return seen < 2; }, ovlp::engine::checked::at_each_step);
  if (fault == "check-at-the-end") run.check("all counted", [&] { return seen == 5; });
  if (fault == "check-twice") {
    for (int i = 0; i < 2; ++i) run.check("twice", [] { return true; });
  }
  if (fault == "compared") run.compare<int, double>(all, [](double const& a, double const& b) { return a == b; });
  int const count = fault == "nothing" ? 2 : 4;
  if (fault == "livelock") {
    for (int i = 0; i < 1000; ++i) run(all, count);
  }
  std::cout << run(all, count) << '\n';
}

}  // namespace

int main(int argc, char** argv) try {
  run_program(argc, argv);
  return 0;
} catch (std::exception const& error) {
  std::cerr << "explored_faults: " << error.what() << '\n';
  return 1;
}
