// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include <ovlp/ovlp.hpp>

struct Order {
  int size;
};

int call(ovlp::engine_base& run, ovlp::threads<> const& master) {
  ovlp::graph<Order, int> const g = ovlp::leaf("count", master.at(0), [](Order o) { return o.size; });
#ifdef OVLP_MISTAKE
  return run(g, std::string("three"));
#else
  return run(g, {3});
#endif
}
