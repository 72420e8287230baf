/* SPDX-License-Identifier: BSD-3-Clause
 * Four ranks with the patterns of the paper's Table II (V. Subotic et al., 2010): when, in a period of about 10,000
 * accesses, the elements of a message are stored last and loaded first. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { periods = 3 };

static volatile double out[100], in[100], cells[100], idle_word;

static void idle(int accesses) {
  while (accesses-- > 0) idle_word = 1;
}
static double* plain(volatile double* at) { return (double*)at; }

/* Conjugate gradients: rows of a product, exchanged when all are there. */
static void rows(int rank) {
  for (int period = 0; period < periods; ++period) {
    idle(303);
    for (int i = 0; i < 100; ++i) {
      idle(95);
      out[i] = i;
    }
    MPI_Sendrecv(plain(out), 100, MPI_DOUBLE, rank ^ 1, 0, plain(in), 100, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
}

/* Block tridiagonal: faces are copied out some time after they have come, and packed just before they are sent. */
static void faces(int rank) {
  for (int period = 0; period < periods; ++period) {
    MPI_Request request;
    idle(1368);
    for (int i = 0; i < 45; ++i) cells[i] = in[i];
    idle(8452);
    for (int i = 0; i < 45; ++i) out[i] = cells[i];
    MPI_Irecv(plain(in), 45, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD, &request);
    MPI_Send(plain(out), 45, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

/* A wavefront: each sweep goes over cells that earlier ones have left, and what is left gets less. */
static void sweeps(int rank, int ranks) {
  static int const begin[] = {0, 0, 1, 25, 50}, before[] = {0, 6530, 2735, 240, 70};
  for (int period = 0; period < periods; ++period) {
    if (rank > 0) MPI_Recv(plain(in), 100, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int sweep = 0; sweep < 5; ++sweep) {
      idle(before[sweep]);
      for (int i = begin[sweep]; i < 100; ++i) out[i] = sweep;
    }
    idle(20);
    if (rank < ranks - 1) MPI_Send(plain(out), 100, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  int rank = 0, ranks = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 2 || ranks != 4) MPI_Abort(MPI_COMM_WORLD, 2);
  if (strcmp(argv[1], "rows") == 0) rows(rank);
  if (strcmp(argv[1], "faces") == 0) faces(rank);
  if (strcmp(argv[1], "sweeps") == 0) sweeps(rank, ranks);
  MPI_Finalize();
  return 0;
}
