// SPDX-License-Identifier: BSD-3-Clause
// What a flow graph does when it runs: on one node, and where it makes a difference on three.
#include "support/run_on.hpp"
#include "support/sums.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

// Named in messages, so not in an anonymous namespace.
struct Overflow : std::exception {
  char const* what() const noexcept override { return "more than fits"; }
};

namespace {

using namespace std::chrono_literals;
using ovlp::at;
using engine = ovlp::engine_base;
using ovlp::graph;
using ovlp::here;
using ovlp::in;
using ovlp::out;
using ovlp::threads;
using ovlp::testing::contains;
using ovlp::testing::run_on;
using ovlp::testing::run_on_one_and_three;
using ovlp::testing::thrown_by;

struct Row {
  int number, columns;
};
struct Note {
  int value;
};
struct Visit {
  int place, first, second;
};
struct Visits {
  std::vector<Visit> all;
};
struct Counter {
  int count = 0;
};
struct Text {
  std::string text;
};

Visits collect(in<Visit>& visits) {
  Visits seen;
  while (auto visit = visits.wait()) seen.all.push_back(*visit);
  std::sort(seen.all.begin(), seen.all.end(), [](Visit const& a, Visit const& b) { return a.place < b.place; });
  return seen;
}
void cut_visits(Range range, out<Visit>& visits) {
  for (int i = range.first; i < range.last; ++i) visits.post({i, -1, -1});
}
Visit visit_first(here<>& here, Visit visit) {
  visit.first = static_cast<int>(here.index());
  return visit;
}
Visit visit_second(here<>& here, Visit visit) {
  visit.second = static_cast<int>(here.index());
  return visit;
}

/// Spins until it holds, but not for ever: a test must end.
template <class Condition>
bool spin_until(Condition condition, std::chrono::milliseconds at_most = 10s) {
  auto const until = std::chrono::steady_clock::now() + at_most;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace

// Groups

TEST_CASE("a merge ends after the last object of its own group") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", 4};
    graph<Range, Sum> const g = ovlp::split("cut", master.at(0), &cut) >>
                                ovlp::leaf("same", workers.in_turn(), &same) >> ovlp::merge("add", workers.at(3), &add);
    std::vector<ovlp::pending_call<Sum>> calls;
    for (int n = 1; n <= 20; ++n) calls.push_back(run.async(g, Range{n, 3 * n}));
    for (int n = 20; n >= 1; --n) CHECK(calls[static_cast<std::size_t>(n - 1)].get() == sum_of({n, 3 * n}));
  });
}

TEST_CASE("groups nest: an inner merge ends with its inner group, on the thread that opened it") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", 4};
    graph<Range, Visits> g;
    auto rows = g.split("rows", master, [](Range range, out<Row>& out) {
      for (int i = range.first; i < range.last; ++i) out.post({i, i % 5});
    });
    auto columns = g.split("columns", workers, [](here<>& here, Row row, out<Visit>& out) {
      for (int j = 0; j <= row.columns; ++j) out.post({row.number, static_cast<int>(here.index()), -1});
    });
    auto leaf = g.leaf("leaf", workers, [](Visit visit) { return visit; });
    auto inner = g.merge("inner", workers, [](here<>& here, in<Visit>& visits) {
      Visit last{};
      int objects = 0;
      while (auto visit = visits.wait()) {
        if (objects++ > 0 && visit->place != last.place) throw std::logic_error("objects of two groups in one merge");
        last = *visit;
      }
      if (objects != last.place % 5 + 1) throw std::logic_error("not the whole group");
      last.second = static_cast<int>(here.index());
      return last;
    });
    auto outer = g.merge("outer", master, &collect);
    g.enter(rows, at(0));
    g.edge(rows.port<Row>(), columns, ovlp::in_turn());
    g.edge(columns.port<Visit>(), leaf, ovlp::in_turn());
    g.edge(leaf, inner, ovlp::at_opener());
    g.edge(inner, outer, at(0));
    g.leave(outer);
    Visits const seen = run(g, {0, 41});
    REQUIRE(seen.all.size() == 41);
    for (int i = 0; i < 41; ++i) {
      Visit const& visit = seen.all[static_cast<std::size_t>(i)];
      CHECK(visit.place == i);
      CHECK(visit.first == i % 4);
      CHECK(visit.second == visit.first);
    }
  });
}

TEST_CASE("a closer of several ports ends when the groups of all of them have ended") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", 3};
    graph<Range, Sum> g;
    // Three ports of three operations, the LU graph's last merge in small: each stream leaves a note per object.
    auto s = g.split("cut", master, &cut);
    g.enter(s, at(0));
    auto pass_on = [](in<Number>& numbers, out<Number>& further, out<Note>& notes) {
      while (auto const number = numbers.wait()) {
        notes.post({number->value});
        further.post(*number);
      }
    };
    auto first = g.stream("first", workers, pass_on);
    auto second = g.stream("second", workers, pass_on);
    auto to_note = g.leaf("to note", workers, [](Number n) { return Note{n.value}; });
    auto m = g.merge("finish", master, [](in<Note>& notes) {
      Sum sum{};
      while (auto const note = notes.wait()) {
        sum.value += note->value;
        ++sum.objects;
      }
      return sum;
    });
    g.edge(s.port<Number>(), first, at(0));
    g.edge(first.port<Number>(), second, at(1));
    g.edge(second.port<Number>(), to_note, ovlp::in_turn());
    g.edge(first.port<Note>(), m, at(0));
    g.edge(second.port<Note>(), m, at(0));
    g.edge(to_note, m, at(0));
    g.leave(m);
    for (int n : {0, 1, 2, 50}) {
      Sum const once = sum_of({0, n});
      CHECK(run(g, {0, n}) == Sum{3 * once.value, 3 * once.objects});
    }
  });
}

