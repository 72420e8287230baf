// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/ovlp.hpp>

struct Order {
  int size;
};
struct Piece {
  int value;
};

void build() {
  ovlp::threads<> master{"master", 1};
  ovlp::graph<Order, Piece> g;
#ifdef OVLP_MISTAKE
  g.leaf("cut", master, [](Order o, ovlp::out<Piece>& pieces) { pieces.post({o.size}); });
#else
  g.split("cut", master, [](Order o, ovlp::out<Piece>& pieces) { pieces.post({o.size}); });
#endif
}
