// SPDX-License-Identifier: BSD-3-Clause
// Collections that change while the run goes on, and the processes that come and go with them.
#include "support/process.hpp"
#include "support/run_on.hpp"
#include "support/seed.hpp"
#include "support/sums.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

using engine = ovlp::engine_base;
using ovlp::at;
using ovlp::graph;
using ovlp::here;
using ovlp::in;
using ovlp::out;
using ovlp::threads;
using ovlp::testing::really_run_on;
using ovlp::testing::run_on;
using ovlp::testing::run_on_one_and_three;

struct Counter {
  int count = 0;
};
struct Note {
  int value;
};
struct Visit {
  int place, index, node, size, count;
};
struct Visits {
  std::vector<Visit> all;
};

void cut_visits(Range range, out<Visit>& visits) {
  for (int i = range.first; i < range.last; ++i) visits.post({i, -1, -1, -1, 0});
}
template <class State>
Visit visited(here<State> const& here, Visit visit) {
  return {visit.place, static_cast<int>(here.index()), static_cast<int>(here.node()), static_cast<int>(here.size()), 0};
}
Visit see(here<>& here, Visit visit) { return visited(here, visit); }
Visit count(here<Counter>& here, Visit visit) {
  Visit seen = visited(here, visit);
  seen.count = ++here.state.count;
  return seen;
}
Visits collect(in<Visit>& visits) {
  Visits seen;
  while (auto visit = visits.wait()) seen.all.push_back(*visit);
  std::sort(seen.all.begin(), seen.all.end(), [](Visit const& a, Visit const& b) { return a.place < b.place; });
  return seen;
}

/// Visits dealt out in turn over a collection without state.
graph<Range, Visits> tour(threads<> const& master, threads<> const& workers) {
  return ovlp::split("cut", master.at(0), &cut_visits).window(8) >> ovlp::leaf("see", workers.in_turn(), &see) >>
         ovlp::merge("collect", master.at(0), &collect);
}
/// Visits that each thread counts.
graph<Range, Visits> census(threads<> const& master, threads<Counter> const& counters) {
  return ovlp::split("cut", master.at(0), &cut_visits) >> ovlp::leaf("count", counters.by(&Visit::place), &count) >>
         ovlp::merge("collect", master.at(0), &collect);
}

std::set<int> nodes_of(Visits const& seen) {
  std::set<int> nodes;
  for (Visit const& visit : seen.all) nodes.insert(visit.node);
  return nodes;
}
/// The highest count of each thread.
std::map<int, int> counts_of(Visits const& seen) {
  std::map<int, int> counts;
  for (Visit const& visit : seen.all) counts[visit.index] = std::max(counts[visit.index], visit.count);
  return counts;
}

/// Processes that this one has launched and that still run.
std::size_t launched_processes() {
  std::size_t found = 0;
  for (pid_t const process : ovlp::testing::all_processes()) {
    std::string const stat = ovlp::testing::contents(ovlp::testing::proc_of(process) / "stat");
    std::istringstream words(stat.substr(std::min(stat.size(), stat.rfind(')') + 1)));
    char state = 0;
    pid_t parent = 0;
    words >> state >> parent;
    if (parent == ::getpid() && state != 'Z') ++found;
  }
  return found;
}
bool becomes(std::size_t processes) {
  return ovlp::testing::eventually(std::chrono::seconds(10), [&] { return launched_processes() == processes; });
}

}  // namespace

// The engine

TEST_CASE("an operation that asks the engine for something, not here, is an error") {
  run_on(2, [](engine& run) {
    threads<> const master{"master", 1};
    graph<int, int> const inner(ovlp::leaf("inner", master.at(0), [](int number) { return number; }));
    run.add(inner);
    graph<int, int> const outer(ovlp::leaf("outer", master.at(0), [&](int number) { return run(inner, number); }));
    CHECK_THROWS_WITH_AS(
        run(outer, 1),
        "operation 'outer' in thread master[0] on node0 threw ovlp::graph_error: the engine is for the "
        "main program: an operation takes here as its first argument, and uses that",
        ovlp::operation_error);
  });
}

