// SPDX-License-Identifier: BSD-3-Clause
// The letters are those of the paper's figure 7. With m x k and k x n the orders of the blocks to be multiplied.
#include "products.hpp"

#include <algorithm>
#include <utility>

#include <ovlp/flowgraph/chain.hpp>

#include "distribution.hpp"

namespace lu {
namespace {

// clang-format off
struct Place { int level, row, column; };                                  // of a product
struct ColumnBlock { Place of; int part, uses; Matrix block; };            // (a) -> (b)
struct Kept {};                                                            // (b) -> (c), which gives (d) what (a) got
struct LineBlock { Place of; int line, part; Matrix block; };              // (d) -> (e)
struct SubProduct { Place of; int line, part; Matrix product; };           // (e) -> (f)
// clang-format on

Place place_of(Product const& p) { return {p.level, p.row, p.column}; }

/// How the blocks of one product are cut.
struct Cut {
  Layout layout;
  int size;

  int m(Place of) const { return layout.width(of.row); }
  int n(Place of) const { return layout.width(of.column); }
  int k(Place of) const { return layout.width(of.level); }
  int lines(Place of) const { return parts_of(m(of)); }
  int parts(Place of) const { return parts_of(n(of)); }
  int rows(Place of, int line) const { return std::min(size, m(of) - line * size); }
  int columns(Place of, int part) const { return std::min(size, n(of) - part * size); }
  std::int64_t number(Place of) const { return product_number(layout.blocks(), of.level, of.row, of.column); }

 private:
  int parts_of(int order) const { return (order - 1) / size + 1; }
};

/// The block at (row, column) of a matrix with `leading` rows.
Matrix cut_out(ovlp::here<>& here, Matrix const& from, int leading, int row, int column, int rows, int columns) {
  return copy_of(here, rows, columns, [&] {
    return ConstBlock{ConstBlock{from.data(), leading}.column(column) + row, leading};
  });
}

}  // namespace

ovlp::graph<Product, Minus> sub_block_graph(ovlp::threads<> const& multipliers, ovlp::threads<Store> const& stores,
                                            Layout const& layout, int size) {
  Cut const cut{layout, size};
  auto const store =
      ovlp::by([cut](auto const& block) { return cut.number(block.of) * cut.parts(block.of) + block.part; });

  ovlp::graph<Product, Minus> g("sub-blocks");
  auto a = g.split("send columns", multipliers,
                   [cut](ovlp::here<>& here, Product const& p, ovlp::out<ColumnBlock>& columns) {
                     Place const of = place_of(p);
                     int const k = cut.k(of);
                     for (int j = 0; j < cut.parts(of); ++j) {
                       int const width = cut.columns(of, j);
                       columns.post({of, j, cut.lines(of), cut_out(here, p.t12, k, 0, j * cut.size, k, width)});
                     }
                   });
  auto b = g.leaf("store", stores, [cut](ovlp::here<Store>& here, ColumnBlock const& column) {
    here.state[{cut.number(column.of), column.part}] = {column.block, column.uses};
    return Kept{};
  });
  auto c = g.merge("all stored", multipliers, [](Product const& p, ovlp::in<Kept>& kept) {
    kept.drain();
    return p;
  });
  auto d = g.split("send lines", multipliers, [cut](ovlp::here<>& here, Product const& p, ovlp::out<LineBlock>& lines) {
    Place const of = place_of(p);
    for (int i = 0; i < cut.lines(of); ++i) {
      int const rows = cut.rows(of, i), k = cut.k(of);
      Matrix const line = cut_out(here, p.l21, cut.m(of), i * cut.size, 0, rows, k);
      for (int j = 0; j < cut.parts(of); ++j) lines.post({of, i, j, line});
    }
  });
  auto e = g.leaf("multiply", stores, [cut](ovlp::here<Store>& here, LineBlock const& l) {
    int const m = cut.rows(l.of, l.line), n = cut.columns(l.of, l.part), k = cut.k(l.of);
    auto const stored = here.state.find({cut.number(l.of), l.part});
    Matrix product = multiply(here, m, n, k, l.block, stored->second.block);
    if (--stored->second.uses == 0) here.state.erase(stored);
    return SubProduct{l.of, l.line, l.part, std::move(product)};
  });
  auto f = g.merge("build", multipliers, [cut](ovlp::here<>& here, Product const& p, ovlp::in<SubProduct>& products) {
    int const m = cut.m(place_of(p));
    Minus whole{p.level, p.row, p.column, new_matrix(m, cut.n(place_of(p)))};
    for (SubProduct const& sub : products) {
      int const rows = cut.rows(sub.of, sub.line), columns = cut.columns(sub.of, sub.part);
      here.kernel("lu.copy", {rows, columns}, [&] {
        Block const to{whole.product.mutate().data(), m};
        copy(rows, columns, {sub.product.data(), rows}, {to.column(sub.part * cut.size) + sub.line * cut.size, m});
      });
    }
    return whole;
  });
  g.enter(a, ovlp::in_turn());  // where the whole block would have been multiplied
  g.edge(a, b, store);
  g.edge(b, c, ovlp::at_opener());
  g.edge(c, d, ovlp::relative(0));
  g.edge(d, e, store);
  g.edge(e, f, ovlp::at_opener());
  g.leave(f);
  return g;
}

}  // namespace lu
