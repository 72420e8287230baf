// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ovlp/analysis/dynamic_efficiency.hpp>
#include <ovlp/records/by_call.hpp>
#include <ovlp/records/kernel_table.hpp>
#include <ovlp/records/sink.hpp>
#include <ovlp/records/summary.hpp>
#include <ovlp/records/work_over_time.hpp>
#include <ovlp/runtime/internal/first_times.hpp>
#include <ovlp/runtime/internal/runtime_costs.hpp>
#include <ovlp/runtime/internal/synchronization.hpp>

namespace ovlp::OVLP_INLINE_CORE {

/// In place of a call of the main program: all of them together.
constexpr std::uint64_t all_calls = ~std::uint64_t{0};

/// What one node did in one call of the main program; of all_calls, only the durations of kernels, and what the runtime
/// took. A data object: nodes send it to node 0.
struct call_statistics {
  struct sample {
    std::uint64_t count;
    double sum_s;
    double sum_of_squares_s2;

    void add(sample const& more);
    double mean_s() const { return sum_s / static_cast<double>(count); }
  };
  struct durations {
    sample firsts;  ///< each the first one in a DPS thread
    sample others;
  };
  using by_node = std::map<node_id, durations>;  ///< of a simulation, whose nodes' speeds are known, all under 0
  using kernel_durations = std::map<std::string, std::map<std::vector<std::int64_t>, by_node>>;  ///< by name, sizes

  std::uint64_t atomic_steps = 0;
  std::uint64_t transfers = 0;
  std::uint64_t bytes = 0;
  std::uint64_t control_messages = 0;
  double work_s = 0;
  double steps_s = 0;    ///< work and overhead
  double polling_s = 0;  ///< CPU time of the process outside steps; 0 of a simulated run
  std::map<std::int32_t, iteration_work> iterations;
  work_over_time over_time;  ///< where efficiencies are computed from it
  kernel_durations kernels;  ///< of all_calls only
  processor_use processors;  ///< of a real run: since the process has last told, of whatever call
  runtime_costs runtime;     ///< of all_calls only

  void add(call_statistics const& other);
  /// Returns the iteration's figures, which stay where they are.
  iteration_work& add_iteration(std::int32_t index, iteration_work const& more);
};

/// CPU seconds of this process until some moment.
struct process_time {
  double all_s = 0;
  double in_steps_s = 0;  ///< of all calls; of those that have ended
};

/// Adds up records, by call, as they come.
class statistics_sink final : public record_sink {
 public:
  /// Before the first record: these are of one process, that of this node, whose CPU time is to be accounted for.
  void account_for_process(node_id self) {
    accounts_ = true;
    self_ = self;
  }
  /// Before the first record: work over time is wanted, too.
  void keep_work_over_time() { keeps_work_over_time_ = true; }

  void begin(run_definitions const& definitions) override;
  void step(step_record const& record) override;
  void kernel(kernel_record const& record) override;
  void send(send_record const& record) override;
  void delivery(delivery_record const& record) override;
  void call(call_record const& record) override;
  void node(node_record const& record) override;
  void decision(decision_record const& record) override;

  /// On node 0, where a call begins before its first record.
  process_time until_now();
  void call_began(std::uint64_t call, process_time before);
  /// To which execution threads tell what the runtime takes; from now on it is known of all_calls.
  runtime_cost_collector& collect_runtime_costs();

  /// The call's figures so far; they are forgotten here.
  call_statistics take(std::uint64_t call);
  std::map<std::uint64_t, call_statistics> take_all();
  /// Launches and releases. Only node 0 knows.
  std::vector<node_record> node_changes();
  /// Seconds for which nodes were held between these times, added up over nodes. Only node 0 knows.
  double held_node_s(double from_s, double to_s);
  /// Those made between these times; their own count from the first. Only node 0 knows.
  std::vector<decision_summary> decisions(double from_s, double to_s);

 private:
  struct kernel_figures {
    call_statistics::durations durations{};
    first_times first;
  };
  /// A call as this node sees it: from its first object here, of node 0 from its begin on.
  struct call_figures {
    call_statistics all;
    std::int32_t last_iteration = 0;
    iteration_work* of_last = nullptr;  ///< among those of all; most steps are of the iteration of the one before
    std::optional<process_time> before, after;
  };
  call_statistics take_of_all() OVLP_REQUIRES(mutex_);
  call_figures& figures_of(std::uint64_t call) OVLP_REQUIRES(mutex_);
  process_time process_now() const OVLP_REQUIRES(mutex_);
  call_statistics finished(call_figures figures) const OVLP_REQUIRES(mutex_);

  bool keeps_work_over_time_ = false;
  bool accounts_ = false;
  node_id self_ = 0;
  std::unique_ptr<runtime_cost_collector> costs_;
  mutex mutex_;
  double in_steps_s_ OVLP_GUARDED_BY(mutex_) = 0;
  by_call<call_figures> calls_ OVLP_GUARDED_BY(mutex_);
  std::vector<std::vector<std::uint32_t>> collections_;  ///< by graph and operation; from the beginning on
  kernel_table<kernel_figures> kernels_ OVLP_GUARDED_BY(mutex_);
  std::vector<node_record> nodes_ OVLP_GUARDED_BY(mutex_);
  std::vector<decision_summary> decisions_ OVLP_GUARDED_BY(mutex_);
};

/// Fills in what the statistics of all nodes say. `start_s` is when the call began; `on_node_0` knows the nodes held.
void fill(summary& figures, call_statistics const& all, analysis::dynamic_efficiency::report const& efficiency,
          double start_s, statistics_sink& on_node_0);

/// Writes durations of kernels, and what the runtime took. Errors: io_error.
///
/// A kernel k is taken to last d_k r_n on node n. Of d and r what is charged adds up to what was measured, of each
/// kernel over all nodes, and of each node over all kernels: with work W_kn of c_kn kernels, d_k = sum_n W_kn / sum_n
/// c_kn r_n, r_n = sum_k W_kn / sum_k c_kn d_k, in turn until nothing changes. `execution_threads`: that computed at
/// once on the one node of a real run; 0: it is not known. `simulated`: they are what a simulation charged. Format:
/// docs/formats/durations.md.
void write_durations(std::string const& file, call_statistics const& all, std::string const& reference_core,
                     std::size_t nodes, std::size_t execution_threads, bool simulated);

}  // namespace ovlp::OVLP_INLINE_CORE
