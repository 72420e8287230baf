// SPDX-License-Identifier: BSD-3-Clause
// Each thread of a ring gives its number to the next one, and goes on when it has that of the one before.
#include <cstdio>
#include <functional>
#include <optional>
#include <ovlp/ovlp.hpp>

struct Start {};
struct Gift {
  std::size_t from;
};

struct Place {
  std::optional<std::size_t> gift;
};
using Here = ovlp::here<Place>;

std::size_t give(Here& here, Start, ovlp::out<Gift>& next) {
  next.post({here.index()});
  here.wait_until([&] { return here.state.gift.has_value(); });
  return here.index() + *here.state.gift;
}
void take(Here& here, Gift gift) { here.state.gift = gift.from; }

int main(int argc, char** argv) {
  ovlp::engine run{argc, argv};
  ovlp::threads<Place> ring{"ring", 5};
  ovlp::graph const around = ovlp::everywhere("give", ring, give).aside(ovlp::leaf("take", ring.relative(+1), take)) >>
                             ovlp::reduce("total", ring.at(0), std::plus<>{});
  std::printf("%zu\n", run(around, {}));
}
