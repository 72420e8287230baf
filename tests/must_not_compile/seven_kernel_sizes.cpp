// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/ovlp.hpp>

void work(ovlp::here<>& here) {
#ifdef OVLP_MISTAKE
  here.kernel("cut", {1, 2, 3, 4, 5, 6, 7}, [] {});
#else
  here.kernel("cut", {1, 2, 3, 4, 5, 6}, [] {});
#endif
}
