/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVLP_THREADS_PHASE_H
#define OVLP_THREADS_PHASE_H

#ifdef __cplusplus
extern "C" {
#endif

/* The tracer's, in programs that were linked by ovlp-cc and so on; in others there is none. */
void ovlp_threads_begin_phase(char const* name) __attribute__((weak));

/* For C and C++ programs: what is counted from here on belongs to the phase of this name, until the next one begins.
 * A call means nothing where the program is not traced. Thread: one, while the others do not access memory that
 * matters: what they count meanwhile may go to either phase. */
static inline void ovlp_begin_phase(char const* name) {
  if (ovlp_threads_begin_phase) ovlp_threads_begin_phase(name);
}

#ifdef __cplusplus
}
#endif

#endif
