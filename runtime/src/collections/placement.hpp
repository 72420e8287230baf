// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <ovlp/flowgraph/mapping.hpp>
#include <ovlp/runtime/internal/program.hpp>
#include <ovlp/runtime/internal/synchronization.hpp>

namespace ovlp::OVLP_INLINE_CORE {

/// Where the threads of a collection live. Constant.
class placement {
 public:
  /// By index of thread.
  explicit placement(std::vector<node_id> nodes);

  std::size_t size() const { return node_of_.size(); }
  node_id node_of(std::size_t thread) const { return node_of_[thread]; }
  /// The how-manieth of its node it is.
  std::size_t place_of(std::size_t thread) const { return place_of_[thread]; }
  /// Those of a node, ascending.
  std::span<std::uint32_t const> threads_of(node_id node) const;

 private:
  std::vector<node_id> node_of_;
  std::vector<std::uint32_t> place_of_;
  std::vector<std::uint32_t> threads_;  ///< by node, then index
  std::vector<std::uint32_t> begins_;   ///< by node: where its threads begin in threads_
};

/// The latest placement of each collection, which the nodes of a process share. Thread: any.
class placements {
 public:
  /// Of a run of so many nodes.
  placements(program const& known, std::size_t nodes) : program_(known), nodes_(nodes), latest_(known.collections()) {}

  /// By the first mapping, whose version is 0. Errors: config_error.
  std::shared_ptr<placement const> first(std::uint32_t collection);
  /// A version has the same nodes whoever tells them.
  std::shared_ptr<placement const> of(std::uint32_t collection, std::uint32_t version,
                                      std::vector<node_id> const& nodes);

 private:
  struct latest {
    std::uint32_t version = 0;
    std::shared_ptr<placement const> is;
  };
  program const& program_;
  std::size_t const nodes_;
  mutex mutex_;
  std::vector<latest> latest_ OVLP_GUARDED_BY(mutex_);  ///< by collection
};

}  // namespace ovlp::OVLP_INLINE_CORE
