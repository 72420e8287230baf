// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/ovlp.hpp>

struct Scaler {
  double factor = 2;
  double scale(double number) const { return factor * number; }
};

auto build(ovlp::threads<> const& workers, Scaler const& by) {
#ifdef OVLP_MISTAKE
  static_cast<void>(by);
  return ovlp::leaf("scale", workers.in_turn(), &Scaler::scale);
#else
  return ovlp::leaf("scale", workers.in_turn(), [by](double number) { return by.scale(number); });
#endif
}
