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
#ifdef OVLP_MISTAKE
  ovlp::reduce("sum", master.at(0), [](Piece a, Order b) { return Piece{a.value + b.size}; });
#else
  ovlp::reduce("sum", master.at(0), [](Piece a, Piece b) { return Piece{a.value + b.value}; });
#endif
}