TEST_CASE("an empty group runs its closer on the closer's fixed thread") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", 3};
    graph<Range, Visit> const g = ovlp::split("cut", master.at(0), &cut) >>
                                  ovlp::leaf("same", workers.in_turn(), &same) >>
                                  ovlp::merge("count", workers.at(2), [](here<>& here, in<Number>& numbers) {
                                    Visit visit{0, static_cast<int>(here.index()), static_cast<int>(here.node())};
                                    while (numbers.wait()) ++visit.place;
                                    return visit;
                                  });
    for (int n : {0, 3, 0}) {
      Visit const visit = run(g, {0, n});
      CHECK(visit.place == n);
      CHECK(visit.first == 2);
      CHECK(visit.second == static_cast<int>(2 % run.nodes()));
    }
  });
}

TEST_CASE("an empty inner group ends where it was opened, and counts as one object of the outer group") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", 3};
    graph<Range, Sum> g;
    auto outer = g.split("outer", master, &cut);
    auto inner = g.split("inner", workers, [](Number n, out<Number>& numbers) {
      for (int i = 0; i < n.value % 3; ++i) numbers.post({1});
    });
    auto close_inner = g.merge("close inner", workers, &add);
    auto close_outer = g.merge("close outer", master, [](in<Sum>& sums) {
      Sum total{};
      while (auto const sum = sums.wait()) total = {total.value + sum->objects, total.objects + 1};
      return total;
    });
    g.enter(outer, at(0));
    g.edge(outer.port<Number>(), inner, ovlp::in_turn());
    g.edge(inner.port<Number>(), close_inner, ovlp::at_opener());
    g.edge(close_inner, close_outer, at(0));
    g.leave(close_outer);
    CHECK(run(g, {0, 10}) == Sum{9, 10});
    CHECK(run(g, {0, 1}) == Sum{0, 1});
    CHECK(run(g, {0, 0}) == Sum{0, 0});
  });
}

TEST_CASE("an empty group whose closer is routed by an object's content is an error that names port and closer") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1};
    graph<Range, Sum> const g =
        ovlp::split("cut", master.at(0), &cut) >> ovlp::merge("add", master.by(&Number::value), &add);
    CHECK(run(g, {0, 3}).objects == 3);
    auto const error = thrown_by<ovlp::operation_error>([&] { run(g, {0, 0}); });
    CHECK(error.type == "ovlp::graph_error");
    CHECK(error.operation == "cut");
    CHECK(contains(
        error.text,
        "nothing was posted on port 0 (Number) of split 'cut', and merge 'add' is routed by an object's content"));
  });
}

TEST_CASE("objects of one group that reach two closers are an error that names both threads") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", 2};
    graph<Range, Sum> const g = ovlp::split("cut", master.at(0), &cut) >> ovlp::leaf("same", master.at(0), &same) >>
                                ovlp::merge("add", workers.by(&Number::value), &add);
    auto const error = thrown_by<ovlp::graph_error>([&] { run(g, {0, 2}); });
    CHECK(contains(error.what(), "reached two closer threads"));
    CHECK(contains(error.what(), "workers[0]"));
    CHECK(contains(error.what(), "workers[1]"));
  });
}

TEST_CASE("a merge that ends before it has taken all objects is an error, not a result") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", 3};
    graph<Range, Number> const g =
        ovlp::split("cut", master.at(0), &cut) >> ovlp::leaf("same", workers.in_turn(), &same) >>
        ovlp::merge("hasty", workers.at(1), [](in<Number>& numbers) { return *numbers.wait(); });
    auto const error = thrown_by<ovlp::operation_error>([&] { run(g, {0, 5}); });
    CHECK(error.type == "ovlp::graph_error");
    CHECK(error.operation == "hasty");
    CHECK(error.text == "the operation ended before wait() had given all objects of its groups");
  });
}

TEST_CASE("posting on a discarded port is an error that names the port") {
  run_on(1, [](engine& run) {
    threads<> const master{"master", 1};
    graph<Range, Sum> g;
    auto s = g.split("cut", master, [](Range range, out<Number>& numbers, out<Note>& notes) {
      numbers.post({1});
      if (range.last > 1) notes.post({1});
    });
    auto m = g.merge("add", master, &add);
    g.enter(s, at(0));
    g.edge(s.port<Number>(), m, at(0));
    g.discard(s.port<Note>());
    g.leave(m);
    CHECK(run(g, {0, 1}) == Sum{1, 1});
    auto const error = thrown_by<ovlp::operation_error>([&] { run(g, {0, 2}); });
    CHECK(error.operation == "cut");
    CHECK(contains(error.text, "of split 'cut' is discarded: nothing may be posted there"));
    CHECK(contains(error.text, "port 1 ("));
  });
}

// Streams

TEST_CASE("a stream posts while objects that it collects are still to come") {
  run_on_one_and_three([](engine& run) {
    threads<Counter> const master{"master", 1};
    threads<> const workers{"workers", 2};
    graph<Range, Sum> g;
    // Each number is cut only when the one before has been through the stream.
    auto s = g.split("cut", master, [](here<Counter>& here, Range range, out<Number>& numbers) {
      for (int i = range.first; i < range.last; ++i) {
        numbers.post({i});
        here.wait_until([&] { return here.state.count == i - range.first + 1; });
      }
    });
    auto t = g.stream("stream", workers, [](in<Number>& numbers, out<Number>& further) {
      while (auto const number = numbers.wait()) further.post(*number);
    });
    auto seen = g.leaf("seen", master, [](here<Counter>& here, Number number) {
      ++here.state.count;
      return number;
    });
    auto m = g.merge("add", master, &add);
    g.enter(s, at(0));
    g.edge(s.port<Number>(), t, at(1));
    g.edge(t.port<Number>(), seen, at(0));
    g.edge(seen, m, at(0));
    g.leave(m);
    CHECK(run(g, {5, 25}) == sum_of({5, 25}));
  });
}

// Flow control

