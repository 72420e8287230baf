/* SPDX-License-Identifier: BSD-3-Clause
 * A lower and an upper triangular sweep over a grid, again and again: each cell after those below it. Threads have
 * bands of rows, and go through the planes one behind the other; so each waits for, and reads from, its neighbour.
 *
 *   wavefront [CELLS an edge, 64] [SWEEPS, 4] */
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

static double* cells;
static int n;
/* Planes that a thread has ended, of the sweep; each on a line of its own. */
static struct {
  int planes;
  char rest[60];
} done[1024];

static double* cell(int plane, int row, int column) { return &cells[((size_t)plane * n + row) * n + column]; }

static void wait_for(int thread, int planes) {
  while (__atomic_load_n(&done[thread].planes, __ATOMIC_ACQUIRE) < planes) sched_yield();
}

/* From the first row, column and plane to the last. */
static void sweep_up(int thread, int first, int last) {
  for (int plane = 1; plane < n; ++plane) {
    if (thread > 0) wait_for(thread - 1, plane);
    for (int row = first; row < last; ++row) {
      if (row == 0) continue;
      for (int column = 1; column < n; ++column)
        *cell(plane, row, column) = 0.4 * *cell(plane, row, column) + 0.2 * *cell(plane - 1, row, column) +
                                    0.2 * *cell(plane, row - 1, column) + 0.2 * *cell(plane, row, column - 1);
    }
    __atomic_store_n(&done[thread].planes, plane, __ATOMIC_RELEASE);
  }
}

/* And back. */
static void sweep_down(int thread, int threads, int first, int last) {
  for (int plane = 1; plane < n; ++plane) {
    int const at = n - 1 - plane;
    if (thread + 1 < threads) wait_for(thread + 1, plane);
    for (int row = last - 1; row >= first; --row) {
      if (row == n - 1) continue;
      for (int column = n - 2; column >= 0; --column)
        *cell(at, row, column) = 0.4 * *cell(at, row, column) + 0.2 * *cell(at + 1, row, column) +
                                 0.2 * *cell(at, row + 1, column) + 0.2 * *cell(at, row, column + 1);
    }
    __atomic_store_n(&done[thread].planes, plane, __ATOMIC_RELEASE);
  }
}

int main(int argc, char** argv) {
  n = argc > 1 ? atoi(argv[1]) : 64;
  int const sweeps = argc > 2 ? atoi(argv[2]) : 4;
  cells = malloc((size_t)n * n * n * sizeof *cells);
  double sum = 0;
  if (n < 2 || sweeps < 1 || cells == NULL || omp_get_max_threads() > 1024) {
    fputs("usage: wavefront [ROWS, 2 or more] [SWEEPS]\n", stderr);
    return 2;
  }
#pragma omp parallel
  {
    int const thread = omp_get_thread_num(), threads = omp_get_num_threads();
    int const first = (int)((long)n * thread / threads), last = (int)((long)n * (thread + 1) / threads);
    for (int plane = 0; plane < n; ++plane)
      for (int row = first; row < last; ++row)
        for (int column = 0; column < n; ++column) *cell(plane, row, column) = (plane + row + column) % 7;
#pragma omp barrier
    for (int s = 0; s < sweeps; ++s) {
      done[thread].planes = 0;
#pragma omp barrier
      sweep_up(thread, first, last);
#pragma omp barrier
      done[thread].planes = 0;
#pragma omp barrier
      sweep_down(thread, threads, first, last);
#pragma omp barrier
    }
    double own = 0;
    for (int plane = 0; plane < n; ++plane)
      for (int row = first; row < last; ++row)
        for (int column = 0; column < n; ++column) own += *cell(plane, row, column);
#pragma omp atomic
    sum += own;
  }
  printf("%.6f\n", sum);
  free(cells);
  return 0;
}