TEST_CASE("the engine refuses a thread that has not made it, and goes on") {
  run_on(2, [](engine& run) {
    threads<> const workers{"workers", 2};
    graph<int, int> const g(ovlp::leaf("add", workers.at(1), [](int number) { return number + 1; }));
    CHECK(run(g, 1) == 2);
    std::thread([&] {
      CHECK_THROWS_WITH_AS(run(g, 1), "the engine is for the thread that made it", ovlp::graph_error);
      CHECK_THROWS_AS(run.resize(workers, 3), ovlp::graph_error);
    }).join();
    CHECK(run(g, 2) == 3);
  });
}

// Processes

TEST_CASE("nodes are launched when a collection is first mapped to them, and end with the engine") {
  really_run_on(3, [](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", "node1"};
    graph<Range, Visits> const g = tour(master, workers);
    Visits const seen = run(g, {0, 4});
    CHECK(nodes_of(seen) == std::set<int>{1});
    CHECK(launched_processes() == 1);  // nothing lives on node 2
  });
  CHECK(becomes(0));
}

TEST_CASE("threads live where their mapping says") {
  run_on(3, [](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", "node2*2 node[0-1]"};
    Visits const seen = run(tour(master, workers), {0, 8});
    REQUIRE(seen.all.size() == 8);
    std::vector<int> const node_of{2, 2, 0, 1};
    for (Visit const& visit : seen.all) {
      CHECK(visit.index == visit.place % 4);
      CHECK(visit.node == node_of[static_cast<std::size_t>(visit.index)]);
      CHECK(visit.size == 4);
    }
  });
}

TEST_CASE("a mapping to a node outside the run is a config_error at the first call") {
  run_on(2, [](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", "node[0-2]"};
    graph<Range, Visits> const g = tour(master, workers);
    CHECK_THROWS_WITH_AS(run(g, {0, 1}), "collection 'workers': mapped to node2, but the run has 2 nodes",
                         ovlp::config_error);
  });
}

// Small and large messages

namespace {

struct Burst {
  std::uint64_t seed;
  int count;
};
struct Blob {
  int place;
  ovlp::buffer<char> bytes;
};

/// Small ones, and some that are too large to go the same way.
void post_blobs(Burst burst, out<Blob>& blobs) {
  std::mt19937_64 from(burst.seed);
  for (int i = 0; i < burst.count; ++i) {
    bool const large = from() % 10 == 0;
    blobs.post({i, ovlp::buffer<char>(from() % (large ? 200'000 : 200))});
  }
}
/// How many come in the order in which they were posted.
int count_in_order(in<Blob>& blobs) {
  int next = 0;
  while (auto blob = blobs.wait()) next += blob->place == next ? 1 : 0;
  return next;
}

}  // namespace

TEST_CASE("objects from one process to another arrive in the order in which they were posted") {
  std::vector<std::string> options;
  SUBCASE("through shared memory") {}
  SUBCASE("through shared memory, by threads that sleep when they are idle") { options = {"--poll-us", "0"}; }
  SUBCASE("by TCP alone") { options = {"--transport", "tcp"}; }
  really_run_on(2, options, [](engine& run) {
    threads<> const senders{"senders", "node[0-1]"}, receivers{"receivers", "node[0-1]"};
    auto const from = [&](std::size_t sender) {
      return graph<Burst, int>(ovlp::split("post", senders.at(sender), &post_blobs) >>
                               ovlp::merge("count", receivers.at(1 - sender), &count_in_order));
    };
    graph<Burst, int> const there = from(0), back = from(1);
    run.add(back);
    std::uint64_t const seed = ovlp::testing::new_seed();
    auto call = run.async(there, {seed, 1000});
    CHECK(run(back, {seed + 1, 1000}) == 1000);
    CHECK(call.get() == 1000);
  });
}

// Resize

TEST_CASE("after a resize objects go to the new number of threads") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", 4};
    graph<Range, Visits> const g = tour(master, workers);
    run(g, {0, 4});
    for (int const size : {6, 2, 1, 9, 9}) {
      CAPTURE(size);
      run.resize(workers, static_cast<std::size_t>(size));
      Visits const seen = run(g, {0, 20});
      REQUIRE(seen.all.size() == 20);
      for (Visit const& visit : seen.all) {
        CHECK(visit.index == visit.place % size);
        CHECK(visit.size == size);
      }
    }
  });
}

TEST_CASE("a collection is resized while a call uses it, and no object is lost") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", 4};
    graph<Range, Visits> const g = tour(master, workers);
    for (int round = 0; round < 5; ++round) {
      auto call = run.async(g, {0, 500});
      for (std::size_t const size : {2u, 5u, 1u, 4u}) run.resize(workers, size);
      Visits const seen = call.get();
      REQUIRE(seen.all.size() == 500);
      for (int i = 0; i < 500; ++i) CHECK(seen.all[static_cast<std::size_t>(i)].place == i);
    }
  });
}

