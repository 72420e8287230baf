// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <ovlp/threads/counters.hpp>

/// Which threads of a program communicate through memory, and how much.
namespace ovlp::shared_memory {

/// How much each two threads communicate: symmetric, and 0 of a thread with itself.
class communication_matrix {
 public:
  communication_matrix() = default;
  explicit communication_matrix(std::size_t threads) : threads_(threads), cells_(threads * threads) {}

  std::size_t threads() const { return threads_; }
  double operator()(std::size_t a, std::size_t b) const { return cells_[a * threads_ + b]; }
  /// To what both do with each other.
  void add(std::size_t a, std::size_t b, double events);
  void add(communication_matrix const& other);

  double most() const;
  /// Of all pairs.
  double sum() const;
  /// The same, with `most()` at 100; zeros, if nobody communicates.
  communication_matrix normalized() const;

 private:
  std::size_t threads_ = 0;
  std::vector<double> cells_;
};

/// Mean squared error of two matrices, each normalized to 100: 0, if threads communicate alike, up to
/// (N^2 - N) / N^2 * 10^4. Source: M. Diener et al., Communication in shared memory, equation 1.
/// Errors: config_error, if they are not of equally many threads.
double mean_squared_error(communication_matrix const& a, communication_matrix const& b);

inline constexpr std::array<std::string_view, line_sources> source_names{"l1", "l2", "l3", "other_caches", "memory"};
inline constexpr std::array<std::string_view, kinds> kind_names{"communication", "spatial_false", "temporal_false"};

/// What was counted in a part of a run.
struct communication_phase {
  std::string name;  ///< empty: of the whole run, or by time
  double begin_s = 0, end_s = 0;
  std::vector<communication_matrix> of_kind;  ///< relaxed: one; accurate: as `kind` says
  std::vector<double> accesses;               ///< of each thread
  /// Accurate: to lines that no other thread accessed until then. When one does, they are taken off: of a phase it can
  /// be less than 0.
  std::vector<double> private_accesses;
  /// Accurate: lines that all threads have accessed, by where they were: a level, or a line_source.
  std::array<double, line_sources> found{};

  /// What counts as communication: all but what is temporally false.
  communication_matrix relevant() const;
};

/// Of a run.
struct communication {
  std::string program;
  definition how = definition::relaxed;
  std::uint64_t block_bytes = 64;                  ///< relaxed
  std::array<cache_level, cache_levels> caches{};  ///< accurate
  std::vector<communication_phase> phases;         ///< one or more, in time

  std::size_t threads() const { return phases.front().accesses.size(); }
  /// All phases as one.
  communication_phase whole() const;
};

}  // namespace ovlp::shared_memory
