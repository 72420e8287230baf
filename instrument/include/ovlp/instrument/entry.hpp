// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A function that the program calls in the place of a library's.
#define OVLP_ENTRY extern "C" __attribute__((visibility("default")))