TEST_CASE("a thread that leaves stays until the groups that it opened have been closed there") {
  struct Gate {
    bool open = false;
  };
  run_on(3, [](engine& run) {
    threads<> const master{"master", 1}, openers{"openers", 6};
    threads<Gate> const gates{"gates", "node[1-2]"};
    graph<Range, Sum> g("shrinking openers");
    auto outer = g.split("cut", master, [](Range range, out<Range>& parts) {
      for (int i = range.first; i < range.last; ++i) parts.post({i, i + 2});
    });
    auto inner = g.split("cut again", openers, &cut);
    auto gate = g.leaf("wait", gates, [](here<Gate>& here, Number number) {
      here.wait_until([&] { return here.state.open; });
      return number;
    });
    auto close = g.merge("add", openers, &add);
    auto total = g.merge("add sums", master, &add_sums);
    g.enter(outer, at(0));
    g.edge(outer, inner, ovlp::in_turn());
    g.edge(inner, gate, ovlp::in_turn());
    g.edge(gate, close, ovlp::at_opener());
    g.edge(close, total, at(0));
    g.leave(total);
    graph<Range, Sum> const open = ovlp::split("ask", gates.at(0), &cut) >>
                                   ovlp::leaf("open", gates.in_turn(),
                                              [](here<Gate>& here, Number number) {
                                                here.state.open = number.value >= 0;
                                                return number;
                                              }) >>
                                   ovlp::merge("add", gates.at(0), &add);
    run.add(g);
    run.add(open);

    auto call = run.async(g, {0, 12});
    run.resize(openers, 1);
    for (int i = 0; i < 20; ++i) run(open, {-2, 0});  // time for the threads to leave, if they did
    run(open, {0, 2});
    CHECK(call.get() == Sum{12 * 12, 24});
  });
}

TEST_CASE("an operation resizes a collection, and posts to the new number of threads") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", 4};
    graph<Range, Visits> const g = ovlp::split("cut", master.at(0),
                                               [workers](here<>& here, Range range, out<Visit>& visits) {
                                                 for (int i = range.first; i < range.last; ++i) {
                                                   if (i == 8) here.resize(workers, 2);
                                                   visits.post({i, -1, -1, -1, 0});
                                                 }
                                               }) >>
                                   ovlp::leaf("see", workers.in_turn(), &see) >>
                                   ovlp::merge("collect", master.at(0), &collect);
    Visits const seen = run(g, {0, 16});
    REQUIRE(seen.all.size() == 16);
    for (Visit const& visit : seen.all) CHECK(visit.index == visit.place % (visit.place < 8 ? 4 : 2));
  });
}

TEST_CASE("what leaves a collection with state is handed to on_leave, on its node") {
  run_on_one_and_three([](engine& run) {
    std::atomic<int> left{0};
    std::atomic<int> taken{0};
    threads<> const master{"master", 1};
    // The highest two are on node 0, which is this process.
    threads<Counter> counters{"counters", run.nodes() == 3 ? "node1 node2 node0*2" : "node0*4"};
    counters.on_leave([&](std::size_t index, Counter& counter) {
      taken += static_cast<int>(index) * 100 + counter.count;
      ++left;
    });
    graph<Range, Visits> const g = census(master, counters);
    run(g, {0, 16});
    run.resize(counters, 2);
    CHECK(counts_of(run(g, {0, 2})) == std::map<int, int>{{0, 5}, {1, 5}});
    run.resize(counters, 3);  // a new thread has a new state
    // They leave when they have finished what they have, which resize() does not wait for; the next one does.
    CHECK(left == 2);
    CHECK(taken == 504 + 4);
    CHECK(counts_of(run(g, {0, 3})) == std::map<int, int>{{0, 6}, {1, 6}, {2, 1}});
  });
}

TEST_CASE("a thread that leaves just before the program ends is handed to on_leave, too") {
  static std::atomic<int> left{0};  // outlives the runs
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1};
    threads<Counter> counters{"counters", "node0*4"};
    counters.on_leave([](std::size_t, Counter&) { ++left; });
    graph<Range, Visits> const g = census(master, counters);
    run(g, {0, 16});
    run.resize(counters, 1);
  });
  CHECK(left == 3 * 4);  // really and simulated, on one node and on three
}

