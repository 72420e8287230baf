// SPDX-License-Identifier: BSD-3-Clause
#include "graph.hpp"

#include <utility>

#include <ovlp/flowgraph/chain.hpp>

#include "matrix.hpp"

namespace lu {
namespace {

/// `each` in all threads of the collection; `merge` takes in what they give.
template <class In, class Each, class Merge>
auto everywhere(ovlp::threads<Columns> const& columns, Each each, Merge merge) {
  struct Request {
    int thread;
    In input;
  };
  return ovlp::split("ask", columns.at(0),
                     [](Here& here, In input, ovlp::out<Request>& requests) {
                       for (int t = 0; t < here.state.layout.threads; ++t) requests.post({t, input});
                     }) >>
         ovlp::leaf("answer", columns.by(&Request::thread),
                    [each](Here& here, Request request) { return each(here, std::move(request.input)); }) >>
         ovlp::merge("collect", columns.at(0), std::move(merge));
}

}  // namespace

ovlp::graph<Seed, Filled> fill_graph(ovlp::threads<Columns> const& columns) {
  auto fill_here = [](Here& here, Seed seed) {
    Layout const& layout = here.state.layout;
    here.state.taken = 0;
    here.kernel("lu.fill", {layout.n, layout.columns_from(0, here.state.thread)},
                [&] { fill(here.state, seed.value); });
    return Filled{};
  };
  return everywhere<Seed>(columns, fill_here, [](ovlp::in<Filled>& filled) {
    while (filled.wait()) {
    }
    return Filled{};
  });
}

ovlp::graph<Factored, Checksum> checksum_graph(ovlp::threads<Columns> const& columns) {
  auto sum_here = [](Here& here, Factored) {
    Layout const& layout = here.state.layout;
    Checksum sum{};
    here.kernel("lu.checksum", {layout.n, layout.columns_from(0, here.state.thread)},
                [&] { sum.value = checksum(here.state); });
    return sum;
  };
  return everywhere<Factored>(columns, sum_here, [](ovlp::in<Checksum>& sums) {
    Checksum total{};
    while (auto sum = sums.wait()) total.value += sum->value;
    return total;
  });
}

ovlp::graph<Factored, Shares> gather_graph(ovlp::threads<Columns> const& columns) {
  auto share = [](Here& here, Factored) { return here.state; };  // elements are shared, not copied
  return everywhere<Factored>(columns, share, [](ovlp::in<Columns>& shares) {
    Shares all;
    while (auto one = shares.wait()) {
      auto const thread = static_cast<std::size_t>(one->thread);
      if (all.of.size() <= thread) all.of.resize(thread + 1);
      all.of[thread] = std::move(*one);
    }
    return all;
  });
}

}  // namespace lu
