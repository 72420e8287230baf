// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <ovlp/flowgraph/buffer.hpp>
#include <ovlp/flowgraph/graph.hpp>
#include <ovlp/flowgraph/threads.hpp>
#include <ovlp/runtime/engine.hpp>

#include "node_clocks.hpp"

namespace ovlp::lab::calibrate {

/// Objects from one node to another, or the same. Each is answered by a small one.
struct stream {
  std::uint32_t from;
  std::uint32_t to;
  std::uint64_t bytes;  ///< of an object
  std::uint32_t count;
  std::uint32_t rounds = 0;  ///< of the kernel `visit`, which the receiver runs for each object; 0: it runs none
};

/// Streams that run at once.
struct pattern {
  std::vector<stream> streams;
  bool one_at_a_time = false;  ///< an object of a stream is sent when the one before has been answered
};

/// How long a pattern took.
struct measured {
  double time_s = 0;
  double work_s = 0;               ///< in kernels
  std::vector<double> node_cpu_s;  ///< by node
};

/// What is measured to describe a platform, as graphs, so that a simulation can run the same.
class patterns {
 public:
  /// Makes the graphs known to the run, whose first `nodes` they use.
  patterns(engine_base& run, node_clocks& clocks, std::uint32_t nodes);

  std::uint32_t nodes() const { return nodes_; }
  /// The last node takes part only from here on: what is run before has the others. Returns how long that takes.
  double launch_last();
  /// Lets so much time pass in which nodes do nothing.
  void rest(double seconds) { clocks_.rest(seconds); }
  measured run(pattern const& what);
  std::vector<node_limits> limits();
  /// CPU time of a thread that sends a small object to each of so many nodes, which wait for it; `cold`: after a kernel
  /// that goes through more memory than a core's own caches hold.
  double posting_s(std::uint32_t nodes, bool cold);

 private:
  struct nothing {};
  struct usage {
    std::vector<double> by_node_s;
    std::vector<node_limits> limits;
  };
  /// Memory that `visit` goes through, so that what the caches held before is gone: as real kernels do.
  struct memory {
    std::vector<double> values;
    double posting_s = 0;
  };
  struct posts {
    std::uint32_t nodes;
    bool cold;
  };
  struct posted {
    double cpu_s;
  };

  graph<pattern, nothing> make(std::size_t window);
  graph<nothing, usage> make_usage();
  graph<posts, posted> make_posting();
  static void visit(here<memory>& here, std::size_t numbers, std::uint32_t rounds);

  engine_base& run_;
  node_clocks& clocks_;
  std::uint32_t const nodes_;
  threads<memory> ends_;
  graph<pattern, nothing> at_once_, one_at_a_time_;
  graph<nothing, usage> usage_;
  graph<posts, posted> posting_;
};

}  // namespace ovlp::lab::calibrate
