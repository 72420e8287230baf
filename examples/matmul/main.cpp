// SPDX-License-Identifier: BSD-3-Clause
// C = A B. Each worker keeps B; bands of rows of A go out, the same rows of C come back.
//
//   matmul --nodes 4 --n 2048 --band 64 --verify
//
//   bands of A --> multiply --> C
//   split          leaf         gather
#include <cblas.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <ovlp/ovlp.hpp>
#include <vector>

using Matrix = ovlp::buffer<double>;  // row by row, n columns
using Worker = ovlp::here<Matrix>;    // its state: B

int keep(Worker& here, Matrix b) {
  here.state = std::move(b);
  return 1;
}
void cut(Matrix a, ovlp::out<Matrix>& bands, std::size_t elements) {
  for (std::size_t first = 0; first < a.size(); first += elements)
    bands.post(a.slice(first, std::min(elements, a.size() - first)));
}
Matrix multiply(Worker& here, Matrix a, int n) {
  int const rows = static_cast<int>(a.size()) / n;
  Matrix c = Matrix::uninitialized(a.size());
  here.kernel("matmul.gemm", {rows, n, n}, [&] {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, n, n, 1, a.data(), n, here.state.data(), n, 0,
                c.mutate().data(), n);
  });
  return c;
}

/// Small whole numbers: sums of their products are exact in any order.
double element(std::size_t i, std::size_t j) { return static_cast<double>((31 * i + 17 * j) % 11) - 5; }
Matrix matrix(std::size_t n) {
  Matrix made(n * n);
  std::span<double> const elements = made.mutate();
  for (std::size_t i = 0; i < n * n; ++i) elements[i] = element(i / n, i % n);
  return made;
}
bool right(std::vector<Matrix> const& bands, std::size_t n) {
  std::size_t i = 0;
  for (Matrix const& band : bands) {
    for (std::size_t first = 0; first < band.size(); first += n, ++i) {
      std::vector<double> row(n);
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t j = 0; j < n; ++j) row[j] += element(i, k) * element(k, j);
      if (!std::equal(row.begin(), row.end(), band.begin() + first)) return false;
    }
  }
  return i == n;
}

int main(int argc, char** argv) {
  std::size_t n = 1024, band = 64;
  bool verify = false;
  ovlp::options options{"matmul", "Product of two matrices"};
  options.add("--n", n, "order of the matrices").at_least(1).at_most(40'000);
  options.add("--band", band, "rows that are multiplied at once").at_least(1).at_most(40'000);
  options.add("--verify", verify, "compare with a serial computation");
  ovlp::engine run{argc, argv, options};
  openblas_set_num_threads(1);
  ovlp::threads<> const master{"master", 1};
  ovlp::threads<Matrix> const workers{"workers", run.nodes()};

  ovlp::graph const keep_b{
      "keep B", ovlp::everywhere("keep", workers, keep) >> ovlp::reduce("kept", master.at(0), std::plus<>{})};
  ovlp::graph const product{"A B", ovlp::split("bands of A", master.at(0), cut, band * n) >>
                                       ovlp::leaf("multiply", workers.in_turn(), multiply, static_cast<int>(n)) >>
                                       ovlp::gather("C", master.at(0))};
  run.add(product);
  run.record();
  Matrix const a = run.computes() ? matrix(n) : Matrix(n * n);
  run(keep_b, a);
  std::vector<Matrix> const c = run(product, a);
  ovlp::summary figures = run.summary();

  double const order = static_cast<double>(n);
  std::printf("%zu x %zu in bands of %zu: %.6f s, %.3f GFlop/s\n", n, n, band, figures.time_s,
              2e-9 * order * order * order / figures.time_s);
  figures.set("n", n);
  figures.set("band", band);
  if (run.computes()) figures.result("last", c.back()[c.back().size() - 1]);
  run.write(figures);
  if (!verify) return 0;
  bool const equal = right(c, n);
  std::printf("%s the serial computation\n", equal ? "verified: equal to" : "WRONG: differs from");
  return equal ? 0 : 1;
}
