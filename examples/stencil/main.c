/* SPDX-License-Identifier: BSD-3-Clause
 * Jacobi's method on a square, in strips of rows: stencil [N] [STEPS]. Each rank computes its rows from top to bottom,
 * and then sends the first and the last one to its neighbours. An MPI program to be traced: docs/overlap.md. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* `now` has a border row above and below: row 0 and row `rows` + 1. Gives the sum of squares of changes. */
static double step(double const* now, double* next, int rows, int n) {
  double change = 0;
  for (int i = 1; i <= rows; ++i) {
    for (int j = 1; j < n - 1; ++j) {
      double const* at = now + (size_t)i * n + j;
      double const value = 0.25 * (at[-n] + at[n] + at[-1] + at[1]);
      change += (value - *at) * (value - *at);
      next[(size_t)i * n + j] = value;
    }
  }
  return change;
}

int main(int argc, char** argv) {
  int rank = 0, ranks = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int const n = argc > 1 ? atoi(argv[1]) : 512, steps = argc > 2 ? atoi(argv[2]) : 20, rows = n / ranks;
  int const above = rank > 0 ? rank - 1 : MPI_PROC_NULL, below = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
  double* now = calloc((size_t)(rows + 2) * n, sizeof *now);
  double* next = calloc((size_t)(rows + 2) * n, sizeof *next);
  double change = 0;
  if (rank == 0) {
    for (int j = 0; j < n; ++j) now[j] = next[j] = 1; /* the upper border is hot */
  }
  for (int k = 0; k < steps; ++k) {
    double const mine = step(now, next, rows, n);
    double *const first = next + n, *const last = next + (size_t)rows * n;
    MPI_Sendrecv(first, n, MPI_DOUBLE, above, 0, last + n, n, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(last, n, MPI_DOUBLE, below, 1, first - n, n, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(&mine, &change, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double* const swap = now;
    now = next;
    next = swap;
  }
  if (rank == 0) printf("change %.6e\n", change);
  free(now);
  free(next);
  MPI_Finalize();
  return 0;
}
