// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <ovlp/records/recorded_run.hpp>

#include "support/seed.hpp"

namespace {

using namespace ovlp;

run_definitions const names{
    "app", "simulated", 3, 0, {"all"}, {{"the graph", {{"split", "deal", 0}, {"leaf", "work", 0}}}}, {1, 1, 1}};

operation_place place(std::uint32_t node, std::uint32_t operation, std::uint32_t thread, std::int32_t iteration = 0) {
  return {1, node, 0, operation, thread, iteration};
}
object_key const dealt{2, 0, 1};

struct collector final : run_collector {
  collector() { begin(names); }
};

}  // namespace

TEST_CASE("steps of a DPS thread stand together in their order, wherever it lives, with their kernels") {
  collector records;
  std::int64_t const sizes[] = {8, 8};
  records.kernel({place(1, 1, 0, 2), "glue", sizes, 2, 3, 1});
  records.step({place(1, 1, 0, 2), {}, 2, 3, 1, 1});
  records.step({place(2, 0, 1), {}, 0, 1, 1, 0});
  records.kernel({place(0, 1, 0), "cut", {}, 0.25, 0.5, 0.25});
  records.kernel({place(0, 1, 0), "glue", sizes, 0.5, 1, 0.5});
  records.step({place(0, 1, 0), {}, 0, 1, 1, 0.75});
  recorded_run const run = records.take();
  REQUIRE(run.steps.size() == 3);
  CHECK(run.place_of(run.steps[0].at).node == 0);
  CHECK(run.place_of(run.steps[1].at).node == 1);
  CHECK(run.place_of(run.steps[1].at).iteration == 2);
  CHECK(run.same_thread(run.steps[0].at, run.steps[1].at));
  CHECK_FALSE(run.same_thread(run.steps[1].at, run.steps[2].at));
  REQUIRE(run.kernels_of(0).size() == 2);
  CHECK(run.kernel_names[run.kernels_of(0)[0].name].name == "cut");
  CHECK(run.kernels_of(0)[1].name == run.kernels_of(1)[0].name);
  CHECK(run.kernels_of(2).empty());
}

TEST_CASE("a kernel that takes no time belongs to the step of its operation where two meet") {
  collector records;
  records.kernel({place(0, 0, 0), "none", {}, 1, 1, 0});
  records.step({place(0, 0, 0), {}, 0, 1, 1, 0});
  records.step({place(0, 1, 0), {}, 1, 2, 1, 0});
  recorded_run const run = records.take();
  CHECK(run.kernels.front().step == 0);
}

TEST_CASE("a kernel after the last step of its operation belongs to none") {
  collector records;
  records.kernel({place(0, 0, 0), "late", {}, 1.5, 2, 0.5});
  records.step({place(0, 0, 0), {}, 0, 1, 1, 0});
  recorded_run const run = records.take();
  CHECK(run.kernels.front().step == recorded_run::none);
}

TEST_CASE(
    "a kernel belongs to a step on its node, though the thread's next one on another node begins before by its clock") {
  collector records;
  records.kernel({place(1, 1, 0), "glue", {}, 1, 2, 1});
  records.step({place(1, 1, 0), {}, 1, 2, 1, 1});
  records.step({place(2, 1, 0), {}, 1.4, 3, 1, 0});
  recorded_run const run = records.take();
  CHECK(run.kernels.front().step == 0);
}

TEST_CASE("an object is known by who posted it, who took it, and the messages that carried it") {
  collector records;
  records.step({place(0, 0, 0), {1, 0, 0}, 0, 1, 1, 0});
  records.post({place(0, 0, 0), 3, dealt, 1, 1, 1});
  records.send({1, message_kind::object, 0, 1, 100, 1, dealt});
  records.transfer({0, 1, 100, 1, 1, 0.25, 1.5, dealt});
  records.delivery({message_kind::object, 0, 1, 1.75, dealt});
  records.send({1, message_kind::object, 1, 2, 100, 2, dealt});  // its thread has moved
  records.transfer({1, 2, 100, 2, 2, 0.25, 2.5, dealt});
  records.step({place(2, 1, 1), dealt, 3, 4, 1, 0});
  recorded_run const run = records.take();
  std::uint32_t const object = run.steps[1].input;
  REQUIRE(object != recorded_run::none);
  CHECK(run.objects[object].key == dealt);
  CHECK(run.objects[object].port == 3);
  CHECK(run.poster(run.objects[object]) == 0);
  CHECK(run.receiver(run.objects[object])->name == "work");
  auto const messages = run.messages_of(object);
  REQUIRE(messages.size() == 2);
  CHECK(messages[0].delivered_s == 1.75);
  CHECK(run.crossings[messages[0].crossing].crossed_s == 1.5);
  CHECK_FALSE(recorded_run::is_known(messages[1].delivered_s));
  CHECK(run.crossings[messages[1].crossing].crossed_s == 2.5);
  CHECK_FALSE(run.objects[run.steps[0].input].was_posted());
}

