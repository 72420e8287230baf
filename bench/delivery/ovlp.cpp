// SPDX-License-Identifier: BSD-3-Clause
// Delivery inside a process: split -> leaf (4 DPS threads) -> merge with empty work.
#include <chrono>
#include <cstdint>
#include <cstdio>

#include <ovlp/ovlp.hpp>

namespace {

struct Order {
  int objects;
};
struct Item {
  int value;
};
struct Sum {
  std::int64_t value;
};

}  // namespace

int main(int argc, char** argv) {
  int objects = 1'000'000;
  ovlp::options options{"delivery_ovlp", "Time per object of split -> leaf -> merge inside a process"};
  options.add("--objects", objects, "objects that the split posts").at_least(1);
  ovlp::engine run{argc, argv, options};
  ovlp::threads<> master{"master", 1};
  ovlp::threads<> workers{"workers", 4};

  auto const split = ovlp::split("split", master.at(0), [](Order order, ovlp::out<Item>& items) {
    for (int i = 0; i < order.objects; ++i) items.post({i});
  });
  auto const leaf = ovlp::leaf("leaf", workers.in_turn(), [](Item item) { return item; });
  auto const merge = ovlp::merge("merge", master.at(0), [](ovlp::in<Item>& items) {
    Sum sum{0};
    while (auto const item = items.wait()) sum.value += item->value;
    return sum;
  });
  ovlp::graph const pipeline = split >> leaf >> merge;

  run(pipeline, Order{objects / 10});  // warm-up
  auto const start = std::chrono::steady_clock::now();
  Sum const sum = run(pipeline, Order{objects});
  std::chrono::duration<double> const took = std::chrono::steady_clock::now() - start;
  if (sum.value != std::int64_t{objects} * (objects - 1) / 2) {
    std::fprintf(stderr, "delivery_ovlp: wrong sum\n");
    return 1;
  }
  std::printf("{\"contestant\":\"ovlp\",\"seconds\":%.9f,\"objects\":%d,\"ns_per_object\":%.2f}\n", took.count(),
              objects, took.count() / objects * 1e9);
}
