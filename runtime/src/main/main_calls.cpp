// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/internal/main_calls.hpp>

#include <exception>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/version.hpp>
#include <ovlp/records/text_trace.hpp>
#include <ovlp/runtime/internal/process_exit.hpp>

#include "steps/scheduler.hpp"

namespace ovlp::OVLP_INLINE_CORE {

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

std::vector<std::shared_ptr<record_sink>> make_files(run_options const& options, node_id node, std::size_t launch,
                                                     emitters who, run_facts about) {
  auto const failed = [application = options.application](std::string const& why) { fail_at_exit(application, why); };
  std::vector<std::shared_ptr<record_sink>> made;
  if (std::string const& trace = options.trace_file; !trace.empty()) {
    std::error_code error;
    bool const device =
        trace == "-" || (std::filesystem::exists(trace, error) && !std::filesystem::is_regular_file(trace));
    made.push_back(std::make_shared<text_trace>(device ? trace : file_of_node(trace, node), failed, launch > 0));
  }
  if (!options.record_file.empty()) {
    std::string file = file_of_node(options.record_file, node);
    if (launch > 0) file += "." + std::to_string(launch);
    std::error_code error;
    if (!options.record_only.empty()) about["only"] = options.record_only;
    about["program"] = std::filesystem::read_symlink("/proc/self/exe", error).string();
    about["folder"] = std::filesystem::current_path(error).string();
    about["arguments"] =
        nlohmann::json(options.arguments).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    about["version"] = std::string(version());
    made.push_back(make_run_recorder(file, std::move(about), who, failed));
  }
  return made;
}

failure stall(std::vector<std::string> const& waiting) {
  failure what{.kind = failure::kind_type::stalled,
               .type = "ovlp::stalled",
               .text = "the call can never end: nothing runs, nothing is in flight"};
  for (std::string const& line : waiting) what.text += "\n  " + line;
  return what;
}

std::string in_a_line(failure const& what) {
  constexpr std::size_t most = 500;
  std::string line;
  try {
    throw_failure(what);
  } catch (std::exception const& thrown) {
    for (char const c : std::string_view(thrown.what())) {
      if (c == '\n') line += ';';
      else if (static_cast<unsigned char>(c) >= ' ' && !(c == ' ' && line.ends_with(' '))) line += c;
      if (line.size() == most) return line + " ...";
    }
  }
  return line;
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

}  // namespace ovlp::OVLP_INLINE_CORE
