/* SPDX-License-Identifier: BSD-3-Clause
 * Threads that access memory one after the other, as the command line says: all that is traced are these accesses.
 *
 *   interleaving THREADS TURN...
 *
 * A turn is the thread's number, what it does, and where, in bytes from the start of a buffer of 4 MiB:
 *   r, w   load or store 8 bytes        b      store one byte      u  store 8 bytes, not aligned
 *   c      copy 64 bytes from there to 1 MiB behind it, with memcpy
 *   m, l   copy a structure of 64 bytes, or of 1,024, there
 *   f      free the small buffer, and get it again; s: store 8 bytes in it
 *   p      begin a phase, named by what follows
 *   k      fork a child, which stores 8 bytes there      a: abort */
#include <ovlp/threads/phase.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_TRACED __attribute__((no_sanitize("thread")))

enum { megabyte = 1 << 20, small_bytes = 1000 };

static void load(double volatile* at) { (void)*at; }
static void store(double volatile* at) { *at = 1; }
typedef double volatile __attribute__((aligned(1))) anywhere;
static void store_anywhere(anywhere* at) { *at = 1; }
static void store_byte(char volatile* at) { *at = 1; }
static void copy(char* at) { memcpy(at + megabyte, at, 64); }
typedef struct {
  double numbers[8];
} small_structure;
typedef struct {
  double numbers[128];
} large_structure;
static void copy_small(small_structure* to, small_structure const* from) { *to = *from; }
static void copy_large(large_structure* to, large_structure const* from) { *to = *from; }

static sem_t* turns; /* of each thread */
static sem_t over;
static char* buffer;
static char* small_buffer;
static char const* current;

NOT_TRACED static void free_and_get_again(void) {
  char const* const before = small_buffer;
  free(small_buffer);
  small_buffer = malloc(small_bytes);
  if (small_buffer != before) {
    fprintf(stderr, "interleaving: got other memory\n");
    exit(3);
  }
}

NOT_TRACED static void fork_child(double* at) {
  pid_t const child = fork();
  if (child == 0) {
    for (int i = 0; i < 100; ++i) store(at);
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

NOT_TRACED static void take_turn(char const* what) {
  char* const at = buffer + strtol(what + 1, NULL, 10);
  switch (*what) {
    case 'r': load((double*)at); break;
    case 'w': store((double*)at); break;
    case 'u': store_anywhere((anywhere*)at); break;
    case 'b': store_byte(at); break;
    case 'c': copy(at); break;
    case 'm': copy_small((small_structure*)(at + megabyte), (small_structure*)at); break;
    case 'l': copy_large((large_structure*)(at + megabyte), (large_structure*)at); break;
    case 'f': free_and_get_again(); break;
    case 's': store((double*)(((size_t)small_buffer + 63) / 64 * 64)); break; /* a block of it */
    case 'p': ovlp_begin_phase(what + 1); break;
    case 'k': fork_child((double*)at); break;
    case 'a': abort();
    default: exit(2);
  }
}

NOT_TRACED static void* run_thread(void* turn) {
  for (;;) {
    sem_wait(turn);
    if (current == NULL) return NULL;
    take_turn(current);
    sem_post(&over);
  }
}

NOT_TRACED int main(int argc, char** argv) {
  int const count = argc > 1 ? atoi(argv[1]) : 0;
  turns = calloc((size_t)count, sizeof *turns);
  pthread_t* const threads = calloc((size_t)count, sizeof *threads);
  buffer = aligned_alloc(4 * megabyte, 4 * megabyte);
  small_buffer = malloc(small_bytes);
  if (count < 1 || turns == NULL || threads == NULL || buffer == NULL || small_buffer == NULL) return 2;
  sem_init(&over, 0, 0);
  for (int t = 1; t < count; ++t) {
    sem_init(&turns[t], 0, 0);
    if (pthread_create(&threads[t], NULL, run_thread, &turns[t]) != 0) return 1;
  }
  for (int i = 2; i < argc; ++i) {
    char* what = NULL;
    long const thread = strtol(argv[i], &what, 10);
    if (thread < 0 || thread >= count) return 2;
    if (thread == 0) { /* this one */
      take_turn(what);
      continue;
    }
    current = what;
    sem_post(&turns[thread]);
    sem_wait(&over);
  }
  current = NULL;
  for (int t = 1; t < count; ++t) sem_post(&turns[t]);
  for (int t = 1; t < count; ++t) pthread_join(threads[t], NULL);
  return 0;
}
