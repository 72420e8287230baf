/* SPDX-License-Identifier: BSD-3-Clause
 * The price of options by random paths: each thread computes by itself, all read one table, and each writes its
 * results beside those of the others.
 *
 *   monte_carlo [OPTIONS, 64] [PATHS of each, 2000] */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { steps = 32 };

static double rates[steps]; /* that all read */

static double uniform(uint64_t* state) {
  *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
  return ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
}

static double price(int option, int paths) {
  uint64_t state = 88172645463325252ULL + 1000003ULL * (uint64_t)option;
  double sum = 0;
  double path[steps];
  for (int p = 0; p < paths; ++p) {
    double value = 100;
    for (int s = 0; s < steps; ++s) {
      double const normal = sqrt(-2 * log(uniform(&state))) * cos(6.283185307179586 * uniform(&state));
      value *= exp(rates[s] + 0.05 * normal);
      path[s] = value;
    }
    double highest = 0;
    for (int s = 0; s < steps; ++s)
      if (path[s] > highest) highest = path[s];
    if (highest > 100 + option % 10) sum += highest - 100 - option % 10;
  }
  return sum / paths;
}

int main(int argc, char** argv) {
  int const options = argc > 1 ? atoi(argv[1]) : 64, paths = argc > 2 ? atoi(argv[2]) : 2000;
  double* const prices = options > 0 ? malloc((size_t)options * sizeof *prices) : NULL;
  if (prices == NULL || paths < 1) {
    fputs("usage: monte_carlo [OPTIONS, 1 or more] [PATHS of each, 1 or more]\n", stderr);
    return 2;
  }
  for (int s = 0; s < steps; ++s) rates[s] = 1e-3 * s / steps;
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < options; ++i) prices[i] = price(i, paths);
  double sum = 0;
  for (int i = 0; i < options; ++i) sum += prices[i];
  printf("%.6f\n", sum);
  free(prices);
  return 0;
}
