// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/ovlp.hpp>

auto build(ovlp::threads<> const& workers) {
#ifdef OVLP_MISTAKE
  return ovlp::leaf("twice", workers.in_turn(), [](auto number) { return 2 * number; });
#else
  return ovlp::leaf("twice", workers.in_turn(), [](int number) { return 2 * number; });
#endif
}
