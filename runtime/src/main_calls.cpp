// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/internal/main_calls.hpp>

#include <filesystem>
#include <memory>
#include <system_error>

#include <ovlp/flowgraph/error.hpp>
#include <ovlp/records/text_trace.hpp>
#include <ovlp/runtime/internal/process_exit.hpp>

#include "scheduler.hpp"

namespace ovlp {
inline namespace OVLP_CORE {

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

std::shared_ptr<record_sink> make_trace(run_options const& options, node_id node, std::size_t launch) {
  if (options.trace_file.empty()) return nullptr;
  std::string name = options.trace_file;
  std::error_code error;
  bool const device = name == "-" || (std::filesystem::exists(name, error) && !std::filesystem::is_regular_file(name));
  if (node > 0 && !device) name += ".node" + std::to_string(node);
  return std::make_shared<text_trace>(
      name, [application = options.application](std::string const& why) { fail_at_exit(application, why); },
      launch > 0);
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

}  // namespace OVLP_CORE
}  // namespace ovlp
