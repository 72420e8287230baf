// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/ovlp.hpp>

void build() {
  ovlp::threads<> workers{"workers", 1};
  auto const body = [](int number) { return number; };
#ifdef OVLP_MISTAKE
  ovlp::leaf("pass", workers, body);
#else
  ovlp::leaf("pass", workers.in_turn(), body);
#endif
}
