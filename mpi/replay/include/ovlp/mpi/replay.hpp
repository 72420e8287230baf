// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <ovlp/machine/platform.hpp>
#include <ovlp/mpi/collectives.hpp>
#include <ovlp/mpi/trace.hpp>
#include <ovlp/records/sink.hpp>

namespace ovlp::mpi {

struct replay_options {
  /// Node of each rank. Empty: place_ranks() decides.
  std::vector<std::uint32_t> nodes = {};
  /// Largest message that a sender hands over before the receiver is there, if the trace leaves it open.
  std::uint64_t eager_bytes = 65536;
  collective_choice collectives = {};
  /// Takes what happens; nullptr: nobody. docs/overlap-replay.md says what MPI calls are there.
  record_sink* sink = nullptr;
  /// Is called now and then, with the number of the trace's records that have been passed since.
  std::function<void(std::size_t)> progress = {};
};

/// Where a rank's time went. They add up to `end_s`.
struct rank_times {
  double computing_s = 0;   ///< in bursts: with several ranks a core, also while others have it
  double sending_s = 0;     ///< in sends that did not return at once
  double waiting_s = 0;     ///< in receives and waits
  double collective_s = 0;  ///< in collectives
  double end_s = 0;         ///< of its last record
};

struct replay_result {
  double time_s = 0;  ///< until the last rank has ended
  std::vector<rank_times> ranks;
  /// Those of collectives too.
  struct traffic {
    std::uint64_t messages = 0, bytes = 0;
  };
  traffic all, between_nodes;
};

/// In blocks, as even as can be, over the nodes of the platform, or as many of them as there are ranks; with `text`, as
/// a mapping of ovlp: "node0*2 node1". Errors: config_error.
std::vector<std::uint32_t> place_ranks(std::size_t ranks, machine::platform const& on, std::string const& text = "");

/// What the trace's program would do on a platform, in simulated time. Each rank is a thread of its node:
///
/// - a burst computes on its node's processor, which ranks of a node share; the trace's seconds are those of the
///   reference core;
/// - a message goes the machine's way, with the platform's network, transport and costs; within a node it takes no
/// time;
/// - an eager message goes when it is sent, and so does its sender, when it has done what the message costs there; one
/// by
///   rendezvous goes when it has been sent and its receive has begun, and its sender goes on when it is across;
/// - messages of one source, destination, tag and communicator are received in the order of their sending;
/// - a collective is made of messages (collectives.hpp). A non-blocking one goes on by itself.
///
/// `what`: as check() wants it. Units: seconds from the start of the program. The same arguments give the same result.
/// Errors: `stalled`, in one line, if ranks wait for each other for ever: names them, their calls and what they wait
/// for; config_error if a rank's node is not one of the platform's.
/// Cost: O(log n) for a record, n = what is on its way at once; no OS thread, no fiber. Memory: beside the trace some
/// 200 bytes for each message that is on its way. Source: the model of Dimemas (Girona, Labarta, Badia, EuroPVM/MPI
/// 2000) with the platform's network in the place of its; a rendezvous costs no messages of its own, as there.
replay_result replay(trace const& what, machine::platform const& on, replay_options const& how = {});

}  // namespace ovlp::mpi