namespace {

/// As many as the window are in circulation when the poster has to wait, and one more after each that is handed out.
void check_window(std::size_t window, std::string const& execution_threads) {
  run_on(1, {"--execution-threads", execution_threads}, [window](engine& run) {
    std::atomic<int> posted{0};
    std::atomic<int> most{0};
    int const bound = static_cast<int>(window);
    threads<> const master{"master", 1};
    threads<Counter> const collector{"collector", 1};
    graph<Range, Sum> g;
    auto s = g.split("cut", master, [&](Range range, out<Number>& numbers) {
      for (int i = range.first; i < range.last; ++i) {
        numbers.post({i});
        ++posted;
      }
    });
    auto arrive = g.leaf("arrive", collector, [](here<Counter>& here, Number number) {
      ++here.state.count;
      return number;
    });
    auto m = g.merge("add", collector, [&, bound](here<Counter>& here, in<Number>& numbers) {
      here.wait_until([&] { return here.state.count == bound; });  // not less than the window
      std::this_thread::sleep_for(20ms);                           // time enough for more, if there were no window
      most = std::max(most.load(), posted.load());
      Sum sum{};
      while (auto const number = numbers.wait()) {
        sum = {sum.value + number->value, sum.objects + 1};
        if (sum.objects < 5) std::this_thread::sleep_for(2ms);
        most = std::max(most.load(), posted.load() - sum.objects);
      }
      return sum;
    });
    g.enter(s, at(0));
    g.edge(s.port<Number>().window(window), arrive, at(0));
    g.edge(arrive, m, at(0));
    g.leave(m);
    CHECK(run(g, {0, 50}) == sum_of({0, 50}));
    CHECK(most <= bound);
    CHECK(posted == 50);
  });
}

}  // namespace

TEST_CASE("a port never has more objects in circulation than its window, and not fewer if there are more to post") {
  for (std::string const execution_threads : {"1", "4"}) {
    for (std::size_t const window : {1u, 2u, 7u}) {
      CAPTURE(execution_threads);
      CAPTURE(window);
      check_window(window, execution_threads);
    }
  }
}

TEST_CASE("each group has a window of its own") {
  run_on_one_and_three([](engine& run) {
    threads<Counter> const master{"master", 1};
    threads<> const workers{"workers", 3};
    graph<Range, Sum> g;
    // Each call's only object waits for those of the others: with one window for all of them none would go on.
    auto s = g.split("cut", workers, &cut);
    auto meet = g.leaf("meet", master, [](here<Counter>& here, Number number) {
      ++here.state.count;
      here.wait_until([&] { return here.state.count >= 5; });
      return number;
    });
    auto m = g.merge("add", workers, &add);
    g.enter(s, at(0));
    g.edge(s.port<Number>().window(1), meet, at(0));
    g.edge(meet, m, at(1));
    g.leave(m);
    std::vector<ovlp::pending_call<Sum>> calls;
    for (int i = 0; i < 5; ++i) calls.push_back(run.async(g, Range{i, i + 2}));
    for (int i = 0; i < 5; ++i) CHECK(calls[static_cast<std::size_t>(i)].get() == sum_of({i, i + 2}));
  });
}

TEST_CASE("a window's credit comes back from another node") {
  run_on(3, [](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", 3};
    graph<Range, Sum> const g = ovlp::split("cut", master.at(0), &cut).window(2) >>
                                ovlp::leaf("same", workers.in_turn(), &same) >> ovlp::merge("add", workers.at(2), &add);
    CHECK(run(g, {0, 300}) == sum_of({0, 300}));
  });
}

// Routes

TEST_CASE("in_turn deals the objects of a group out by their place") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", 4};
    graph<Range, Visits> const g = ovlp::split("cut", master.at(0), &cut_visits) >>
                                   ovlp::leaf("first", workers.in_turn(), &visit_first) >>
                                   ovlp::merge("collect", master.at(0), &collect);
    for (int call = 0; call < 2; ++call) {
      Visits const seen = run(g, {0, 11});
      REQUIRE(seen.all.size() == 11);
      for (Visit const& visit : seen.all) CHECK(visit.first == visit.place % 4);
    }
  });
}

TEST_CASE("relative goes from the posting thread, round the ends of the collection") {
  for (int const offset : {1, -1, 6}) {
    run_on_one_and_three([offset](engine& run) {
      threads<> const master{"master", 1}, workers{"workers", 4};
      graph<Range, Visits> const g = ovlp::split("cut", master.at(0), &cut_visits) >>
                                     ovlp::leaf("first", workers.in_turn(), &visit_first) >>
                                     ovlp::leaf("second", workers.relative(offset), &visit_second) >>
                                     ovlp::merge("collect", master.at(0), &collect);
      Visits const seen = run(g, {0, 8});
      REQUIRE(seen.all.size() == 8);
      for (Visit const& visit : seen.all) CHECK(visit.second == (visit.first + offset + 4) % 4);
    });
  }
}

TEST_CASE("the command line says where threads live at first") {
  auto const check_places = [](std::vector<std::string> const& options, std::vector<int> const& expected) {
    run_on(3, options, [&](engine& run) {
      threads<> const master{"master", 1}, workers{"workers", 4};
      graph const look =
          ovlp::everywhere("look", workers, [](here<>& here, Note) { return Note{static_cast<int>(here.node())}; }) >>
          ovlp::gather("all", master.at(0));
      std::vector<int> found;
      for (Note const& one : run(look, Note{0})) found.push_back(one.value);
      CHECK(found == expected);
    });
  };
  SUBCASE("as the program has it") { check_places({}, {0, 1, 2, 0}); }
  SUBCASE("elsewhere") { check_places({"--mapping", "workers=node2 node[0-1] node2"}, {2, 0, 1, 2}); }
  SUBCASE("nowhere") {
    auto const refused = [](std::string const& mapping, std::string const& why) {
      ovlp::testing::simulate_on(3, {"--mapping", mapping}, [&](engine& run) {
        threads<> const workers{"workers", 4};
        graph const stay{"stay", ovlp::leaf("stay", workers.at(0), [](Note n) { return n; })};
        CHECK_THROWS_WITH_AS(run(stay, Note{0}), why.c_str(), ovlp::config_error);
      });
    };
    refused("others=node0*4", "--mapping: expected a collection of workers, got 'others'");
    refused("workers=node0*3", "--mapping workers: expected 4 threads, got 3");
    refused("workers=node3*4", "collection 'workers': mapped to node3, but the run has 3 nodes");
  }
}