TEST_CASE("a state that takes long to make, and one that takes long to leave, hold up no other collection") {
  really_run_on(2, {"--execution-threads", "2", "--peer-timeout", "2"}, [](engine& run) {
    // These are of the process of node 1.
    enum { never, while_others_went_on, alone };
    static std::atomic<int> visits{0}, left{never}, made{never};
    auto const take_long = [] {
      auto const others_went_on = [seen = visits.load()] { return visits > seen; };
      return ovlp::testing::eventually(std::chrono::seconds(10), others_went_on) ? while_others_went_on : alone;
    };
    threads<> const master{"master", 1}, others{"others", "node1"};
    threads<Counter> patients{"patients", "node0 node1", [&](std::size_t) {
                                if (left != never) made = take_long();  // the first ones are made before the run begins
                                return Counter{};
                              }};
    patients.on_leave([&](std::size_t, Counter&) { left = take_long(); });
    graph<Range, Visits> const use = census(master, patients);
    graph<Number, Number> const visit{"visit", ovlp::leaf("visit", others.at(0), [](Number what) {
                                        ++visits;
                                        return Number{what.value == 0 ? left : made};
                                      })};
    run.add(visit);
    auto const answer = [&](int what) {
      int said = never;
      CHECK(
          ovlp::testing::eventually(std::chrono::seconds(30), [&] { return (said = run(visit, {what}).value) != 0; }));
      return said;
    };

    run(use, {0, 2});
    run.resize(patients, 1);
    CHECK(answer(0) == while_others_went_on);
    run.resize(patients, 2);
    CHECK(answer(1) == while_others_went_on);
    CHECK(counts_of(run(use, {0, 2})) == std::map<int, int>{{0, 2}, {1, 1}});
  });
}

TEST_CASE("a collection with state does not shrink if nothing takes what leaves") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1};
    threads<Counter> const counters{"counters", 3};
    graph<Range, Visits> const g = census(master, counters);
    run(g, {0, 3});
    CHECK_THROWS_WITH_AS(run.resize(counters, 2),
                         "resize of 'counters' from 3 to 2: its threads have state, and nothing takes what leaves: "
                         "on_leave is missing",
                         ovlp::config_error);
    CHECK(counts_of(run(g, {0, 3})) == std::map<int, int>{{0, 2}, {1, 2}, {2, 2}});
    run.resize(counters, 4);  // but it grows
    CHECK(counts_of(run(g, {0, 4})) == std::map<int, int>{{0, 3}, {1, 3}, {2, 3}, {3, 1}});
  });
}

TEST_CASE("two resizes at once are each judged by the number of threads that the other leaves") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1};
    threads<Counter> const counters{"counters", 3};
    threads<> const askers{"askers", 2};
    // Whoever comes second would shrink the collection, or grow it less.
    auto const ask = [counters](here<>& here, Number number) {
      try {
        here.resize(counters, number.value == 0 ? 10 : 5);
      } catch (ovlp::config_error const&) {
        return Number{1};
      }
      return Number{0};
    };
    graph<Range, Sum> const g = ovlp::split("cut", master.at(0), &cut) >> ovlp::leaf("ask", askers.in_turn(), ask) >>
                                ovlp::merge("add", master.at(0), &add);
    graph<Range, Visits> const use = census(master, counters);
    run.add(use);
    Sum const refused = run(g, {0, 2});
    CHECK(counts_of(run(use, {0, 10})).size() == 10);
    CHECK(refused.value <= 1);
  });
}

TEST_CASE("no collection shrinks to nothing") {
  run_on(1, [](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", 2};
    graph<Range, Visits> const g = tour(master, workers);
    run(g, {0, 1});
    CHECK_THROWS_WITH_AS(run.resize(workers, 0), "resize of 'workers': expected at least one thread",
                         ovlp::config_error);
    CHECK(run(g, {0, 2}).all.size() == 2);
  });
}

