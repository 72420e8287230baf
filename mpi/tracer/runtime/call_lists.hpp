// SPDX-License-Identifier: BSD-3-Clause
// Calls of MPI by what is alike of them. X(its name, in small letters), as the non-blocking form and Fortran's have it.

#pragma once

// clang-format off
/// Messages, which MPI has in a blocking, a non-blocking and a persistent form.
#define OVLP_MESSAGE_CALLS(X) X(Send, send) X(Ssend, ssend) X(Bsend, bsend) X(Rsend, rsend) X(Recv, recv)

/// Collective calls, which MPI has in a blocking and a non-blocking form; but for the barrier, which has no counts, and
/// for those with several types.
#define OVLP_COLLECTIVE_CALLS(X) \
  X(Bcast, bcast) X(Gather, gather) X(Gatherv, gatherv) X(Scatter, scatter) X(Scatterv, scatterv) \
  X(Allgather, allgather) X(Allgatherv, allgatherv) X(Alltoall, alltoall) X(Alltoallv, alltoallv) X(Reduce, reduce) \
  X(Allreduce, allreduce) X(Scan, scan) X(Exscan, exscan) X(Reduce_scatter, reduce_scatter) \
  X(Reduce_scatter_block, reduce_scatter_block) X(Neighbor_allgather, neighbor_allgather) \
  X(Neighbor_allgatherv, neighbor_allgatherv) X(Neighbor_alltoall, neighbor_alltoall) \
  X(Neighbor_alltoallv, neighbor_alltoallv)

/// Others that the trace has, and Fortran converts one argument after the other.
#define OVLP_CALLS_OF_ONE_FORM(X) \
  X(Sendrecv, sendrecv) X(Sendrecv_replace, sendrecv_replace) X(Start, start) X(Request_free, request_free) \
  X(Wait, wait) X(Test, test) X(Probe, probe) X(Iprobe, iprobe) X(Mprobe, mprobe) X(Improbe, improbe) X(Mrecv, mrecv) \
  X(Imrecv, imrecv) X(Comm_dup, comm_dup) X(Comm_idup, comm_idup) X(Comm_dup_with_info, comm_dup_with_info) \
  X(Comm_split, comm_split) X(Comm_split_type, comm_split_type) X(Comm_create, comm_create) \
  X(Comm_create_group, comm_create_group) X(Intercomm_create, intercomm_create) X(Intercomm_merge, intercomm_merge) \
  X(Cart_create, cart_create) X(Cart_sub, cart_sub) X(Graph_create, graph_create) \
  X(Dist_graph_create, dist_graph_create) X(Dist_graph_create_adjacent, dist_graph_create_adjacent) \
  X(Comm_free, comm_free) X(Comm_disconnect, comm_disconnect) X(Type_free, type_free)

// Those that communicate, synchronize, or read and write files, and that the trace does not have.

/// Of MPI 3.1, with counts. X(its name, in Fortran, its texts)
#define OVLP_CALLS_WITH_COUNTS_LEFT_OUT(X) \
  X(Win_create, win_create, 0) X(Win_allocate, win_allocate, 0) X(Win_allocate_shared, win_allocate_shared, 0) \
  X(Put, put, 0) X(Get, get, 0) X(Accumulate, accumulate, 0) X(Get_accumulate, get_accumulate, 0) X(Rput, rput, 0) \
  X(Rget, rget, 0) X(Raccumulate, raccumulate, 0) X(Rget_accumulate, rget_accumulate, 0) \
  X(File_read_at, file_read_at, 0) X(File_read_at_all, file_read_at_all, 0) X(File_iread_at, file_iread_at, 0) \
  X(File_iread_at_all, file_iread_at_all, 0) X(File_read, file_read, 0) X(File_read_all, file_read_all, 0) \
  X(File_iread, file_iread, 0) X(File_iread_all, file_iread_all, 0) X(File_read_shared, file_read_shared, 0) \
  X(File_iread_shared, file_iread_shared, 0) X(File_read_ordered, file_read_ordered, 0) \
  X(File_read_at_all_begin, file_read_at_all_begin, 0) X(File_read_all_begin, file_read_all_begin, 0) \
  X(File_read_ordered_begin, file_read_ordered_begin, 0) X(File_write_at, file_write_at, 0) \
  X(File_write_at_all, file_write_at_all, 0) X(File_iwrite_at, file_iwrite_at, 0) \
  X(File_iwrite_at_all, file_iwrite_at_all, 0) X(File_write, file_write, 0) X(File_write_all, file_write_all, 0) \
  X(File_iwrite, file_iwrite, 0) X(File_iwrite_all, file_iwrite_all, 0) X(File_write_shared, file_write_shared, 0) \
  X(File_iwrite_shared, file_iwrite_shared, 0) X(File_write_ordered, file_write_ordered, 0) \
  X(File_write_at_all_begin, file_write_at_all_begin, 0) X(File_write_all_begin, file_write_all_begin, 0) \
  X(File_write_ordered_begin, file_write_ordered_begin, 0)
