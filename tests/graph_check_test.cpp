// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/flowgraph/chain.hpp>
#include <ovlp/flowgraph/graph.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

struct Order {
  int size;
};
struct Piece {
  int value;
};
struct Extra {
  int value;
};
struct Total {
  int value;
};

namespace {

using ovlp::at;
using ovlp::graph;
using ovlp::in;
using ovlp::out;

ovlp::threads<> const master{"master", 1};
ovlp::threads<> const workers{"workers", 4};

// Bodies that do nothing: only their signatures count here.
void cut(Order, out<Piece>&) {}
void cut_two(Order, out<Piece>&, out<Extra>&) {}
void cut_piece(Piece, out<Piece>&) {}
void cut_piece_two(Piece, out<Piece>&, out<Extra>&) {}
void cut_extra(Extra, out<Piece>&) {}
Piece work(Piece piece) { return piece; }
Total add(in<Piece>&) { return {}; }
Total add_extra(in<Extra>&) { return {}; }
Piece join(in<Piece>&) { return {}; }
Piece join_extra(in<Extra>&) { return {}; }
Total same(Total total) { return total; }
Total work_aside(Order, out<Piece>&) { return {}; }
void drop(Extra) {}
void drop_total(Total) {}
void drop_pieces(in<Piece>&) {}
void drop_all(in<Extra>&) {}
void forward(in<Piece>&, out<Piece>&) {}

/// The text of the graph_error that checking ends with; empty if there is none.
template <class In, class Out>
std::string fault(graph<In, Out> const& checked) {
  try {
    checked.check();
    return "";
  } catch (ovlp::graph_error const& error) {
    return error.what();
  }
}

/// The closer of a port, by name.
template <class T>
std::string closer_of(ovlp::port<T> const& port) {
  return port.graph()->operations[*port.definition().closer].name;
}

}  // namespace

TEST_SUITE_BEGIN("a wrong graph is an error that names operations and ports:");

TEST_CASE("a graph without operations, entry or exit") {
  graph<Order, Total> g("sum");
  CHECK(fault(g) == "graph 'sum': no operations");
  auto s = g.split("cut", master, &cut);
  auto m = g.merge("add", master, &add);
  g.edge(s.port<Piece>(), m, at(0));
  CHECK(fault(g) == "graph 'sum': no entry: enter(operation, route) is missing");
  g.enter(s, at(0));
  CHECK(fault(g) == "graph 'sum': no exit: leave(operation) is missing");
  g.leave(m);
  CHECK(fault(g) == "");
}

TEST_CASE("a second entry, exit or edge is refused where it is made") {
  graph<Order, Total> g("sum");
  auto s = g.split("cut", master, &cut);
  auto m = g.merge("add", master, &add);
  g.enter(s, at(0));
  g.leave(m);
  g.edge(s.port<Piece>(), m, at(0));
  CHECK_THROWS_WITH_AS(g.enter(s, at(0)), "graph 'sum': a second entry at split 'cut', after split 'cut'",
                       ovlp::graph_error);
  CHECK_THROWS_WITH_AS(g.leave(m), "graph 'sum': a second exit at merge 'add', after merge 'add'", ovlp::graph_error);
  CHECK_THROWS_WITH_AS(g.edge(s.port<Piece>(), m, at(0)),
                       "graph 'sum': a second edge from port 0 (Piece) of split 'cut'", ovlp::graph_error);
}

TEST_CASE("a graph that has been checked cannot be changed") {
  graph<Total, Total> g("one");
  auto l = g.leaf("same", master, &same);
  g.enter(l, at(0));
  g.leave(l);
  g.check();
  CHECK_THROWS_WITH_AS(g.leaf("other", master, &same), "graph 'one' is in use and cannot be changed any more",
                       ovlp::graph_error);
}

TEST_CASE("an operation of another graph") {
  graph<Total, Total> g("one");
  graph<Total, Total> other("other");
  auto l = other.leaf("same", master, &same);
  CHECK_THROWS_WITH_AS(g.enter(l, at(0)), "graph 'one': leaf 'same' belongs to graph 'other'", ovlp::graph_error);
}

TEST_CASE("a cycle, with all operations on it") {
  graph<Order, Total> g("ring");
  auto s = g.split("cut", master, &cut_two);
  auto a = g.leaf("a", workers, &work);
  auto b = g.leaf("b", workers, &work);
  auto m = g.merge("add", master, &add_extra);
  g.enter(s, at(0));
  g.edge(s.port<Piece>(), a, at(0));
  g.edge(a, b, at(0));
  g.edge(b, a, at(0));
  g.edge(s.port<Extra>(), m, at(0));
  g.leave(m);
  CHECK(fault(g) == "graph 'ring': a cycle: leaf 'a' -> leaf 'b' -> leaf 'a'");
}

