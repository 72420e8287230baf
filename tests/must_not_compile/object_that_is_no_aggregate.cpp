// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/ovlp.hpp>

struct Order {
  int size;
};
struct Piece {
#ifdef OVLP_MISTAKE
  explicit Piece(int v) : value(v) {}
#endif
  int value;
};

void build() {
  ovlp::threads<> master{"master", 1};
  ovlp::graph<Order, Order> g;
  g.split("cut", master, [](Order o, ovlp::out<Piece>& pieces) { pieces.post(Piece{o.size}); });
}