TEST_CASE("the summary tells how many nodes each iteration found held") {
  really_run_on(3, [](engine& run) {
    run.record();
    threads<> const master{"master", "node0"};
    threads<> const workers{"workers", "node0 node1 node2"};
    auto const launched = [] {
      std::ptrdiff_t count = 0;
      for (auto const& thread : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream children(thread.path() / "children");
        count += std::distance(std::istream_iterator<pid_t>(children), {});
      }
      return count;
    };
    auto const phases = [&](here<>& here, Range, out<Number>& numbers) {
      here.iteration(1);
      numbers.post({1});
      here.iteration(2);
      here.resize(workers, 2);
      // A node may be released long after the last thread has been told to leave.
      CHECK(ovlp::testing::eventually(std::chrono::seconds(10), [&] { return launched() == 1; }));
      numbers.post({2});
      here.iteration(3);
      numbers.post({3});
    };
    graph<Range, Sum> const g = ovlp::split("phases", master.at(0), phases) >>
                                ovlp::leaf("same", workers.in_turn(), &same) >> ovlp::merge("add", master.at(0), &add);
    run(g, {});
    auto const figures = run.summary();
    CHECK(figures.nodes == 3);
    REQUIRE(figures.iterations.size() == 3);
    // The third was held in the first part of both; of the first one's leaf nobody knows when it ends.
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(figures.iterations[i].nodes > 2);
      CHECK(figures.iterations[i].nodes <= 3);
    }
    CHECK(figures.iterations[1].nodes < 3);
    CHECK(figures.iterations[2].nodes == 2);
  });
}

// Remap

TEST_CASE("a remapped thread keeps its index and its state") {
  run_on(3, [](engine& run) {
    threads<> const master{"master", 1};
    threads<Counter> const counters{"counters", "node0 node1 node2"};
    graph<Range, Visits> const g = census(master, counters);
    run.add(g);
    int rounds = 0;
    for (char const* where : {"node0 node1 node2", "node2 node0 node1", "node1*3", "node0 node0 node2"}) {
      CAPTURE(where);
      run.remap(counters, where);
      std::vector<ovlp::node_id> const nodes = ovlp::mapping(where).resolve(3, "counters");
      Visits const seen = run(g, {0, 30});
      REQUIRE(seen.all.size() == 30);
      ++rounds;
      for (Visit const& visit : seen.all) {
        CHECK(visit.index == visit.place % 3);
        CHECK(visit.node == static_cast<int>(nodes[static_cast<std::size_t>(visit.index)]));
      }
      CHECK(counts_of(seen) == std::map<int, int>{{0, 10 * rounds}, {1, 10 * rounds}, {2, 10 * rounds}});
    }
  });
}

TEST_CASE("threads move with their queues while a call is in progress, also to a node that must be launched") {
  run_on(3, [](engine& run) {
    threads<> const master{"master", 1};
    threads<Counter> const counters{"counters", "node0 node1"};
    graph<Range, Visits> const g = census(master, counters);
    int total = 0;
    for (char const* where : {"node1 node2", "node0*2", "node2*2", "node1 node0"}) {
      CAPTURE(where);
      auto call = run.async(g, {0, 400});
      run.remap(counters, where);
      auto other = run.async(g, {0, 400});
      Visits const seen = call.get();
      Visits const later = other.get();
      total += 400;  // of each thread, in two calls
      REQUIRE(seen.all.size() == 400);
      REQUIRE(later.all.size() == 400);
      CHECK(std::max(counts_of(seen)[0], counts_of(later)[0]) == total);
      CHECK(std::max(counts_of(seen)[1], counts_of(later)[1]) == total);
    }
  });
}

TEST_CASE("a thread in which an operation is suspended moves when that has ended") {
  really_run_on(3, [](engine& run) {
    std::atomic<bool> half{false};
    std::atomic<bool> go_on{false};
    auto within_10_s = [](std::atomic<bool> const& flag) {
      return ovlp::testing::eventually(std::chrono::seconds(10), [&] { return flag.load(); });
    };
    threads<> const master{"master", "node0"}, movers{"movers", "node0"}, workers{"workers", 3};
    threads<Counter> const counters{"counters", "node1"};
    // The merge runs in the thread that is to move. After 100 objects and a window of 2 it is there.
    graph<Range, Visits> const g = ovlp::split("cut", master.at(0),
                                               [&](Range range, out<Visit>& visits) {
                                                 for (int i = range.first; i < range.last; ++i) {
                                                   if (i == 100) half = true;
                                                   if (i == 100 && !within_10_s(go_on)) break;
                                                   visits.post({i, -1, -1, -1, 0});
                                                 }
                                               })
                                       .window(2) >>
                                   ovlp::leaf("see", workers.in_turn(), &see) >>
                                   ovlp::merge("collect", counters.at(0), [](here<Counter>& here, in<Visit>& visits) {
                                     Visits all = collect(visits);
                                     all.all.push_back(visited(here, {1000, 0, 0, 0, 0}));
                                     all.all.back().count = ++here.state.count;
                                     return all;
                                   });
    graph<Note, Note> const move = ovlp::leaf("move", movers.at(0), [counters](here<>& here, Note note) {
      here.remap(counters, "node2");
      return note;
    });
    run.add(move);
    auto call = run.async(g, {0, 200});
    REQUIRE(within_10_s(half));
    auto moved = run.async(move, {1});
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the thread may move now; it must not
    go_on = true;
    Visits const first = call.get();
    REQUIRE(first.all.size() == 201);
    CHECK(first.all.back().node == 1);
    CHECK(first.all.back().count == 1);
    moved.get();
    Visits const second = run(g, {0, 200});
    REQUIRE(second.all.size() == 201);
    CHECK(second.all.back().node == 2);
    CHECK(second.all.back().count == 2);
  });
}

