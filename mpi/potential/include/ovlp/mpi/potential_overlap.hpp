// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// How much computation an MPI code has that its messages could hide behind, and what that would bring on a network.
/// From a few measured parameters, without a simulation: a network without contention, processes that are alike.
///
/// Source: J. C. Sancho, K. J. Barker, D. J. Kerbyson, K. Davis, Quantifying the potential benefit of overlapping
/// communication and computation in large-scale scientific applications, SC 2006; sections and tables below are its
/// own. What goes beyond it says so. All functions are pure; any thread. Parameters are taken as they are: whoever
/// reads them from outside checks them (overlap_parameters_file.hpp).
namespace ovlp::mpi {

/// Section 4.2, after C. Bell et al., An evaluation of current high performance networks, IPDPS 2003.
struct overlap_network {
  double latency_s;             ///< EEL, above 0: from the beginning of a send to its receipt
  double bandwidth_Bps;         ///< 1/G, above 0
  double message_gap_s = 1e-6;  ///< g: least time between the starts of two small messages
};

/// EEL + G x bytes.
double message_delay_s(overlap_network const& on, double bytes);

/// In which order equal pieces of a message are stored before it is sent, or loaded after it is received. Section 3.1:
/// P(i) and C(i).
struct access_order {
  bool descending = false;              ///< without `places`: the last word first
  std::vector<std::uint32_t> places{};  ///< of each piece its place in time, a permutation; empty: pieces are words
};

/// Section 3: how the processes of a code depend on each other.
enum class spmd {
  concurrent,  ///< they compute at the same time, and need what the others sent in the next stage
  pipelined,   ///< a process computes only after those before it: it waits for the message when it is produced
};

/// Section 3.2, figure 4.
enum class message_transfer {
  pieces,                ///< transfer 0: each piece is sent once it is produced, and waited for when it is consumed
  whole,                 ///< transfer 1: sent once all is produced, and waited for before any of it is consumed
  whole_read_in_pieces,  ///< transfer 2: as that, but each piece is waited for when it is consumed
};

constexpr double word_bytes = 8;

/// Computation that neither produces nor consumes what is sent, while the message is on its way. Sections 3.1 and 3.4.
struct independent_work {
  double after_production_s = 0;      ///< T_AP: from the end of production to the send
  double before_consumption_s = 0;    ///< T_AC: from the receive to the beginning of consumption
  double loop_distribution_s = 0;     ///< of loops that could be split into a dependent and an independent one
  double rearranged_s = 0;            ///< of subroutines that could be moved between production and consumption
  double in_collectives_s = 0;        ///< on local data, in collective operations before the consumption
  bool production_indexing = false;   ///< loop indexing: what is sent could be produced before what is not,
  bool consumption_indexing = false;  ///< and be consumed after what was not received
};

/// A message that a process sends in every iteration.
struct message_parameters {
  std::string name;
  double per_iteration = 1;     ///< how often
  double sent_words = 0;        ///< N_S, of 8 bytes
  double produced_words = 0;    ///< N_P, in the produce subroutine
  double consumed_words = 0;    ///< N_C
  double produce_period_s = 0;  ///< T_P, between two stores
  double consume_period_s = 0;  ///< T_C, between two loads
  access_order production{};
  access_order consumption{};  ///< as many places as `production`, where both have some
  independent_work independent{};
  spmd model = spmd::concurrent;
  message_transfer transfer = message_transfer::whole;  ///< in the functions below that do not ask for it
};

/// A small collective operation: 2 log2(processes) EEL, fan-in and fan-out in a binary tree. Section 4.2.
struct collective_parameters {
  std::size_t processes;  ///< at least 1
  double per_iteration;
};

/// An iteration of a code, as one process sees it.
struct code_parameters {
  std::string name;
  double computation_s;  ///< T_comp, above 0
  std::vector<message_parameters> messages;
  std::vector<collective_parameters> collectives;
};

/// All of it, with T_P x N_inner and T_C x N_inner for loop indexing, N_inner the words that are not communicated:
/// "Total" of table 3.
double independent_work_s(message_parameters const& of);

/// Time between a piece being produced and being consumed.
struct time_available {
  double least_s;  ///< of all pieces: the message is hidden when its delay is not longer
  double mean_s;
};
/// t = T_AP + T_AC + T_P (N_P - P(i) - 1) + T_C C(i), and without the last term, or the last two, for whole messages:
/// section 3.2, with all independent work for T_AP + T_AC. Of pieces larger than words, the last word produced and the
/// first one consumed count. Where more words are produced than sent, those that are sent come first with loop
/// indexing, and else are spread evenly. Concurrent messages.
/// Cost: the number of places; O(1) for words.
time_available time_available_for(message_parameters const& of, message_transfer how);

/// What the message adds to the time of an iteration though it is overlapped, at most its delay.
/// Concurrent: its delay less the least time available, if that is not negative.
/// Pipelined, sent in pieces: how much later the consumption ends than if pieces arrived the moment they are produced.
/// The first-needed piece is always waited for; later ones are if they are not injected as fast as they are consumed.
/// Section 3.3 has of that the ratio T_C / max(T_P, g); the rest is our own: the p-th word produced leaves
/// p max(T_P, g, 8 G) after the first one.
/// Pipelined and whole: all of its delay.
double exposed_delay_s(message_parameters const& of, overlap_network const& on);

/// T_overlap: concurrent, the least time available; pipelined, the part of the delay that is hidden.
double potential_overlap_s(message_parameters const& of, overlap_network const& on);
/// T_overlap / delay: 1 or more hides all of it. Section 4.3.
double normalized_overlap(message_parameters const& of, overlap_network const& on);
/// The least one of the code's concurrent messages: of pipelined ones something is always waited for (figure 6 has of
/// Sweep3D phiib, without phijb). None if all are pipelined.
std::optional<double> normalized_overlap(code_parameters const& of, overlap_network const& on);

/// Where the time of an iteration goes.
struct iteration_time {
  double computation_s;
  double messages_s;     ///< without overlap
  double exposed_s;      ///< of these, with it
  double collectives_s;  ///< never overlapped

  /// (T_comp + T_comm) / T_comp. Section 4.4.
  double normalized() const { return 1 + (messages_s + collectives_s) / computation_s; }
  double normalized_overlapped() const { return 1 + (exposed_s + collectives_s) / computation_s; }
};
iteration_time time_of_iteration(code_parameters const& of, overlap_network const& on);

/// The least bandwidth, in bytes a second, on which the overlapped iteration takes no longer than the one without
/// overlap on this network, with the same latency: figure 9. None if the code sends no bytes: it needs none.
std::optional<double> required_bandwidth(code_parameters const& of, overlap_network const& on);

}  // namespace ovlp::mpi
