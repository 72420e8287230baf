// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include <ovlp/mpi/trace.hpp>

namespace ovlp::mpi {

/// When messages are produced and consumed, on average over all that have a profile: shares of the interval between two
/// messages from, or into, the same memory.
/// Source: V. Subotic et al., A simulation framework to automatically analyze the communication-computation overlap in
/// scientific applications, 2010, table II. "A quarter" is any quarter of the message's pieces: the one that is ready,
/// or needed, first.
struct access_patterns {
  struct production {
    double first;    ///< its first piece has its final value
    double quarter;  ///< a quarter of it has
    double half;
    double whole;
  };
  struct consumption {
    double nothing;  ///< can be computed without anything of the message
    double quarter;  ///< with a quarter of it
    double half;
  };
  std::optional<production> produced;  ///< none: no send has a profile
  std::optional<consumption> consumed;
  std::size_t sends = 0, receives = 0;  ///< with a profile
};
access_patterns patterns_of(trace const& of);

/// The same for messages of each size.
std::map<std::uint64_t, access_patterns> patterns_by_bytes(trace const& of);

/// That of one message: time by piece, sorted. Pieces never stored were ready from the start, pieces never loaded are
/// not needed before the end.
access_patterns::production production_of(access_profile const& profile);
access_patterns::consumption consumption_of(access_profile const& profile);

}  // namespace ovlp::mpi
