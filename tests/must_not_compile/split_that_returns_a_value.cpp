// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/ovlp.hpp>

struct Order {
  int size;
};
struct Piece {
  int value;
};

int give(Order o, ovlp::out<Piece>& pieces) {
  pieces.post({o.size});
  return o.size;
}

void build() {
  ovlp::threads<> master{"master", 1};
  ovlp::graph<Order, int> g;
#ifdef OVLP_MISTAKE
  g.split("give", master, give);
#else
  g.leaf("give", master, give);
#endif
}
