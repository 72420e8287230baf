// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ovlp/records/recorded_run.hpp>

namespace ovlp::analysis {

/// The efficiencies of the POP Centre of Excellence in a window of time. With u_p the work that node p did in it and
/// a_p the node-seconds, in cores of the reference kind, that it was held:
///   parallel            = sum u / sum a = load_balance * communication
///   communication       = max_p(u_p / a_p), of nodes that were held for 1 % of the window at least; parallel at least
///   load_balance        = parallel / communication
///   transfer            = sum a of the same window on the ideal network / sum a
///   serialization       = communication / transfer
///   computation_scaling = sum u of the reference run / sum u
///   global              = parallel * computation_scaling
/// Where the nodes are the same all the time, these are the published definitions: serialization is then
/// max_p(u_p) / time on the ideal network, as long as a node does the same work there.
///
/// Windows of two runs can be compared where they hold the same work. Those of iterations that overlap do not: an
/// interval has transfer and serialization only where at most 1 % of its work is misplaced, in both runs.
/// Source: docs/reading-a-run.md; https://pop-coe.eu/node/69
struct pop_window {
  std::uint64_t call;      ///< of the iteration
  std::int32_t iteration;  ///< 0: the run
  double start_s, end_s;
  double work_s;          ///< sum u
  double node_seconds_s;  ///< sum a
  double parallel, load_balance, communication;
  double misplaced_s;  ///< work of other iterations, or calls, in the window, and of its own elsewhere
  std::optional<double> serialization, transfer;      ///< with the run on an ideal network
  std::optional<double> computation_scaling, global;  ///< with a reference run
  std::vector<std::string> remarks;                   ///< why a figure is above 1, or missing
};

/// Of a run, and of each iteration: of its interval, (C_{k-1}, C_k] as iteration_efficiency says. A step's work is
/// spread evenly over its time. The run outlives it. Thread: any.
class pop_metrics {
 public:
  /// `shared_cores`: nodes of the run share the cores of a host, as those of a real run do that are on one machine.
  explicit pop_metrics(recorded_run const& run, bool shared_cores = false);
  ~pop_metrics();

  /// The run, from its first record to the end of its last call, then the iterations of each call.
  /// `ideal`: the same run on a network without latency, of infinite bandwidth, and without cost of communication.
  /// Calls of both are matched (match_calls); what one of the runs alone has is not compared.
  /// Errors: ovlp::error, if no call has ended.
  std::vector<pop_window> find(pop_metrics const* ideal = nullptr, pop_metrics const* reference = nullptr) const;

 private:
  struct implementation;
  std::unique_ptr<implementation> const implementation_;
};

}  // namespace ovlp::analysis
