// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/ovlp.hpp>

struct First {
  int value;
};
struct Second {
  int value;
};
struct Third {
  int value;
};

void build() {
  ovlp::threads<> master{"master", 1};
  auto a = ovlp::leaf("a", master.at(0), [](First f) { return Second{f.value}; });
#ifdef OVLP_MISTAKE
  auto b = ovlp::leaf("b", master.at(0), [](Third t) { return t; });
#else
  auto b = ovlp::leaf("b", master.at(0), [](Second s) { return Third{s.value}; });
#endif
  static_cast<void>(a >> b);
}
