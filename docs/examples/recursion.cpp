// SPDX-License-Identifier: BSD-3-Clause
// An integral by a graph that calls itself for both halves of what is too rough:  recursion --nodes 3
#include <cmath>
#include <cstdio>
#include <ovlp/ovlp.hpp>

struct Interval {
  double from, to;
  int number;  // 1, then 2n and 2n + 1 for the halves of n
};

double simpson(double from, double to) {
  return (to - from) / 6 * (std::sqrt(from) + 4 * std::sqrt((from + to) / 2) + std::sqrt(to));
}
double area(ovlp::here<>& here, Interval i, ovlp::graph<Interval, double> const& itself) {
  double const middle = (i.from + i.to) / 2, rough = simpson(i.from, i.to);
  double const fine = simpson(i.from, middle) + simpson(middle, i.to);
  if (std::abs(fine - rough) < 1e-7) return fine;
  auto left = here.async(itself, {i.from, middle, 2 * i.number});  // goes on meanwhile, on another node
  double const right = here.call(itself, {middle, i.to, 2 * i.number + 1});
  return left.get() + right;
}

int main(int argc, char** argv) {
  ovlp::engine run{argc, argv};
  ovlp::threads<> workers{"workers", 2 * run.nodes()};
  ovlp::graph<Interval, double> integral("integral");
  auto whole = integral.leaf("area", workers, [&](ovlp::here<>& here, Interval i) { return area(here, i, integral); });
  integral.enter(whole, ovlp::by(&Interval::number));
  integral.leave(whole);
  std::printf("%.6f\n", run(integral, {0, 1, 1}));
}
