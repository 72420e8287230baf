/* SPDX-License-Identifier: BSD-3-Clause
 * Calls of MPI beside the usual ones, for tracer_test. Run by two ranks; argv[1] says which part. */
#include <mpi.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank;
static double block[64], second[64];

static void expect(int condition) {
  if (!condition) MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Three threads of rank 0 send four messages each, one thread at a time; three of rank 1 receive them. */
static void threads(void) {
  volatile double work = 1;
#pragma omp parallel num_threads(3)
  for (int i = 0; i < 4; ++i) {
    double own = work;
    for (int j = 0; j < 20000 * (1 + omp_get_thread_num()); ++j) own = own * 0.5 + j;
#pragma omp critical
    {
      block[0] = own;
      if (rank == 0) MPI_Send(block, 1, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD);
      else MPI_Recv(block, 1, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
}

/* One thread waits for what another one has to ask for. */
static void at_once(void) {
  for (int round = 0; round < 20; ++round) {
    if (rank == 1) {
      MPI_Recv(block, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(block, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
      continue;
    }
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
      MPI_Recv(block, 1, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      usleep(20000);
      MPI_Send(second, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
    }
  }
}

/* Each rank is a group of its own. */
static void groups(void) {
  MPI_Comm own, between, merged;
  MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &own);
  MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, 1 - rank, 99, &between);
  if (rank == 0) MPI_Send(block, 2, MPI_DOUBLE, 0, 5, between);
  else MPI_Recv(block, 2, MPI_DOUBLE, 0, 5, between, MPI_STATUS_IGNORE);
  MPI_Barrier(between);
  MPI_Intercomm_merge(between, rank, &merged);
  MPI_Bcast(block, 1, MPI_DOUBLE, 0, merged);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&between);
  MPI_Comm_free(&own);
}

/* On a ring of two both neighbours are the same rank. */
static void neighbours(void) {
  MPI_Comm ring;
  MPI_Request request;
  int const size = 2, periodic = 1, counts[2] = {2, 2}, places[2] = {0, 8};
  int const sent[2] = {1, 2}, bytes[2] = {0, 64};
  MPI_Datatype const types[2] = {MPI_DOUBLE, MPI_DOUBLE};
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  MPI_Neighbor_alltoallv(block, counts, places, MPI_DOUBLE, second, counts, places, MPI_DOUBLE, ring);
  MPI_Ineighbor_allgather(block, 3, MPI_DOUBLE, second, 3, MPI_DOUBLE, ring, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Alltoallw(block, sent, bytes, types, second, rank == 0 ? (int const[]){1, 1} : (int const[]){2, 2}, bytes, types,
                MPI_COMM_WORLD);
  MPI_Comm_free(&ring);
}

/* The second message is received first. */
static void matched(void) {
  MPI_Message first, next;
  MPI_Status status;
  MPI_Request request;
  MPI_Comm copy;
  MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 0) {
    MPI_Send(block, 1, MPI_DOUBLE, 1, 4, copy);
    MPI_Send(block, 2, MPI_DOUBLE, 1, 4, copy);
  } else {
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, copy, &first, &status);
    MPI_Mprobe(0, 4, copy, &next, MPI_STATUS_IGNORE);
    MPI_Mrecv(block, 2, MPI_DOUBLE, &next, MPI_STATUS_IGNORE);
    MPI_Imrecv(second, 1, MPI_DOUBLE, &first, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&copy);
}

static void one_sided(void) {
  MPI_Win window;
  double* memory;
  MPI_Win_allocate_shared(64, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_fence(0, window);
  if (rank == 0) MPI_Put(block, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  if (rank == 0) MPI_Send(block, 1, MPI_DOUBLE, 1, 8, MPI_COMM_WORLD);
  else MPI_Recv(block, 1, MPI_DOUBLE, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* So many steps as there is time for: other ones in a traced program. */
static void steps(void) {
#ifdef __SANITIZE_THREAD__
  int const count = 3;
#else
  int const count = 5;
#endif
  MPI_Request request;
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    if (rank == 0) MPI_Send(block, 8, MPI_DOUBLE, 1, 6, MPI_COMM_WORLD);
    else MPI_Recv(block, 8, MPI_DOUBLE, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += block[i];
    if (i == 2) MPI_Irecv(second, 1, MPI_DOUBLE, 1 - rank, 7, MPI_COMM_WORLD, &request); /* is open at the next call */
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (i == 2) {
      MPI_Send(block, 1, MPI_DOUBLE, 1 - rank, 7, MPI_COMM_WORLD);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
  MPI_Bcast(&sum, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  char const* part = argc > 1 ? argv[1] : "";
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(part, "threads") == 0) {
    expect(provided == MPI_THREAD_SERIALIZED);
    threads();
  }
  if (strcmp(part, "at_once") == 0) at_once();
  if (strcmp(part, "groups") == 0) groups();
  if (strcmp(part, "neighbours") == 0) neighbours();
  if (strcmp(part, "matched") == 0) matched();
  if (strcmp(part, "one_sided") == 0) one_sided();
  if (strcmp(part, "steps") == 0) steps();
  MPI_Finalize();
  return 0;
}
