/* SPDX-License-Identifier: BSD-3-Clause
 * Threads of C: created in one order, and let run in the other. Thread t stores 1000 t times to a word that the first thread
 * has stored to, and says on which unit it may run; and changes 16 bytes at once. */
#define _GNU_SOURCE
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <threads.h>

#if defined(__SANITIZE_THREAD__)
extern void __tsan_acquire(void*);
#endif

enum { count = 4, line = 64 };

static sem_t turns[count];
static char words[count][line] __attribute__((aligned(64)));
static __int128 sum __attribute__((aligned(64)));

static int run(void* number) {
  int const t = *(int*)number;
  sem_wait(&turns[t]);
  for (int i = 0; i < 1000 * t; ++i) *(long volatile*)words[t] = i;
  __atomic_fetch_add(&sum, (__int128)t << 64, __ATOMIC_SEQ_CST);
#if defined(__SANITIZE_THREAD__)
  __tsan_acquire(&sum);
#endif
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  int unit = 0;
  while (!CPU_ISSET(unit, &set)) ++unit;
  printf("%d: %d\n", t, unit);
  return t;
}

int main(void) {
  thrd_t threads[count];
  int numbers[count], results = 0;
  for (int t = 1; t < count; ++t) {
    numbers[t] = t;
    *(long volatile*)words[t] = 0;
    sem_init(&turns[t], 0, 0);
    if (thrd_create(&threads[t], run, &numbers[t]) != thrd_success) return 1;
  }
  for (int t = count - 1; t > 0; --t) {
    int result = 0;
    sem_post(&turns[t]);
    if (thrd_join(threads[t], &result) != thrd_success) return 1;
    results += result;
  }
  printf("%d %d\n", results, (int)(sum >> 64));
  return 0;
}