TEST_CASE("an operation that cannot be reached") {
  graph<Order, Total> g("sum");
  auto s = g.split("cut", master, &cut);
  auto m = g.merge("add", master, &add);
  auto lost = g.leaf("lost", workers, &work);
  g.enter(s, at(0));
  g.edge(s.port<Piece>(), m, at(0));
  g.edge(lost, m, at(0));
  g.leave(m);
  CHECK(fault(g) == "graph 'sum': leaf 'lost' cannot be reached from the entry");
}

TEST_CASE("a port that leads nowhere") {
  graph<Order, Total> g("sum");
  auto s = g.split("cut", master, &cut_two);
  auto m = g.merge("add", master, &add);
  g.enter(s, at(0));
  g.edge(s.port<Piece>(), m, at(0));
  g.leave(m);
  CHECK(fault(g) == "graph 'sum': port 1 (Extra) of split 'cut' leads nowhere: an edge, leave or discard is missing");
}

TEST_CASE("an exit that is no end") {
  SUBCASE("a split posts many") {
    graph<Order, Piece> g("sum");
    auto s = g.split("cut", master, &cut);
    g.enter(s, at(0));
    g.leave(s);
    CHECK(fault(g) == "graph 'sum': the exit is split 'cut': expected a leaf or a merge, which have one result");
  }
  SUBCASE("it has an edge") {
    graph<Total, Total> g("two");
    auto a = g.leaf("a", master, &same);
    auto b = g.leaf("b", master, &same);
    g.enter(a, at(0));
    g.edge(a, b, at(0));
    g.leave(a);
    CHECK(fault(g) == "graph 'two': port 0 (Total) of leaf 'a' has an edge, but the operation is the graph's exit");
  }
}

TEST_CASE("an entry that collects, since no group is open there") {
  graph<Piece, Total> g("sum");
  auto m = g.merge("add", master, &add);
  g.enter(m, at(0));
  g.leave(m);
  CHECK(fault(g) == "graph 'sum': the entry is merge 'add': expected a leaf or a split, since no group is open there");
}

TEST_CASE("a merge that closes no port") {
  graph<Piece, Total> g("sum");
  auto l = g.leaf("work", master, &work);
  auto m = g.merge("add", master, &add);
  g.enter(l, at(0));
  g.edge(l, m, at(0));
  g.leave(m);
  CHECK(fault(g) == "graph 'sum': merge 'add' closes no port: no group is open there");
}

TEST_CASE("a port that is not closed") {
  SUBCASE("on its only path") {
    graph<Order, Piece> g("sum");
    auto s = g.split("cut", master, &cut);
    auto l = g.leaf("work", workers, &work);
    g.enter(s, at(0));
    g.edge(s.port<Piece>(), l, at(0));
    g.leave(l);
    CHECK(fault(g) ==
          "graph 'sum': port 0 (Piece) of split 'cut' is not closed: its objects reach the exit without a merge");
  }
  SUBCASE("while another port of the operation is") {
    graph<Order, Piece> g("sum");
    auto s = g.split("cut", master, &cut_two);
    auto m = g.merge("join", master, &join_extra);
    auto l = g.leaf("work", workers, &work);
    g.enter(s, at(0));
    g.edge(s.port<Extra>(), m, at(0));
    g.edge(m, l, at(0));
    g.edge(s.port<Piece>(), l, at(0));
    g.leave(l);
    CHECK(fault(g) ==
          "graph 'sum': port 0 (Piece) of split 'cut' is not closed: its objects reach the exit without a merge");
  }
}

TEST_CASE("paths of one group that end at different closers") {
  graph<Order, Total> g("fork");
  auto s = g.split("cut", master, &cut);
  auto t = g.split("fork", workers, &cut_piece_two);
  auto left = g.merge("left", workers, &join);
  auto right = g.merge("right", workers, &join_extra);
  auto add_left = g.merge("add left", master, &add);
  auto add_right = g.merge("add right", master, &add);
  auto last = g.leaf("same", master, &same);
  g.enter(s, at(0));
  g.edge(s.port<Piece>(), t, at(0));
  g.edge(t.port<Piece>(), left, at(0));
  g.edge(t.port<Extra>(), right, at(0));
  g.edge(left, add_left, at(0));
  g.edge(right, add_right, at(0));
  g.edge(add_left, last, at(0));
  g.edge(add_right, last, at(0));
  g.leave(last);
  CHECK(fault(g) ==
        "graph 'fork': paths from port 0 (Piece) of split 'fork' end at merge 'add left', those from port 1 (Extra) of "
        "split 'fork' at merge 'add right'");
}

