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
void keep(Piece) {}

void build() {
  ovlp::threads<> master{"master", 1};
#ifdef OVLP_MISTAKE
  ovlp::graph<Order, int> const g = ovlp::leaf("give", master.at(0), give);
#else
  ovlp::graph<Order, int> const g =
      ovlp::leaf("give", master.at(0), give).aside(ovlp::leaf("keep", master.at(0), keep));
#endif
}
