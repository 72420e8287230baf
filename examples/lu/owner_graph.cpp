// SPDX-License-Identifier: BSD-3-Clause
// Each product is computed where its column lives, so only panels travel: one message per level from node to node
// where the paper's graph ships both inputs and the result of each product. How it is made fast on few nodes:
// - One DPS thread per node has all of the node's block columns side by side. What it has right of a panel is one part
//   of a matrix, updated by one trsm and one gemm, which reach BLAS's full speed with narrow panels too; and a panel is
//   sent to each node once.
// - The owner of the next panel updates that block column first, factors it and posts it; then comes its other work of
//   the level (*lead*). The rest of the nodes *follow*. So a panel is on its way for about as long as a whole level
//   takes before anyone waits for it, and there is no barrier: each thread goes from level to level on its own.
// - Row exchanges left of a panel can wait: each thread does its own in the end, without a message, column by column
//   within the cache.
#include <utility>

#include "graph.hpp"

namespace lu {
namespace {

struct WholePanel {
  int level;
  int thread;  ///< for which it is meant
  ovlp::buffer<double> l;
  ovlp::buffer<int> pivots;
};
struct Followed {};

/// Takes the panel into `width` columns from block column j on.
void eliminate(Here& here, WholePanel const& panel, int j, int width) {
  if (width == 0) return;
  Layout const& layout = here.state.layout;
  int const k = panel.level, height = layout.rest(k), m = layout.width(k), below = height - m;
  exchange_rows(here, k, j, width);
  auto const l = [&] { return ConstBlock{panel.l.data(), height}; };
  here.kernel("lu.trsm", {m, width}, [&] { trsm(m, width, l(), here.state.at(k, j)); });
  here.kernel("lu.gemm", {below, width, m},
              [&] { gemm(below, width, m, -1, l().below(m), here.state.at(k, j), 1, here.state.at(k + 1, j)); });
}

/// Takes the panel into all block columns of this thread from j on.
void eliminate_from(Here& here, WholePanel const& panel, int j) {
  Layout const& layout = here.state.layout;
  int const thread = here.state.thread;
  eliminate(here, panel, layout.next(j, thread), layout.columns_from(j, thread));
  ++here.state.taken;
}

/// Factors panel k and posts it: first to the thread that has the next one and leads, then to those that follow.
void factor_and_post(Here& here, int k, ovlp::out<WholePanel>& leads, ovlp::out<WholePanel>& follows) {
  Layout const& layout = here.state.layout;
  bool const last = k + 1 == layout.blocks();
  here.iteration(k + 1);
  factor(here, k);
  // No column is right of the last panel: only its pivots matter.
  WholePanel panel{k, 0, last ? ovlp::buffer<double>() : extract(here, k, k, layout.rest(k)), here.state.pivots_of(k)};
  int const leader = last ? layout.threads : layout.owner(k + 1);
  auto const meant_for = [&](int thread) {
    panel.thread = thread;
    return panel;
  };
  if (!last) leads.post(meant_for(leader));
  for (int t = 0; t < layout.threads; ++t) {
    if (t != leader) follows.post(meant_for(t));
  }
}

/// Panels may overtake each other on their way, and one may come before this thread has all of the last.
void await_turn(Here& here, WholePanel const& panel) {
  here.wait_until([&] { return here.state.taken == panel.level; });
  here.state.pivots_of(panel.level) = panel.pivots;
}

void factor_first_panel(Here& here, Order, ovlp::out<WholePanel>& leads, ovlp::out<WholePanel>& follows) {
  factor_and_post(here, 0, leads, follows);
}

/// Its group is one panel. A split would do, but for nesting: each level's groups would stand inside the last one's.
void lead(Here& here, ovlp::in<WholePanel>& panels, ovlp::out<WholePanel>& leads, ovlp::out<WholePanel>& follows) {
  while (auto panel = panels.wait()) {
    int const next = panel->level + 1;
    await_turn(here, *panel);
    eliminate(here, *panel, next, here.state.layout.width(next));
    factor_and_post(here, next, leads, follows);
    here.iteration(next);
    eliminate_from(here, *panel, next + 1);
  }
}

Followed follow(Here& here, WholePanel const& panel) {
  await_turn(here, panel);
  eliminate_from(here, panel, panel.level + 1);
  return {};
}

/// Exchanges rows of panel j as all later panels demand, column by column: while it is in the cache.
void exchange_left(Columns& columns, int j) {
  Layout const& layout = columns.layout;
  for (int c = 0; c < layout.width(j); ++c) {
    for (int k = j + 1; k < layout.blocks(); ++k) {
      laswp(1, {columns.at(k, j).column(c), 0}, columns.pivots_of(k).view());
    }
  }
}

/// The row exchanges left of the panels, when all panels are known.
Followed follow_last(Here& here, WholePanel const& panel) {
  await_turn(here, panel);
  Columns& mine = here.state;
  for (int j = mine.thread; j < mine.layout.blocks(); j += mine.layout.threads) {
    int const exchanges = mine.layout.n - mine.layout.first(j) - mine.layout.width(j);
    here.kernel("lu.laswp_left", {exchanges, mine.layout.width(j)}, [&] { exchange_left(mine, j); });
  }
  return {};
}

Factored gather_followed(ovlp::in<Followed>& followed) {
  followed.drain();
  return {};
}

}  // namespace

ovlp::graph<Order, Factored> owner_graph(ovlp::threads<Columns> const& columns, Layout const& layout) {
  ovlp::graph<Order, Factored> g("owner LU");
  auto first = g.split("factor first", columns, &factor_first_panel);
  auto end = g.merge("finish", columns, &gather_followed);
  g.enter(first, ovlp::at(0));
  auto leads = first.port<0>(), follows = first.port<1>();
  for (int level = 0; level + 1 < layout.blocks(); ++level) {
    auto leader = g.stream("lead", columns, &lead);
    auto follower = g.leaf("follow", columns, &follow);
    g.edge(leads, leader, ovlp::by(&WholePanel::thread));
    g.edge(follows, follower, ovlp::by(&WholePanel::thread));
    g.edge(follower, end, ovlp::at(0));
    leads = leader.port<0>();
    follows = leader.port<1>();
  }
  auto last = g.leaf("follow last", columns, &follow_last);
  g.discard(leads);
  g.edge(follows, last, ovlp::by(&WholePanel::thread));
  g.edge(last, end, ovlp::at(0));
  g.leave(end);
  return g;
}

}  // namespace lu
