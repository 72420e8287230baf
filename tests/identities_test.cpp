// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <ovlp/analysis/critical_path.hpp>
#include <ovlp/analysis/identities.hpp>
#include <ovlp/analysis/path_costs.hpp>
#include <ovlp/analysis/pop_metrics.hpp>
#include <ovlp/records/summary.hpp>

namespace {

using ovlp::message_kind;
using ovlp::node_change;
using ovlp::analysis::identities;

ovlp::run_definitions const names{
    "app", "simulated", 2, 0, {"all"}, {{"the graph", {{"split", "deal", 0}, {"leaf", "work", 0}}}}, {1.0, 1.0}};

ovlp::operation_place place(std::uint32_t node, std::uint32_t operation, std::int32_t iteration = 1) {
  return {1, node, 0, operation, node, iteration};
}

/// All records of a run, to be changed: as in run_metrics_test, node 0 computes for 1 s, and what it posts takes 0.5 s
/// to node 1, which computes for 2 s. Meanwhile node 0 waits for 0.5 s and goes on for 1.5 s. The result takes 0.25 s.
struct story {
  ovlp::object_key const object{2, 0, 1}, result{1, 0, 9};
  ovlp::run_definitions about = names;
  std::vector<ovlp::node_record> nodes{{0, node_change::launched, 0},
                                       {0, node_change::joined, 0},
                                       {1, node_change::launched, 0},
                                       {1, node_change::joined, 0.5}};
  std::vector<ovlp::call_record> calls{{1, 0, true, 0}, {1, 0, false, 3.75}};
  std::vector<ovlp::kernel_record> kernels{{place(0, 0), "cut", {}, 0, 0.75, 0.75},
                                           {place(1, 1, 2), "glue", {}, 1.5, 3.5, 2}};
  std::vector<ovlp::step_record> steps{{place(0, 0), {1, 0, 0}, 0, 1, 1, 0.75},
                                       {place(0, 0), {}, 1.5, 3, 1.5, 0},
                                       {place(1, 1, 2), object, 1.5, 3.5, 2, 2}};
  std::vector<ovlp::wait_record> waits{{place(0, 0), ovlp::wait_cause::window, 1, 1.5}};
  std::vector<ovlp::post_record> posts{{place(0, 0), 0, object, 1, 1, 1}};
  std::vector<ovlp::send_record> sends{{1, message_kind::object, 0, 1, 50, 1, object},
                                       {1, message_kind::control, 1, 0, 0, 1.5, {}},
                                       {1, message_kind::object, 1, 0, 50, 3.5, result}};
  std::vector<ovlp::transfer_record> transfers{{0, 1, 50, 1, 1.125, 0.0625, 1.375, object},
                                               {1, 0, 50, 3.5, 3.5, 0, 3.75, result}};
  std::vector<ovlp::delivery_record> deliveries{{message_kind::object, 0, 1, 1.5, object},
                                                {message_kind::control, 1, 0, 1.5, {}},
                                                {message_kind::object, 1, 0, 3.75, result}};

  std::vector<std::string> broken(ovlp::analysis::records_seen const& seen = {}) const {
    ovlp::run_collector checked;
    checked.begin(about);
    for (auto const& r : nodes) checked.node(r);
    for (auto const& r : calls) checked.call(r);
    for (auto const& r : kernels) checked.kernel(r);
    for (auto const& r : steps) checked.step(r);
    for (auto const& r : waits) checked.wait(r);
    for (auto const& r : posts) checked.post(r);
    for (auto const& r : sends) checked.send(r);
    for (auto const& r : transfers) checked.transfer(r);
    for (auto const& r : deliveries) checked.delivery(r);
    ovlp::recorded_run const run = checked.take();
    return identities(run, seen).broken_anywhere();
  }
};

/// Which of its sentences stand in the lines.
bool says(std::vector<std::string> const& lines, std::string const& what) {
  return std::ranges::any_of(lines, [&](std::string const& line) { return line.find(what) != std::string::npos; });
}

}  // namespace

TEST_CASE("all identities hold in a run that was") {
  for (std::string const& line : story().broken()) FAIL_CHECK(line);
}