TEST_CASE("by calls a function of the object on the posting node") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", 4};
    auto key = [](Visit const& visit, ovlp::routing const& now) {
      return -visit.place + static_cast<int>(now.sender) + static_cast<int>(now.size);
    };
    graph<Range, Visits> const g =
        ovlp::split("cut", master.at(0), &cut_visits) >> ovlp::leaf("first", workers.in_turn(), &visit_first) >>
        ovlp::leaf("second", workers.by(key), &visit_second) >> ovlp::merge("collect", master.at(0), &collect);
    Visits const seen = run(g, {0, 12});
    REQUIRE(seen.all.size() == 12);
    for (Visit const& visit : seen.all) CHECK(visit.second == (12 - visit.place + visit.first) % 4);
  });
}

TEST_CASE("least_loaded passes over a thread that is behind") {
  run_on_one_and_three([](engine& run) {
    constexpr int objects = 20;
    threads<> const master{"master", 1};
    threads<> const workers{"workers", 2};
    threads<Counter> const gate{"gate", 1};
    // The first visit stays at its thread until all others have gone through the gate.
    graph<Visit, Visit> const pass = ovlp::leaf("pass", gate.at(0), [](here<Counter>& here, Visit visit) {
      if (visit.place > 0) {
        ++here.state.count;
      } else {
        here.wait_until([&] { return here.state.count == objects - 1; });
      }
      return visit;
    });
    run.add(pass);
    graph<Range, Visits> const g = ovlp::split("cut", master.at(0), &cut_visits).window(2) >>
                                   ovlp::leaf("first", workers.least_loaded(),
                                              [pass](here<>& here, Visit visit) {
                                                visit.first = static_cast<int>(here.index());
                                                return here.call(pass, visit);
                                              }) >>
                                   ovlp::merge("collect", master.at(0), &collect);
    Visits const seen = run(g, {0, objects});
    REQUIRE(seen.all.size() == objects);
    for (Visit const& visit : seen.all) CHECK(visit.first == (visit.place == 0 ? 0 : 1));
  });
}

TEST_CASE("least_loaded works where the closer is on another node") {
  run_on(3, [](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", 3};
    graph<Range, Sum> const g = ovlp::split("cut", master.at(0), &cut).window(4) >>
                                ovlp::leaf("same", workers.least_loaded(), &same) >>
                                ovlp::merge("add", workers.at(1), &add);
    CHECK(run(g, {0, 200}) == sum_of({0, 200}));
  });
}

TEST_CASE("a route to a thread outside the collection is an error of the operation that posts") {
  run_on(1, [](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", 2};
    graph<Range, Sum> const g = ovlp::split("cut", master.at(0), &cut) >> ovlp::leaf("same", workers.at(2), &same) >>
                                ovlp::merge("add", master.at(0), &add);
    auto const error = thrown_by<ovlp::operation_error>([&] { run(g, {0, 1}); });
    CHECK(error.operation == "cut");
    CHECK(error.text ==
          "graph 'cut >> same >> add', edge to leaf 'same' in collection 'workers': route at(index) chose thread 2 of "
          "a collection "
          "with "
          "2");
  });
}

TEST_CASE("an exception of a state's maker reaches the caller, with the thread and its node") {
  struct Fragile {
    int value;
  };
  for (int const bad : {0, 1, 2}) {
    run_on_one_and_three([bad](engine& run) {
      threads<> const master{"master", 1};
      threads<Fragile> const workers{"workers", 3, [bad](std::size_t index) -> Fragile {
                                       if (static_cast<int>(index) == bad) throw std::runtime_error("no state today");
                                       return {1};
                                     }};
      graph<Range, Sum> const g = ovlp::split("cut", master.at(0), &cut) >>
                                  ovlp::leaf("same", workers.in_turn(), &same) >>
                                  ovlp::merge("add", master.at(0), &add);
      auto const error = thrown_by<ovlp::operation_error>([&] { run(g, {0, 9}); });
      CHECK(error.operation == "the state's maker");
      CHECK(error.thread == "workers[" + std::to_string(bad) + "]");
      CHECK(error.text == "no state today");
    });
  }
}

TEST_CASE("the result of a call can be taken once") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1};
    graph<Range, Sum> const g = ovlp::split("cut", master.at(0), &cut) >> ovlp::merge("add", master.at(0), &add);
    auto pending = run.async(g, {0, 3});
    CHECK(pending.get() == sum_of({0, 3}));
    CHECK_THROWS_AS(pending.get(), ovlp::graph_error);
    CHECK(run(g, {0, 4}) == sum_of({0, 4}));
  });
}

// Waiting

TEST_CASE("wait_until goes on when another operation of the thread has made the condition hold") {
  auto const body = [](engine& run) {
    threads<> const master{"master", 1};
    threads<Counter> const cells{"cells", 5};
    graph<Range, Sum> g;
    auto s = g.split("cut", master, [](Range range, out<Number>& readers, out<Note>& deposits) {
      for (int i = range.first; i < range.last; ++i) readers.post({i});
      for (int deposit = 0; deposit < 3; ++deposit) {
        for (int i = range.first; i < range.last; ++i) deposits.post({i});
      }
    });
    auto read = g.leaf("read", cells, [](here<Counter>& here, Number number) {
      here.wait_until([&] { return here.state.count == 3; });
      return Number{number.value * here.state.count};
    });
    auto deposit = g.leaf("deposit", cells, [](here<Counter>& here, Note) {
      ++here.state.count;
      return Number{0};
    });
    auto m = g.merge("add", master, &add);
    g.enter(s, at(0));
    g.edge(s.port<Number>(), read, ovlp::by(&Number::value));
    g.edge(s.port<Note>(), deposit, ovlp::by(&Note::value));
    g.edge(read, m, at(0));
    g.edge(deposit, m, at(0));
    g.leave(m);
    CHECK(run(g, {0, 5}) == Sum{30, 20});
  };
  run_on_one_and_three(body);
  run_on(1, {"--execution-threads", "1"}, body);
}

