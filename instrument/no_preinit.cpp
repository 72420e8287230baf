// SPDX-License-Identifier: BSD-3-Clause
// In the place of what GCC links before main() with -fsanitize=thread: nothing.
