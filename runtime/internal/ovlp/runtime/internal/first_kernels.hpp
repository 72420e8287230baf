// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <unordered_set>

#include <boost/container_hash/hash.hpp>

#include <ovlp/runtime/internal/program.hpp>

namespace ovlp {

/// Which kernels DPS threads have done: the first one of a name and sizes on a node may find memory that nobody has
/// touched. Grows with kernels, sizes and threads.
class first_kernels {
 public:
  /// Whether this is the first one.
  bool operator()(node_id node, thread_address thread, std::string_view kernel, std::span<std::int64_t const> sizes) {
    std::size_t hash = std::hash<std::string_view>()(kernel);
    boost::hash_range(hash, sizes.begin(), sizes.end());
    boost::hash_combine(hash, node);
    boost::hash_combine(hash, thread.collection);
    boost::hash_combine(hash, thread.index);
    return done_.insert(hash).second;
  }

 private:
  std::unordered_set<std::size_t> done_;
};

}  // namespace ovlp
