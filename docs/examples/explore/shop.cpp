// SPDX-License-Identifier: BSD-3-Clause
// Two customers buy from one shop, which has ten things; how many are left?  shop --nodes 3
#include <iostream>
#include <ovlp/ovlp.hpp>

struct Shelf {
  int left = 10;
};

int main(int argc, char** argv) {
  bool mended = false;
  ovlp::options options{"shop", "Two customers buy from one shop"};
  options.add("--mended", mended, "take from the shelf before the customer pays");
  ovlp::engine run{argc, argv, options};
  ovlp::threads<> master{"master", 1}, bank{"bank", ovlp::mapping("node1")};
  ovlp::threads<Shelf> shop{"shop", ovlp::mapping("node2")};

  ovlp::graph<int, int> const pay{ovlp::leaf("pay", bank.at(0), [](int amount) { return amount; })};
  auto const come = ovlp::split("come", master.at(0), [=](ovlp::here<>& here, int customers, ovlp::out<int>& to) {
    for (int i = 0; i < customers; ++i) {
      to.post(3);
      for (int walks = 0; walks < 3; ++walks) here.call(pay, 0);  // the next one comes later
    }
  });
  auto const sell = ovlp::leaf("sell", shop.at(0), [=](ovlp::here<Shelf>& here, int things) {
    int const left = here.state.left;
    if (mended) here.state.left = left - things;
    here.call(pay, things);  // while this waits, another operation may run in the thread
    if (!mended) here.state.left = left - things;
    return things;
  });
  auto const all = ovlp::merge("all", master.at(0), [](ovlp::in<int>& sold) {
    int sum = 0;
    for (int const things : sold) sum += things;
    return sum;
  });
  ovlp::graph<int, int> const day = come >> sell >> all;
  ovlp::graph<int, int> const count{
      ovlp::leaf("count", shop.at(0), [](ovlp::here<Shelf>& here, int) { return here.state.left; })};
  run.add(pay);
  run.add(count);
  int const sold = run(day, 2);
  std::cout << sold << " sold, " << run(count, 0) << " left\n";
}
