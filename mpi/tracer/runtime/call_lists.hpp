// SPDX-License-Identifier: BSD-3-Clause
// The calls of MPI that communicate, synchronize, or read and write files, and that the trace does not have.
#pragma once

// clang-format off
/// Of MPI 3.1. X(its name, in Fortran, its texts)
#define OVLP_CALLS_LEFT_OUT(X) \
  X(Win_create, win_create, 0) X(Win_allocate, win_allocate, 0) X(Win_allocate_shared, win_allocate_shared, 0) \
  X(Win_create_dynamic, win_create_dynamic, 0) X(Win_free, win_free, 0) X(Win_fence, win_fence, 0) \
  X(Win_start, win_start, 0) X(Win_complete, win_complete, 0) X(Win_post, win_post, 0) X(Win_wait, win_wait, 0) \
  X(Win_test, win_test, 0) X(Win_lock, win_lock, 0) X(Win_lock_all, win_lock_all, 0) X(Win_unlock, win_unlock, 0) \
  X(Win_unlock_all, win_unlock_all, 0) X(Win_flush, win_flush, 0) X(Win_flush_all, win_flush_all, 0) \
  X(Win_flush_local, win_flush_local, 0) X(Win_flush_local_all, win_flush_local_all, 0) X(Win_sync, win_sync, 0) \
  X(Put, put, 0) X(Get, get, 0) X(Accumulate, accumulate, 0) X(Get_accumulate, get_accumulate, 0) \
  X(Fetch_and_op, fetch_and_op, 0) X(Compare_and_swap, compare_and_swap, 0) X(Rput, rput, 0) X(Rget, rget, 0) \
  X(Raccumulate, raccumulate, 0) X(Rget_accumulate, rget_accumulate, 0) \
  X(Comm_spawn, comm_spawn, 2) X(Comm_spawn_multiple, comm_spawn_multiple, 2) X(Comm_accept, comm_accept, 1) \
  X(Comm_connect, comm_connect, 1) X(Comm_join, comm_join, 0) \
  X(File_open, file_open, 1) X(File_close, file_close, 0) X(File_delete, file_delete, 1) \
  X(File_set_size, file_set_size, 0) X(File_preallocate, file_preallocate, 0) X(File_set_info, file_set_info, 0) \
  X(File_set_view, file_set_view, 1) X(File_set_atomicity, file_set_atomicity, 0) X(File_sync, file_sync, 0) \
  X(File_seek_shared, file_seek_shared, 0) X(File_read_at, file_read_at, 0) \
  X(File_read_at_all, file_read_at_all, 0) X(File_iread_at, file_iread_at, 0) \
  X(File_iread_at_all, file_iread_at_all, 0) X(File_read, file_read, 0) X(File_read_all, file_read_all, 0) \
  X(File_iread, file_iread, 0) X(File_iread_all, file_iread_all, 0) X(File_read_shared, file_read_shared, 0) \
  X(File_iread_shared, file_iread_shared, 0) X(File_read_ordered, file_read_ordered, 0) \
  X(File_read_at_all_begin, file_read_at_all_begin, 0) X(File_read_at_all_end, file_read_at_all_end, 0) \
  X(File_read_all_begin, file_read_all_begin, 0) X(File_read_all_end, file_read_all_end, 0) \
  X(File_read_ordered_begin, file_read_ordered_begin, 0) X(File_read_ordered_end, file_read_ordered_end, 0) \
  X(File_write_at, file_write_at, 0) X(File_write_at_all, file_write_at_all, 0) \
  X(File_iwrite_at, file_iwrite_at, 0) X(File_iwrite_at_all, file_iwrite_at_all, 0) X(File_write, file_write, 0) \
  X(File_write_all, file_write_all, 0) X(File_iwrite, file_iwrite, 0) X(File_iwrite_all, file_iwrite_all, 0) \
  X(File_write_shared, file_write_shared, 0) X(File_iwrite_shared, file_iwrite_shared, 0) \
  X(File_write_ordered, file_write_ordered, 0) X(File_write_at_all_begin, file_write_at_all_begin, 0) \
  X(File_write_at_all_end, file_write_at_all_end, 0) X(File_write_all_begin, file_write_all_begin, 0) \
  X(File_write_all_end, file_write_all_end, 0) X(File_write_ordered_begin, file_write_ordered_begin, 0) \
  X(File_write_ordered_end, file_write_ordered_end, 0)