TEST_CASE("the condition of wait_until holds when it returns, whatever ran after it was found to hold") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1};
    threads<Counter> const cells{"cells", 1};
    graph<Range, Sum> g;
    auto s = g.split("cut", master, [](Range range, out<Number>& readers, out<Note>& deposits) {
      readers.post({0});
      for (int i = range.first; i < range.last; ++i) deposits.post({i});
    });
    auto read = g.leaf("read", cells, [](here<Counter>& here, Number) {
      here.wait_until([&] { return here.state.count % 2 == 1; });
      return Number{here.state.count % 2};
    });
    auto deposit = g.leaf("deposit", cells, [](here<Counter>& here, Note) {
      ++here.state.count;
      return Number{0};
    });
    auto m = g.merge("add", master, &add);
    g.enter(s, at(0));
    g.edge(s.port<Number>(), read, at(0));
    g.edge(s.port<Note>(), deposit, at(0));
    g.edge(read, m, at(0));
    g.edge(deposit, m, at(0));
    g.leave(m);
    CHECK(run(g, {0, 101}).value == 1);
  });
}

TEST_CASE("calls go in turn over the threads at the entry, from the main program and from operations") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1};
    threads<Counter> const workers{"workers", 4};
    auto const visit = [](here<Counter>& here, Number) { return Number{++here.state.count}; };
    graph<Number, Number> inner("inner");
    auto const visited = inner.leaf("visit", workers, visit);
    inner.enter(visited, ovlp::in_turn());
    inner.leave(visited);
    run.add(inner);
    graph<Number, Number> outer("outer");
    auto const call = outer.leaf("call", master, [inner](here<>& here, Number number) {
      int most = 0;
      for (int i = 0; i < number.value; ++i) most = std::max(most, here.call(inner, {i}).value);
      return Number{most};
    });
    outer.enter(call, at(0));
    outer.leave(call);
    CHECK(run(outer, {8}).value == 2);  // each of four has been visited twice
    for (int i = 1; i <= 4; ++i) CHECK(run(inner, {0}).value == 3);
  });
}

TEST_CASE("a call whose entry leads to no thread is refused, and leaves the run as it was") {
  run_on_one_and_three([](engine& run) {
    threads<> const workers{"workers", 2};
    graph<Number, Number> g;
    auto const same = g.leaf("same", workers, [](Number number) { return number; });
    g.enter(same, at(2));
    g.leave(same);
    CHECK_THROWS_AS(run(g, {1}), ovlp::graph_error);
    run.resize(workers, 3);
    CHECK(run(g, {1}).value == 1);
  });
}

TEST_CASE("an object whose route throws has not been posted, if the operation goes on") {
  /// Of the numbers below the last one, the first so many have nowhere to go.
  auto const post_all = [](Range of, out<Number>& numbers) {
    int refused = 0;
    for (int i = 0; i < of.last; ++i) {
      try {
        numbers.post({i < of.first ? -1 : i});
      } catch (ovlp::graph_error const&) {
        ++refused;
      }
    }
    return Number{refused};
  };
  auto const place = [](Number const& number) {
    if (number.value < 0) throw ovlp::graph_error("it has none");
    return 1;
  };
  for (std::size_t const window : {std::size_t{0}, std::size_t{2}}) {
    run_on_one_and_three([&](engine& run) {
      threads<> const master{"master", 1}, workers{"workers", 3};
      graph<Range, Sum> const in_groups =
          ovlp::split("cut", master.at(0), [&](Range of, out<Number>& numbers) { post_all(of, numbers); })
              .window(window) >>
          ovlp::leaf("same", workers.by(place), [](Number number) { return number; }) >>
          ovlp::merge("add", master.at(0), &add);
      graph<Range, Number> const on_side = ovlp::leaf("give", master.at(0), post_all)
                                               .window(window)
                                               .aside(ovlp::leaf("take", workers.by(place), [](Number) {}));
      run.add(in_groups);
      run.add(on_side);
      for (int const refused : {0, 3, 8}) {
        CHECK(run(in_groups, {refused, 8}) == Sum{28 - refused * (refused - 1) / 2, 8 - refused});
        CHECK(run(on_side, {refused, 8}).value == refused);
      }
    });
  }
}

TEST_CASE("an exception in the condition of wait_until ends the call as one of the operation that waits") {
  run_on(1, [](engine& run) {
    threads<Counter> const cells{"cells", 1};
    graph<Range, Sum> const g = ovlp::split("cut", cells.at(0), &cut) >>
                                ovlp::leaf("wait", cells.at(0),
                                           [](here<Counter>& here, Number number) {
                                             if (++here.state.count > 1) return number;
                                             here.wait_until([&]() -> bool {
                                               if (here.state.count > 1) throw std::range_error("too many");
                                               return false;
                                             });
                                             return number;
                                           }) >>
                                ovlp::merge("add", cells.at(0), &add);
    auto const error = thrown_by<ovlp::operation_error>([&] { run(g, {0, 2}); });
    CHECK(error.operation == "wait");
    CHECK(error.type == "std::range_error");
  });
}

