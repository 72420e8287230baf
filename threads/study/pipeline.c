/* SPDX-License-Identifier: BSD-3-Clause
 * A pipeline of six stages: a thread reads items and one writes results, the four stages between have several threads
 * each. Items go from stage to stage through queues; each stage reads what the one before it has written, and the
 * fifth compares with a table that all its threads read.
 *
 *   pipeline [THREADS of each inner stage, 4] [ITEMS, 400] */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { stages = 6, words = 512, room = 16, entries = 256, most_threads = 256 };

typedef struct {
  int number;
  double image[words], segments[words / 4], features[words / 8], vector[words / 16], result;
} item;

typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  item* items[room];
  int begin, count;
  int writers; /* that still may put something */
} queue;

static queue queues[stages - 1];
static double table[entries][words / 16];
static int items_in_all;
static double sum;

static void put(queue* to, item* what) {
  pthread_mutex_lock(&to->mutex);
  while (to->count == room) pthread_cond_wait(&to->changed, &to->mutex);
  to->items[(to->begin + to->count++) % room] = what;
  pthread_cond_broadcast(&to->changed);
  pthread_mutex_unlock(&to->mutex);
}

/* NULL: nothing comes any more. */
static item* take(queue* from) {
  item* taken = NULL;
  pthread_mutex_lock(&from->mutex);
  while (from->count == 0 && from->writers > 0) pthread_cond_wait(&from->changed, &from->mutex);
  if (from->count > 0) {
    taken = from->items[from->begin];
    from->begin = (from->begin + 1) % room;
    --from->count;
    pthread_cond_broadcast(&from->changed);
  }
  pthread_mutex_unlock(&from->mutex);
  return taken;
}

static void leave(queue* to) {
  pthread_mutex_lock(&to->mutex);
  --to->writers;
  pthread_cond_broadcast(&to->changed);
  pthread_mutex_unlock(&to->mutex);
}

static void process(int stage, item* it) {
  switch (stage) {
    case 1:
      for (int i = 0; i < words / 4; ++i)
        it->segments[i] = it->image[4 * i] + it->image[4 * i + 1] - it->image[4 * i + 2] - it->image[4 * i + 3];
      break;
    case 2:
      for (int i = 0; i < words / 8; ++i) it->features[i] = it->segments[2 * i] * it->segments[2 * i + 1];
      break;
    case 3:
      for (int i = 0; i < words / 16; ++i) it->vector[i] = it->features[2 * i] + it->features[2 * i + 1];
      break;
    case 4:
      it->result = 1e300;
      for (int e = 0; e < entries; ++e) {
        double far = 0;
        for (int i = 0; i < words / 16; ++i)
          far += (it->vector[i] - table[e][i]) * (it->vector[i] - table[e][i]);
        if (far < it->result) it->result = far;
      }
      break;
    default: break;
  }
}

static void* run_stage(void* given) {
  int const stage = *(int*)given;
  if (stage == 0) {
    for (int number = 0; number < items_in_all; ++number) {
      item* const it = malloc(sizeof *it);
      if (it == NULL) abort();
      it->number = number;
      for (int i = 0; i < words; ++i) it->image[i] = (number * 31 + i * 17) % 23;
      put(&queues[0], it);
    }
    leave(&queues[0]);
    return NULL;
  }
  for (item* it; (it = take(&queues[stage - 1])) != NULL;) {
    process(stage, it);
    if (stage < stages - 1) {
      put(&queues[stage], it);
    } else {
      sum += it->result;
      free(it);
    }
  }
  if (stage < stages - 1) leave(&queues[stage]);
  return NULL;
}

int main(int argc, char** argv) {
  int const inner = argc > 1 ? atoi(argv[1]) : 4;
  items_in_all = argc > 2 ? atoi(argv[2]) : 400;
  if (inner < 1 || (stages - 2) * inner + 2 > most_threads || items_in_all < 1) {
    fputs("usage: pipeline [THREADS of each inner stage, 1 to 63] [ITEMS, 1 or more]\n", stderr);
    return 2;
  }
  for (int e = 0; e < entries; ++e)
    for (int i = 0; i < words / 16; ++i) table[e][i] = (e * 13 + i * 7) % 41;
  static pthread_t threads[most_threads];
  static int stage_of[most_threads];
  int count = 0;
  for (int stage = 0; stage < stages - 1; ++stage) {
    pthread_mutex_init(&queues[stage].mutex, NULL);
    pthread_cond_init(&queues[stage].changed, NULL);
    queues[stage].writers = stage == 0 ? 1 : inner;
  }
  for (int stage = 0; stage < stages; ++stage) {
    for (int i = 0; i < (stage == 0 || stage == stages - 1 ? 1 : inner); ++i, ++count) {
      stage_of[count] = stage;
      if (pthread_create(&threads[count], NULL, run_stage, &stage_of[count]) != 0) return 1;
    }
  }
  for (int t = 0; t < count; ++t) pthread_join(threads[t], NULL);
  printf("%.6f\n", sum);
  return 0;
}
