// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/ovlp.hpp>

struct Order {
  int size;
#ifdef OVLP_MISTAKE
  int* where;
#endif
};

void build() {
  ovlp::threads<> master{"master", 1};
  ovlp::graph<int, int> g;
  g.leaf("work", master, [](Order order) { return order.size; });
}
