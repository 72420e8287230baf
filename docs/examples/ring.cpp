// SPDX-License-Identifier: BSD-3-Clause
// Each thread of a ring gives its number to the next one, and goes on when it has that of the one before.
#include <cstdio>
#include <optional>
#include <ovlp/ovlp.hpp>

struct Start {};
struct Gift {
  std::size_t from;
};
struct Given {};
struct Sum {
  std::size_t value;
};

struct Place {
  std::optional<std::size_t> gift;
  std::size_t sum = 0;
};
using Here = ovlp::here<Place>;

void start(Here& here, Start, ovlp::out<Start>& places) {
  for (std::size_t i = 0; i < here.size(); ++i) places.post({});
}
void give(Here& here, Start, ovlp::out<Gift>& next) {
  next.post({here.index()});
  here.wait_until([&] { return here.state.gift.has_value(); });
  here.state.sum = here.index() + *here.state.gift;
}
Given take(Here& here, Gift gift) {
  here.state.gift = gift.from;
  return {};
}
Sum finish(Here& here, ovlp::in<Given>& given) {
  while (given.wait()) continue;
  return {here.state.sum};
}
Sum total(ovlp::in<Sum>& sums) {
  Sum all{0};
  while (auto sum = sums.wait()) all.value += sum->value;
  return all;
}

int main(int argc, char** argv) {
  ovlp::engine run{argc, argv};
  ovlp::threads<Place> ring{"ring", 5};
  ovlp::graph const around = ovlp::split("start", ring.at(0), start) >>          //
                             ovlp::split("give", ring.in_turn(), give) >>        //
                             ovlp::leaf("take", ring.relative(+1), take) >>      //
                             ovlp::merge("finish", ring.at_opener(), finish) >>  //
                             ovlp::merge("total", ring.at(0), total);
  std::printf("%zu\n", run(around, {}).value);
}
