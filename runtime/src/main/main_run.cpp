// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/internal/change_requests.hpp>
#include <ovlp/runtime/internal/coordinator.hpp>
#include <ovlp/runtime/internal/main_run.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include <ovlp/analysis/efficiency_csv.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/host.hpp>
#include <ovlp/base/mix.hpp>
#include <ovlp/runtime/internal/activity.hpp>
#include <ovlp/runtime/internal/backend.hpp>
#include <ovlp/runtime/internal/calls.hpp>
#include <ovlp/runtime/internal/cluster_link.hpp>
#include <ovlp/runtime/internal/periodic.hpp>
#include <ovlp/runtime/internal/policies.hpp>

#include "steps/delivery_order.hpp"
#include "steps/execution.hpp"

namespace ovlp {
inline namespace OVLP_CORE {
namespace {

void note_if_not_finite(summary const& figures, std::string const& name, summary::value const& figure) {
  double const* const number = std::get_if<double>(&figure);
  if (number == nullptr || std::isfinite(*number)) return;
  std::fprintf(stderr, "%s: note: '%s' is %f: in the summary it is null\n", figures.application.c_str(), name.c_str(),
               *number);
}

void write_summary(std::string const& file, summary const& figures) {
  for (auto const* const all : {&figures.application_figures, &figures.application_results}) {
    for (auto const& [name, figure] : *all) note_if_not_finite(figures, name, figure);
  }
  base::write_output(file, figures.json() + "\n");
}

}  // namespace

main_run::main_run() {
  report_uncaught_errors();
  ask_at_exit(this);
  activity::name_on_signals();
}

main_run::~main_run() { ask_at_exit(nullptr); }

std::string main_run::lost() const {
  if (calls.any_open()) return "a call has not ended";
  run_options const& asked = common_options();
  bool const unwritten = asked.ask_for_figures() && !written;
  bool const others = !asked.durations_file.empty() || (!asked.record_file.empty() && !told_end);
  return calls.any() && (unwritten || others) ? "what its options ask for is not written, or not whole" : "";
}

double main_run::now_s() {
  thread_manager const* const node_0 = driver();
  return node_0 == nullptr ? 0 : node_0->backend().now_s() - node_0->settings().start_s;
}

// Before the first call.

void main_run::record() {
  if (driver() != nullptr) throw config_error("record() comes before the first call");
  recording = true;
}

void main_run::attach(std::shared_ptr<record_sink> sink) {
  if (driver() != nullptr) throw config_error("attach() comes before the first call");
  if (!sink) throw config_error("attach() expects a sink, got none");
  sinks.own(std::move(sink));
}

void main_run::check(std::string name, std::function<bool()> holds, engine_base::checked) {
  if (driver() != nullptr) throw config_error("check('" + name + "') comes before the first call");
  if (!holds) throw config_error("check('" + name + "') expects a function, got none");
  if (!check_names.insert(name).second) throw config_error("check('" + name + "'): there is one of that name already");
}

void main_run::compare(graph_definition const& graph, std::function<bool(void const*, void const*)>) {
  if (driver() != nullptr) throw config_error("compare('" + graph.name + "') comes before the first call");
}

void main_run::add_graph(std::shared_ptr<graph_definition> const& graph) {
  calls.check_caller();
  program.add(graph);
}

borders& main_run::at_borders() const {
  if (!borders_made) {
    borders_made.emplace(nodes());
    if (common_options().takes_orders()) borders_made->take_orders();
    ovlp::plan const& given = common_options().plan;
    if (common_options().server) {
      borders_made->follow(common_options().server, {});
    } else if (auto decides = make_policy(common_options().policy, given, nodes()))
      borders_made->follow(std::move(decides), given);
  }
  return *borders_made;
}

void main_run::expect_may_follow() {
  if (driver() != nullptr) throw config_error("follow() comes before the first call");
  if (common_options().server)
    throw config_error("a job of a cluster holds what its server says: expected no plan or policy of its own");
}

void main_run::follow(ovlp::plan followed) {
  followed.expect(common_options().application, nodes());
  expect_may_follow();
  at_borders().follow(std::make_shared<follow_plan>(followed), followed);
}

void main_run::follow(std::shared_ptr<policy> decides) {
  expect_may_follow();
  if (!decides) throw config_error("follow() expects a policy, got none");
  at_borders().follow(std::move(decides), {});
}

// The first call or change starts the run.

thread_manager& main_run::started() {
  if (driver() == nullptr) {
    program.close();
    for (auto const& [iteration, hold] : plan().changes) {
      for (auto const& [name, nodes] : hold.collections)
        program.number_of(name, plan().file.empty() ? "plan" : "--plan " + plan().file);
    }
    for (auto const& [collection, onto] : common_options().mappings) program.map(collection, onto, nodes());
    if (watches_steps()) watch = periodically(std::chrono::milliseconds(250), activity::watch);
    if (common_options().server) sinks.own(common_options().server);
    start();
    if (common_options().server)
      common_options().server->started(driver()->settings().start_s, driver()->backend().now_s(),
                                       [this](std::string const& why) {
                                         driver()->backend().fail({.kind = failure::kind_type::network, .text = why});
                                       });
  }
  return *driver();
}

node_settings main_run::begin_records(node_id self, std::vector<double> capacities) {
  node_settings settings;
  settings.nodes = common_options().nodes;
  settings.at_borders = &at_borders();
  settings.execution_threads = common_options().execution_threads;
  settings.stack_bytes = common_options().stack_kib * 1024;
  settings.barriers = common_options().barriers;
  run_options const& asked = common_options();
  if (!asked.note_order_file.empty() || !asked.follow_order_file.empty()) {
    auto given = asked.followed_order;
    if (given && !holds_all_nodes()) std::erase_if(*given, [self](auto const& list) { return list.node != self; });
    if (self == 0 && !asked.note_order_file.empty()) remove_orders_of_others(asked.note_order_file, asked.nodes);
    orders = std::make_unique<delivery_orders>(!asked.note_order_file.empty(), std::move(given), [&asked] {
      std::fprintf(stderr,
                   "%s: note: --follow-order %s: the run goes on without it: what is next there has not come, and "
                   "nothing else can go on\n",
                   asked.application.c_str(), asked.follow_order_file.c_str());
    });
    settings.orders = orders.get();
  }
  if (self == 0 && at_borders().measures()) {
    at_borders().use([this](double from_s, double to_s) {
      analysis::dynamic_efficiency all(capacities_now());
      for (node_record const& change : statistics.node_changes()) all.node(change);
      return borders::held_time{all.capacity(from_s, to_s), statistics.held_node_s(from_s, to_s)};
    });
  }
  if (records() || (wants_durations() && !sinks.empty())) {
    sinks.add(statistics);
    sinks.add(made_calls);
  }
  if (sinks.empty() && !wants_durations()) return settings;
  names = program.definitions(common_options().application, common_options().backend(), std::move(capacities), self);
  if (sinks.empty()) {
    settings.kernels = &statistics;
    statistics.begin(names);
  } else {
    settings.sink = &sinks;
    sinks.begin(names);
  }
  return settings;
}

std::string main_run::why_it_ends() {
  return std::uncaught_exceptions() > 0 ? "an exception ended the main program" : "";
}

void main_run::end_records(std::string const& failure, processor_use const& processors) {
  if (common_options().server) common_options().server->stop_asking();
  if (driver() != nullptr) end_order(0, driver()->settings().start_s);
  bool const begun = driver() != nullptr && !names.backend.empty();
  if (begun && !std::exchange(told_end, true)) {
    sinks.end({driver()->backend().now_s(), failure, processors});
    if (!failure.empty()) write_failure(failure);
  }
  sinks.flush();
}

void main_run::end_order(node_id self, double start_s) {
  if (!orders || std::exchange(told_order, true)) return;
  run_options const& asked = common_options();
  delivery_orders::account const all = orders->so_far();
  if (!asked.follow_order_file.empty() && all.unknown + all.missing > 0) {
    std::fprintf(
        stderr, "%s: note: --follow-order %s: %zu of its deliveries did not come, and %zu came that it does not have\n",
        asked.application.c_str(), asked.follow_order_file.c_str(), all.missing, all.unknown);
  }
  if (asked.note_order_file.empty()) return;
  try {
    write_order(asked.note_order_file, {asked.application, asked.nodes, start_s}, self, all.noted);
  } catch (std::exception const& wrong) {
    fail_at_exit(asked.application, wrong.what());
  }
}

void main_run::write_failure(std::string const& failure) {
  if (std::exchange(written, true)) return;
  ovlp::summary none;
  none.application = common_options().application;
  none.backend = common_options().backend();
  none.nodes = common_options().nodes;
  none.failure = failure;
  try {
    write_files(none);
  } catch (std::exception const& wrong) {
    fail_at_exit(common_options().application, wrong.what());
  }
}

// Calls and changes.

std::uint64_t main_run::begin_call(std::shared_ptr<graph_definition> const& graph, object_type const& type,
                                   void* object) {
  add_graph(graph);
  thread_manager& node_0 = started();
  throw_if_failed();
  double const now_s = node_0.backend().now_s();
  process_time const before = statistics.until_now();
  std::uint64_t const call = begin(*graph, type, object);
  if (records()) statistics.call_began(call, before);
  calls.begun(call, program.number_of(*graph), now_s, sinks);
  at_borders().call_begins(call, now_s);
  return call;
}

std::uint64_t main_run::begin(graph_definition const& graph, object_type const& type, void* object) {
  return driver()->calls().begin(graph, type, object, 0, no_iteration, {}, base::mix(0, calls.made()));
}

void main_run::finish_call(std::uint64_t call, object_type const& type, void* result_storage) {
  calls.check_caller();
  ovlp::calls& made = driver()->calls();
  wait_until([&] { return made.result_there(call); });
  calls.ended(call, driver()->backend().now_s(), sinks);
  ended(call);
  figures.reset();
  envelope_ptr const result = made.take_result(call);
  type.move(result_storage, result->object());
}

void main_run::resize(collection_definition const& collection, std::size_t count) {
  calls.check_caller();
  wait_for_change(started().change_requests().resize(collection, count));
}

void main_run::remap(collection_definition const& collection, mapping const& to) {
  calls.check_caller();
  wait_for_change(started().change_requests().remap(collection, to));
}

void main_run::end_of_iteration(int iteration, std::function<void(held_nodes const&)> const& change) {
  calls.check_caller();
  std::optional<held_nodes> hold;
  wait_for_change(started().change_requests().border(iteration, at_borders().last_call()), &hold);
  if (!hold) return;
  change(*hold);
  driver()->change_requests().end_of_changes();
}

void main_run::wait_for_change(std::uint64_t change, std::optional<held_nodes>* hold) {
  std::exception_ptr refused;
  wait_until([&] {
    try {
      return driver()->change_requests().done(change, nullptr, hold);
    } catch (...) {
      refused = std::current_exception();
      return true;
    }
  });
  if (refused) std::rethrow_exception(refused);
}

// Figures.

ovlp::summary main_run::summary() {
  calls.check_caller();
  throw_if_failed();
  if (!records()) throw config_error("summary() needs --summary, or record() before the first call");
  main_call const& last = calls.last();
  if (figures) return *figures;
  call_statistics const all = collect(last.call);
  ovlp::summary made;
  made.application = common_options().application;
  made.backend = common_options().backend();
  made.call = made_calls.find(last.call)->name.text();
  made.nodes = common_options().nodes;
  made.time_s = last.end_s - last.start_s;
  fill(made, all, efficiency_of(last, all), last.start_s, statistics);
  made.host = {base::machine_name(), base::processor_name(), base::available_cores(),
               made.time_s,          all.processors,         base::peak_memory_bytes()};
  complete(made);
  return figures.emplace(std::move(made));
}

void main_run::write(ovlp::summary const& made) {
  written = true;
  if (common_options().iterations) std::cout << made.iterations_table();
  write_files(made);
}

void main_run::write_files(ovlp::summary const& made) const {
  if (!common_options().summary_file.empty()) write_summary(common_options().summary_file, made);
  if (!common_options().efficiency_file.empty()) analysis::write_efficiency(common_options().efficiency_file, made);
  if (!common_options().over_time_file.empty())
    analysis::write_efficiency_over_time(common_options().over_time_file, made);
}

void main_run::note_missed() const {
  borders::unmade const missed = at_borders().missed();
  auto const note = [&](std::string const& text) {
    std::fprintf(stderr, "%s: note: %s\n", common_options().application.c_str(), text.c_str());
  };
  std::string const option = plan().file.empty() ? "plan" : "--plan " + plan().file;
  if (missed.nothing_measured) note("the policy decided nothing: the program has said of no iteration that it ended");
  if (missed.changes > 0)
    note(option + ": the change after iteration " + std::to_string(missed.first_change) +
         " was not made: the run ended before" +
         (missed.changes > 1 ? "; nor were " + std::to_string(missed.changes - 1) + " later ones" : ""));
  if (missed.ordered)
    note("the order to hold " + std::to_string(*missed.ordered) +
         " nodes was not carried out: no iteration ended after it");
}

void main_run::end_changes() {
  if (driver() == nullptr || calls.any_open() || std::uncaught_exceptions() > 0) return;
  try {
    wait_until([this] { return !driver()->coordinator().changes(); });
  } catch (std::exception const& wrong) {
    fail_at_exit(common_options().application, wrong.what());
  }
}

void main_run::write_what_is_left(std::string const& reference_core) {
  if (std::uncaught_exceptions() > 0) return;
  note_missed();
  try {
    if (!written && common_options().ask_for_figures()) write(summary());
    if (common_options().durations_file.empty()) return;
    calls.last();  // without a call there is nothing to collect
    run_options const& given = common_options();
    bool const simulated = given.backend() == std::string_view("simulated");
    bool const is_known = !simulated && given.nodes == 1;
    write_durations(given.durations_file, collect(all_calls), reference_core, given.nodes,
                    !is_known                         ? 0
                    : given.execution_thread_per_core ? base::available_cores()
                                                      : std::min(given.execution_threads, base::available_cores()),
                    simulated);
  } catch (std::exception const& wrong) {
    fail_at_exit(common_options().application, wrong.what());
  }
}

}  // namespace OVLP_CORE
}  // namespace ovlp
