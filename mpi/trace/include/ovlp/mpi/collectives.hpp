// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ovlp/mpi/describe.hpp>
#include <ovlp/mpi/trace.hpp>

namespace ovlp::mpi {

/// What one rank does in a collective.
struct collective_part {
  collective const& what;
  std::span<rank_id const> members;       ///< of the communicator, by place
  std::size_t place;                      ///< of the rank among them
  std::span<std::uint64_t const> counts;  ///< bytes for each place; empty: they are all alike
  std::int32_t tag;                       ///< of its messages
};

/// Algorithms that make point-to-point messages of collectives. Bytes are moved; combining them takes no time.
/// Source: R. Thakur, R. Rabenseifner, W. Gropp, Optimization of collective communication operations in MPICH, 2005.
struct collective_algorithm {
  operation of;
  std::string_view name;
  std::vector<record> (*part)(collective_part const&);
};
/// The first one of each operation is what it does unless something else is said.
std::span<collective_algorithm const> collective_algorithms();

/// By operation, which algorithm.
class collective_choice {
 public:
  /// `text`: names with commas between: "linear" for all operations that know it, "all_reduce=ring" for one.
  /// Errors: config_error, naming what there is.
  explicit collective_choice(std::string const& text);
  collective_choice() : collective_choice("") {}

  std::string_view name(operation o) const { return chosen_[static_cast<std::size_t>(o)]->name; }
  /// The sends, receives and waits of a rank, in order; requests are numbered from 0. Messages are blocking or not as
  /// the algorithm has them, and by_size. Ranks that exchange messages agree, if what they give and get does.
  std::vector<record> point_to_point(collective_part const& part) const {
    return chosen_[static_cast<std::size_t>(part.what.what)]->part(part);
  }

 private:
  void choose(std::string_view word);

  std::array<collective_algorithm const*, operation_names.size()> chosen_{};
};

/// The tags of messages of collectives are below those of programs: of the n-th one of a communicator, n from 0.
inline std::int32_t collective_tag(std::size_t n) {
  return -1 - static_cast<std::int32_t>(n % std::numeric_limits<std::int32_t>::max());
}

}  // namespace ovlp::mpi
