// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include <ovlp/mpi/trace.hpp>

namespace ovlp::mpi {

/// How messages between two ranks are overlapped with what the ranks compute. Each mechanism can be left out, to see
/// what it brings.
struct overlap_options {
  enum class pattern {
    measured,  ///< pieces are sent when they were stored last, and waited for when they were loaded first
    ideal,     ///< chunks are spread evenly over the burst that produces, or consumes, the message
  };
  pattern from = pattern::measured;
  std::size_t chunks = 4;  ///< of each message, of whole bytes; 1: messages stay whole
  bool advancing = true;   ///< chunks are sent when they are ready, not where the send stood
  bool postponing = true;  ///< chunks are waited for when they are needed, not where the receive stood
  /// Chunks that come before their receive is posted find a buffer. Else only those of messages that are sent eagerly
  /// in the original do; others wait for the receive.
  bool double_buffering = true;
  std::uint64_t eager_bytes = 65536;  ///< largest message that is sent eagerly, if the trace leaves it open
};

/// The same program with its messages overlapped: each is cut into chunks, whose non-blocking sends begin as early, and
/// whose waits end as late, as the pattern allows. Receives are posted where they stood; sends must have ended where
/// they had to. What the ranks compute between two places stays the same, to rounding. Collectives stay as they are.
///
/// The burst of a send is what its rank computes since it waited for something; that of a receive, what it computes
/// until it sends something. Messages without a profile stay where they are when the pattern is the measured one.
/// Chunk c of n is ready at (c + 1)/n of the burst, and needed at c/n of it, when the pattern is ideal.
///
/// Source: V. Subotic et al., A simulation framework to automatically analyze the communication-computation overlap in
/// scientific applications, 2010, sections II and III.C.
/// Errors: config_error that names the rank and its record: a receive that nobody sends to.
trace overlapped(trace const& original, overlap_options const& how);

}  // namespace ovlp::mpi
