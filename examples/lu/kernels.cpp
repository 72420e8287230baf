// SPDX-License-Identifier: BSD-3-Clause
#include "kernels.hpp"

#include <cblas.h>
#include <lapacke.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace lu {
namespace {

void expect_success(char const* routine, int info) {
  if (info < 0) throw std::runtime_error(std::string(routine) + " returned " + std::to_string(info));
}

}  // namespace

void use_one_blas_thread() { openblas_set_num_threads(1); }

void getrf(int m, int n, Block a, std::span<int> pivots) {
  expect_success("dgetrf", LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, m, n, a.first, a.leading, pivots.data()));
}

void laswp(int n, Block a, std::span<int const> pivots) {
  int const rows = static_cast<int>(pivots.size());
  expect_success("dlaswp", LAPACKE_dlaswp_work(LAPACK_COL_MAJOR, n, a.first, a.leading, 1, rows, pivots.data(), 1));
}

// Halves, so that most of the work is gemm's: on OpenBLAS's own trsm it takes half as long again.
void trsm(int m, int n, ConstBlock l, Block b) {  // NOLINT(misc-no-recursion)
  if (m > 32) {
    int const upper = m / 2;
    trsm(upper, n, l, b);
    gemm(m - upper, n, upper, -1, l.below(upper), b, 1, b.below(upper));
    return trsm(m - upper, n, {l.column(upper) + upper, l.leading}, b.below(upper));
  }
  cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, m, n, 1, l.first, l.leading, b.first,
              b.leading);
}

void trmm(int m, int n, ConstBlock l, Block b) {
  cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, m, n, 1, l.first, l.leading, b.first,
              b.leading);
}

void gemm(int m, int n, int k, double alpha, ConstBlock a, ConstBlock b, double beta, Block c) {
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, alpha, a.first, a.leading, b.first, b.leading, beta,
              c.first, c.leading);
}

void subtract(int m, int n, ConstBlock a, Block c) {
  for (int j = 0; j < n; ++j) {
    double const* const from = a.column(j);
    double* const to = c.column(j);
    for (int i = 0; i < m; ++i) to[i] -= from[i];
  }
}

void copy(int m, int n, ConstBlock a, Block b) {
  for (int j = 0; j < n; ++j) std::copy_n(a.column(j), m, b.column(j));
}

}  // namespace lu