/// All of MPI 3.1.
#define OVLP_CALLS_LEFT_OUT(X) \
  OVLP_CALLS_WITH_COUNTS_LEFT_OUT(X) \
  X(Win_create_dynamic, win_create_dynamic, 0) X(Win_free, win_free, 0) X(Win_fence, win_fence, 0) \
  X(Win_start, win_start, 0) X(Win_complete, win_complete, 0) X(Win_post, win_post, 0) X(Win_wait, win_wait, 0) \
  X(Win_test, win_test, 0) X(Win_lock, win_lock, 0) X(Win_lock_all, win_lock_all, 0) X(Win_unlock, win_unlock, 0) \
  X(Win_unlock_all, win_unlock_all, 0) X(Win_flush, win_flush, 0) X(Win_flush_all, win_flush_all, 0) \
  X(Win_flush_local, win_flush_local, 0) X(Win_flush_local_all, win_flush_local_all, 0) X(Win_sync, win_sync, 0) \
  X(Fetch_and_op, fetch_and_op, 0) X(Compare_and_swap, compare_and_swap, 0) X(Comm_spawn, comm_spawn, 2) \
  X(Comm_spawn_multiple, comm_spawn_multiple, 2) X(Comm_accept, comm_accept, 1) X(Comm_connect, comm_connect, 1) \
  X(Comm_join, comm_join, 0) X(File_open, file_open, 1) X(File_close, file_close, 0) X(File_delete, file_delete, 1) \
  X(File_set_size, file_set_size, 0) X(File_preallocate, file_preallocate, 0) X(File_set_info, file_set_info, 0) \
  X(File_set_view, file_set_view, 1) X(File_set_atomicity, file_set_atomicity, 0) X(File_sync, file_sync, 0) \
  X(File_seek_shared, file_seek_shared, 0) X(File_read_at_all_end, file_read_at_all_end, 0) \
  X(File_read_all_end, file_read_all_end, 0) X(File_read_ordered_end, file_read_ordered_end, 0) \
  X(File_write_at_all_end, file_write_at_all_end, 0) X(File_write_all_end, file_write_all_end, 0) \
  X(File_write_ordered_end, file_write_ordered_end, 0)

/// Of MPI 4, in C: what has no form in MPI 3.1, and no name that follows from one there. X(its name)
#define OVLP_CALLS_OF_MPI_4_LEFT_OUT(X) \
  X(Isendrecv) X(Isendrecv_replace) X(Barrier_init) X(Psend_init) X(Precv_init) X(Pready) X(Pready_list) \
  X(Pready_range) X(Parrived) X(Comm_create_from_group) X(Intercomm_create_from_groups) X(Session_init) X(Mrecv_c) \
  X(Imrecv_c) X(Sendrecv_c) X(Sendrecv_replace_c) X(Isendrecv_c) X(Isendrecv_replace_c)
// clang-format on
