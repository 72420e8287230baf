// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <ovlp/analysis/dynamic_efficiency.hpp>
#include <ovlp/records/by_call.hpp>
#include <ovlp/records/kernel_table.hpp>
#include <ovlp/records/sink.hpp>
#include <ovlp/records/work_over_time.hpp>
#include <ovlp/runtime/internal/first_times.hpp>
#include <ovlp/runtime/internal/synchronization.hpp>
#include <ovlp/runtime/summary.hpp>

namespace ovlp {
inline namespace OVLP_CORE {

/// In place of a call of the main program: all of them together.
constexpr std::uint64_t all_calls = ~std::uint64_t{0};

/// What one node did in one call of the main program; of all_calls, only the durations of kernels. A data object: nodes
/// send it to node 0.
struct call_statistics {
  struct sample {
    std::uint64_t count;
    double sum_s;
    double sum_of_squares_s2;

    void add(sample const& more);
    double mean_s() const { return sum_s / static_cast<double>(count); }
    double standard_deviation_s() const;  ///< 0 of one
  };
  struct durations {
    sample firsts;  ///< each the first one in a DPS thread
    sample others;
  };
  using kernel_durations = std::map<std::string, std::map<std::vector<std::int64_t>, durations>>;  ///< by name, sizes

  std::uint64_t atomic_steps = 0;
  std::uint64_t transfers = 0;
  std::uint64_t bytes = 0;
  std::uint64_t control_messages = 0;
  double work_s = 0;
  double steps_s = 0;  ///< work and overhead
  std::map<std::int32_t, iteration_work> iterations;
  work_over_time over_time;  ///< where efficiencies are computed from it
  kernel_durations kernels;  ///< of all_calls only

  void add(call_statistics const& other);
};

/// Adds up records, by call, as they come.
class statistics_sink final : public record_sink {
 public:
  /// Before the first record: work over time is wanted, too.
  void keep_work_over_time() { keeps_work_over_time_ = true; }

  void begin(run_definitions const& definitions) override;
  void step(step_record const& record) override;
  void kernel(kernel_record const& record) override;
  void send(send_record const& record) override;
  void node(node_record const& record) override;
  void decision(decision_record const& record) override;

  /// The call's figures so far; they are forgotten here.
  call_statistics take(std::uint64_t call);
  std::map<std::uint64_t, call_statistics> take_all();
  /// Launches and releases. Only node 0 knows.
  std::vector<node_record> node_changes();
  /// Nodes held at that time. Only node 0 knows.
  std::size_t held(double at_s);
  /// Seconds for which nodes were held between these times, added up over nodes. Only node 0 knows.
  double held_node_s(double from_s, double to_s);
  /// Those made between these times; their own count from the first. Only node 0 knows.
  std::vector<decision_summary> decisions(double from_s, double to_s);

 private:
  struct kernel_figures {
    call_statistics::durations durations{};
    first_times first;
  };
  call_statistics take_kernels() OVLP_REQUIRES(mutex_);

  bool keeps_work_over_time_ = false;
  mutex mutex_;
  by_call<call_statistics> calls_ OVLP_GUARDED_BY(mutex_);
  std::vector<std::vector<std::uint32_t>> collections_;  ///< by graph and operation; from the beginning on
  kernel_table<kernel_figures> kernels_ OVLP_GUARDED_BY(mutex_);
  std::vector<node_record> nodes_ OVLP_GUARDED_BY(mutex_);
  std::vector<decision_summary> decisions_ OVLP_GUARDED_BY(mutex_);
};

/// Fills in what the statistics of all nodes say. `start_s` is when the call began; `on_node_0` knows the nodes held.
void fill(summary& figures, call_statistics const& all, analysis::dynamic_efficiency::report const& efficiency,
          double start_s, statistics_sink& on_node_0);

/// Writes durations of kernels. Errors: io_error.
/// Format: docs/formats/durations.md.
void write_durations(std::string const& file, call_statistics::kernel_durations const& all,
                     std::string const& reference_core);

}  // namespace OVLP_CORE
}  // namespace ovlp