TEST_CASE("a checker names the identity that records break, and what breaks it") {
  struct change {
    char const* identity;
    std::function<void(story&)> make;
  };
  std::vector<change> const changes{
      {"what a record refers to is defined", [](story& s) { s.steps[0].at.node = 7; }},
      {"what a record refers to is defined", [](story& s) { s.waits[0].at.operation = 7; }},
      {"a step begins before it ends", [](story& s) { s.steps[1].end_s = 1.4; }},
      {"a step's work is part of what it computed", [](story& s) { s.steps[2].computed_s = 1; }},
      {"a DPS thread executes one step at a time", [](story& s) { s.steps[1].start_s = 0.5; }},
      {"a DPS thread executes one step at a time", [](story& s) { s.steps[2].at.thread = 0; }},
      {"kernels lie in a step of their operation", [](story& s) { s.kernels[0].end_s = 1.25; }},
      {"kernels lie in a step of their operation", [](story& s) { s.kernels[0].work_s = 0.5; }},
      {"kernels lie in a step of their operation", [](story& s) { s.kernels.pop_back(); }},
      {"an operation waits between two steps of its own", [](story& s) { s.waits[0].start_s = 0.5; }},
      {"an operation waits between two steps of its own", [](story& s) { s.waits[0].end_s = 2; }},
      {"no two objects of a run are the same", [](story& s) { s.posts.push_back(s.posts[0]); }},
      {"an object is taken once", [](story& s) { s.steps[1].input = s.object; }},
      {"an object is taken after it was posted", [](story& s) { s.posts[0].at_s = 2; }},
      {"an object is taken after it was posted", [](story& s) { s.posts[0].to_thread = 3; }},
      {"each object has been taken", [](story& s) { s.steps[2].input = {}; }},
      {"a message is delivered once", [](story& s) { s.deliveries.push_back(s.deliveries[0]); }},
      {"a message is delivered once", [](story& s) { s.deliveries.erase(s.deliveries.begin()); }},
      {"a message is delivered once", [](story& s) { s.deliveries[1].at_s = 1.25; }},
      {"a message is delivered once", [](story& s) { s.sends.erase(s.sends.begin()); }},
      {"a transfer lies between", [](story& s) { s.transfers[0].latency_s = 0.5; }},
      {"a transfer lies between", [](story& s) { s.transfers[0].crossed_s = 1.75; }},
      {"a transfer lies between", [](story& s) { s.transfers[0].bytes = 49; }},
      {"a transfer lies between", [](story& s) { s.transfers.pop_back(); }},
      {"a node is launched, joins and is released in turn", [](story& s) { s.nodes.erase(s.nodes.begin() + 2); }},
      {"a node is launched, joins and is released in turn",
       [](story& s) {
         s.nodes.push_back({0, node_change::released, 4});
       }},
      {"what a node does, it does while it is held",
       [](story& s) {
         s.nodes.push_back({1, node_change::released, 3});
       }},
      {"what belongs to a call happens between its begin and its end", [](story& s) { s.calls[0].at_s = 0.5; }},
      {"begins once and ends once", [](story& s) { s.calls.push_back(s.calls[1]); }},
      {"a node computes no more than its capacity", [](story& s) { s.about.capacities[1] = 0.5; }},
  };
  for (change const& c : changes) {
    CAPTURE(c.identity);
    story changed;
    c.make(changed);
    auto const lines = changed.broken();
    std::string all;
    for (std::string const& line : lines) all += line + "\n";
    CAPTURE(all);
    CHECK(says(lines, c.identity));
  }
}

TEST_CASE("a call that has not ended need not be complete") {
  story failed;
  failed.calls.pop_back();
  failed.steps.pop_back();
  failed.kernels.pop_back();
  failed.sends.pop_back();
  failed.transfers.pop_back();
  failed.deliveries = {failed.deliveries[1]};
  for (std::string const& line : failed.broken()) FAIL_CHECK(line);
  failed.steps.push_back(failed.steps.back());
  CHECK(says(failed.broken(), "a DPS thread executes one step at a time"));
}

TEST_CASE("a node that was ended in a step has told its kernels, but not the step; no other kernel is without one") {
  story cut;
  cut.steps.pop_back();
  char const* const identity = "kernels lie in a step of their operation";
  CHECK_FALSE(says(cut.broken({.of_all_nodes = false}), identity));
  CHECK(says(cut.broken(), identity));
  cut.steps.push_back({place(1, 1), {}, 3.5, 3.6, 0, 0});  // another one of that thread
  CHECK(says(cut.broken({.of_all_nodes = false}), identity));
}

TEST_CASE("a checker names the identity that figures break") {
  ovlp::run_collector records;
  records.begin(names);
  records.call({1, 0, true, 0});
  records.call({1, 0, false, 2});
  ovlp::recorded_run const run = records.take();
  identities const checked(run);
  ovlp::analysis::critical_path path;
  path.end_s = 2;
  path.pieces = {{ovlp::analysis::path_activity::step, 0, 1.5}, {ovlp::analysis::path_activity::step, 1, 2}};
  ovlp::analysis::path_costs const costs = ovlp::analysis::costs_of(path, names);
  auto const of_path = checked.broken(path, costs);
  CHECK(says(of_path,
             "pieces of the critical path follow each other from the run's start to its end: one from "
             "1.000000000 s to 2.000000000 s after 1.500000000 s"));
  CHECK(says(of_path, "shares of the critical path add up: by activity 2.500000000 s of 2.000000000 s"));
  path.pieces.pop_back();
  CHECK(says(checked.broken(path, costs), "shares of the critical path add up"));

  ovlp::analysis::pop_window window{0, 0, 0, 1, 0.5, 1, 0.5, 0.5, 1, 0, 1.25, 0.8, {}, {}, {}};
  CHECK(says(checked.broken({window}), "an efficiency above 1 has its reason beside it: run: 1.25"));
  window.remarks = {"a reason"};
  CHECK(checked.broken({window}).empty());
  window.load_balance = 0.75;
  CHECK(says(checked.broken({window}), "parallel efficiency = load balance x communication efficiency"));
  window.transfer = 0.5;
  CHECK(says(checked.broken({window}), "communication efficiency = serialization x transfer"));

  ovlp::summary figures;
  figures.time_s = 3;
  CHECK(says(checked.broken(figures), "the summary's figures are those of the records: time_s 3 of 2"));
}