TEST_CASE("of several steps that end when an object is posted the first is its poster") {
  collector records;
  records.step({place(0, 0, 0), {}, 0, 1, 1, 0});
  records.step({place(0, 0, 0), {}, 1, 1, 0, 0});
  records.post({place(0, 0, 0), 0, dealt, 1, 1, 1});
  records.post({place(0, 0, 1), 0, {2, 1, 1}, 1, 1, 1});  // whose step is missing
  recorded_run const run = records.take();
  CHECK(run.poster(run.objects[0]) == 0);
  CHECK(run.poster(run.objects[1]) == recorded_run::none);
}

TEST_CASE("the first message along a way is the first that is delivered, in whatever order records come") {
  std::mt19937_64 random(ovlp::testing::new_seed());
  struct one {
    bool sent;
    std::uint32_t source, destination;
    double at_s;
  };
  std::vector<one> all;
  for (std::uint32_t i = 0; i < 60; ++i) {
    std::uint32_t const source = i % 3, destination = (i + 1) % 3;
    all.push_back({true, source, destination, static_cast<double>(i)});
    all.push_back({false, source, destination, i + 0.5});
  }
  std::ranges::shuffle(all, random);
  collector records;
  for (one const& m : all) {
    if (m.sent) records.send({1, message_kind::control, m.source, m.destination, 0, m.at_s, {}});
    else records.delivery({message_kind::control, m.source, m.destination, m.at_s, {}});
  }
  recorded_run const run = records.take();
  REQUIRE(run.messages.size() == 60);
  for (recorded_run::message const& m : run.messages) CHECK(m.delivered_s == m.sent_s + 0.5);
}

TEST_CASE("what one process of a run has told is kept, though nothing of the others is known") {
  collector records;
  records.delivery({message_kind::object, 0, 1, 2, dealt});
  records.send({1, message_kind::control, 1, 0, 0, 3, {}});
  recorded_run const run = records.take();
  REQUIRE(run.messages.size() == 2);
  CHECK_FALSE(recorded_run::is_known(run.messages[0].sent_s));
  CHECK(run.messages[0].delivered_s == 2);
  CHECK_FALSE(recorded_run::is_known(run.messages[1].delivered_s));
}

TEST_CASE("records of what is not defined are left out, and the first one is named") {
  collector records;
  records.step({place(0, 7, 0), {}, 0, 1, 1, 0});
  records.send({1, message_kind::control, 0, 9, 0, 3, {}});
  recorded_run const run = records.take();
  CHECK(run.steps.empty());
  CHECK(run.messages.empty());
  CHECK(run.undefined == "a record of operation 7 of graph 0 on node0, of 3 nodes and 1 graphs");
}

TEST_CASE("a run that is handed on and collected again is the same") {
  collector records;
  records.node({0, node_change::launched, 0});
  records.call({1, 0, true, 0});
  std::uint32_t const mapped[] = {0, 1};
  records.mapping({0, mapped, 0});
  records.decision({1, 2, "why not", 1});
  records.kernel({place(0, 0, 0), "cut", {}, 0, 0.5, 0.5});
  records.step({place(0, 0, 0), {1, 0, 0}, 0, 1, 1, 0.5});
  records.wait({place(0, 0, 0), wait_cause::window, 1, 2});
  records.post({place(0, 0, 0), 0, dealt, 1, 1, 1});
  records.send({1, message_kind::object, 0, 1, 100, 1, dealt});
  records.transfer({0, 1, 100, 1, 1, 0.25, 1.5, dealt});
  records.delivery({message_kind::object, 0, 1, 1.75, dealt});
  records.send({0, message_kind::control, 1, 0, 0, 2, {}});
  records.call({1, 0, false, 4});
  records.end({4, "it failed", {1, 0.5}});
  auto const text_of = [](recorded_run const& run) {
    std::string text;
    auto const write = [&](std::string const& line) { text += line + "\n"; };
    auto const add = [&](auto const&... values) { write((std::to_string(values) + ...)); };
    for (auto const& s : run.steps) add(s.start_s, s.end_s, s.computed_s, s.work_s, s.input, s.at.residence);
    for (auto const& k : run.kernels) add(k.start_s, k.end_s, k.name, k.step);
    for (auto const& w : run.waits) add(w.start_s, w.end_s, static_cast<int>(w.cause));
    for (auto const& o : run.objects) add(o.key.group, o.posted_s, o.to_node);
    for (auto const& m : run.messages) add(m.sent_s, m.delivered_s, m.call, m.bytes, m.object, m.crossing);
    for (auto const& c : run.crossings) add(c.handed_over_s, c.started_s, c.latency_s, c.crossed_s, c.bytes);
    for (auto const& d : run.decisions) write(d.reason);
    add(run.nodes.size(), run.mappings.at(0).nodes.size(), run.calls.size(), run.end->at_s);
    return text + run.end->failure;
  };
  recorded_run const run = records.take();
  run_collector again;
  run.hand_on(again);
  CHECK(text_of(again.take()) == text_of(run));
}

TEST_CASE("times on another clock keep what is unknown") {
  collector records;
  records.step({place(0, 0, 0), {}, 0, 1, 1, 0});
  records.send({1, message_kind::object, 0, 1, 100, 1, dealt});
  recorded_run run = records.take();
  run.set_clock([](double at_s) { return at_s + 10; });
  CHECK(run.steps[0].end_s == 11);
  CHECK(run.messages[0].sent_s == 11);
  CHECK_FALSE(recorded_run::is_known(run.messages[0].delivered_s));
}