TEST_CASE("an operation remaps another collection") {
  run_on(3, [](engine& run) {
    threads<> const master{"master", 1};
    threads<Counter> const counters{"counters", "node0*2"};
    graph<Range, Visits> const g = ovlp::split("cut", master.at(0),
                                               [counters](here<>& here, Range range, out<Visit>& visits) {
                                                 for (int i = range.first; i < range.last; ++i) {
                                                   if (i == 10) here.remap(counters, "node1 node2");
                                                   visits.post({i, -1, -1, -1, 0});
                                                 }
                                               }) >>
                                   ovlp::leaf("count", counters.by(&Visit::place), &count) >>
                                   ovlp::merge("collect", master.at(0), &collect);
    Visits const seen = run(g, {0, 20});
    REQUIRE(seen.all.size() == 20);
    for (Visit const& visit : seen.all) {
      if (visit.place >= 10) CHECK(visit.node == 1 + visit.index);
    }
    CHECK(counts_of(seen) == std::map<int, int>{{0, 10}, {1, 10}});
  });
}

TEST_CASE("a node is released when its last thread has left, and launched again when one comes") {
  really_run_on(3, [](engine& run) {
    threads<> const master{"master", 1};
    threads<Counter> const counters{"counters", "node0 node1"};
    graph<Range, Visits> const g = census(master, counters);
    run(g, {0, 10});
    CHECK(launched_processes() == 1);
    for (int round = 1; round <= 3; ++round) {
      run.remap(counters, "node0 node2");
      CHECK(becomes(1));  // node 2 instead of node 1
      CHECK(nodes_of(run(g, {0, 10})) == std::set<int>{0, 2});
      run.remap(counters, "node0*2");
      CHECK(becomes(0));
      CHECK(nodes_of(run(g, {0, 10})) == std::set<int>{0});
      run.remap(counters, "node[1-2]");
      CHECK(becomes(2));
      Visits const seen = run(g, {0, 10});
      CHECK(nodes_of(seen) == std::set<int>{1, 2});
      CHECK(counts_of(seen) == std::map<int, int>{{0, 5 + 15 * round}, {1, 5 + 15 * round}});
    }
  });
}

TEST_CASE("a node is released when a resize takes its last thread") {
  really_run_on(3, [](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", "node[0-2]"};
    graph<Range, Visits> const g = tour(master, workers);
    CHECK(nodes_of(run(g, {0, 9})) == std::set<int>{0, 1, 2});
    CHECK(launched_processes() == 2);
    run.resize(workers, 2);
    CHECK(becomes(1));
    CHECK(nodes_of(run(g, {0, 9})) == std::set<int>{0, 1});
    run.resize(workers, 1);
    CHECK(becomes(0));
    CHECK(nodes_of(run(g, {0, 9})) == std::set<int>{0});
  });
}

TEST_CASE("a remap that can not be is refused, and the run goes on") {
  run_on(2, [](engine& run) {
    struct Fixed {
      std::atomic<int> count{0};  // not a data object
    };
    threads<> const master{"master", 1};
    threads<Fixed> const fixed{"fixed", "node0"};
    graph<Range, Sum> const g = ovlp::split("cut", master.at(0), &cut) >> ovlp::leaf("same", fixed.at(0), &same) >>
                                ovlp::merge("add", master.at(0), &add);
    CHECK(run(g, {0, 4}) == sum_of({0, 4}));
    CHECK_THROWS_WITH_AS(run.remap(fixed, "node1"),
                         "remap of 'fixed': the state of its threads is not a data object and cannot move",
                         ovlp::config_error);
    CHECK_THROWS_AS(run.remap(master, "node7"), ovlp::config_error);
    CHECK_THROWS_AS(run.remap(master, "node0 node1"), ovlp::config_error);  // two threads instead of one
    CHECK(run(g, {0, 4}) == sum_of({0, 4}));
  });
}

