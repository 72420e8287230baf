/* SPDX-License-Identifier: BSD-3-Clause
 * Handlers of signals that interrupt accesses to memory. Prints how often the handler ran.
 *
 *   signals count    the handler stores to a word that another thread has stored to, and returns
 *   signals leave    it leaves by siglongjmp
 *   signals cancel   threads that access memory are cancelled, asynchronously
 *   signals wait     says "ready", and ends with 7 when SIGTERM has come */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

enum { runs = 200 };

static long volatile shared __attribute__((aligned(128))), own __attribute__((aligned(128)));
static int volatile ran;
static int leaves;
static sigjmp_buf before;

static void* store(void* unused) {
  shared = 1;
  return unused;
}

static void* store_for_ever(void* unused) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  for (;;) own = own + 1;
  return unused;
}

static void handle(int signal) {
  (void)signal;
  shared = 2;
  ran = ran + 1;
  if (leaves) siglongjmp(before, 1);
}

static void stop(int signal) {
  (void)signal;
  ran = 1;
}

int main(int argc, char** argv) {
  char const* const what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "wait") == 0) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = stop;
    sigaction(SIGTERM, &action, NULL);
    puts("ready");
    fflush(stdout);
    while (!ran) own = own + 1;
    return 7;
  }
  if (strcmp(what, "cancel") == 0) { /* several, which compete */
    enum { count = 4, rounds = 20 };
    for (int round = 0; round < rounds; ++round) {
      pthread_t threads[count];
      for (int t = 0; t < count; ++t)
        if (pthread_create(&threads[t], NULL, store_for_ever, NULL) != 0) return 1;
      long const begin = own;
      while (own - begin < 1000)
        ;
      for (int t = 0; t < count; ++t) {
        void* result = NULL;
        pthread_cancel(threads[t]);
        pthread_join(threads[t], &result);
        if (result != PTHREAD_CANCELED) return 1;
      }
    }
    return 0;
  }
  pthread_t thread;
  if (pthread_create(&thread, NULL, store, NULL) != 0) return 1;
  pthread_join(thread, NULL);
  leaves = strcmp(what, "leave") == 0;
  signal(SIGALRM, handle);
  struct itimerval const often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
  sigsetjmp(before, 1);
  setitimer(ITIMER_REAL, &often, NULL);
  while (ran < runs) own = own + 1;
  setitimer(ITIMER_REAL, &never, NULL);
  printf("%d\n", ran);
  return 0;
}
