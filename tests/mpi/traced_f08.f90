! SPDX-License-Identifier: BSD-3-Clause
! traced.f90, with module mpi_f08: handles have types, and results of calls may be left out.
program traced
  use mpi_f08
  implicit none
  integer :: rank, i, k
  type(MPI_Datatype) :: row
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: statuses(2)
  double precision, volatile :: block(64), matrix(8, 8)
  integer, volatile :: idle_word
  common /elsewhere/ idle_word  ! where others could access it, too: else its accesses are private, and not seen
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
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
    call MPI_Send(block, 64, MPI_DOUBLE_PRECISION, 1, 5, MPI_COMM_WORLD)
  else
    call MPI_Recv(block, 64, MPI_DOUBLE_PRECISION, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    do i = 64, 1, -1
      do k = 1, 9
        idle_word = 1
      end do
      if (block(i) /= i) call MPI_Abort(MPI_COMM_WORLD, 1)
    end do
    do k = 1, 100
      idle_word = 1
    end do
  end if
  call MPI_Type_vector(8, 1, 8, MPI_DOUBLE_PRECISION, row)
  call MPI_Type_commit(row)
  if (rank == 0) then
    do i = 1, 8
      matrix(1, i) = i
    end do
    do i = 1, 8
      matrix(i, 2) = i
    end do
    call MPI_Isend(matrix, 1, row, 1, 6, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(matrix(1, 2), 8, MPI_DOUBLE_PRECISION, 1, 7, MPI_COMM_WORLD, requests(2))
  else
    call MPI_Irecv(matrix, 1, row, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, requests(1))
    call MPI_Irecv(block, 8, MPI_DOUBLE_PRECISION, 0, MPI_ANY_TAG, MPI_COMM_WORLD, requests(2))
  end if
  call MPI_Waitall(2, requests, statuses)
  if (rank == 1 .and. (statuses(2)%MPI_TAG /= 7 .or. matrix(1, 8) /= 8)) call MPI_Abort(MPI_COMM_WORLD, 1)
  call MPI_Type_free(row)
  call MPI_Allreduce(MPI_IN_PLACE, rank, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank /= 1) call MPI_Abort(MPI_COMM_WORLD, 1)
  call MPI_Finalize()
end program
