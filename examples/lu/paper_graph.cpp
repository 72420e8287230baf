// SPDX-License-Identifier: BSD-3-Clause
// The letters are those of the paper's figure 5. Level k, from 0, begins with panel k, and is iteration k + 1.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "distribution.hpp"
#include "graph.hpp"
#include "products.hpp"

namespace lu {
namespace {

using Pivots = ovlp::buffer<int>;

// clang-format off
struct Solve { int level, column; Matrix l11; Pivots pivots; };          // (a), (f) -> (b)
struct Solved { int level, column; Matrix t12; };                        // (b) -> (c)
struct Done { int level, column; };                                      // (e) -> (f)
struct Exchange { int level, column; Pivots pivots; };                   // (f) -> (g)
struct Exchanged {};                                                     // (g) -> (h)
struct Border { int iteration; };                                        // (c), (f) -> adapt -> (h)

struct AllSolved { int level; std::vector<Solved> columns; };            // basic: the two halves of (c)
struct AllDone { int level; };                                           // basic: the two halves of (f)
// clang-format on

/// What other columns need of a panel.
struct Panel {
  int level;
  Matrix l11;
  Pivots pivots;
  Solve solve(int column) const { return {level, column, l11, pivots}; }
};

Panel factor_panel(Here& here, int level) {
  here.iteration(level + 1);
  factor(here, level);
  ++here.state.taken;
  return {level, extract(here, level, level, here.state.layout.width(level)), here.state.pivots_of(level)};
}

/// Row exchanges do not commute, and those of two panels come from two nodes: each waits for its turn.
void take(Here& here, int level, int column, Pivots const& pivots) {
  here.wait_until([&] { return here.state.taken == level; });
  here.state.pivots_of(level) = pivots;
  exchange_rows(here, level, column, here.state.layout.width(column));
  ++here.state.taken;
}

void post_exchanges(Panel const& panel, ovlp::out<Exchange>& exchanges) {
  for (int j = 0; j < panel.level; ++j) exchanges.post({panel.level, j, panel.pivots});
}

/// The blocks of L21. Taken before the level's first product is posted: after that the rows of this column may be
/// exchanged for a later panel while products of this one still wait at the window.
std::vector<Matrix> lower_blocks(Here& here, int level) {
  Layout const& layout = here.state.layout;
  std::vector<Matrix> blocks;
  for (int i = level + 1; i < layout.blocks(); ++i) blocks.push_back(extract(here, i, level, layout.width(i)));
  return blocks;
}

void post_products(std::vector<Matrix> const& l21, Solved const& solved, ovlp::out<Product>& products) {
  int row = solved.level;
  for (Matrix const& block : l21) products.post({solved.level, ++row, solved.column, block, solved.t12});
}

// (a)
void factor_first(Here& here, Order, ovlp::out<Solve>& solves) {
  Panel const panel = factor_panel(here, 0);
  for (int j = 1; j < here.state.layout.blocks(); ++j) solves.post(panel.solve(j));
}

// (b)
Solved solve(Here& here, Solve const& s) {
  Layout const& layout = here.state.layout;
  int const m = layout.width(s.level), n = layout.width(s.column);
  take(here, s.level, s.column, s.pivots);
  here.kernel("lu.trsm", {m, n}, [&] { trsm(m, n, {s.l11.data(), m}, here.state.at(s.level, s.column)); });
  return {s.level, s.column, extract(here, s.level, s.column, m)};
}

// (c), pipelined
void request(Here& here, ovlp::in<Solved>& solved, ovlp::out<Product>& products) {
  std::vector<Matrix> l21;
  for (Solved const& s : solved) {
    if (l21.empty()) l21 = lower_blocks(here, s.level);
    post_products(l21, s, products);
  }
}

/// The same at the end of an iteration after which other nodes may be held.
void request_to_border(Here& here, ovlp::in<Solved>& solved, ovlp::out<Product>& products, ovlp::out<Border>& borders,
                       int iteration) {
  request(here, solved, products);
  borders.post({iteration});
}

// (c), basic
AllSolved collect_solved(ovlp::in<Solved>& solved) {
  AllSolved all{};
  for (Solved& s : solved) all.columns.push_back(std::move(s));
  all.level = all.columns.front().level;
  return all;
}
void request_all(Here& here, AllSolved const& all, ovlp::out<Product>& products) {
  here.iteration(all.level + 1);  // what was collected came from objects of the level before
  std::vector<Matrix> const l21 = lower_blocks(here, all.level);
  for (Solved const& s : all.columns) post_products(l21, s, products);
}

// (e)
Done subtract_product(Here& here, Minus const& p) {
  Layout const& layout = here.state.layout;
  int const m = layout.width(p.row), n = layout.width(p.column);
  here.kernel("lu.subtract", {m, n}, [&] { subtract(m, n, {p.product.data(), m}, here.state.at(p.row, p.column)); });
  return {p.level, p.column};
}

// (f), pipelined
void advance(Here& here, ovlp::in<Done>& done, ovlp::out<Solve>& solves, ovlp::out<Exchange>& exchanges) {
  int const blocks = here.state.layout.blocks(), next = here.state.thread;    // runs where the next panel is
  std::vector<int> missing(static_cast<std::size_t>(blocks), blocks - next);  // products of each column
  std::vector<int> early;                                                     // columns complete before the next panel
  std::optional<Panel> panel;
  for (Done const& d : done) {
    if (--missing[static_cast<std::size_t>(d.column)] > 0) continue;
    if (d.column == next) {
      panel = factor_panel(here, next);
      for (int j : early) solves.post(panel->solve(j));
      post_exchanges(*panel, exchanges);
    } else if (panel) {
      solves.post(panel->solve(d.column));
    } else {
      early.push_back(d.column);
    }
  }
}

// (f), basic
AllDone collect_done(ovlp::in<Done>& done) {
  AllDone all{};
  for (Done const& d : done) all.level = d.level;
  return all;
}
void advance_all(Here& here, AllDone done, ovlp::out<Solve>& solves, ovlp::out<Exchange>& exchanges) {
  Panel const panel = factor_panel(here, done.level + 1);
  for (int j = panel.level + 1; j < here.state.layout.blocks(); ++j) solves.post(panel.solve(j));
  post_exchanges(panel, exchanges);
}

void advance_all_from_border(Here& here, AllDone done, ovlp::out<Solve>& solves, ovlp::out<Exchange>& exchanges,
                             ovlp::out<Border>& borders) {
  borders.post({done.level + 1});
  advance_all(here, done, solves, exchanges);
}

/// Where sub-blocks are stored and multiplied. They have state, so they move where multipliers leave and join.
struct Stores {
  ovlp::threads<Store> threads;
  std::size_t count;
};

/// Where the columns are: the state of the thread that changes it.
struct Placement {
  std::vector<ovlp::node_id> nodes;  ///< by column
};

/// Multipliers leave or join, and with them nodes; columns move to the nodes that are held.
Exchanged adapt(ovlp::here<Placement>& here, Border const& border, ovlp::threads<> const& multipliers,
                std::optional<Stores> const& stores, ovlp::threads<Columns> const& columns, Sharing const& sharing) {
  here.end_of_iteration(border.iteration, [&](ovlp::held_nodes const& held) {
    Allocation const to = sharing(held);
    here.resize(multipliers, to.multipliers);
    if (sharing.multipliers_per_node > 1)  // where the first mapping places them is right for one a node
      here.remap(multipliers, ovlp::mapping::in_turn(to.multipliers, to.multiplier_nodes));
    if (stores) here.remap(stores->threads, ovlp::mapping::in_turn(stores->count, to.multiplier_nodes));
    std::vector<ovlp::node_id>& nodes = here.state.nodes;
    deal_again(nodes, static_cast<std::size_t>(border.iteration), to.column_nodes);
    here.remap(columns, ovlp::mapping(nodes));
  });
  return {};
}

// (g)
Exchanged exchange_earlier(Here& here, Exchange const& e) {
  take(here, e.level, e.column, e.pivots);
  return {};
}

// (h)
Factored finish(ovlp::in<Exchanged>& exchanged) {
  exchanged.drain();
  return {};
}

using Graph = ovlp::graph<Order, Factored>;

/// Builds the variants. Basic and pipelined differ in (c) and (f), which in the basic graph are a merge and a split.
class Builder {
 public:
  Builder(ovlp::threads<Columns> const& columns, Allocation const& first, Layout const& layout, Variant const& variant)
      : columns_(columns),
        multipliers_("multipliers", first.multipliers),
        first_(first),
        layout_(layout),
        variant_(variant),
        graph_(variant.pipelined ? "pipelined LU" : "basic LU") {
    if (variant.sub_block == 0) return;
    std::size_t const count = std::max(first.multipliers, variant.most_multipliers);
    stores_ = {ovlp::threads<Store>("stores", ovlp::mapping::in_turn(count, first.multiplier_nodes)), count};
  }

