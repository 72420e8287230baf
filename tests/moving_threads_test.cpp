// SPDX-License-Identifier: BSD-3-Clause
// Threads that are told to move while operations of several calls wait for one another in them.
#include "support/process.hpp"
#include "support/run_on.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
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

struct Start {
  int thread;  ///< in which it begins
};
struct Piece {
  int thread;
  ovlp::buffer<unsigned char> ballast;
};
struct Note {
  int value;
};
struct Done {
  int pieces;
};

/// 1 ms latency and 1 MB/s: a control message overtakes an object of a megabyte by a second.
std::vector<std::string> slow_network(ovlp::testing::temporary_folder const& folder) {
  return {"--platform",
          folder.file("p.json",
                      R"({"name": "test", "reference_core": "any", "nodes": [{"count": 4, "cores": 4, "speed": 1}],
            "network": {"model": "star", "latency_s": 0.001, "bandwidth_Bps": 1e6},
            "runtime": {"concurrent_per_pair": 0}, "kernels": {"wait": {"coefficient_s": 1, "exponents": [1]}}})"),
          "--execution", "partial"};
}

/// Takes a simulated second.
graph<Note, Note> second_on(threads<> const& thread) {
  return ovlp::leaf("pass", thread.by([](Note) { return 3; }), [](here<>& here, Note note) {
    here.kernel("wait", {1}, [] {});
    return note;
  });
}

Done count(in<Note>& notes) {
  Done done{0};
  while (notes.wait()) ++done.pieces;
  return done;
}

}  // namespace

TEST_CASE("two threads move although each keeps a call that needs the other") {
  ovlp::testing::temporary_folder const folder;
  ovlp::testing::simulate_on(3, slow_network(folder), [](engine& run) {
    threads<> const pair{"pair", "node0 node1"}, fixed{"fixed", "node2"};
    // The split waits at its window, in the one thread, for what the other one does.
    graph<Start, Done> g("there and back");
    auto const cut = g.split("cut", pair, [](Start start, out<Piece>& pieces) {
      for (int i = 0; i < 2; ++i) pieces.post({1 - start.thread, ovlp::buffer<unsigned char>(2'000'000)});
    });
    auto const answer = g.leaf("answer", pair, [](Piece piece) { return Note{piece.thread}; });
    auto const merge = g.merge("count", fixed, &count);
    g.enter(cut, ovlp::by(&Start::thread));
    g.edge(cut.port<Piece>().window(1), answer, ovlp::by(&Piece::thread));
    g.edge(answer, merge, at(0));
    g.leave(merge);
    graph<Note, Note> const pass = second_on(fixed);
    run.add(g);
    run.add(pass);
    auto first = run.async(g, {0});
    auto second = run.async(g, {1});
    run(pass, {});  // until the objects are on their way
    run.remap(pair, "node1 node0");
    CHECK(first.get().pieces == 2);
    CHECK(second.get().pieces == 2);
  });
}

