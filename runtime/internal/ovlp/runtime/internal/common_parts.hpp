// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>

#include <ovlp/runtime/internal/program.hpp>
#include <ovlp/runtime/internal/synchronization.hpp>

namespace ovlp::OVLP_INLINE_CORE {

class loop_pool;
class placements;

/// What the nodes that live in one process have in common: in a simulation all of them, so that a node that does
/// nothing costs next to nothing. It outlives them. Thread: any.
class common_parts {
 public:
  /// Of a run of so many nodes.
  common_parts(program const& known, std::size_t nodes, std::size_t stack_bytes);
  common_parts(common_parts const&) = delete;
  common_parts& operator=(common_parts const&) = delete;
  ~common_parts();

  loop_pool& loops() { return *loops_; }
  ovlp::placements& placements() { return *placements_; }

 private:
  std::unique_ptr<loop_pool> loops_;
  std::unique_ptr<ovlp::placements> placements_;
};

}  // namespace ovlp::OVLP_INLINE_CORE
