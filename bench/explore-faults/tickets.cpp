// SPDX-License-Identifier: BSD-3-Clause
// Tickets with numbers that no two share: each machine counts its own.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <vector>

#include <ovlp/ovlp.hpp>

namespace {

struct Machine {
  int sold = 0;
};
using Here = ovlp::here<Machine>;

void sell(Here& here, int /*customer*/, ovlp::out<int>& tickets) {
  int& sold = here.state.sold;
  for (int i = 0; i < 2; ++i) {
    int const number = sold;
    tickets.post(static_cast<int>(here.size()) * number + static_cast<int>(here.index()));
    sold = number + 1;
  }
}
std::vector<int> collect(ovlp::in<int>& tickets) {
  std::vector<int> all;
  for (int const one : tickets) all.push_back(one);
  std::ranges::sort(all);
  return all;
}

}  // namespace

int main(int argc, char** argv) try {
  ovlp::engine run{argc, argv};
  ovlp::threads<> const gates{"gates", ovlp::mapping("node1")};
  ovlp::threads<Machine> const machines{"machines", 2};
  auto const customer = [](int number) { return number; };
  ovlp::graph<int, std::vector<int>> const sale{
      "sale", ovlp::split("sell", machines.by(customer), sell) >> ovlp::merge("collect", gates.at(0), collect)};
  ovlp::graph<int, int> const pause{"pause", ovlp::leaf("pause", gates.at(0), customer)};
  run.add(sale);
  run.add(pause);
  std::vector<ovlp::pending_call<std::vector<int>>> sales;
  for (int i = 0; i < 4; ++i) {
    sales.push_back(run.async(sale, i));
    for (int hops = 0; hops < 6; ++hops) run(pause, 0);
  }
  std::vector<int> sold;
  for (auto& one : sales) {
    std::vector<int> const tickets = one.get();
    sold.insert(sold.end(), tickets.begin(), tickets.end());
  }
  std::ranges::sort(sold);
  return std::ranges::adjacent_find(sold) == sold.end() ? 0 : 1;
} catch (std::exception const& error) {
  std::fprintf(stderr, "tickets: %s\n", error.what());
  return 1;
}
