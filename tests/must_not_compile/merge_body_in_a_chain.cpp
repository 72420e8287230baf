// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/ovlp.hpp>

int sum(ovlp::in<int>& numbers) {
  int total = 0;
  for (int n : numbers) total += n;
  return total;
}

auto build(ovlp::threads<> const& master) {
#ifdef OVLP_MISTAKE
  return ovlp::leaf("sum", master.at(0), sum);
#else
  return ovlp::merge("sum", master.at(0), sum);
#endif
}