  Graph build() {
    int const blocks = layout_.blocks();
    if (blocks == 1) {  // no other column: nothing is posted, so nothing is split
      auto only = graph_.leaf("factor", columns_, [](Here& here, Order) { return factor_panel(here, 0), Factored{}; });
      graph_.enter(only, ovlp::at(0));
      graph_.leave(only);
      return graph_;
    }
    auto const spread =
        ovlp::by([blocks](Product const& p) { return product_number(blocks, p.level, p.row, p.column); });
    auto a = graph_.split("factor first", columns_, &factor_first);
    finish_ = graph_.merge("finish", columns_, &finish);
    graph_.enter(a, ovlp::at(0));
    auto solves = a.port<Solve>();
    for (int level = 0; level + 1 < blocks; ++level) {
      auto b = graph_.leaf("solve", columns_, &solve);
      graph_.edge(solves, b, ovlp::by(&Solve::column));
      auto c = add_request(level, b);
      auto d = add_multiply();
      auto e = graph_.leaf("subtract", columns_, &subtract_product);
      graph_.edge(c.window(variant_.window), d, spread);
      graph_.edge(d, e, ovlp::by(&Minus::column));
      auto [next_solves, exchanges] = add_advance(level, e);
      auto exchange = graph_.leaf("exchange rows", columns_, &exchange_earlier);
      graph_.edge(exchanges, exchange, ovlp::by(&Exchange::column));
      graph_.edge(exchange, *finish_, ovlp::at(0));
      solves = next_solves;
    }
    graph_.discard(solves);  // the last panel has no columns right of it
    graph_.leave(*finish_);
    return graph_;
  }

