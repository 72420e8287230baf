/* SPDX-License-Identifier: BSD-3-Clause
 * One thread after the other, as many as the command line says; each stores to the same word. */
#include <pthread.h>
#include <stdlib.h>

static long volatile word;

static void* store(void* unused) {
  word = 1;
  return unused;
}

int main(int argc, char** argv) {
  for (long left = argc > 1 ? atol(argv[1]) : 0; left > 0; --left) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, store, NULL) != 0 || pthread_join(thread, NULL) != 0) return 1;
  }
  return 0;
}
