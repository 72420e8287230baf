/* SPDX-License-Identifier: BSD-3-Clause
 * Threads of OpenMP: each communicates with the next one of its team, by number, and prints where it may run.
 *
 *   team [ROUNDS before that, each with a team of two and one of all] */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
  double volatile word;
  char rest[248];
} mail[64];

int main(int argc, char** argv) {
  for (int round = argc > 1 ? atoi(argv[1]) : 0; round > 0; --round) {
#pragma omp parallel num_threads(2)
    mail[omp_get_thread_num()].word = round;
#pragma omp parallel
    mail[omp_get_thread_num()].word = round;
  }
#pragma omp parallel
  {
    int const self = omp_get_thread_num(), all = omp_get_num_threads();
    for (int i = 0; i < 1000; ++i) mail[self].word = i;
#pragma omp barrier
    if (self + 1 < all)
      for (int i = 0; i < 1000 * (self + 1); ++i) (void)mail[self + 1].word;
#pragma omp critical
    {
      cpu_set_t set;
      sched_getaffinity(0, sizeof set, &set);
      printf("%d of %d:", self, all);
      for (int unit = 0; unit < CPU_SETSIZE; ++unit)
        if (CPU_ISSET(unit, &set)) printf(" %d", unit);
      printf("\n");
    }
  }
  return 0;
}
