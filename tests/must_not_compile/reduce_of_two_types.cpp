// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/ovlp.hpp>

struct Count {
  int value;
};

void build() {
  ovlp::threads<> master{"master", 1};
#ifdef OVLP_MISTAKE
  ovlp::reduce("sum", master.at(0), [](int sum, Count count) { return sum + count.value; });
#else
  ovlp::reduce("sum", master.at(0), [](int a, int b) { return a + b; });
#endif
}
