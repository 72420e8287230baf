// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include <ovlp/mpi/trace.hpp>

/// What a traced rank writes while it runs, and `ovlp trace` makes a trace of: `rank-0.raw` and so on. Both are of one
/// build on one kind of machine, so that the format needs no more than to be found out when it is cut or another one.
///
/// A file is `magic`, then entries: a byte `kind`, and the structure of this name as it is in memory. Text is its
/// length (u32) and its bytes. Its last entry is an `end`.
namespace ovlp::mpi::raw {

inline constexpr std::array<char, 8> magic{'o', 'v', 'l', 'p', 'r', 'a', 'w', '3'};

/// At most so many pieces of a message; each is some words of 8 bytes.
inline constexpr std::uint64_t most_pieces = 1024;

enum class kind : std::uint8_t {
  begin = 1,
  communicator,
  send,
  receive,
  received,
  wait,
  collective,
  accesses,
  unseen,
  left_out,
  end,
};

/// A call of MPI begins. The clock stands still until it ends.
struct moment {
  std::uint64_t clock = 0;  ///< words that instrumented code of the rank has accessed before
  double compute_s = 0;     ///< CPU time of the calling thread outside MPI before
};

struct begin {
  moment when;  ///< MPI_Init: what was before, such as loading the program, is none of the rank's computation
  std::int32_t rank = 0, ranks = 0;
  std::uint32_t instrumented = 0;  ///< 0: nothing that was accessed has been seen
};                                 // text: the file of the library that wrote this; text: the file of the program

/// A communicator, before the first entry that uses it.
struct communicator {
  std::uint32_t id = 0;  ///< of this rank
  std::uint32_t members = 0;
};  // text: a key that all members have, and of no other communicator; then members (i32 each), as ranks of all

/// A record of the trace to be, and when its call began. Communicators are the rank's own.
template <class Record>
struct timed : Record {
  moment when;
};
using send = timed<mpi::send>;
using receive = timed<mpi::receive>;        ///< what was asked for, if there is a request: source and tag may be any
using wait = timed<mpi::wait>;              ///< a non-blocking call has ended, and this call has seen it
using collective = timed<mpi::collective>;  // then `counts` numbers: bytes for each rank (u64 each)

/// A non-blocking receive has ended with this message.
struct received {
  std::uint32_t request = 0;
  std::uint32_t cancelled = 0;
  std::int32_t from = 0, tag = 0;
  std::uint64_t bytes = 0;
};

/// Of a message, the n-th send or receive of this file from 0: the times at which its pieces were stored last, or
/// loaded first. It may stand anywhere after the message.
struct accesses {
  std::uint64_t message = 0;
  std::uint64_t begin = 0, end = 0;  ///< of the interval
  std::uint32_t pieces = 0;
};  // then the pieces' times: each the difference to the one before (of the first: to begin), zigzag, 7 bits a byte

/// The time of a piece that was never accessed in the interval.
inline constexpr std::uint64_t never = 0;

/// Of the messages of one call: how many of their words no instrumented code has stored, or loaded.
struct unseen {
  std::uint64_t messages = 0, words = 0, unseen_words = 0;
  std::uint32_t receives = 0;
};  // text: the call and where it is

/// Calls that move data and are not traced.
struct left_out {
  std::uint64_t calls = 0;
};  // text: its name

struct end {
  moment when;
  std::uint64_t entries = 0;  ///< before this one
};

/// The pieces of a message: each of so many bytes, the last one perhaps of less.
inline constexpr std::uint64_t piece_bytes(std::uint64_t message_bytes) {
  std::uint64_t const even = (message_bytes + most_pieces - 1) / most_pieces;
  return even < 8 ? 8 : (even + 7) / 8 * 8;
}
inline constexpr std::uint64_t pieces(std::uint64_t message_bytes) {
  return (message_bytes + piece_bytes(message_bytes) - 1) / piece_bytes(message_bytes);
}

static_assert(std::is_trivially_copyable_v<send> && std::is_trivially_copyable_v<collective>);

}  // namespace ovlp::mpi::raw
