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
struct Given {};

struct Place {
  std::optional<std::size_t> gift;
  std::size_t sum = 0;
};
using Here = ovlp::here<Place>;

void give(Here& here, Start, ovlp::out<Gift>& next) {
  next.post({here.index()});
  here.wait_until([&] { return here.state.gift.has_value(); });
  here.state.sum = here.index() + *here.state.gift;
}
Given take(Here& here, Gift gift) {
  here.state.gift = gift.from;
  return {};
}
std::size_t finish(Here& here, ovlp::in<Given>& given) {
  given.drain();
  return here.state.sum;
}

int main(int argc, char** argv) {
  ovlp::engine run{argc, argv};
  ovlp::threads<Place> ring{"ring", 5};
  ovlp::graph const around = ovlp::everywhere("give", ring, give) >>             //
                             ovlp::leaf("take", ring.relative(+1), take) >>      //
                             ovlp::merge("finish", ring.at_opener(), finish) >>  //
                             ovlp::reduce("total", ring.at(0), std::plus<>{});
  std::printf("%zu\n", run(around, {}));
}