TEST_CASE("suspended operations block no OS thread") {
  auto const os_threads = [] { return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}); };
  auto const before = os_threads();
  run_on(1, {"--execution-threads", "1"}, [&](engine& run) {
    constexpr int calls = 200;
    threads<> const master{"master", 1};
    threads<Counter> const meeting{"meeting", 1};
    graph<Range, Sum> g;
    // Of each call one object comes at once, so that the merge waits, and one when all calls are there.
    auto s = g.split("cut", master, [](Range range, out<Number>& now, out<Note>& later) {
      now.post({range.first});
      later.post({range.last});
    });
    auto late = g.leaf("late", meeting, [](here<Counter>& here, Note note) {
      ++here.state.count;
      here.wait_until([&] { return here.state.count == calls; });
      return Number{note.value};
    });
    auto m = g.merge("add", master, &add);
    g.enter(s, at(0));
    g.edge(s.port<Number>(), m, at(0));
    g.edge(s.port<Note>(), late, at(0));
    g.edge(late, m, at(0));
    g.leave(m);
    std::vector<ovlp::pending_call<Sum>> pending;
    for (int i = 0; i < calls; ++i) pending.push_back(run.async(g, Range{i, 2 * i}));
    for (int i = 0; i < calls; ++i) CHECK(pending[static_cast<std::size_t>(i)].get() == Sum{3 * i, 2});
    CHECK(os_threads() <= before + 4);  // the execution thread, one each for sockets, heartbeats, and watching steps
  });
}

TEST_CASE("an operation that waited goes on while one of another collection computes") {
  std::atomic<int> went_on{0};  // all in one process
  std::atomic<bool> computes{false};
  ovlp::testing::really_run_on(1, [&](engine& run) {
    threads<Counter> const meeting{"meeting", 1};
    threads<> const workers{"workers", 1};
    graph<Note, Note> const waits = ovlp::leaf("wait", meeting.at(0), [&](here<Counter>& here, Note note) {
      here.wait_until([&] { return here.state.count == note.value; });
      ++went_on;
      return note;
    });
    graph<Note, Note> const comes = ovlp::leaf("come", meeting.at(0), [](here<Counter>& here, Note note) {
      ++here.state.count;
      return note;
    });
    graph<Note, Note> const compute = ovlp::leaf("compute", workers.at(0), [&](Note note) {
      computes = true;
      spin_until([&] { return went_on == note.value; }, 20s);
      CHECK(went_on == note.value);
      return note;
    });
    for (auto const& g : {waits, comes, compute}) run.add(g);
    for (int round = 1; round <= 20; ++round) {  // which OS thread computes is chance
      auto waiting = run.async(waits, {round});
      std::this_thread::sleep_for(2ms);
      auto computing = run.async(compute, {round});
      spin_until([&] { return computes.exchange(false); }, 20s);
      run(comes, {round});
      waiting.get();
      computing.get();
    }
  });
}

TEST_CASE("one operation at a time runs in a DPS thread, while several threads run at once") {
  ovlp::testing::really_run_on(1, {"--execution-threads", "4"}, [](engine& run) {
    struct Room {
      std::atomic<bool> busy{false};
    };
    std::atomic<int> meetings{0};
    std::atomic<int> running{0};
    std::atomic<int> most{0};
    threads<> const master{"master", 1};
    threads<Room> const rooms{"rooms", 3};
    graph<Range, Sum> const g = ovlp::split("cut", master.at(0), &cut) >>
                                ovlp::leaf("enter", rooms.in_turn(),
                                           [&](here<Room>& here, Number number) {
                                             if (here.state.busy.exchange(true)) ++meetings;
                                             most = std::max(most.load(), ++running);
                                             if (number.value < 10) {  // until others run too
                                               spin_until([&] { return most > 1; }, 2s);
                                             }
                                             --running;
                                             here.state.busy = false;
                                             return number;
                                           }) >>
                                ovlp::merge("add", master.at(0), &add);
    CHECK(run(g, {0, 3000}) == sum_of({0, 3000}));
    CHECK(meetings == 0);
    CHECK(most > 1);
  });
}

TEST_CASE("a thread serves what comes in its order: a merge takes nothing that comes after other work") {
  std::atomic<bool> posted{false};  // all in one process
  run_on(1, [&](engine& run) {
    posted = false;
    threads<> const master{"master", 1};
    threads<Text> const desk{"desk", 1};
    graph<Range, Text> g;
    auto s = g.split("cut", master, [&](Range range, out<Number>& parts, out<Note>& notes) {
      parts.post({range.first});
      notes.post({range.first});
      parts.post({range.last});
      posted = true;
    });
    auto note = g.leaf("note", desk, [](here<Text>& here, Note) {
      here.state.text += "note ";
      return Number{0};
    });
    auto m = g.merge("list", desk, [&](here<Text>& here, in<Number>& parts) {
      while (auto part = parts.wait()) {
        if (part->value == 0) continue;
        here.state.text += std::to_string(part->value) + " ";
        if (part->value == 1) here.kernel("think", {}, [&] { spin_until([&] { return posted.load(); }, 200ms); });
      }
      return here.state;
    });
    g.enter(s, at(0));
    g.edge(s.port<Number>(), m, at(0));
    g.edge(s.port<Note>(), note, at(0));
    g.edge(note, m, at(0));
    g.leave(m);
    CHECK(run(g, {1, 2}).text == "1 note 2 ");
  });
}

TEST_CASE("while an operation is suspended another one runs in its DPS thread") {
  run_on(1, [](engine& run) {
    threads<> const only{"only", 1};
    graph<Range, Sum> const g = ovlp::split("cut", only.at(0), &cut).window(1) >>
                                ovlp::leaf("same", only.at(0), &same) >> ovlp::merge("add", only.at(0), &add);
    CHECK(run(g, {0, 100}) == sum_of({0, 100}));
  });
}

// Calls

