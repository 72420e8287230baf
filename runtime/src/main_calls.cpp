// SPDX-License-Identifier: BSD-3-Clause
#include "main_calls.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <utility>

#include <ovlp/flowgraph/error.hpp>

#include "host.hpp"

namespace ovlp {

main_call main_calls::take_last() {
  if (!last_) throw config_error("summary(): no call has ended");
  return *std::exchange(last_, std::nullopt);
}

summary summarize(run_options const& options, std::string backend, main_call const& call, call_statistics const& all,
                  statistics_sink& on_node_0) {
  summary figures;
  figures.application = options.application;
  figures.backend = std::move(backend);
  figures.nodes = options.nodes;
  figures.time_s = call.end_s - call.start_s;
  fill(figures, all, call.start_s, on_node_0);
  figures.host.emplace_back("machine", machine_name());
  figures.host.emplace_back("processor", processor_name());
  figures.host.emplace_back("cores", static_cast<std::int64_t>(available_cores()));
  figures.host.emplace_back("wall_s", call.wall_s);
  figures.host.emplace_back("peak_memory_bytes", peak_memory_bytes());
  if (!options.durations_file.empty()) write_durations(options.durations_file, all, processor_name());
  return figures;
}

void write_if_asked(engine_base& run, run_options const& options, bool done) {
  if (done || std::uncaught_exceptions() > 0 || !options.ask_for_figures()) return;
  try {
    run.write(run.summary());
  } catch (error const& wrong) {
    std::fprintf(stderr, "%s: %s\n", options.application.c_str(), wrong.what());
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

void report_uncaught_errors() {
  static std::terminate_handler const otherwise = std::get_terminate();
  std::set_terminate([] {
    std::cout.flush();
    std::fflush(nullptr);
    if (std::exception_ptr const uncaught = std::current_exception()) {
      try {
        std::rethrow_exception(uncaught);
      } catch (error const& e) {
        std::fprintf(stderr, "ovlp: %s\n", e.what());
        ::_exit(1);
      } catch (...) {
        otherwise();
      }
    }
    std::abort();
  });
}

}  // namespace ovlp
