! SPDX-License-Identifier: BSD-3-Clause
! The same as `exchange` of traced.c, and a column and a row of a matrix as derived types, by non-blocking calls.
program traced
  use mpi
  implicit none
  integer :: rank, error, i, k, row, requests(2), statuses(MPI_STATUS_SIZE, 2)
  double precision, volatile :: block(64), matrix(8, 8)
  integer, volatile :: idle_word
  common /elsewhere/ idle_word  ! where others could access it, too: else its accesses are private, and not seen
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  if (rank == 0) then
    do i = 1, 64
      block(i) = 0
    end do
    do i = 1, 64
      do k = 1, i - 1
        idle_word = 1
      end do
      block(i) = i
    end do
    call MPI_Send(block, 64, MPI_DOUBLE_PRECISION, 1, 5, MPI_COMM_WORLD, error)
  else
    call MPI_Recv(block, 64, MPI_DOUBLE_PRECISION, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    do i = 64, 1, -1
      do k = 1, 9
        idle_word = 1
      end do
      if (block(i) /= i) call MPI_Abort(MPI_COMM_WORLD, 1, error)
    end do
    do k = 1, 100
      idle_word = 1
    end do
  end if
  call MPI_Type_vector(8, 1, 8, MPI_DOUBLE_PRECISION, row, error)
  call MPI_Type_commit(row, error)
  if (rank == 0) then
    do i = 1, 8
      matrix(1, i) = i
    end do
    do i = 1, 8
      matrix(i, 2) = i
    end do
    call MPI_Isend(matrix, 1, row, 1, 6, MPI_COMM_WORLD, requests(1), error)
    call MPI_Isend(matrix(1, 2), 8, MPI_DOUBLE_PRECISION, 1, 7, MPI_COMM_WORLD, requests(2), error)
  else
    call MPI_Irecv(matrix, 1, row, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, requests(1), error)
    call MPI_Irecv(block, 8, MPI_DOUBLE_PRECISION, 0, MPI_ANY_TAG, MPI_COMM_WORLD, requests(2), error)
  end if
  call MPI_Waitall(2, requests, statuses, error)
  if (rank == 1 .and. (statuses(MPI_TAG, 2) /= 7 .or. matrix(1, 8) /= 8)) call MPI_Abort(MPI_COMM_WORLD, 1, error)
  call MPI_Type_free(row, error)
  call MPI_Allreduce(MPI_IN_PLACE, rank, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (rank /= 1) call MPI_Abort(MPI_COMM_WORLD, 1, error)
  call MPI_Finalize(error)
end program