TEST_CASE("the total of an empty group moves along with the objects of its call") {
  ovlp::testing::temporary_folder const folder;
  ovlp::testing::simulate_on(3, slow_network(folder), [](engine& run) {
    threads<> const moving{"moving", "node0"}, fixed{"fixed", "node2*4"};
    graph<Start, Done> keeps("keeps");
    auto const cut = keeps.split("cut", moving, [](Start, out<Piece>& pieces) {
      for (int i = 0; i < 2; ++i) pieces.post({0, ovlp::buffer<unsigned char>(1)});
    });
    auto const slow = keeps.leaf("slow", fixed, [](here<>& here, Piece) {
      here.kernel("wait", {10}, [] {});
      return Note{0};
    });
    auto const merge = keeps.merge("count", fixed, &count);
    keeps.enter(cut, at(0));
    keeps.edge(cut.port<Piece>().window(1), slow, at(1));
    keeps.edge(slow, merge, at(0));
    keeps.leave(merge);

    graph<Start, Done> empty("half empty");
    auto const late = empty.split("late", fixed, [](here<>& here, Start, out<Note>&, out<Piece>& pieces) {
      here.kernel("wait", {2}, [] {});
      pieces.post({0, ovlp::buffer<unsigned char>(1)});
      here.kernel("wait", {2}, [] {});  // the object comes first, the total after it
    });
    auto const same = empty.leaf("same", fixed, [](Piece piece) { return Note{piece.thread}; });
    auto const both = empty.merge("both", moving, &count);
    empty.enter(late, at(0));
    empty.edge(late.port<Note>(), both, at(0));
    empty.edge(late.port<Piece>(), same, at(2));
    empty.edge(same, both, at(0));
    empty.leave(both);

    graph<Note, Note> const pass = second_on(fixed);
    run.add(pass);
    run.add(keeps);
    run.add(empty);
    auto first = run.async(keeps, {0});
    auto second = run.async(empty, {0});
    run(pass, {});
    run.remap(moving, "node1");
    CHECK(first.get().pieces == 2);
    CHECK(second.get().pieces == 1);
  });
}

TEST_CASE("what is held back for a move is let in when nothing else can go on") {
  struct Counter {
    int notes = 0;
  };
  ovlp::testing::run_on(2, [](engine& run) {
    threads<Counter> const moving{"moving", "node0"};
    threads<> const fixed{"fixed", "node0"};
    // The first call waits for what the second one does, in the thread that is to move.
    graph<Note, Note> const waits = ovlp::leaf("wait", moving.at(0), [](here<Counter>& here, Note note) {
      here.wait_until([&] { return here.state.notes > 0; });
      return note;
    });
    graph<Note, Note> const notes =
        ovlp::leaf("later", fixed.at(0),
                   [](here<>& here, Note note) {
                     if (here.node() == 0)
                       std::this_thread::sleep_for(std::chrono::milliseconds(50));  // until it is told to move
                     return note;
                   }) >>
        ovlp::leaf("note", moving.at(0), [](here<Counter>& here, Note note) {
          ++here.state.notes;
          return note;
        });
    run.add(waits);
    run.add(notes);
    auto first = run.async(waits, {1});
    auto second = run.async(notes, {2});
    run.remap(moving, "node1");
    CHECK(first.get().value == 1);
    CHECK(second.get().value == 2);
  });
}

TEST_CASE("a change at a border that an operation which never ends prevents is in the report of the stall") {
  struct Counter {
    int notes = 0;
  };
  for (bool const moves : {true, false}) {
    CAPTURE(moves);
    ovlp::testing::run_on(2, [moves](engine& run) {
      ovlp::plan followed;
      followed.changes = {{1, {1}}};
      run.follow(followed);
      threads<> const master{"master", "node0"}, plain{"plain", "node0 node1"};
      threads<Counter> const counters{"counters", "node0 node1"};
      auto const for_ever = [](auto& here, Note note) {
        here.wait_until([] { return false; });
        return note;
      };
      graph<Note, Note> const in_counters =
          ovlp::leaf("count", counters.at(1), [=](here<Counter>& here, Note note) { return for_ever(here, note); });
      graph<Note, Note> const in_plain =
          ovlp::leaf("pass", plain.at(1), [=](here<>& here, Note note) { return for_ever(here, note); });
      graph<Note, Note> const border = ovlp::leaf("end", master.at(0), [=](here<>& here, Note note) {
        here.end_of_iteration(
            1, [&](ovlp::held_nodes const&) { moves ? here.remap(counters, "node0*2") : here.resize(plain, 1); });
        return note;
      });
      for (auto const& g : {in_counters, in_plain, border}) run.add(g);
      auto waits = run.async(moves ? in_counters : in_plain, {1});
      [[maybe_unused]] auto const ends = run.async(border, {1});
      std::string const text = ovlp::testing::thrown_by<ovlp::stalled>([&] { waits.get(); }).what();
      CAPTURE(text);
      auto const says = [&](char const* part) { return ovlp::testing::contains(text, part); };
      CHECK(says("leaf 'end' in master[0] on node0 waits for a change of a collection") == moves);
      if (moves) {
        CHECK(says("leaf 'count' in counters[1] on node1 waits for its condition"));
        CHECK(says("the change of collection 'counters' waits for counters[1] to move"));
      } else {
        CHECK(says("leaf 'pass' in plain[1] on node1 waits for its condition"));
        CHECK(says("the change of collection 'plain' waits for late objects and leaving threads on node1"));
      }
    });
  }
}