TEST_CASE("several calls are pipelined: they run at the same time") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1};
    threads<Counter> const meeting{"meeting", "node0"};
    graph<Range, Sum> const g = ovlp::split("cut", master.at(0), &cut) >>
                                ovlp::leaf("meet", meeting.at(0),
                                           [](here<Counter>& here, Number number) {
                                             ++here.state.count;
                                             here.wait_until([&] { return here.state.count >= 6; });
                                             return number;
                                           }) >>
                                ovlp::merge("add", master.at(0), &add);
    auto first = run.async(g, {0, 2});
    auto second = run.async(g, {2, 4});
    auto third = run.async(g, {4, 6});
    CHECK(third.get() == sum_of({4, 6}));
    CHECK(first.get() == sum_of({0, 2}));
    CHECK(second.get() == sum_of({2, 4}));
  });
}

TEST_CASE("an operation calls graphs, one after another and several at once") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", 3};
    graph<Range, Sum> const inner = ovlp::split("cut", workers.at(1), &cut) >>
                                    ovlp::leaf("same", workers.in_turn(), &same) >>
                                    ovlp::merge("add", workers.at(2), &add);
    graph<Range, Sum> const outer = ovlp::leaf("call", workers.at(2), [inner](here<>& here, Range range) {
      int const middle = (range.first + range.last) / 2;
      auto low = here.async(inner, {range.first, middle});
      auto high = here.async(inner, {middle, range.last});
      Sum const all = here.call(inner, range);
      Sum const above = high.get();
      Sum const below = low.get();
      if (all != Sum{below.value + above.value, below.objects + above.objects}) throw std::logic_error("wrong sum");
      return all;
    });
    run.add(inner);
    auto first = run.async(outer, {0, 30});
    CHECK(run(outer, {3, 40}) == sum_of({3, 40}));
    CHECK(first.get() == sum_of({0, 30}));
  });
}

TEST_CASE("calling a graph that was not added is an error that names it") {
  run_on(1, [](engine& run) {
    threads<> const master{"master", 1};
    graph<Number, Number> unknown("unknown");
    auto l = unknown.leaf("same", master, &same);
    unknown.enter(l, at(0));
    unknown.leave(l);
    graph<Number, Number> const outer =
        ovlp::leaf("call", master.at(0), [unknown](here<>& here, Number n) { return here.call(unknown, n); });
    auto const error = thrown_by<ovlp::operation_error>([&] { run(outer, {1}); });
    CHECK(error.type == "ovlp::graph_error");
    CHECK(contains(error.text, "graph 'unknown' is called but was not added before the first call"));
  });
}

TEST_CASE("repeat calls a graph a number of times, repeat_until until its result is good") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", 3};
    graph<Number, Number> const twice = ovlp::split("two", master.at(0),
                                                    [](Number n, out<Number>& out) {
                                                      out.post(n);
                                                      out.post(n);
                                                    }) >>
                                        ovlp::leaf("same", workers.in_turn(), &same) >>
                                        ovlp::merge("add", master.at(0), [](in<Number>& numbers) {
                                          Number sum{0};
                                          while (auto const n = numbers.wait()) sum.value += n->value;
                                          return sum;
                                        });
    auto repeated = [&](std::size_t times) {
      graph<Number, Number> g("repeat " + std::to_string(times));
      auto r = g.repeat("again", master, twice, times);
      g.enter(r, at(0));
      g.leave(r);
      run.add(g);
      return g;
    };
    auto const never = repeated(0), five_times = repeated(5);
    graph<Number, Number> until("until");
    auto r = until.repeat_until("until", master, twice, [](Number const& n) { return n.value > 100; });
    until.enter(r, at(0));
    until.leave(r);
    run.add(until);
    CHECK(run(never, {3}).value == 3);
    CHECK(run(five_times, {3}).value == 96);
    CHECK(run(until, {3}).value == 192);
    CHECK(run(until, {101}).value == 202);  // at least once
  });
}

TEST_CASE("a graph in the place of an operation gives the same result") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", 3};
    graph<Number, Number> const in_parts = ovlp::split("halves", workers.in_turn(),
                                                       [](Number n, out<Number>& out) {
                                                         out.post({n.value / 2});
                                                         out.post({n.value - n.value / 2});
                                                       }) >>
                                           ovlp::leaf("square", workers.in_turn(), &same) >>
                                           ovlp::merge("join", workers.at_opener(), [](in<Number>& numbers) {
                                             Number sum{0};
                                             while (auto const n = numbers.wait()) sum.value += n->value;
                                             return sum;
                                           });
    auto build = [&](bool with_part) {
      graph<Range, Sum> g(with_part ? "with part" : "with leaf");
      auto s = g.split("cut", master, &cut);
      auto middle = with_part ? g.part("part", in_parts) : g.leaf("same", workers, &same);
      auto m = g.merge("add", master, &add);
      g.enter(s, at(0));
      g.edge(s.port<Number>(), middle, ovlp::in_turn());
      g.edge(middle, m, at(0));
      g.leave(m);
      run.add(g);
      return g;
    };
    auto const with_leaf = build(false), with_part = build(true);
    CHECK(run(with_leaf, {0, 50}) == sum_of({0, 50}));
    CHECK(run(with_part, {0, 50}) == sum_of({0, 50}));
  });
}

// Exceptions

TEST_CASE("an exception in an operation ends the call with its type, text, operation, thread and node") {
  for (std::size_t const nodes : {1u, 3u}) {
    for (int const thrower : {0, 2}) {
      run_on(nodes, [thrower](engine& run) {
        threads<> const master{"master", 1}, workers{"workers", 3};
        graph<Range, Sum> const g = ovlp::split("cut", master.at(0), &cut) >>
                                    ovlp::leaf("check", workers.in_turn(),
                                               [thrower](Number number) {
                                                 if (number.value == thrower) throw std::out_of_range("no such number");
                                                 return number;
                                               }) >>
                                    ovlp::merge("add", master.at(0), &add);
        auto const error = thrown_by<ovlp::operation_error>([&] { run(g, {0, 3}); });
        std::string const number = std::to_string(thrower);
        std::string const node = run.nodes() == 3 ? "node" + number : "node0";
        CHECK(error.type == "std::out_of_range");
        CHECK(error.text == "no such number");
        CHECK(error.operation == "check");
        CHECK(error.thread == "workers[" + number + "]");
        CHECK(error.node == node);
        CHECK(error.what() == "operation 'check' in thread workers[" + number + "] on " + node +
                                  " threw std::out_of_range: no such number");
        // The run is over.
        CHECK_THROWS_AS(run(g, {5, 6}), ovlp::operation_error);
      });
    }
  }
}

