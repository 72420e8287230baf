// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ovlp/mpi/potential_overlap.hpp>
#include <ovlp/mpi/trace.hpp>

namespace ovlp::mpi {

/// The rank that sends the most bytes, of equal ones the first: the worst case, as in section 3.1.
/// Errors: config_error for a trace without messages.
rank_id rank_that_sends_most(trace const& of);

/// What a trace says of one rank's code, per iteration.
///
/// Messages: those that the rank sends to the same rank with the same tag and size are one, and a mean over them: when
/// each piece was stored last before the send, and loaded first after the receive on the other rank, on the compute
/// clocks, which stand still in MPI. Pieces that are never stored were ready, and those never loaded are needed, at the
/// interval's border. From these times follow
///   T_AP, T_AC     from the last piece stored to the send, from the receive to the first piece loaded;
///   T_P, T_C       between the first and the last piece, over the words there;
///   P(i), C(i)     the pieces in order of time;
///   N_P, N_C = N_S.
/// The k-th send to a rank, with a tag, on a communicator belongs to the k-th receive of that rank from this one with
/// them. Messages with profiles go in pieces, others whole and with no time available; all count as concurrent.
///
/// Iterations: as many as there are messages of the kind that was sent most often. Kinds that are sent once, while
/// others are sent again, are no part of an iteration. T_comp is all the rank computes over the iterations, and
/// collectives are counted in the same way, by the size of their communicator.
///
/// Cost: O(records).
/// Errors: config_error, naming ranks and message, for a rank that computes or sends nothing, a message without a
/// partner, profiles that the trace does not have, and of one kind of message profiles in different numbers of pieces.
code_parameters overlap_parameters_of(trace const& of, rank_id rank);

}  // namespace ovlp::mpi
