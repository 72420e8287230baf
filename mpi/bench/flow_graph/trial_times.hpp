// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <vector>

#include <ovlp/records/sink.hpp>

namespace ovlp::overlap_bench {

/// When what happened on a node in one trial, on the run's clock, simulated or not.
struct node_times {
  double start_s = std::numeric_limits<double>::infinity();    ///< the operation begins
  double posted_s = std::numeric_limits<double>::infinity();   ///< it is initiated: the first piece of work is posted
  double worked_s = -std::numeric_limits<double>::infinity();  ///< the last piece of work has ended
  double ended_s = -std::numeric_limits<double>::infinity();   ///< the node's last step of the operation has ended
};

/// Reads these times off the records of the graph "trial", with operations "operate" (whose port 1 is for work), "take"
/// and "work".
/// Thread: any.
class trial_times final : public record_sink {
 public:
  void begin(run_definitions const& of) override;
  void step(step_record const& record) override;
  void post(post_record const& record) override;

  /// Of the trial that a node has been part of last; then it forgets them.
  node_times take(std::uint32_t node);

 private:
  enum class role : std::uint8_t { operate, take, work, none };
  role role_of(operation_place const& at) const;

  std::uint32_t graph_ = 0;
  std::vector<role> roles_;  // of its operations
  std::mutex mutex_;         // of all below
  std::map<std::uint32_t, node_times> nodes_;
};

}  // namespace ovlp::overlap_bench
