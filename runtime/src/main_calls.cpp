// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/internal/main_calls.hpp>

#include <exception>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <utility>

#include <ovlp/flowgraph/error.hpp>
#include <ovlp/records/text_trace.hpp>
#include <ovlp/runtime/internal/process_exit.hpp>
#include <ovlp/support/host.hpp>

#include "scheduler.hpp"

namespace ovlp {

void main_calls::check_caller() const {
  if (scheduler::self() != nullptr) {
    throw graph_error(
        "the engine is for the main program: an operation takes here as its first argument, and uses that");
  }
  if (std::this_thread::get_id() != owner_) throw graph_error("the engine is for the thread that made it");
}

main_call const& main_calls::last() const {
  if (!last_) throw config_error("there are no figures: expected after a call of a graph, but none has ended");
  return *last_;
}

summary summarize(run_options const& options, std::string backend, main_call const& call, call_statistics const& all,
                  statistics_sink& on_node_0) {
  summary figures;
  figures.application = options.application;
  figures.backend = std::move(backend);
  figures.nodes = options.nodes;
  figures.time_s = call.end_s - call.start_s;
  fill(figures, all, call.start_s, on_node_0);
  figures.host = {support::machine_name(), support::processor_name(), support::available_cores(), call.wall_s,
                  support::peak_memory_bytes()};
  return figures;
}

void write_figures(run_options const& options, summary const& figures) {
  if (options.iterations) std::cout << figures.iterations_table();
  if (!options.summary_file.empty()) write_summary(options.summary_file, figures);
}

std::shared_ptr<record_sink> make_trace(run_options const& options, node_id node) {
  if (options.trace_file.empty()) return nullptr;
  std::string name = options.trace_file;
  std::error_code error;
  bool const device = name == "-" || (std::filesystem::exists(name, error) && !std::filesystem::is_regular_file(name));
  if (node > 0 && !device) name += ".node" + std::to_string(node);
  return std::make_shared<text_trace>(
      name, [application = options.application](std::string const& why) { fail_at_exit(application, why); });
}

void write_what_is_left(engine_base& run, run_options const& options, bool figures_written,
                        std::string const& reference_core, function_ref<call_statistics()> of_all_calls) {
  if (std::uncaught_exceptions() > 0) return;
  try {
    if (!figures_written && options.ask_for_figures()) run.write(run.summary());
    if (!options.durations_file.empty()) {
      write_durations(options.durations_file, of_all_calls().kernels, reference_core);
    }
  } catch (std::exception const& wrong) {
    fail_at_exit(options.application, wrong.what());
  }
}

failure stall(std::vector<std::string> const& waiting) {
  failure what;
  what.kind = failure::kind_type::stalled;
  what.type = "ovlp::stalled";
  what.text = "the call can never end: nothing runs, nothing is in flight";
  for (std::string const& line : waiting) what.text += "\n  " + line;
  return what;
}

void throw_failure(failure const& what) {
  switch (what.kind) {
    case failure::kind_type::operation:
      throw operation_error(what.type, what.operation, what.thread, what.node, what.text);
    case failure::kind_type::graph: throw graph_error(what.text);
    case failure::kind_type::network: throw network_error(what.text);
    case failure::kind_type::stalled: throw stalled(what.text);
  }
  throw error(what.text);
}

}  // namespace ovlp
