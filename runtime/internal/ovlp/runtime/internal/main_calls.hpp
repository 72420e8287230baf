// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <ovlp/records/run_recorder.hpp>
#include <ovlp/records/sink.hpp>
#include <ovlp/runtime/internal/control.hpp>
#include <ovlp/runtime/internal/run_options.hpp>

namespace ovlp::OVLP_INLINE_CORE {

/// One call of the main program that has ended. Times on the run's clock.
struct main_call {
  std::uint64_t call;
  std::uint32_t graph;
  double start_s;
  double end_s;
};

/// The calls of the main program: when each began, and which one ended last.
class main_calls {
 public:
  /// Whoever asks the engine for something is the thread that made it, and no operation. Errors: graph_error.
  void check_caller() const;
  void begun(std::uint64_t call, std::uint32_t graph, double now_s, record_sink& sink) {
    open_[call] = {call, graph, now_s, 0};
    ++made_;
    sink.call({call, graph, true, now_s});
  }
  void ended(std::uint64_t call, double now_s, record_sink& sink) {
    last_ = open_.extract(call).mapped();
    last_->end_s = now_s;
    sink.call({call, last_->graph, false, now_s});
  }
  /// The one that ended last. Errors: config_error if none has ended.
  main_call const& last() const;
  /// Whether one has begun that has not ended.
  bool any_open() const { return !open_.empty(); }
  std::size_t made() const { return made_; }
  bool any() const { return any_open() || last_.has_value(); }

 private:
  std::thread::id const owner_ = std::this_thread::get_id();
  std::map<std::uint64_t, main_call> open_;
  std::optional<main_call> last_;
  std::size_t made_ = 0;
};

/// The sinks of --trace and --record, of this node, if they are asked for. A node that is launched again goes on with
/// the trace of its last `launch`, and stores another run. `about`: what the backend adds to the facts of a stored
/// run. Errors: io_error, config_error.
std::vector<std::shared_ptr<record_sink>> make_files(run_options const& options, node_id node, std::size_t launch,
                                                     emitters who, run_facts about = {});

/// A call that can never end, and each operation that waits.
failure stall(std::vector<std::string> const& waiting);

/// What it says, in a line that is not too long.
std::string in_a_line(failure const& what);

/// Throws the exception that tells the main program of a failure.
[[noreturn]] void throw_failure(failure const& what);

}  // namespace ovlp::OVLP_INLINE_CORE
