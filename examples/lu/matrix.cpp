// SPDX-License-Identifier: BSD-3-Clause
#include "matrix.hpp"

#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

namespace lu {
namespace {

constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;

std::uint64_t scramble(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

std::uint64_t place(int row, int column) {
  return golden * (1 + (static_cast<std::uint64_t>(column) << 32 | static_cast<std::uint64_t>(row)));
}

/// Calls `body(column, elements)` for each column of the matrix that is here.
template <class Share, class Body>
void for_each_column(Share& columns, Body body) {
  Layout const& layout = columns.layout;
  for (int j = columns.thread; j < layout.blocks(); j += layout.threads) {
    auto const block = columns.at(0, j);
    for (int c = 0; c < layout.width(j); ++c) body(layout.first(j) + c, block.column(c));
  }
}

Columns const& owner_of(int j, std::vector<Columns> const& shares) {
  return shares[static_cast<std::size_t>(shares.front().layout.owner(j))];
}

/// The row of A that is row i of P A.
std::vector<int> permutation(std::vector<Columns> const& shares) {
  Layout const& layout = shares.front().layout;
  std::vector<int> rows(static_cast<std::size_t>(layout.n));
  std::iota(rows.begin(), rows.end(), 0);
  for (int k = 0; k < layout.blocks(); ++k) {
    auto const panel = rows.begin() + layout.first(k);
    auto row = panel;
    for (int pivot : owner_of(k, shares).pivots_of(k)) std::swap(*row++, panel[pivot - 1]);
  }
  return rows;
}

/// product := block column j of L U. `u` is room for a block.
void multiply_back(std::vector<Columns> const& shares, int j, Block product, Block u) {
  Layout const& layout = shares.front().layout;
  int const n = layout.width(j);
  for (int c = 0; c < n; ++c) std::fill_n(product.column(c), layout.n, 0.0);
  for (int k = 0; k <= j; ++k) {
    int const m = layout.width(k), below = layout.rest(k) - m;
    Block const to = product.below(layout.first(k));
    copy(m, n, owner_of(j, shares).at(k, j), u);
    if (k == j) {  // below the diagonal stands L
      for (int c = 0; c < n; ++c) std::fill(u.column(c) + c + 1, u.column(c) + n, 0.0);
    }
    ConstBlock const l = owner_of(k, shares).at(k, k);
    gemm(below, n, m, 1, l.below(m), u, 1, to.below(m));
    trmm(m, n, l, u);
    for (int c = 0; c < n; ++c) {
      for (int i = 0; i < m; ++i) to.column(c)[i] += u.column(c)[i];
    }
  }
}

}  // namespace

double element(std::uint64_t seed, int row, int column) {
  return static_cast<double>(scramble(seed + place(row, column)) >> 11) * 0x1p-53 - 0.5;
}

void fill(Columns& columns, std::uint64_t seed) {
  int const n = columns.layout.n;
  for_each_column(columns, [&](int column, double* elements) {
    for (int row = 0; row < n; ++row) elements[row] = element(seed, row, column);
  });
}

std::uint64_t checksum(Columns const& columns) {
  Layout const& layout = columns.layout;
  std::uint64_t sum = 0;
  auto const add = [&](std::uint64_t bits, int row, int column) {
    sum += scramble(bits ^ scramble(place(row, column)));
  };
  for_each_column(columns, [&](int column, double const* elements) {
    for (int row = 0; row < layout.n; ++row) add(std::bit_cast<std::uint64_t>(elements[row]), row, column);
  });
  for (int k = columns.thread; k < layout.blocks(); k += layout.threads) {
    int column = layout.first(k);  // pivots take the place of a row n
    for (int pivot : columns.pivots_of(k)) {
      int const row = layout.first(k) + pivot;
      add(static_cast<std::uint64_t>(row), layout.n, column++);
    }
  }
  return sum;
}

double residual(std::vector<Columns> const& shares, std::uint64_t seed) {
  Layout const& layout = shares.front().layout;
  std::vector<int> const rows = permutation(shares);
  auto const width = static_cast<std::size_t>(layout.width(0));
  std::vector<double> product_elements(rows.size() * width), u_elements(width * width);
  Block const product{product_elements.data(), layout.n}, u{u_elements.data(), layout.width(0)};
  double difference = 0, norm = 0;  // the largest sum of a column: the 1-norm
  for (int j = 0; j < layout.blocks(); ++j) {
    multiply_back(shares, j, product, u);
    for (int c = 0; c < layout.width(j); ++c) {
      double const* got = product.column(c);
      double wrong = 0, sum = 0;
      for (int row : rows) {
        double const a = element(seed, row, layout.first(j) + c);
        wrong += std::abs(a - *got++);
        sum += std::abs(a);
      }
      if (std::isnan(wrong)) return wrong;
      difference = std::max(difference, wrong);
      norm = std::max(norm, sum);
    }
  }
  return difference / (layout.n * norm * 0x1p-53);
}

}  // namespace lu
