// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/internal/engine.hpp>

#include <exception>
#include <iostream>
#include <memory>
#include <utility>

#include <ovlp/flowgraph/error.hpp>
#include <ovlp/runtime/internal/backend.hpp>
#include <ovlp/runtime/internal/calls.hpp>
#include <ovlp/runtime/internal/reallocation.hpp>
#include <ovlp/support/host.hpp>

namespace ovlp {

engine_base::engine_base(std::unique_ptr<implementation> run) : run_(std::move(run)) {}

engine_base::~engine_base() { run_->end(); }

// Before the first call.

std::size_t engine_base::nodes() const { return run_->common_options().nodes; }
bool engine_base::computes() const { return run_->computes(); }
void engine_base::estimate(std::string kernel, kernel_estimate seconds) {
  run_->estimate(std::move(kernel), std::move(seconds));
}
void engine_base::execute(std::string kernel, execution_mode mode) { run_->execute(std::move(kernel), mode); }

void engine_base::record() {
  if (run_->driver() != nullptr) throw config_error("record() comes before the first call");
  run_->recording = true;
}

void engine_base::attach(std::shared_ptr<record_sink> sink) {
  if (run_->driver() != nullptr) throw config_error("attach() comes before the first call");
  if (!sink) throw config_error("attach() expects a sink, got none");
  run_->sinks.own(std::move(sink));
}

void engine_base::add_graph(std::shared_ptr<graph_definition> const& graph) {
  run_->calls.check_caller();
  run_->program.add(graph);
}

// The first call or change starts the run.

thread_manager& engine_base::implementation::started() {
  if (driver() == nullptr) {
    program.close();
    start();
  }
  return *driver();
}

node_settings engine_base::implementation::begin_records(node_id self) {
  node_settings settings;
  settings.nodes = common_options().nodes;
  settings.execution_threads = common_options().execution_threads;
  settings.stack_bytes = common_options().stack_kib * 1024;
  if (records()) sinks.add(statistics);
  if (sinks.empty()) return settings;
  settings.sink = &sinks;
  names = program.definitions(common_options().application, common_options().backend(), common_options().nodes, self);
  sinks.begin(names);
  return settings;
}

// Calls and changes.

std::uint64_t engine_base::begin_call(std::shared_ptr<graph_definition> const& graph, object_type const& type,
                                      void* object) {
  add_graph(graph);
  thread_manager& driver = run_->started();
  run_->throw_if_failed();
  double const now_s = driver.backend().now_s();
  std::uint64_t const call = run_->begin(*graph, type, object);
  run_->calls.begun(call, run_->program.number_of(*graph), now_s, run_->sinks);
  return call;
}

std::uint64_t engine_base::implementation::begin(graph_definition const& graph, object_type const& type, void* object) {
  return driver()->calls().begin(graph, type, object, 0, no_iteration);
}

void engine_base::finish_call(std::uint64_t call, object_type const& type, void* result_storage) {
  run_->calls.check_caller();
  thread_manager& driver = *run_->driver();
  run_->wait_until([&] { return driver.calls().result_there(call); });
  run_->calls.ended(call, driver.backend().now_s(), run_->sinks);
  run_->ended(call);
  run_->figures.reset();
  envelope_ptr const result = driver.calls().take_result(call);
  type.move(result_storage, result->object());
}

void engine_base::resize_collection(collection_definition const& collection, std::size_t count) {
  run_->calls.check_caller();
  run_->wait_for_change(run_->started().reallocation().request_resize(collection, count));
}

void engine_base::remap_collection(collection_definition const& collection, mapping const& to) {
  run_->calls.check_caller();
  run_->wait_for_change(run_->started().reallocation().request_remap(collection, to));
}

void engine_base::implementation::wait_for_change(std::uint64_t change) {
  std::exception_ptr refused;
  wait_until([&] {
    try {
      return driver()->reallocation().change_made(change, nullptr);
    } catch (...) {
      refused = std::current_exception();
      return true;
    }
  });
  if (refused) std::rethrow_exception(refused);
}

// Figures.

ovlp::summary engine_base::summary() { return run_->summary(); }
void engine_base::write(ovlp::summary const& figures) const { run_->write(figures); }

ovlp::summary const& engine_base::implementation::summary() {
  calls.check_caller();
  throw_if_failed();
  if (!records()) throw config_error("summary() needs --summary, or record() before the first call");
  main_call const& last = calls.last();
  if (figures) return *figures;
  call_statistics const all = collect(last.call);
  ovlp::summary made;
  made.application = common_options().application;
  made.backend = common_options().backend();
  made.nodes = common_options().nodes;
  made.time_s = last.end_s - last.start_s;
  fill(made, all, last.start_s, statistics);
  made.host = {support::machine_name(), support::processor_name(), support::available_cores(), made.time_s,
               support::peak_memory_bytes()};
  complete(made, last);
  return figures.emplace(std::move(made));
}

void engine_base::implementation::write(ovlp::summary const& made) {
  written = true;
  if (common_options().iterations) std::cout << made.iterations_table();
  if (!common_options().summary_file.empty()) write_summary(common_options().summary_file, made);
  write_own(made);
}

void engine_base::implementation::write_what_is_left(std::string const& reference_core) {
  if (std::uncaught_exceptions() > 0) return;
  try {
    if (!written && common_options().ask_for_figures()) write(summary());
    if (common_options().durations_file.empty()) return;
    calls.last();  // without a call there is nothing to collect
    write_durations(common_options().durations_file, collect(all_calls).kernels, reference_core);
  } catch (std::exception const& wrong) {
    fail_at_exit(common_options().application, wrong.what());
  }
}

}  // namespace ovlp