TEST_CASE("a closer whose ports are not all opened together") {
  graph<Order, Total> g("apart");
  auto s = g.split("cut", master, &cut_two);
  auto p = g.split("pieces", workers, &cut_piece);
  auto q = g.split("extras", workers, &cut_extra);
  auto both = g.merge("both", workers, &join);
  auto m = g.merge("add", master, &add);
  g.enter(s, at(0));
  g.edge(s.port<Piece>(), p, at(0));
  g.edge(s.port<Extra>(), q, at(0));
  g.edge(p.port<Piece>(), both, at(0));
  g.edge(q.port<Piece>(), both, at(0));
  g.edge(both, m, at(0));
  g.leave(m);
  CHECK(fault(g) ==
        "graph 'apart': merge 'both' closes port 0 (Piece) of split 'pieces' and port 0 (Piece) of split 'extras' (not "
        "opened), which are not all opened for one object of port 0 (Piece) of split 'cut'");
}

TEST_CASE("an operation that would run twice for one object") {
  graph<Order, Total> g("twice");
  auto s = g.split("cut", master, &cut_two);
  auto left = g.merge("left", workers, &add);
  auto right = g.merge("right", workers, &add_extra);
  auto last = g.leaf("same", master, &same);
  g.enter(s, at(0));
  g.edge(s.port<Piece>(), left, at(0));
  g.edge(s.port<Extra>(), right, at(0));
  g.edge(left, last, at(0));
  g.edge(right, last, at(0));
  g.leave(last);
  CHECK(fault(g) ==
        "graph 'twice': leaf 'same' would run twice for one call: after merge 'left' and after merge 'right'");
}

TEST_CASE("two results for one object") {
  graph<Order, Total> g("two");
  auto s = g.split("cut", master, &cut);
  auto t = g.split("fork", workers, &cut_piece_two);
  auto left = g.merge("left", workers, &join);
  auto right = g.merge("right", workers, &join_extra);
  auto m = g.merge("add", master, &add);
  g.enter(s, at(0));
  g.edge(s.port<Piece>(), t, at(0));
  g.edge(t.port<Piece>(), left, at(0));
  g.edge(t.port<Extra>(), right, at(0));
  g.edge(left, m, at(0));
  g.edge(right, m, at(0));
  g.leave(m);
  CHECK(fault(g) ==
        "graph 'two': two results for one object of port 0 (Piece) of split 'cut' at merge 'add', one from merge "
        "'right'");
}

TEST_CASE("a window, a discarded port or least_loaded where no group is opened") {
  graph<Order, Total> g("sum");
  auto s = g.split("cut", master, &cut);
  auto l = g.leaf("work", workers, &work);
  auto m = g.merge("add", master, &add);
  g.enter(s, at(0));
  g.edge(s.port<Piece>(), l, at(0));
  g.leave(m);
  SUBCASE("a window on a leaf") {
    g.edge(l.port<0>().window(3), m, at(0));
    CHECK(fault(g) == "graph 'sum': port 0 (Piece) of leaf 'work' has a window, but is a result, and opens no group");
  }
  SUBCASE("a leaf whose result is discarded") {
    g.discard(l.port<0>());
    CHECK(fault(g) == "graph 'sum': port 0 (Piece) of leaf 'work' is discarded, but a leaf always has a result");
  }
  SUBCASE("least_loaded behind a leaf") {
    g.edge(l, m, ovlp::least_loaded());
    CHECK(fault(g) ==
          "graph 'sum': the edge from port 0 (Piece) of leaf 'work' is least_loaded, but does not leave a port that "
          "opens groups");
  }
}

