// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ovlp/analysis/critical_path.hpp>
#include <ovlp/analysis/dynamic_efficiency.hpp>
#include <ovlp/analysis/path_costs.hpp>
#include <ovlp/analysis/pop_metrics.hpp>
#include <ovlp/records/recorded_run.hpp>
#include <ovlp/records/run_recorder.hpp>

namespace ovlp {
struct summary;
}

namespace ovlp::analysis {

/// What a checker has to know of records beside what they say.
struct records_seen {
  /// One process of a real run tells of its own node only, and one that was ended not all of that: what needs both ends
  /// of a message, or the step after its kernels, is then not checked.
  bool of_all_nodes = true;
  /// A replayed trace of an MPI program has no kernels: its bursts are work; and its ranks wait within calls of MPI.
  bool of_flow_graphs = true;
  double clock_error_s = 0;  ///< by so much times of different nodes may be wrong
  double burst_s = 0;        ///< so long a node may compute beyond its capacity: a quota's period
  double most_speed = 1;     ///< as many times as fast as its capacity says a node may be: speeds that change
  double shared_cores = 0;   ///< that a node may have, of the reference kind, if nodes share a host's; else 0

  /// Of a stored run.
  static records_seen of(run_facts const& about);
};

struct checked_records;

/// What must hold in every run, whatever it did, checked against all that it emitted. Which identities there are stands
/// at the head of identities.cpp, each with the reason why it holds.
///
/// Each broken identity gives one line: the identity, the first records that break it with their numbers, and how many
/// others do. Calls that have not ended (a run that failed) need not be complete: nothing happens twice there, and
/// nothing before its cause.
///
/// The run outlives it. Thread: one at a time.
class identities {
 public:
  explicit identities(recorded_run const& run, records_seen what = {});
  ~identities();

  /// Of the records. Empty: all hold.
  std::vector<std::string> broken() const;
  /// Of the records, and of all figures that analyses compute from them: the path, efficiencies, intervals.
  std::vector<std::string> broken_anywhere() const;

  // Of figures that were computed from the same records elsewhere.
  std::vector<std::string> broken(critical_path const& path, path_costs const& costs) const;
  /// The run's first, as pop_metrics::find gives them.
  std::vector<std::string> broken(std::vector<pop_window> const& windows) const;
  /// Of that call. `figures`: as dynamic_efficiency::take gives them from the steps.
  std::vector<std::string> broken(std::uint64_t call, dynamic_efficiency::report const& figures) const;
  /// Of the call of the main program that ended last.
  std::vector<std::string> broken(summary const& figures) const;

 private:
  std::unique_ptr<checked_records> const implementation_;
};

}  // namespace ovlp::analysis
