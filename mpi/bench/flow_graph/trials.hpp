// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ovlp/ovlp.hpp>

#include "bench/benchmark.hpp"
#include "trial_times.hpp"

namespace ovlp::overlap_bench {

/// What goes from one node to another in an operation.
struct block {
  std::uint32_t to;     ///< the node's rank in the operation
  std::uint32_t phase;  ///< of the operation, from 0
  buffer<double> content;
};

/// Runs trials of operations as flow graphs, one call of a graph each, in either backend.
///
///                                            blocks, to all as the operation wants
///   release ==> align --> operate ==========================================> take --> ended --> finish ==> report
///   node 0      each         |                                               each     |          node 0      each
///               node         `==========================================> work -------'
///                              pieces of work, on the same node
///
/// Node 0 conducts; the operation is among the others, rank r on node r + 1. So node 0's messages that begin a trial
/// take the same way to all ranks; what tells it that a trial has ended crosses when blocks have. `operate` posts the
/// blocks that its rank can give at once, then the work, which another thread of the node does in an execution thread
/// of its own, then waits for blocks, and posts those that depend on them.
///
/// Source of the algorithms: flat ones between the root and all others; everybody to everybody; all-reduce as reduce
/// and broadcast; barrier by dissemination (D. Hensgen, R. Finkel, U. Manber, "Two algorithms for barrier
/// synchronization", International Journal of Parallel Programming 17, 1988).
class trials {
 public:
  /// Makes its graph known to the run, which has at least three nodes. `add_s`: what adding a number of a reduction
  /// takes in a simulation. Errors: config_error if there are fewer nodes.
  trials(engine_base& run, double add_s);

  std::size_t ranks() const { return ranks_; }
  /// As trial_runner. Errors: as a call of a graph.
  std::vector<run_times> run(trial const& what, std::size_t runs);

 private:
  struct order {
    operation what;
    std::uint64_t bytes;
    std::int64_t work_ps;  ///< picoseconds: a size of the kernel, which is a whole number
    std::uint32_t slices;
    double start_s;     ///< for all at once, on this clock; of another clock, and in a simulation, at once
    std::string clock;  ///< base::monotonic_clock_name()
  };
  struct piece {
    std::int64_t work_ps;
  };
  struct taken {};
  /// Of a rank, in the thread where it operates.
  struct rank_state {
    buffer<double> content;                 ///< what it gives to others
    buffer<double> sum;                     ///< of what it has and has got: reductions
    bool reduces = false;                   ///< what comes in phase 0 is added to `sum`
    std::array<std::size_t, 64> arrived{};  ///< blocks, by phase
  };
  using ranks_here = here<rank_state>;

  static void operate(ranks_here& here, order what, out<block>& blocks, out<piece>& work);
  static taken take(ranks_here& here, block block);
  graph<order, std::vector<run_times>> make() const;

  engine_base& run_;
  std::size_t ranks_;
  threads<> conductor_;
  threads<rank_state> operators_;
  threads<> workers_;
  std::shared_ptr<trial_times> times_ = std::make_shared<trial_times>();
  graph<order, std::vector<run_times>> graph_;
};

}  // namespace ovlp::overlap_bench
