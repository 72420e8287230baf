// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

/// What the ranks of an MPI program did: bursts of computation, and calls of MPI between them. Traces are measured
/// (`ovlp trace`), read from files of other tools, or made from others; they are replayed on virtual nodes.
namespace ovlp::mpi {

/// Of a trace, from 0; in records always of all ranks, whatever the communicator.
using rank_id = std::int32_t;
using index = std::uint32_t;
inline constexpr index none = std::numeric_limits<index>::max();

/// How a message is handed over.
enum class protocol : std::uint8_t {
  by_size,     ///< eager up to a threshold of the platform, else rendezvous
  eager,       ///< the sender goes on at once
  rendezvous,  ///< the transfer begins when the receive has been posted
};

/// The rank computes. Its *compute clock* is the sum of these.
struct compute {
  double duration_s;
};

/// A message to another rank. Blocking without `request`.
struct send {
  rank_id to;
  std::int32_t tag;
  std::uint64_t bytes;
  index communicator = 0;
  index request = none;  ///< of the non-blocking call: wait{request} ends it
  index profile = none;  ///< when its bytes were stored last: trace_of_rank::profiles
  protocol how = protocol::by_size;
};

/// Blocking without `request`.
struct receive {
  rank_id from;  ///< resolved: never any source
  std::int32_t tag;
  std::uint64_t bytes;
  index communicator = 0;
  index request = none;
  index profile = none;  ///< when its bytes were loaded first
};

inline rank_id partner_of(send const& s) { return s.to; }
inline rank_id partner_of(receive const& r) { return r.from; }

/// Goes on when the non-blocking call has ended. A wait for all is several of these.
struct wait {
  index request;
};

enum class operation : std::uint8_t {
  barrier,
  broadcast,
  gather,
  scatter,
  all_gather,
  all_to_all,
  reduce,
  all_reduce,
  reduce_scatter,
  scan,
  exclusive_scan,
};

/// A call that all ranks of the communicator make, in one order. Blocking without `request`.
struct collective {
  operation what;
  index communicator = 0;
  rank_id root = 0;                  ///< where there is one
  std::uint64_t bytes_sent = 0;      ///< that this rank gives, all together
  std::uint64_t bytes_received = 0;  ///< that it gets
  index request = none;
  index counts = none;  ///< bytes for each rank, where they differ: trace_of_rank::counts
};

/// Something that the program, or another tool, wants to be seen at this place.
struct marker {
  std::uint64_t type, value;
};

using record = std::variant<compute, send, receive, wait, collective, marker>;

/// When the pieces of a message were accessed. The message is cut into equal pieces (the last one may be smaller).
///
/// Produced (of a send): time of the last store to any byte of the piece, in the interval from the send before of that
/// memory (or the rank's start) to this send. Consumed (of a receive): time of the first load of any byte of it, in the
/// interval from this receive, where a non-blocking one begins, to the next one into that memory (or the rank's end).
/// Source: V. Subotic et al., A simulation framework to automatically analyze the communication-computation overlap in
/// scientific applications, 2010, section V.A.
struct access_profile {
  double begin_s, end_s;      ///< of the interval, on the rank's compute clock
  std::vector<float> shares;  ///< of each piece, 0 at `begin_s` to 1 at `end_s`; never: never stored, or never loaded
  static constexpr float never = std::numeric_limits<float>::infinity();
};

struct trace_of_rank {
  std::vector<record> records;
  std::vector<access_profile> profiles;
  std::vector<std::vector<std::uint64_t>> counts;  ///< of collectives, by place in the communicator
};

/// Calls that the program has made, and that no record tells.
struct left_out_calls {
  std::string name;
  std::uint64_t calls;
  std::uint64_t ranks;  ///< that have made them
  bool operator==(left_out_calls const&) const = default;
};

struct trace {
  std::string name;
  std::vector<trace_of_rank> ranks;
  std::vector<std::vector<rank_id>> communicators;  ///< their members by place; the first one is all ranks
  std::vector<left_out_calls> left_out = {};
};

/// Calls function(rank, place among its records, record) for all records of this type.
template <class Record, class Function>
void each(trace const& of, Function const& function) {
  for (std::size_t rank = 0; rank < of.ranks.size(); ++rank) {
    std::vector<record> const& records = of.ranks[rank].records;
    for (std::size_t at = 0; at < records.size(); ++at)
      if (auto const* const one = std::get_if<Record>(&records[at])) function(static_cast<rank_id>(rank), at, *one);
  }
}

}  // namespace ovlp::mpi