TEST_CASE("paths that end without an answer, and others") {
  SUBCASE("what a leaf that returns a value posts is closed") {
    graph<Order, Total> g("aside");
    auto l = g.leaf("work", master, &work_aside);
    auto m = g.merge("add", master, &add);
    auto d = g.leaf("drop", master, &drop_total);
    g.enter(l, at(0));
    g.edge(l.port<1>(), m, at(0));
    g.edge(m, d, at(0));
    g.leave(l);
    CHECK(
        fault(g) ==
        "graph 'aside': port 1 (Piece) of leaf 'work' is closed by merge 'add', but a leaf that returns a value posts "
        "on side: expected paths that end in operations that return nothing");
  }
  SUBCASE("one port is closed and goes on, another one is closed by what returns nothing") {
    graph<Order, Total> g("both");
    auto s = g.split("cut", master, &cut_two);
    auto m = g.merge("add", master, &add);
    auto d = g.merge("drop", master, &drop_all);
    g.enter(s, at(0));
    g.edge(s.port<Piece>(), m, at(0));
    g.edge(s.port<Extra>(), d, at(0));
    g.leave(m);
    CHECK(fault(g) ==
          "graph 'both': paths from port 0 (Piece) of split 'cut' end at the exit, those from port 1 (Extra) of split "
          "'cut' without an answer");
  }
  SUBCASE("two closers that return nothing") {
    graph<Order, void> g("twice");
    auto s = g.split("cut", master, &cut_two);
    auto d = g.merge("drop", master, &drop_pieces);
    auto e = g.merge("drop all", master, &drop_all);
    g.enter(s, at(0));
    g.edge(s.port<Piece>(), d, at(0));
    g.edge(s.port<Extra>(), e, at(0));
    CHECK(fault(g) == "graph 'twice': one call ends twice without an answer: in merge 'drop all', too");
  }
  SUBCASE("a graph that returns nothing, in which an object leads nowhere") {
    graph<Order, void> g("nowhere");
    auto s = g.split("cut", master, &cut);
    auto l = g.leaf("work", master, &work);
    g.enter(s, at(0));
    g.edge(s.port<Piece>(), l, at(0));
    CHECK(fault(g) ==
          "graph 'nowhere': port 0 (Piece) of leaf 'work' leads nowhere: an edge, leave or discard is missing");
  }
  SUBCASE("ports of both kinds") {
    graph<Order, Total> g("both");
    auto s = g.split("cut", master, &cut_two);
    auto m = g.merge("add", master, &add);
    auto d = g.leaf("drop", master, &drop);
    g.enter(s, at(0));
    g.edge(s.port<Piece>(), m, at(0));
    g.edge(s.port<Extra>(), d, at(0));
    g.leave(m);
    CHECK(fault(g) == "");
    CHECK(closer_of(s.port<Piece>()) == "add");
    CHECK(s.port<Extra>().definition().side);
    CHECK(!s.port<Piece>().definition().side);
  }
}

TEST_CASE("a discarded port that has an edge") {
  graph<Order, Total> g("sum");
  auto s = g.split("cut", master, &cut);
  auto m = g.merge("add", master, &add);
  g.enter(s, at(0));
  g.edge(s.port<Piece>(), m, at(0));
  g.discard(s.port<Piece>());
  g.leave(m);
  CHECK(fault(g) == "graph 'sum': port 0 (Piece) of split 'cut' has an edge and is discarded");
}

TEST_CASE("an operation that discards all its ports") {
  graph<Order, Total> g("sum");
  auto s = g.split("cut", master, &cut_two);
  auto t = g.split("fork", workers, &cut_piece_two);
  auto m = g.merge("add", master, &add_extra);
  g.enter(s, at(0));
  g.edge(s.port<Piece>(), t, at(0));
  g.edge(s.port<Extra>(), m, at(0));
  g.discard(t.port<Piece>());
  g.discard(t.port<Extra>());
  g.leave(m);
  CHECK(fault(g) == "graph 'sum': split 'fork' discards all its ports: what it takes in never reaches an end");
}

TEST_CASE("at_opener and least_loaded at the entry, which is in no group") {
  graph<Total, Total> g("one");
  auto l = g.leaf("same", master, &same);
  g.leave(l);
  SUBCASE("at_opener") { g.enter(l, ovlp::at_opener()); }
  SUBCASE("least_loaded") { g.enter(l, ovlp::least_loaded()); }
  CHECK(fault(g) ==
        "graph 'one': the entry leaf 'same' is not in a group: its route cannot be least_loaded or at_opener");
}

TEST_CASE("at_opener where no group is open") {
  graph<Total, Total> g("two");
  auto a = g.leaf("a", master, &same);
  auto b = g.leaf("b", master, &same);
  g.enter(a, at(0));
  g.edge(a, b, ovlp::at_opener());
  g.leave(b);
  CHECK(fault(g) == "graph 'two': the edge to leaf 'b' is at_opener, but no group is open there");
}

