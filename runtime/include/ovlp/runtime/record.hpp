// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace ovlp {

/// One atomic step of an operation. Times in seconds on the run's clock; work in seconds spent in kernels.
struct step_record {
  std::uint64_t call;  ///< of the main program, in which it happened
  std::uint32_t node;
  std::uint32_t graph;
  std::uint32_t operation;
  std::uint32_t thread;    ///< index in the operation's collection
  std::int32_t iteration;  ///< 0: none
  double start_s;
  double end_s;
  double computed_s;  ///< work and overhead
  double work_s;
};

/// One kernel of an operation.
struct kernel_record {
  std::uint64_t call;
  std::uint32_t node;
  std::string_view name;
  std::span<std::int64_t const> sizes;
  bool first;  ///< of this name and these sizes, in its DPS thread on this node
  double work_s;
};

/// One data object sent to another node. Bytes as the object walk counts them.
struct transfer_record {
  std::uint64_t call;
  std::uint32_t source;
  std::uint32_t destination;
  std::size_t bytes;
};

/// A node is launched, or has been released. In between it is held, whether it does anything or not.
struct node_record {
  std::uint32_t node;
  bool held;
  double at_s;
};

/// Takes what a run emits. No sink costs nothing.
/// Thread: any, several at once.
class record_sink {
 public:
  virtual ~record_sink() = default;
  virtual void step(step_record const&) = 0;
  virtual void kernel(kernel_record const&) = 0;
  virtual void transfer(transfer_record const&) = 0;
  virtual void control_message(std::uint64_t call) = 0;
  /// On node 0, in the order of their times.
  virtual void node(node_record const&) = 0;
};

}  // namespace ovlp