TEST_CASE("what comes before the thread that it is for is not lost in memory when the run fails") {
  struct Heavy {
    ovlp::buffer<unsigned char> ballast{2'000'000};  // two seconds on the way
  };
  ovlp::testing::temporary_folder const folder;
  ovlp::testing::simulate_on(2, slow_network(folder), [](engine& run) {
    threads<> const master{"master", 1}, other{"other", "node1"};
    threads<Heavy> const moved{"moved", "node1"};
    // The total of an empty group overtakes the thread in which it is to end.
    graph<Note, Done> const nothing =
        ovlp::split("post nothing", other.at(0),
                    [](here<>& here, Note, out<Note>&) { here.kernel("wait", {1}, [] {}); }) >>
        ovlp::leaf("pass", master.at(0), [](Note note) { return note; }) >> ovlp::merge("count", moved.at(0), count);
    graph<Note, Note> const fail = ovlp::leaf("wait", master.at(0),
                                              [](here<>& here, Note note) {
                                                here.kernel("fail late", {}, [] {});
                                                return note;
                                              }) >>
                                   ovlp::leaf("fail", master.at(0), [](Note note) {
                                     if (note.value == 1) throw std::runtime_error("as it should");
                                     return note;
                                   });
    run.add(fail);
    run.estimate("fail late", 1.5);
    [[maybe_unused]] auto const total = run.async(nothing, {0});
    [[maybe_unused]] auto const failing = run.async(fail, {1});
    CHECK_THROWS_AS(run.remap(moved, "node0"), ovlp::operation_error);  // and the address sanitizer is content
  });
}

namespace {

struct Hoard {
  std::vector<unsigned char> bytes;
};

/// The objects that are sent.
class sent_objects final : public ovlp::record_sink {
 public:
  void send(ovlp::send_record const& r) override {
    if (r.kind == ovlp::message_kind::object) keys.push_back(r.object);
  }
  std::vector<ovlp::object_key> keys;
};

}  // namespace

TEST_CASE("records tell states that move at once apart, so that the critical path is as long as the run") {
  ovlp::testing::temporary_folder const folder;
  auto const sent = std::make_shared<sent_objects>();
  ovlp::testing::simulate_on(2, slow_network(folder), [&](engine& run) {  // which checks the path
    run.attach(sent);
    threads<> const fixed{"fixed", "node0"};
    threads<Hoard> const hoards{"hoards", "node0*4"};
    graph<Note, Note> const grow(ovlp::leaf("grow", hoards.by(&Note::value), [](here<Hoard>& here, Note note) {
      here.state.bytes.resize(static_cast<std::size_t>(1 + 3 * note.value % 4) * 100'000);
      return note;
    }));
    for (int i = 0; i < 4; ++i) run(grow, Note{i});
    run.remap(hoards, "node1*4");
    for (int i = 0; i < 4; ++i) run(grow, Note{i});
    run.remap(hoards, "node0 node1 node0 node1");
    for (int i = 0; i < 4; ++i) run(grow, Note{i});
  });
  for (std::size_t i = 0; i < sent->keys.size(); ++i) {
    CHECK(sent->keys[i].group != 0);
    for (std::size_t j = 0; j < i; ++j) CHECK_FALSE(sent->keys[i] == sent->keys[j]);
  }
}