TEST_CASE("at_opener in another collection than the opener's") {
  graph<Order, Total> g("sum");
  auto s = g.split("cut", workers, &cut);
  auto m = g.merge("add", master, &add);
  g.enter(s, at(0));
  g.edge(s.port<Piece>(), m, ovlp::at_opener());
  g.leave(m);
  CHECK(fault(g) == "graph 'sum': the edge to merge 'add' is at_opener, but split 'cut' runs in another collection");
}

TEST_CASE("in a chain, when it becomes a graph") {
  auto const open = ovlp::split("cut", master.at(0), &cut) >> ovlp::leaf("work", workers.in_turn(), &work);
  CHECK_THROWS_WITH_AS(
      static_cast<void>(graph<Order, Piece>(open)),
      "graph 'cut >> work': port 0 (Piece) of split 'cut' is not closed: its objects reach the exit without a merge",
      ovlp::graph_error);
}

TEST_CASE("in a part, when it is put in") {
  graph<Piece, Piece> inner("inner");
  auto l = inner.leaf("work", workers, &work);
  inner.enter(l, at(0));
  graph<Order, Total> g("sum");
  CHECK_THROWS_WITH_AS(g.part("step", inner), "graph 'inner': no exit: leave(operation) is missing", ovlp::graph_error);
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("a right graph is accepted:");

TEST_CASE("a chain") {
  graph<Order, Total> const g = ovlp::split("cut", master.at(0), &cut).window(3) >>
                                ovlp::leaf("work", workers.in_turn(), &work) >> ovlp::merge("add", master.at(0), &add);
  CHECK(g.definition()->checked());
  CHECK(g.definition()->operations[0].ports[0].window == 3);
  CHECK(g.definition()->operations[0].ports[0].closer == 2);
}

TEST_CASE("a single leaf") {
  graph<Total, Total> const g = ovlp::leaf("same", master.at(0), &same);
  CHECK(g.definition()->exit == 0);
}

TEST_CASE("nested splits, each port closed by its own merge") {
  graph<Order, Total> g;
  auto s = g.split("outer", master, &cut);
  auto t = g.split("inner", workers, &cut_piece);
  auto u = g.split("innermost", workers, &cut_piece);
  auto x = g.merge("close innermost", workers, &join);
  auto y = g.merge("close inner", workers, &join);
  auto z = g.merge("close outer", master, &add);
  g.enter(s, at(0));
  g.edge(s.port<Piece>(), t, ovlp::in_turn());
  g.edge(t.port<Piece>(), u, ovlp::in_turn());
  g.edge(u.port<Piece>(), x, ovlp::at_opener());
  g.edge(x, y, ovlp::at_opener());
  g.edge(y, z, at(0));
  g.leave(z);
  CHECK(fault(g) == "");
  CHECK(closer_of(s.port<Piece>()) == "close outer");
  CHECK(closer_of(t.port<Piece>()) == "close inner");
  CHECK(closer_of(u.port<Piece>()) == "close innermost");
}

TEST_CASE("a row of streams, each closing the one before") {
  graph<Order, Total> g;
  auto s = g.split("cut", master, &cut);
  g.enter(s, at(0));
  ovlp::port<Piece> open = s.port<Piece>();
  std::vector<ovlp::port<Piece>> ports{open};
  for (int i = 0; i < 5; ++i) {
    auto next = g.stream("stream " + std::to_string(i), workers, &forward);
    g.edge(open, next, at(0));
    open = next.port<Piece>();
    ports.push_back(open);
  }
  auto m = g.merge("add", master, &add);
  g.edge(open, m, at(0));
  g.leave(m);
  CHECK(fault(g) == "");
  for (int i = 0; i < 5; ++i) CHECK(closer_of(ports[static_cast<std::size_t>(i)]) == "stream " + std::to_string(i));
  CHECK(closer_of(ports.back()) == "add");
}

TEST_CASE("paths of one group that meet again, or end at their closer at different lengths") {
  graph<Order, Total> g;
  auto s = g.split("cut", master, &cut_two);
  auto fast = g.leaf("fast", workers, [](Extra e) { return Piece{e.value}; });
  auto slow = g.leaf("slow", workers, &work);
  auto m = g.merge("add", master, &add);
  g.enter(s, at(0));
  g.edge(s.port<Piece>(), slow, at(0));
  g.edge(s.port<Extra>(), fast, at(0));
  g.edge(slow, m, at(0));
  g.edge(fast, m, at(0));
  g.leave(m);
  CHECK(fault(g) == "");
  CHECK(closer_of(s.port<Piece>()) == "add");
  CHECK(closer_of(s.port<Extra>()) == "add");
}

namespace {
struct Solve {
  int k, column;
};
struct Solved {
  int k, column;
};
struct Product {
  int k, row, column;
};
struct Minus {
  int k, row, column;
};
struct Done {
  int k, column;
};
struct Flip {
  int column;
};
struct Flipped {
  int column;
};
}  // namespace

TEST_CASE("an LU factorization built in a loop, whose last merge closes a port of each level") {
  for (int blocks = 2; blocks <= 6; ++blocks) {
    CAPTURE(blocks);
    ovlp::threads<> columns{"columns", 4};
    graph<Order, Total> g("lu");
    auto a = g.split("factor first", columns, [](Order, out<Solve>&) {});
    auto h = g.merge("finish", columns, [](in<Flipped>&) { return Total{}; });
    g.enter(a, at(0));
    ovlp::port<Solve> solve = a.port<Solve>();
    for (int k = 0; k + 1 < blocks; ++k) {
      auto level = [&](char const* name) { return name + std::string(" ") + std::to_string(k); };
      auto b = g.leaf(level("solve"), columns, [](Solve s) { return Solved{s.k, s.column}; });
      auto c = g.stream(level("request"), columns, [](in<Solved>&, out<Product>&) {});
      auto d = g.leaf(level("multiply"), workers, [](Product p) { return Minus{p.k, p.row, p.column}; });
      auto e = g.leaf(level("subtract"), columns, [](Minus m) { return Done{m.k, m.column}; });
      auto f = g.stream(level("advance"), columns, [](in<Done>&, out<Solve>&, out<Flip>&) {});
      auto s = g.leaf(level("flip"), columns, [](Flip x) { return Flipped{x.column}; });
      g.edge(solve, b, ovlp::by(&Solve::column));
      g.edge(b, c, ovlp::by(&Solved::k));
      g.edge(c.port<Product>().window(8), d, ovlp::in_turn());
      g.edge(d, e, ovlp::by(&Minus::column));
      g.edge(e, f, ovlp::by([](Done const& x) { return x.k + 1; }));
      g.edge(f.port<Flip>(), s, ovlp::by(&Flip::column));
      g.edge(s, h, at(0));
      solve = f.port<Solve>();
    }
    g.discard(solve);
    g.leave(h);
    REQUIRE(fault(g) == "");
    CHECK(g.definition()->operations[1].closes.size() == static_cast<std::size_t>(blocks - 1));
    CHECK(closer_of(a.port<Solve>()) == "request 0");
  }
}

TEST_CASE("graphs as parts of graphs, their operations named after the part") {
  graph<Piece, Piece> inner("inner");
  auto t = inner.split("cut", workers, &cut_piece);
  auto j = inner.merge("join", workers, &join);
  inner.enter(t, at(0));
  inner.edge(t.port<Piece>(), j, at(0));
  inner.leave(j);

  graph<Order, Total> g;
  auto s = g.split("cut", master, &cut);
  auto first = g.part("first", inner);
  auto second = g.part("second", inner);
  auto m = g.merge("add", master, &add);
  g.enter(s, at(0));
  g.edge(s.port<Piece>(), first, ovlp::in_turn());
  g.edge(first, second, ovlp::in_turn());
  g.edge(second, m, at(0));
  g.leave(m);
  REQUIRE(fault(g) == "");
  CHECK(g.definition()->operations[1].name == "first/cut");
  CHECK(g.definition()->operations[4].name == "second/join");
  CHECK(closer_of(s.port<Piece>()) == "add");
  CHECK(g.definition()->operations[3].ports[0].closer == 4);
  CHECK(inner.definition()->operations.size() == 2);  // the part is a copy
}

TEST_CASE("a repetition, which checks the repeated graph too") {
  graph<Total, Total> body("body");
  auto l = body.leaf("same", master, &same);
  body.enter(l, at(0));
  graph<Total, Total> g("loop");
  auto r = g.repeat("again", master, body, 3);
  g.enter(r, at(0));
  g.leave(r);
  CHECK(fault(g) == "graph 'body': no exit: leave(operation) is missing");
  body.leave(l);
  CHECK(fault(g) == "");
  CHECK(body.definition()->checked());
}

TEST_SUITE_END();
