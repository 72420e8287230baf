// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <ovlp/records/summary.hpp>

namespace ovlp::lab::calibrate {

/// How much a node may compute.
struct node_limits {
  double cores = 1;     ///< that its processes may use in the long run
  double period_s = 0;  ///< in which a quota is renewed; 0: there is none
};

/// What experiments ask beside the figures of a run: of real nodes the operating system, of simulated ones whoever
/// knows the platform.
class node_clocks {
 public:
  node_clocks() = default;
  node_clocks(node_clocks const&) = delete;
  node_clocks& operator=(node_clocks const&) = delete;
  virtual ~node_clocks() = default;

  // In an operation, of the node that it runs on.
  /// CPU time so far.
  virtual double node_cpu_s(std::uint32_t node) const = 0;
  virtual node_limits limits(std::uint32_t node) const = 0;
  /// Of the thread that asks.
  virtual double thread_cpu_s() const = 0;

  // In the main program.
  /// Lets so much time pass in which nodes do nothing.
  virtual void rest(double seconds) = 0;
  /// The figures of a call whose CPU time is asked for.
  virtual void ended(summary const& /*call*/) {}
};

/// Of nodes that are processes.
class process_clocks final : public node_clocks {
 public:
  double node_cpu_s(std::uint32_t) const override;
  node_limits limits(std::uint32_t) const override { return limits_; }
  double thread_cpu_s() const override;
  void rest(double seconds) override;

 private:
  static node_limits own_limits();
  node_limits const limits_ = own_limits();  // once: what asking costs must not stand in a measurement
};

}  // namespace ovlp::lab::calibrate
