// SPDX-License-Identifier: BSD-3-Clause
// A x = b by conjugate gradients (Hestenes and Stiefel, 1952), A symmetric and positive definite. Each thread has some
// rows of A. A leaf on node 0 has the vectors; in each iteration it calls the graph that multiplies A by one.
//
//   cg --nodes 4 --n 4000 --steps 30 --iterations
//
//   (p to all) --> multiply --> A p
//   everywhere                  gather
#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <ovlp/ovlp.hpp>
#include <vector>

using Vector = ovlp::buffer<double>;
using Parts = std::vector<Vector>;
using Rows = ovlp::here<Vector>;  // the state of a thread: its rows of A, one after the other
using Product = ovlp::graph<Vector, Parts>;

/// Positive definite: eigenvalues between 0.27 and 3.16, so that each step leaves at most 55 % of the error.
double element(std::size_t i, std::size_t j) {
  double const distance = static_cast<double>(i) - static_cast<double>(j);
  return 1 / (1 + distance * distance);
}
Vector rows(std::size_t first, std::size_t last, std::size_t n) {
  Vector made(last * n - first * n);
  std::span<double> const elements = made.mutate();
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = element(first + i / n, i % n);
  return made;
}
void multiply(Vector const& a, Vector const& p, Vector& q) {
  int const m = static_cast<int>(q.size()), n = static_cast<int>(p.size());
  cblas_dgemv(CblasRowMajor, CblasNoTrans, m, n, 1, a.data(), n, p.data(), 1, 0, q.mutate().data(), 1);
}

struct Iterate {
  Vector x, r, p;

  double residual() const { return cblas_dnrm2(static_cast<int>(r.size()), r.data(), 1); }
  /// To the next one, where q = A p.
  void advance(Vector const& q) {
    int const n = static_cast<int>(q.size());
    double const before = cblas_ddot(n, r.data(), 1, r.data(), 1);
    if (before == 0) return;  // x is exact
    double const alpha = before / cblas_ddot(n, p.data(), 1, q.data(), 1);
    cblas_daxpy(n, alpha, p.data(), 1, x.mutate().data(), 1);
    cblas_daxpy(n, -alpha, q.data(), 1, r.mutate().data(), 1);
    double const after = cblas_ddot(n, r.data(), 1, r.data(), 1);
    cblas_daxpby(n, 1, r.data(), 1, after / before, p.mutate().data(), 1);
  }
};

std::size_t fill(Rows& here, std::size_t n) {
  std::size_t const first = here.index() * n / here.size(), last = (here.index() + 1) * n / here.size();
  here.state = Vector::uninitialized((last - first) * n);
  here.kernel("cg.fill", {last - first, n}, [&] { here.state = rows(first, last, n); });
  return last - first;
}
Vector multiply_rows(Rows& here, Vector p) {
  Vector q = Vector::uninitialized(here.state.size() / p.size());
  here.kernel("cg.multiply", {q.size(), p.size()}, [&] { multiply(here.state, p, q); });
  return q;
}
Vector joined(Parts const& parts, std::size_t n) {
  Vector all(n);
  auto to = all.mutate().begin();
  for (Vector const& part : parts) to = std::ranges::copy(part, to).out;
  return all;
}
Iterate solve(ovlp::here<>& here, Iterate now, Product product, int steps) {
  for (int k = 1; k <= steps; ++k) {
    here.iteration(k);
    Parts const q = here.call(product, now.p);
    here.kernel("cg.advance", {now.x.size()}, [&] { now.advance(joined(q, now.x.size())); });
  }
  return now;
}
Iterate solve_serially(Iterate now, int steps) {
  Vector const a = rows(0, now.x.size(), now.x.size());
  Vector q(now.x.size());
  for (int k = 1; k <= steps; ++k) {
    multiply(a, now.p, q);
    now.advance(q);
  }
  return now;
}

int main(int argc, char** argv) {
  std::size_t n = 2000;
  int steps = 30;
  bool verify = false;
  ovlp::options options{"cg", "Linear equations by conjugate gradients"};
  options.add("--n", n, "number of equations").at_least(1).at_most(40'000);
  options.add("--steps", steps, "iterations of the method").at_least(1);
  options.add("--verify", verify, "compare with a serial computation");
  ovlp::engine run{argc, argv, options};
  openblas_set_num_threads(1);
  ovlp::threads<> const master{"master", 1};
  ovlp::threads<Vector> const matrix{"matrix", run.nodes()};

  ovlp::graph const filling{
      "fill", ovlp::everywhere("rows", matrix, fill) >> ovlp::reduce("filled", master.at(0), std::plus<>{})};
  Product const product{"A p",
                        ovlp::everywhere("multiply", matrix, multiply_rows) >> ovlp::gather("A p", master.at(0))};
  ovlp::graph const cg{"cg", ovlp::leaf("solve", master.at(0), solve, product, steps)};
  run.add(product);
  run.add(cg);
  run.record();
  run.estimate("cg.fill", 0.0);  // not part of what is predicted
  run(filling, n);
  Vector b(n);
  if (run.computes()) std::ranges::fill(b.mutate(), 1.0);
  Iterate const start{Vector(n), b, b}, found = run(cg, start);
  ovlp::summary figures = run.summary();

  std::printf("%zu equations, %d iterations: %.6f s", n, steps, figures.time_s);
  if (run.computes()) std::printf(", residual %.3g", found.residual());
  std::printf("\n");
  figures.set("n", n);
  figures.set("steps", steps);
  if (run.computes()) figures.result("residual", found.residual());
  run.write(figures);
  if (!verify) return 0;
  Vector const expected = solve_serially(start, steps).x;
  bool const equal = std::ranges::equal(found.x, expected, [](double u, double v) { return std::abs(u - v) < 1e-9; });
  std::printf("%s the serial computation\n", equal ? "verified: equal to" : "WRONG: differs from");
  return equal ? 0 : 1;
}
