/* SPDX-License-Identifier: BSD-3-Clause
 * Heat around a source that moves, on a mesh of squares that are small near it. Squares are numbered along a curve
 * that keeps neighbours together; threads have pieces of the curve of equal length, and read what their squares'
 * neighbours have. The mesh is made anew as the source moves, and so threads get other neighbours.
 *
 *   adaptive [LEVELS of refinement, 8] [STEPS, 40] */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { steps_a_mesh = 10 };

typedef struct {
  int x, y, size; /* in squares of the finest level */
  int neighbour[4];
  double heat, next;
} square;

static int edge; /* of the whole, in finest squares */
static square *squares, *before;
static int *at; /* of each finest square, which one covers it */
static int count;
static double source_x, source_y;

static int wanted(int x, int y, int size) {
  double const far = hypot(x + size / 2.0 - source_x, y + size / 2.0 - source_y);
  return size == 1 || far > 8 * size;
}

/* Depth first: the curve. */
static void refine(int x, int y, int size) {
  if (!wanted(x, y, size)) {
    int const half = size / 2;
    refine(x, y, half);
    refine(x + half, y, half);
    refine(x, y + half, half);
    refine(x + half, y + half, half);
    return;
  }
  squares[count++] = (square){x, y, size, {0}, 0, 0};
}

static int covering(int x, int y) {
  x = x < 0 ? 0 : x >= edge ? edge - 1 : x;
  y = y < 0 ? 0 : y >= edge ? edge - 1 : y;
  return at[(size_t)y * edge + x];
}

static void find_neighbours(square* s) {
  int const half = s->size / 2;
  s->neighbour[0] = covering(s->x - 1, s->y + half);
  s->neighbour[1] = covering(s->x + s->size, s->y + half);
  s->neighbour[2] = covering(s->x + half, s->y - 1);
  s->neighbour[3] = covering(s->x + half, s->y + s->size);
}

/* Heat goes on to the squares that cover a place now. */
static void make_mesh(int step) {
  square* const old = squares;
  squares = before;
  before = old;
  source_x = edge * (0.5 + 0.3 * cos(0.1 * step));
  source_y = edge * (0.5 + 0.3 * sin(0.1 * step));
  count = 0;
  refine(0, 0, edge);
}

int main(int argc, char** argv) {
  int const levels = argc > 1 ? atoi(argv[1]) : 8, steps = argc > 2 ? atoi(argv[2]) : 40;
  if (levels < 1 || levels > 12 || steps < 1) {
    fputs("usage: adaptive [LEVELS, 1 to 12] [STEPS, 1 or more]\n", stderr);
    return 2;
  }
  edge = 1 << levels;
  size_t const all = (size_t)edge * edge;
  squares = calloc(all, sizeof *squares);
  before = calloc(all, sizeof *before);
  at = calloc(all, sizeof *at);
  if (squares == NULL || before == NULL || at == NULL) {
    fputs("adaptive: there is no memory\n", stderr);
    return 2;
  }
  for (int step = 0; step < steps; ++step) {
    int const is_new = step % steps_a_mesh == 0;
    if (is_new) make_mesh(step);
#pragma omp parallel
    {
      if (is_new) {
        if (step > 0) {
#pragma omp for schedule(static)
          for (int i = 0; i < count; ++i) squares[i].heat = before[covering(squares[i].x, squares[i].y)].heat;
        }
#pragma omp for schedule(static)
        for (int i = 0; i < count; ++i)
          for (int y = 0; y < squares[i].size; ++y)
            for (int x = 0; x < squares[i].size; ++x) at[(size_t)(squares[i].y + y) * edge + squares[i].x + x] = i;
#pragma omp for schedule(static)
        for (int i = 0; i < count; ++i) find_neighbours(&squares[i]);
      }
#pragma omp for schedule(static)
      for (int i = 0; i < count; ++i) {
        square* const s = &squares[i];
        double around = 0;
        for (int k = 0; k < 4; ++k) around += squares[s->neighbour[k]].heat;
        s->next = 0.6 * s->heat + 0.1 * around + (s->size == 1 ? 0.01 : 0);
      }
#pragma omp for schedule(static)
      for (int i = 0; i < count; ++i) squares[i].heat = squares[i].next;
    }
  }
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += squares[i].heat * squares[i].size * squares[i].size;
  printf("%d squares, heat %.6f\n", count, sum);
  free(squares);
  free(before);
  free(at);
  return 0;
}
