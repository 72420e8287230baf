// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <ovlp/machine/event_queue.hpp>
#include <ovlp/machine/platform.hpp>

namespace ovlp::machine {

/// The speed of a node's cores, which changes by steps that are known, and in slow-downs that come by chance.
class unsteady_speed {
 public:
  /// It stays.
  unsteady_speed(double speed);
  /// Of a node of this kind whose cores have `speed` where nothing changes it. Slow-downs are drawn by the seed, for
  /// each node others.
  unsteady_speed(node_kind const& kind, double speed, std::uint64_t seed, std::size_t node);
  unsteady_speed(unsteady_speed&&) noexcept;
  ~unsteady_speed();

  double now() const { return now_; }
  /// never: it stays.
  double next_change_s() const { return next_change_s_; }
  void go_to(double now_s);

 private:
  struct changes;

  double now_;
  double next_change_s_ = never;
  std::unique_ptr<changes> changes_;  ///< nullptr: it stays
};

}  // namespace ovlp::machine
