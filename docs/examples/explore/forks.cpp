// SPDX-License-Identifier: BSD-3-Clause
// Two philosophers share two forks, and each needs both.  forks --nodes 3
#include <iostream>
#include <ovlp/ovlp.hpp>

struct Fork {
  bool taken = false;
};
struct Order {
  int fork;
  bool take;
};

int main(int argc, char** argv) {
  bool mended = false;
  ovlp::options options{"forks", "Two philosophers share two forks"};
  options.add("--mended", mended, "both take fork 0 first");
  ovlp::engine run{argc, argv, options};
  ovlp::threads<> table{"table", 1}, philosophers{"philosophers", 2};
  ovlp::threads<Fork> forks{"forks", 2};

  ovlp::graph<Order, int> const order{
      ovlp::leaf("hand over", forks.by(&Order::fork), [](ovlp::here<Fork>& here, Order what) {
        if (what.take) here.wait_until([&] { return !here.state.taken; });
        here.state.taken = what.take;
        return what.fork;
      })};
  auto const call = ovlp::split("call", table.at(0), [=](ovlp::here<>& here, int count, ovlp::out<int>& to) {
    for (int i = 0; i < count; ++i) {
      to.post(i);
      for (int think = 0; think < 2; ++think) here.call(order, Order{1, false});  // the second one comes later
    }
  });
  auto const eat = ovlp::leaf("eat", philosophers.by(std::identity()), [=](ovlp::here<>& here, int who) {
    int const first = mended ? 0 : who, second = 1 - first;
    here.call(order, Order{first, true});
    here.call(order, Order{second, true});
    here.call(order, Order{first, false});
    here.call(order, Order{second, false});
    return 1;
  });
  auto const sum = ovlp::merge("sum", table.at(0), [](ovlp::in<int>& meals) {
    int all = 0;
    for (int const meal : meals) all += meal;
    return all;
  });
  ovlp::graph<int, int> const dinner = call >> eat >> sum;
  run.add(order);
  std::cout << run(dinner, 2) << " have eaten\n";
}
