// SPDX-License-Identifier: BSD-3-Clause
// A matrix times a vector: blocks of rows go out, parts of the result come back.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <ovlp/ovlp.hpp>

constexpr std::size_t n = 1000, block = 100;
using Numbers = ovlp::buffer<double>;

struct Rows {
  Numbers a, x;
};

void deal(Numbers x, ovlp::out<Rows>& rows) {
  Numbers a(n * n);  // all zero
  std::span<double> const elements = a.mutate();
  for (std::size_t i = 0; i < n; ++i) elements[i * n + i] = 2;
  for (std::size_t first = 0; first < n; first += block)
    rows.post({a.slice(first * n, block * n), x});  // nothing is copied here: slices share a, and all share x
}
Numbers multiply(Rows rows) {
  Numbers y = Numbers::uninitialized(rows.a.size() / n);
  std::span<double const> const a = rows.a.view(), x = rows.x.view();
  std::span<double> const to = y.mutate();
  for (std::size_t i = 0; i < y.size(); ++i) to[i] = std::inner_product(x.begin(), x.end(), &a[i * n], 0.0);
  return y;
}

int main(int argc, char** argv) {
  ovlp::engine run{argc, argv};
  ovlp::threads<> master{"master", 1}, workers{"workers", 4};
  ovlp::graph const product{"A x", ovlp::split("deal", master.at(0), deal) >>
                                       ovlp::leaf("multiply", workers.in_turn(), multiply) >>
                                       ovlp::gather("y", master.at(0))};

  Numbers ones(n);
  std::ranges::fill(ones.mutate(), 1.0);
  double sum = 0;
  for (Numbers const& part : run(product, ones)) sum += std::accumulate(part.begin(), part.end(), 0.0);
  std::printf("sum %g\n", sum);
}
