// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include <ovlp/threads/communication.hpp>

namespace ovlp::shared_memory {

/// Threads that are to be shared out among nodes: what each two exchange, and how much work each has.
struct partition_problem {
  communication_matrix bytes;
  std::vector<double> work;
  std::size_t nodes = 1;
};
using partition = std::vector<std::size_t>;  // the node of each thread

double bytes_between_nodes(partition_problem const& problem, partition const& of);
/// Of the node that has most.
double most_work(partition_problem const& problem, partition const& of);

/// A partition with fewer bytes between nodes, from this one on, whose nodes each have at most so much work, or what
/// they have at first: again and again the move of a thread to another node, or the swap of two, that saves most.
/// Cost of a step: O(threads x nodes + nodes^2).
/// Source: B. Kernighan, S. Lin, An efficient heuristic procedure for partitioning graphs, Bell System Technical
/// Journal 49 (1970), with moves, and downhill only.
partition improved(partition_problem const& problem, partition start, double work_limit);

/// Another start: thread by thread, the one that exchanges most with those that are placed, to the node it exchanges
/// most with that has room for it; else to the one with the least work.
partition grown(partition_problem const& problem, double work_limit);

}  // namespace ovlp::shared_memory
