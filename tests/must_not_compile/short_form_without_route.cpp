// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/ovlp.hpp>

struct Order {
  int size;
};
struct Piece {
  int value;
};

void build() {
  ovlp::threads<> workers{"workers", 1};
  auto const body = [](Order o) { return Piece{o.size}; };
#ifdef OVLP_MISTAKE
  ovlp::leaf("cut", workers, body);
#else
  ovlp::leaf("cut", workers.in_turn(), body);
#endif
}
