// SPDX-License-Identifier: BSD-3-Clause
// Two bidders offer the same; who wins?  auction --nodes 3
#include <iostream>
#include <ovlp/ovlp.hpp>

struct Bid {
  int bidder, offer;
};

int main(int argc, char** argv) {
  bool mended = false;
  ovlp::options options{"auction", "Two bidders offer the same"};
  options.add("--mended", mended, "the lower number wins then");
  ovlp::engine run{argc, argv, options};
  ovlp::threads<> master{"master", 1}, bidders{"bidders", 2}, advisers{"advisers", 2};

  ovlp::graph<int, int> const advice{ovlp::leaf("advise", advisers.by(std::identity()), [](int n) { return n; })};
  auto const ask = ovlp::split("ask", master.at(0), [](int count, ovlp::out<int>& to) {
    for (int i = 0; i < count; ++i) to.post(i);
  });
  auto const offer = ovlp::leaf("offer", bidders.by(std::identity()), [=](ovlp::here<>& here, int bidder) {
    for (int i = 0; i < 2 * bidder; ++i) here.call(advice, i);  // bidder 1 is slow
    return Bid{bidder, 100};
  });
  auto const choose = ovlp::merge("choose", master.at(0), [=](ovlp::in<Bid>& bids) {
    Bid best{-1, 0};
    for (Bid const bid : bids) {
      bool const lower = mended && bid.offer == best.offer && bid.bidder < best.bidder;
      if (bid.offer > best.offer || lower) best = bid;  // without `lower` who comes first wins
    }
    return best.bidder;
  });
  ovlp::graph<int, int> const auction = ask >> offer >> choose;
  run.add(advice);
  std::cout << "bidder " << run(auction, 2) << " wins\n";
}