 private:
  bool border_after(int level) const { return variant_.borders.contains(level + 1); }

  /// (d)
  ovlp::operation<Product, Minus> add_multiply() {
    if (stores_) {
      return graph_.part("multiply", sub_block_graph(multipliers_, stores_->threads, layout_, variant_.sub_block));
    }
    return graph_.leaf("multiply", multipliers_, [layout = layout_](ovlp::here<>& here, Product const& p) {
      int const m = layout.width(p.row), n = layout.width(p.column), k = layout.width(p.level);
      return Minus{p.level, p.row, p.column, multiply(here, m, n, k, p.l21, p.t12)};
    });
  }

  ovlp::port<Product> add_request(int level, ovlp::operation<Solve, Solved> const& b) {
    auto const here = ovlp::by([](auto const& solved) { return solved.level; });
    if (!variant_.pipelined) {
      auto collect = graph_.merge("collect solved", columns_, &collect_solved);
      auto c = graph_.split("request", columns_, &request_all);
      graph_.edge(b, collect, here);
      graph_.edge(collect, c, here);
      return c.port<Product>();
    }
    if (border_after(level)) {
      auto c = graph_.stream("request", columns_, request_to_border, level + 1);
      graph_.edge(b, c, here);
      add_adapt(c.port<Border>());
      return c.port<Product>();
    }
    auto c = graph_.stream("request", columns_, &request);
    graph_.edge(b, c, here);
    return c.port<Product>();
  }

  std::pair<ovlp::port<Solve>, ovlp::port<Exchange>> add_advance(int level, ovlp::operation<Minus, Done> const& e) {
    auto const next = ovlp::by([](auto const& done) { return done.level + 1; });
    if (variant_.pipelined) {
      auto f = graph_.stream("advance", columns_, &advance);
      graph_.edge(e, f, next);
      return {f.port<Solve>(), f.port<Exchange>()};
    }
    auto collect = graph_.merge("collect done", columns_, &collect_done);
    graph_.edge(e, collect, next);
    if (border_after(level)) {
      auto f = graph_.split("advance", columns_, &advance_all_from_border);
      graph_.edge(collect, f, next);
      add_adapt(f.port<Border>());
      return {f.port<Solve>(), f.port<Exchange>()};
    }
    auto f = graph_.split("advance", columns_, &advance_all);
    graph_.edge(collect, f, next);
    return {f.port<Solve>(), f.port<Exchange>()};
  }

  void add_adapt(ovlp::port<Border> const& borders) {
    if (!allocation_) {
      Placement first{std::vector<ovlp::node_id>(static_cast<std::size_t>(layout_.blocks()))};
      for (std::size_t j = 0; j < first.nodes.size(); ++j)
        first.nodes[j] = static_cast<ovlp::node_id>(j % first_.column_nodes);
      allocation_.emplace("allocation", "node0", [first](std::size_t) { return first; });
    }
    auto change = graph_.leaf("adapt", *allocation_, adapt, multipliers_, stores_, columns_, variant_.sharing);
    graph_.edge(borders, change, ovlp::at(0));
    graph_.edge(change, *finish_, ovlp::at(0));
  }

  ovlp::threads<Columns> const columns_;
  ovlp::threads<> const multipliers_;
  Allocation const first_;
  Layout const layout_;
  Variant const variant_;
  std::optional<Stores> stores_;
  Graph graph_;
  std::optional<ovlp::operation<Exchanged, Factored>> finish_;
  std::optional<ovlp::threads<Placement>> allocation_;  ///< where changes are made, one after another
};

}  // namespace

Allocation Sharing::operator()(ovlp::held_nodes const& held) const {
  std::size_t const multiplier_nodes = held.of("multipliers");
  bool const says_columns = held.collections.contains("columns");
  return {multiplier_nodes * multipliers_per_node, multiplier_nodes,
          says_columns ? held.of("columns") : std::min(most_column_nodes, held.nodes)};
}

ovlp::graph<Order, Factored> paper_graph(ovlp::threads<Columns> const& columns, Allocation const& first,
                                         Layout const& layout, Variant const& variant) {
  return Builder(columns, first, layout, variant).build();
}

}  // namespace lu
