// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A function that the program calls in the place of a library's.
#define OVLP_ENTRY extern "C" __attribute__((visibility("default")))

// What accesses.cpp of a back end uses of its library: there nothing takes its place, and it is seen also where that
// file is part of the program.
#if defined(OVLP_IN_PROGRAM)
#define OVLP_SHARED __attribute__((visibility("default")))
#else
#define OVLP_SHARED __attribute__((visibility("protected")))
#endif
