// SPDX-License-Identifier: BSD-3-Clause
#include "graph.hpp"

#include <vector>

#include <ovlp/flowgraph/shapes.hpp>

#include "matrix.hpp"

namespace lu {

ovlp::graph<Seed, Filled> fill_graph(ovlp::threads<Columns> const& columns) {
  auto fill_here = [](Here& here, Seed seed) {
    Layout const& layout = here.state.layout;
    here.state.taken = 0;
    here.kernel("lu.fill", {layout.n, layout.columns_from(0, here.state.thread)},
                [&] { fill(here.state, seed.value); });
    return Filled{};
  };
  return ovlp::everywhere("fill", columns, fill_here) >>
         ovlp::reduce("filled", columns.at(0), [](Filled all, Filled) { return all; });
}

ovlp::graph<Factored, Checksum> checksum_graph(ovlp::threads<Columns> const& columns) {
  auto sum_here = [](Here& here, Factored) {
    Layout const& layout = here.state.layout;
    Checksum sum{};
    here.kernel("lu.checksum", {layout.n, layout.columns_from(0, here.state.thread)},
                [&] { sum.value = checksum(here.state); });
    return sum;
  };
  return ovlp::everywhere("sum", columns, sum_here) >>
         ovlp::reduce("checksum", columns.at(0), [](Checksum a, Checksum b) { return Checksum{a.value + b.value}; });
}

ovlp::graph<Factored, std::vector<Columns>> gather_graph(ovlp::threads<Columns> const& columns) {
  auto share = [](Here& here, Factored) { return here.state; };  // elements are shared, not copied
  return ovlp::everywhere("share", columns, share) >> ovlp::gather("factors", columns.at(0));
}

}  // namespace lu
