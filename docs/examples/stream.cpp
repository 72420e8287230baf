// SPDX-License-Identifier: BSD-3-Clause
// A stream passes on what it has while more is coming.
#include <cstdio>
#include <functional>
#include <numeric>
#include <ovlp/ovlp.hpp>
#include <vector>

struct Range {
  int first, last;
};
using Pack = std::vector<long>;

void each(Range range, ovlp::out<int>& numbers) {
  for (int i = range.first; i < range.last; ++i) numbers.post(i);
}
long square(int number) { return long{number} * number; }
void pack(ovlp::in<long>& squares, ovlp::out<Pack>& packs) {
  Pack some;
  for (long s : squares) {
    some.push_back(s);
    if (some.size() == 10) packs.post(std::exchange(some, {}));
  }
  if (!some.empty()) packs.post(some);
}
long add(Pack numbers) { return std::accumulate(numbers.begin(), numbers.end(), 0L); }

int main(int argc, char** argv) {
  ovlp::engine run{argc, argv};
  ovlp::threads<> master{"master", 1}, workers{"workers", 4};
  ovlp::graph const squares = ovlp::split("each", master.at(0), each).window(16) >>
                              ovlp::leaf("square", workers.least_loaded(), square) >>
                              ovlp::stream("pack", master.at(0), pack) >> ovlp::leaf("add", workers.in_turn(), add) >>
                              ovlp::reduce("total", master.at(0), std::plus<>{});
  std::printf("%ld\n", run(squares, {0, 1000}));
}
