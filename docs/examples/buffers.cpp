// SPDX-License-Identifier: BSD-3-Clause
// A matrix times a vector: blocks of rows go out, parts of the result come back.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <ovlp/ovlp.hpp>

constexpr std::size_t n = 1000, block = 100;

struct Vector {
  ovlp::buffer<double> x;
};
struct Rows {
  std::size_t first;
  ovlp::buffer<double> a, x;
};
struct Part {
  std::size_t first;
  ovlp::buffer<double> y;
};

void deal(Vector in, ovlp::out<Rows>& rows) {
  for (std::size_t first = 0; first < n; first += block) {
    ovlp::buffer<double> a(block * n);  // all zero
    std::span<double> const elements = a.mutate();
    for (std::size_t i = 0; i < block; ++i) elements[i * n + first + i] = 2;
    rows.post({first, a, in.x});  // in.x is shared by all, not copied
  }
}
Part multiply(Rows rows) {
  auto y = ovlp::buffer<double>::uninitialized(block);
  std::span<double const> const a = rows.a.view(), x = rows.x.view();
  std::span<double> const to = y.mutate();
  for (std::size_t i = 0; i < block; ++i) to[i] = std::inner_product(x.begin(), x.end(), &a[i * n], 0.0);
  return {rows.first, y};
}
Vector collect(ovlp::in<Part>& parts) {
  Vector all{ovlp::buffer<double>(n)};
  while (auto part = parts.wait())
    std::ranges::copy(part->y, all.x.mutate().begin() + static_cast<std::ptrdiff_t>(part->first));
  return all;
}

int main(int argc, char** argv) {
  ovlp::engine run{argc, argv};
  ovlp::threads<> master{"master", 1}, workers{"workers", 4};
  ovlp::graph const product = ovlp::split("deal", master.at(0), deal) >>
                              ovlp::leaf("multiply", workers.in_turn(), multiply) >>
                              ovlp::merge("collect", master.at(0), collect);

  Vector ones{ovlp::buffer<double>(n)};
  std::ranges::fill(ones.x.mutate(), 1.0);
  Vector const twos = run(product, ones);
  std::printf("sum %g\n", std::accumulate(twos.x.begin(), twos.x.end(), 0.0));
}
