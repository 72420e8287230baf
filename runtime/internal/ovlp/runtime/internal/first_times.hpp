// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <ovlp/runtime/internal/program.hpp>

namespace ovlp {

/// Which DPS threads have done a kernel where they live: the first time it may find memory that nobody has touched.
class first_times {
 public:
  /// Whether the thread does it for the first time since it came to the node.
  bool operator()(node_id node, thread_address thread) {
    if (done_on_.size() <= thread.collection) done_on_.resize(thread.collection + 1);
    std::vector<node_id>& of_collection = done_on_[thread.collection];
    if (of_collection.size() <= thread.index) of_collection.resize(thread.index + 1, nowhere);
    bool const first = of_collection[thread.index] != node;
    of_collection[thread.index] = node;
    return first;
  }

 private:
  static constexpr node_id nowhere = ~node_id{0};
  std::vector<std::vector<node_id>> done_on_;  ///< by collection and index of the thread
};

}  // namespace ovlp
