// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/ovlp.hpp>

struct Order {
  int size;
};
struct Column {
  int sum = 0;
};
struct Row {
  int sum = 0;
};

void build() {
  ovlp::threads<Column> columns{"columns", 4};
  ovlp::graph<Order, Order> g;
#ifdef OVLP_MISTAKE
  g.leaf("add", columns, [](ovlp::here<Row>& here, Order o) {
#else
  g.leaf("add", columns, [](ovlp::here<Column>& here, Order o) {
#endif
    here.state.sum += o.size;
    return o;
  });
}