/// Of MPI 4, in C: what has no form in MPI 3.1, and what counts with more than an int. X(its name)
#if MPI_VERSION >= 4
#define OVLP_CALLS_OF_MPI_4_LEFT_OUT(X) \
  X(Isendrecv) X(Isendrecv_replace) X(Barrier_init) X(Bcast_init) X(Gather_init) X(Gatherv_init) X(Scatter_init) \
  X(Scatterv_init) X(Allgather_init) X(Allgatherv_init) X(Alltoall_init) X(Alltoallv_init) X(Alltoallw_init) \
  X(Reduce_init) X(Allreduce_init) X(Scan_init) X(Exscan_init) X(Reduce_scatter_init) X(Reduce_scatter_block_init) \
  X(Neighbor_allgather_init) X(Neighbor_allgatherv_init) X(Neighbor_alltoall_init) X(Neighbor_alltoallv_init) \
  X(Neighbor_alltoallw_init) X(Psend_init) X(Precv_init) X(Pready) X(Pready_list) X(Pready_range) X(Parrived) \
  X(Comm_create_from_group) X(Intercomm_create_from_groups) X(Session_init) X(Send_c) X(Isend_c) X(Send_init_c) \
  X(Ssend_c) X(Issend_c) X(Ssend_init_c) X(Bsend_c) X(Ibsend_c) X(Bsend_init_c) X(Rsend_c) X(Irsend_c) \
  X(Rsend_init_c) X(Recv_c) X(Irecv_c) X(Recv_init_c) X(Mrecv_c) X(Imrecv_c) X(Sendrecv_c) X(Sendrecv_replace_c) \
  X(Isendrecv_c) X(Isendrecv_replace_c) X(Bcast_c) X(Gather_c) X(Gatherv_c) X(Scatter_c) X(Scatterv_c) \
  X(Allgather_c) X(Allgatherv_c) X(Alltoall_c) X(Alltoallv_c) X(Alltoallw_c) X(Reduce_c) X(Allreduce_c) X(Scan_c) \
  X(Exscan_c) X(Reduce_scatter_c) X(Reduce_scatter_block_c) X(Neighbor_allgather_c) X(Neighbor_allgatherv_c) \
  X(Neighbor_alltoall_c) X(Neighbor_alltoallv_c) X(Neighbor_alltoallw_c) X(Ibcast_c) X(Igather_c) X(Igatherv_c) \
  X(Iscatter_c) X(Iscatterv_c) X(Iallgather_c) X(Iallgatherv_c) X(Ialltoall_c) X(Ialltoallv_c) X(Ialltoallw_c) \
  X(Ireduce_c) X(Iallreduce_c) X(Iscan_c) X(Iexscan_c) X(Ireduce_scatter_c) X(Ireduce_scatter_block_c) \
  X(Ineighbor_allgather_c) X(Ineighbor_allgatherv_c) X(Ineighbor_alltoall_c) X(Ineighbor_alltoallv_c) \
  X(Ineighbor_alltoallw_c) X(Bcast_init_c) X(Gather_init_c) X(Gatherv_init_c) X(Scatter_init_c) X(Scatterv_init_c) \
  X(Allgather_init_c) X(Allgatherv_init_c) X(Alltoall_init_c) X(Alltoallv_init_c) X(Alltoallw_init_c) \
  X(Reduce_init_c) X(Allreduce_init_c) X(Scan_init_c) X(Exscan_init_c) X(Reduce_scatter_init_c) \
  X(Reduce_scatter_block_init_c) X(Neighbor_allgather_init_c) X(Neighbor_allgatherv_init_c) \
  X(Neighbor_alltoall_init_c) X(Neighbor_alltoallv_init_c) X(Neighbor_alltoallw_init_c) X(Put_c) X(Get_c) \
  X(Accumulate_c) X(Get_accumulate_c) X(Rput_c) X(Rget_c) X(Raccumulate_c) X(Rget_accumulate_c) X(Win_create_c) \
  X(Win_allocate_c) X(Win_allocate_shared_c) X(File_read_at_c) X(File_read_at_all_c) X(File_iread_at_c) \
  X(File_iread_at_all_c) X(File_read_c) X(File_read_all_c) X(File_iread_c) X(File_iread_all_c) X(File_read_shared_c) \
  X(File_iread_shared_c) X(File_read_ordered_c) X(File_read_at_all_begin_c) X(File_read_all_begin_c) \
  X(File_read_ordered_begin_c) X(File_write_at_c) X(File_write_at_all_c) X(File_iwrite_at_c) X(File_iwrite_at_all_c) \
  X(File_write_c) X(File_write_all_c) X(File_iwrite_c) X(File_iwrite_all_c) X(File_write_shared_c) \
  X(File_iwrite_shared_c) X(File_write_ordered_c) X(File_write_at_all_begin_c) X(File_write_all_begin_c) \
  X(File_write_ordered_begin_c)
#else
#define OVLP_CALLS_OF_MPI_4_LEFT_OUT(X)
#endif
// clang-format on
