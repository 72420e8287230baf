// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/ovlp.hpp>

struct Order {
  int size;
};
struct Piece {
  int value;
};
struct Other {
  int value;
};
struct Total {
  int value;
};

ovlp::graph<Order, Total> build() {
  ovlp::threads<> master{"master", 1};
  ovlp::graph<Order, Total> g;
  auto s = g.split("cut", master, [](Order, ovlp::out<Piece>&) {});
#ifdef OVLP_MISTAKE
  auto m = g.merge("add", master, [](ovlp::in<Other>&) { return Total{}; });
#else
  auto m = g.merge("add", master, [](ovlp::in<Piece>&) { return Total{}; });
#endif
  g.enter(s, ovlp::at(0));
  g.edge(s.port<Piece>(), m, ovlp::at(0));
  g.leave(m);
  return g;
}
