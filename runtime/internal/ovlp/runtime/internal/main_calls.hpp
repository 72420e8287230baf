// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <ovlp/flowgraph/function_ref.hpp>
#include <ovlp/runtime/engine.hpp>
#include <ovlp/runtime/internal/control.hpp>
#include <ovlp/runtime/internal/run_options.hpp>
#include <ovlp/runtime/internal/statistics.hpp>
#include <ovlp/runtime/summary.hpp>

namespace ovlp {

/// One call of the main program that has ended. Times on the run's clock.
struct main_call {
  std::uint64_t call;
  std::uint32_t graph;
  double start_s;
  double end_s;
  double wall_s;  ///< on the clock of the machine that we run on
};

/// The calls of the main program: when each began, and which one ended last.
class main_calls {
 public:
  /// Whoever asks the engine for something is the thread that made it, and no operation. Errors: graph_error.
  void check_caller() const;
  void begun(std::uint64_t call, std::uint32_t graph, double now_s, double now_wall_s, record_sink& sink) {
    open_[call] = {call, graph, now_s, 0, now_wall_s};
    sink.call({call, graph, true, now_s});
  }
  void ended(std::uint64_t call, double now_s, double now_wall_s, record_sink& sink) {
    last_ = open_.extract(call).mapped();
    last_->end_s = now_s;
    last_->wall_s = now_wall_s - last_->wall_s;
    sink.call({call, last_->graph, false, now_s});
  }
  /// The one that ended last. Errors: config_error if none has ended.
  main_call const& last() const;
  /// Whether one has begun that has not ended.
  bool any_open() const { return !open_.empty(); }

 private:
  std::thread::id const owner_ = std::this_thread::get_id();
  std::map<std::uint64_t, main_call> open_;
  std::optional<main_call> last_;
};

/// The figures of a call, as far as every backend knows them.
summary summarize(run_options const& options, std::string backend, main_call const& call, call_statistics const& all,
                  statistics_sink& on_node_0);

/// Writes and prints what the options ask for, of one call. Errors: io_error.
void write_figures(run_options const& options, summary const& figures);

/// The sink of --trace, of this node; none if it is not asked for. Errors: io_error.
std::shared_ptr<record_sink> make_trace(run_options const& options, node_id node);

/// At the end of a run that has not failed: writes what the options ask for of the call that ended last, unless the
/// program has done so, and of all calls. After an error the process will exit with status 1.
void write_what_is_left(engine_base& run, run_options const& options, bool figures_written,
                        std::string const& reference_core, function_ref<call_statistics()> of_all_calls);

/// A call that can never end, and each operation that waits.
failure stall(std::vector<std::string> const& waiting);

/// Throws the exception that tells the main program of a failure.
[[noreturn]] void throw_failure(failure const& what);

}  // namespace ovlp