// What crosses between processes

namespace {

struct Everything {
  std::string text;
  std::vector<std::string> words;
  std::map<int, double> numbers;
  std::optional<Note> maybe;
  ovlp::buffer<double> values;
};

}  // namespace

TEST_CASE("objects arrive on another node as they left") {
  run_on(3, [](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", "node[1-2]"};
    graph<Everything, Everything> const g = ovlp::leaf("there", workers.at(0),
                                                       [](Everything all) {
                                                         all.words.push_back(all.text);
                                                         for (double& value : all.values.mutate()) value *= 2;
                                                         return all;
                                                       }) >>
                                            ovlp::leaf("and on", workers.at(1), [](Everything all) {
                                              all.numbers[7] = 0.5;
                                              all.maybe = Note{static_cast<int>(all.values.size())};
                                              return all;
                                            });
    for (std::size_t const size : {0u, 1u, 1000u, 1000000u}) {
      CAPTURE(size);
      Everything sent{std::string(size / 10, 'x'), {"a", ""}, {{1, 1.5}}, std::nullopt, ovlp::buffer<double>(size)};
      for (std::size_t i = 0; double& value : sent.values.mutate()) value = static_cast<double>(i++);
      Everything const got = run(g, sent);
      CHECK(got.words == std::vector<std::string>{"a", "", sent.text});
      CHECK(got.numbers == std::map<int, double>{{1, 1.5}, {7, 0.5}});
      REQUIRE(got.maybe);
      CHECK(got.maybe->value == static_cast<int>(size));
      REQUIRE(got.values.size() == size);
      bool same_values = true;
      for (std::size_t i = 0; i < size; ++i) same_values = same_values && got.values[i] == 2 * sent.values[i];
      CHECK(same_values);
    }
  });
}

namespace {

struct Signal {
  std::string file;
  int number;
};
constexpr int signals = 20;

/// Posts quickly, then goes on without a kernel until the last one has arrived on the other node.
void send_signals(Signal wanted, out<Signal>& sent) {
  for (int i = 1; i <= signals; ++i) sent.post({wanted.file, i});
  while (!std::filesystem::exists(wanted.file)) {
  }
}
Signal notice(Signal signal) {
  if (signal.number == signals) std::ofstream{signal.file};
  return signal;
}
Sum count_signals(in<Signal>& noticed) {
  Sum sum{0, 0};
  while (noticed.wait()) ++sum.value;
  return sum;
}

}  // namespace

TEST_CASE("what an operation has sent arrives while it goes on, with or without a kernel") {
  really_run_on(2, [](engine& run) {
    threads<> const here{"here", "node0"}, there{"there", "node1"};
    graph<Signal, Sum> const g = ovlp::split("send", there.at(0), &send_signals) >>
                                 ovlp::leaf("notice", here.at(0), &notice) >>
                                 ovlp::merge("count", there.at(0), &count_signals);
    auto const file = std::filesystem::temp_directory_path() / ("ovlp-signals-" + std::to_string(::getpid()));
    for (int i = 0; i < 20; ++i) {
      CHECK(run(g, {file.string(), 0}).value == signals);
      std::filesystem::remove(file);
    }
  });
}

TEST_CASE("all nodes talk to each other at once") {
  run_on(3, [](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", 6};
    graph<Range, Sum> const g =
        ovlp::split("cut", master.at(0), &cut) >> ovlp::leaf("a", workers.in_turn(), &same) >>
        ovlp::leaf("b", workers.relative(1), &same) >> ovlp::leaf("c", workers.relative(-2), &same) >>
        ovlp::leaf("d", workers.by(&Number::value), &same) >> ovlp::merge("add", workers.at(5), &add);
    auto first = run.async(g, {0, 2000});
    auto second = run.async(g, {0, 1000});
    CHECK(first.get() == sum_of({0, 2000}));
    CHECK(second.get() == sum_of({0, 1000}));
  });
}
