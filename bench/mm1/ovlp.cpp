// SPDX-License-Identifier: BSD-3-Clause
// What an event costs at least: an M/M/1 queue, on less and less of the simulator.
//
//   loop       two next times and a number of customers: nothing of ovlp
//   events     machine::event_queue: an arrival lets the next arrival happen, and perhaps a departure
//   fibers     the same, where customers' source and server are fibers that wait
//   processor  the same, where the server is a thread of a virtual node: a departure is the end of its task
//
// An arrival or a departure is an event. Each variant serves the same customers, and says how long they were there.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <boost/context/fiber.hpp>
#include <ovlp/machine/event_queue.hpp>
#include <ovlp/machine/platform.hpp>
#include <ovlp/machine/thread.hpp>
#include <ovlp/machine/virtual_machine.hpp>

#include "../contestant.hpp"

namespace {

using ovlp::machine::event;
using ovlp::machine::event_queue;

constexpr double load = 0.8;

/// Exponentially distributed times, drawn beforehand: what they cost is no part of an event.
class times {
 public:
  times(double mean_s, std::uint32_t seed) {
    std::mt19937_64 random(seed);
    for (double& s : all_) s = std::exponential_distribution(1 / mean_s)(random);
  }
  double next() { return all_[at_++ % all_.size()]; }

 private:
  std::array<double, 1 << 14> all_{};
  std::size_t at_ = 0;
};

struct served {
  std::uint64_t customers = 0;
  double ended_s = 0;
  double customer_s = 0;  ///< integral of the number of customers

  bool operator==(served const&) const = default;
};

/// The state of the queue, and its account.
struct account {
  std::uint64_t there = 0;
  double since_s = 0;
  served so_far;

  void change(double now_s, int by) {
    so_far.customer_s += static_cast<double>(there) * (now_s - since_s);
    since_s = now_s;
    there += static_cast<std::uint64_t>(by);
    if (by < 0) {
      ++so_far.customers;
      so_far.ended_s = now_s;
    }
  }
};

served loop(std::uint64_t customers) {
  times between(1, 1), work(load, 2);
  account queue;
  double arrival_s = between.next(), departure_s = INFINITY;
  for (std::uint64_t arrived = 0; queue.so_far.customers < customers;) {
    if (arrival_s <= departure_s) {
      queue.change(arrival_s, 1);
      if (queue.there == 1) departure_s = arrival_s + work.next();
      arrival_s = ++arrived < customers ? arrival_s + between.next() : INFINITY;
    } else {
      queue.change(departure_s, -1);
      departure_s = queue.there > 0 ? departure_s + work.next() : INFINITY;
    }
  }
  return queue.so_far;
}

/// An event that calls a function.
template <class Function>
struct calling final : event {
  explicit calling(Function f) : function(std::move(f)) {}
  void happen() override { function(); }
  Function function;
};

served events(std::uint64_t customers) {
  times between(1, 1), work(load, 2);
  account queue;
  event_queue clock;
  std::uint64_t arrived = 0;
  event* next_arrival = nullptr;
  event* next_departure = nullptr;
  calling departure([&] {
    queue.change(clock.now_s(), -1);
    if (queue.there > 0) clock.happen_after(work.next(), *next_departure);
  });
  calling arrival([&] {
    queue.change(clock.now_s(), 1);
    if (queue.there == 1) clock.happen_after(work.next(), *next_departure);
    if (++arrived < customers) clock.happen_after(between.next(), *next_arrival);
  });
  next_arrival = &arrival;
  next_departure = &departure;
  clock.happen_after(between.next(), arrival);
  while (clock.advance()) {
  }
  return queue.so_far;
}

/// A function in a fiber of its own, that waits.
class process final : event {
 public:
  template <class Function>
  process(event_queue& clock, Function body)
      : clock_(clock), fiber_([this, body](boost::context::fiber&& back) {
          back_ = std::move(back);
          body(*this);
          return std::move(back_);
        }) {}
  void go_on() { fiber_ = std::move(fiber_).resume(); }
  void wait() { back_ = std::move(back_).resume(); }
  void wait(double for_s) {
    clock_.happen_after(for_s, *this);
    wait();
  }

 private:
  void happen() override { go_on(); }
  event_queue& clock_;
  boost::context::fiber fiber_, back_;
};

served fibers(std::uint64_t customers) {
  times between(1, 1), work(load, 2);
  account queue;
  event_queue clock;
  process server(clock, [&](process& self) {
    while (queue.so_far.customers < customers) {
      if (queue.there == 0) self.wait();
      self.wait(work.next());
      queue.change(clock.now_s(), -1);
    }
  });
  process source(clock, [&](process& self) {
    for (std::uint64_t arrived = 0; arrived < customers; ++arrived) {
      self.wait(between.next());
      queue.change(clock.now_s(), 1);
      if (queue.there == 1) server.go_on();
    }
  });
  source.go_on();
  while (clock.advance()) {
  }
  return queue.so_far;
}

served processor(std::uint64_t customers) {
  times between(1, 1), work(load, 2);
  account queue;
  ovlp::machine::virtual_machine machine(ovlp::machine::platform::find("gigabit"), 1);
  event_queue& clock = machine.events();
  ovlp::machine::thread server(machine.processor_of(0));
  struct customer final : ovlp::machine::task {
    explicit customer(std::function<void()> f) : leaves(std::move(f)) {}
    void done(unsigned, double) override { leaves(); }
    std::function<void()> leaves;
  };
  customer any([&] { queue.change(clock.now_s(), -1); });
  std::uint64_t arrived = 0;
  event* next_arrival = nullptr;
  calling arrival([&] {
    queue.change(clock.now_s(), 1);
    server.add(any, work.next());
    if (++arrived < customers) clock.happen_after(between.next(), *next_arrival);
  });
  next_arrival = &arrival;
  clock.happen_after(between.next(), arrival);
  while (machine.advance()) {
  }
  return queue.so_far;
}

}  // namespace

int main(int argc, char** argv) try {
  std::string variant = "events";
  std::uint64_t customers = 3'000'000;
  CLI::App options{"M/M/1 queue"};
  options.add_option("--variant", variant, "loop, events, fibers or processor")->capture_default_str();
  options.add_option("--customers", customers, "to be served")->capture_default_str();
  CLI11_PARSE(options, argc, argv);

  std::map<std::string, served (*)(std::uint64_t)> const known{
      {"loop", loop}, {"events", events}, {"fibers", fibers}, {"processor", processor}};
  auto const found = known.find(variant);
  if (found == known.end() || customers == 0)
    throw std::runtime_error("--variant, --customers: expected loop, events, fibers or processor; 1 or more");
  double const before_s = bench::process_cpu_s();
  served const all = found->second(customers);
  double const cpu_s = bench::process_cpu_s() - before_s;
  served const expected = loop(customers);
  if (all.customers != customers || std::abs(all.customer_s / expected.customer_s - 1) > 1e-6)
    throw std::runtime_error("its customers were not served as those of the loop");
  bench::report({{"contestant", variant},
                 {"customers", customers},
                 {"mean_customers", all.customer_s / all.ended_s},
                 {"cpu_s", cpu_s},
                 {"events_per_cpu_s", 2.0 * static_cast<double>(customers) / cpu_s}});
} catch (std::exception const& error) {
  std::fprintf(stderr, "mm1_ovlp: %s\n", error.what());
  return 1;
}
