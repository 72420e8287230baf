// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/ovlp.hpp>

struct Before {
  int value;
};
struct After {
  int value;
};

void build(ovlp::threads<> const& master) {
#ifdef OVLP_MISTAKE
  ovlp::graph<Before, After> const step = ovlp::leaf("step", master.at(0), [](Before b) { return After{b.value}; });
#else
  ovlp::graph<Before, Before> const step = ovlp::leaf("step", master.at(0), [](Before b) { return b; });
#endif
  ovlp::graph<Before, Before> g;
  g.repeat("steps", master, step, 3);
}
