// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/ovlp.hpp>

struct Order {
  int size;
};
struct Piece {
  int value;
};

void work(ovlp::here<>& here, Order order) {
#ifdef OVLP_MISTAKE
  here.kernel("cut", {order.size, 2, 3, 4, 5, 6, 7}, [] {});
#else
  here.kernel("cut", {order.size, 2, 3, 4, 5, 6}, [] {});
#endif
}
