// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ovlp::cluster {

using node_count = std::uint32_t;

/// How long a job's iterations take with each number of nodes that it can hold. A value.
class forecast {
 public:
  /// `nodes`: ascending. `time_s[i][k]`: of iteration k + 1 with nodes[i]; one value stands for all iterations.
  /// `change_s`: how long a change takes beyond that. Errors: config_error for numbers that do not fit each other.
  forecast(std::vector<node_count> nodes, std::vector<std::vector<double>> time_s, std::uint32_t iterations,
           double change_s);
  /// A job of one iteration.
  static forecast rigid(node_count nodes, double time_s);

  /// Numbers of nodes that it knows, ascending.
  std::vector<node_count> const& nodes() const { return nodes_; }
  std::uint32_t iterations() const { return iterations_; }
  double change_s() const { return change_s_; }
  /// Whether iterations take equally long.
  bool equal() const { return equal_; }
  /// The place of this number in nodes(), if it is known.
  std::optional<std::size_t> place_of(node_count nodes) const;

  /// Of iteration k from 1, with nodes()[i].
  double time_s(std::size_t i, std::uint32_t k) const { return done_s(i, k) - done_s(i, k - 1); }
  /// Of all iterations after the first `done` ones.
  double rest_s(std::size_t i, std::uint32_t done) const { return done_s(i, iterations_) - done_s(i, done); }
  /// The same with a number of nodes that it knows.
  double rest_with_s(node_count nodes, std::uint32_t done) const { return rest_s(*place_of(nodes), done); }
  /// What iteration k does with nodes()[i], of what it would do if it were as efficient as with the fewest nodes.
  double efficiency(std::size_t i, std::uint32_t k) const;

 private:
  /// Of the first k iterations.
  double done_s(std::size_t i, std::uint32_t k) const {
    return equal_ ? sums_s_[i] * k : sums_s_[i * (iterations_ + 1) + k];
  }

  std::vector<node_count> nodes_;
  std::uint32_t iterations_;
  double change_s_;
  bool equal_;                  ///< iterations take equally long
  std::vector<double> sums_s_;  ///< by number, of one iteration; or of the first 0, 1, ...
};

}  // namespace ovlp::cluster