TEST_CASE("all kinds of operations report all kinds of exceptions, and concurrent calls end with them") {
  run_on(1, [](engine& run) {
    threads<> const master{"master", 1};
    graph<Range, Sum> const g =
        ovlp::split("cut", master.at(0), &cut) >> ovlp::merge("add", master.at(0), [](in<Number>& numbers) -> Sum {
          while (auto const number = numbers.wait()) {
            if (number->value == 7) throw Overflow{};
          }
          return {};
        });
    auto bad = run.async(g, {7, 8});
    CHECK(thrown_by<ovlp::operation_error>([&] { bad.get(); }).type == "Overflow");
    CHECK_THROWS_AS(run(g, {0, 1}), ovlp::operation_error);
  });
  run_on(1, [](engine& run) {
    threads<Number> const master{"master", 1};
    auto const cut_none = [](here<Number>& here, Range, out<Number>&) {
      ++here.state.value;
      here.wait_until([&] { return here.state.value == 2; });  // so that both calls have begun
      throw 42;
    };
    graph<Range, Sum> const g = ovlp::split("cut", master.at(0), cut_none) >> ovlp::merge("add", master.at(0), &add);
    auto first = run.async(g, {0, 1});
    auto second = run.async(g, {0, 1});
    auto const error = thrown_by<ovlp::operation_error>([&] { first.get(); });
    CHECK(error.operation == "cut");
    CHECK(error.text == "an exception that is not a std::exception");
    CHECK_THROWS_AS(second.get(), ovlp::operation_error);
  });
}

TEST_CASE("an exception that an operation catches is its own affair") {
  run_on(1, {"--execution-threads", "1"}, [](engine& run) {
    threads<> const master{"master", 1};
    graph<Range, Sum> const g =
        ovlp::split("cut", master.at(0), &cut) >> ovlp::merge("add", master.at(0), [](in<Number>& numbers) {
          Sum caught{};
          while (auto const number = numbers.wait()) {
            try {
              throw std::runtime_error(std::to_string(number->value));
            } catch (std::runtime_error const& e) {
              caught = {caught.value + std::stoi(e.what()), caught.objects + 1};
            }
          }
          return caught;
        });
    CHECK(run(g, {0, 100}) == sum_of({0, 100}));
  });
}

TEST_CASE("operations that wait inside catch blocks keep their own exceptions") {
  for (std::string const execution_threads : {"1", "2"}) {
    run_on(1, {"--execution-threads", execution_threads}, [](engine& run) {
      threads<> const master{"master", 1}, workers{"workers", 2};
      graph<Range, Text> g;
      auto s = g.split("cut", master, &cut);
      auto l = g.leaf("same", workers, &same);
      auto m = g.merge("catch", master, [](in<Number>& numbers) {
        Text seen;
        auto const first = numbers.wait();
        std::string const own = "exception of " + std::to_string(first->value);
        try {
          try {
            throw std::runtime_error(own);
          } catch (std::runtime_error const&) {
            while (numbers.wait()) {
              // Another one inside, ended before the next wait.
              try {
                throw std::logic_error("inner");
              } catch (std::logic_error const& inner) {
                if (inner.what() != std::string("inner")) seen.text += "wrong inner; ";
              }
            }
            throw;  // the exception that is being handled: ours?
          }
        } catch (std::exception const& e) {
          seen.text += e.what() == own ? "own" : "another's";
        }
        if (std::current_exception()) seen.text += ", and one is left";
        return seen;
      });
      g.enter(s, at(0));
      g.edge(s.port<Number>().window(2), l, ovlp::by(&Number::value));
      g.edge(l, m, at(0));
      g.leave(m);
      std::vector<ovlp::pending_call<Text>> calls;
      for (int i = 0; i < 10; ++i) calls.push_back(run.async(g, Range{100 * i, 100 * i + 20}));
      for (auto& call : calls) CHECK(call.get().text == "own");
    });
  }
}

// Buffers

namespace {

struct Shared {
  int place;
  ovlp::buffer<int> values;
};

}  // namespace

TEST_CASE("what a receiver writes to a buffer, no one else sees") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", 4};
    graph<Range, Sum> const g = ovlp::split("share", master.at(0),
                                            [](Range range, out<Shared>& shared) {
                                              ovlp::buffer<int> values(1000);
                                              std::fill_n(values.mutate().begin(), 1000, 1);
                                              for (int i = range.first; i < range.last; ++i) {
                                                shared.post({i, values});
                                                // What the sender writes afterwards is its own too, and does not add
                                                // up.
                                                if (i % 2 == 1) values.mutate()[0] = 1;
                                              }
                                              std::fill_n(values.mutate().begin(), 1000, 1000000);
                                            }) >>
                                ovlp::leaf("write", workers.in_turn(),
                                           [](Shared shared) {
                                             for (int& value : shared.values.mutate()) value += shared.place;
                                             return shared;
                                           }) >>
                                ovlp::merge("add", master.at(0), [](in<Shared>& all) {
                                  Sum sum{};
                                  while (auto const shared = all.wait()) {
                                    for (int const value : shared->values.view())
                                      sum.value += value - 1 - shared->place;  // 0 each
                                    ++sum.objects;
                                  }
                                  return sum;
                                });
    CHECK(run(g, {0, 16}) == Sum{0, 16});
  });
}
