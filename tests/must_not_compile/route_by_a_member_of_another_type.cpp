// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/ovlp.hpp>

struct Order {
  int size;
};
struct Other {
  int size;
};

void build() {
  ovlp::threads<> master{"master", 1};
#ifdef OVLP_MISTAKE
  static_cast<void>(ovlp::leaf("same", master.by(&Other::size), [](Order o) { return o; }));
#else
  static_cast<void>(ovlp::leaf("same", master.by(&Order::size), [](Order o) { return o; }));
#endif
}
