// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "patterns.hpp"

namespace ovlp::lab::calibrate {

/// Rounds of the kernel `visit` that take as long as a short kernel of an application, some 0.1 ms, a usual one, 0.5
/// ms, and a large one. What comes after a kernel finds caches cold, and the colder the longer it was.
constexpr std::uint32_t short_kernel = 8, usual_kernel = 50, large_kernel = 400;

/// Of an object that is longer than any burst, that costs more than its answer, and that a node with a tenth of a core
/// copies before its quota is used up.
constexpr std::uint32_t single_bytes = 1'600'000;

/// The nodes whose platform is to be described. What experiments ask of them begins after a pause in which quotas are
/// renewed and token buckets fill.
class measured_nodes {
 public:
  explicit measured_nodes(patterns& ask) : ask_(ask) {}

  /// Before anything else: launches all nodes, the last one while the others wait. Returns how long that one takes.
  double launch_s();

  std::uint32_t count() const { return ask_.nodes(); }
  /// Of each node but the first, which may be on a machine of its own.
  node_limits const& limits() const { return limits_; }

  measured run(pattern const& what);
  /// As patterns::posting_s(), the median of several.
  double posting_s(std::uint32_t nodes, bool cold);

 private:
  patterns& ask_;
  node_limits limits_;
};

}  // namespace ovlp::lab::calibrate
