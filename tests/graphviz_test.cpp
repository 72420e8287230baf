// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/flowgraph/graph.hpp>

#include <doctest/doctest.h>

#include <sstream>

struct Order {
  int size;
};
struct Piece {
  int value;
};
struct Total {
  int value;
};

TEST_CASE("a graph is drawn with the operations' shapes, and the types, routes and windows of its edges") {
  ovlp::threads<> const master{"master", 1};
  ovlp::threads<> const workers{"workers", 4};
  ovlp::graph<Order, Total> g("the \"sum\"");
  auto s = g.split("cut", master, [](Order, ovlp::out<Piece>&) {});
  auto l = g.leaf("work", workers, [](Piece p) { return p; });
  auto t = g.stream("pass on", workers, [](ovlp::in<Piece>&, ovlp::out<Piece>&) {});
  auto m = g.merge("add", master, [](ovlp::in<Piece>&) { return Total{}; });
  g.enter(s, ovlp::at(0));
  g.edge(s.port<Piece>().window(8), l, ovlp::in_turn());
  g.edge(l, t, ovlp::by(&Piece::value));
  g.edge(t.port<Piece>(), m, ovlp::at(0));
  g.leave(m);

  std::ostringstream drawn;
  g.write_graphviz(drawn);
  CHECK(drawn.str() == R"(digraph G {
label="the \"sum\"";
node [fontname="sans-serif"];
edge [fontname="sans-serif", fontsize=10];
0[label="cut
master", shape=triangle, penwidth=2];
1[label="work
workers", shape=box];
2[label="pass on
workers", shape=diamond];
3[label="add
master", shape=invtriangle, peripheries=2];
0->1 [label="Piece
in turn
window 8"];
1->2 [label="Piece
by key"];
2->3 [label="Piece
at 0"];
}
)");
}
