// SPDX-License-Identifier: BSD-3-Clause
#include "columns.hpp"

namespace lu {
namespace {

std::size_t area(int rows, int columns) { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns); }

}  // namespace

int Layout::columns_from(int j, int thread) const {
  int columns = 0;
  for (int own = next(j, thread); own < blocks(); own += threads) columns += width(own);
  return columns;
}

std::size_t Columns::place(int i, int j) const {
  return area(layout.leading(), layout.first(j / layout.threads)) + static_cast<std::size_t>(layout.first(i));
}

Matrix new_matrix(int rows, int columns) { return Matrix::uninitialized(area(rows, columns)); }

ovlp::threads<Columns> make_columns(Layout const& layout, std::size_t nodes) {
  auto make = [layout](std::size_t index) {
    int const thread = static_cast<int>(index);
    Columns made;
    made.layout = layout;
    made.thread = thread;
    made.elements = ovlp::buffer<double>::uninitialized(area(layout.leading(), layout.columns_from(0, thread)));
    made.pivots.resize(static_cast<std::size_t>(layout.blocks()));
    return made;
  };
  return {"columns", ovlp::mapping::in_turn(static_cast<std::size_t>(layout.threads), nodes), make};
}

void factor(Here& here, int k) {
  Columns& mine = here.state;
  int const m = mine.layout.rest(k), n = mine.layout.width(k);
  mine.pivots_of(k) = ovlp::buffer<int>(static_cast<std::size_t>(n));
  here.kernel("lu.getrf", {m, n}, [&] { getrf(m, n, mine.at(k, k), mine.pivots_of(k).mutate()); });
}

void exchange_rows(Here& here, int k, int j, int columns) {
  Columns& mine = here.state;
  here.kernel("lu.laswp", {mine.layout.width(k), columns},
              [&] { laswp(columns, mine.at(k, j), mine.pivots_of(k).view()); });
}

Matrix extract(Here& here, int i, int j, int rows) {
  Columns& mine = here.state;
  return copy_of(here, rows, mine.layout.width(j), [&] { return mine.at(i, j); });
}

}  // namespace lu
