// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/flowgraph/graph.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace {

struct Block {
  std::int64_t row;
  std::size_t column;
};

/// The route as an edge holds it.
template <class Route>
ovlp::route_definition on_edge(Route route) {
  ovlp::threads<> const threads{"threads", 1};
  ovlp::graph<Block, Block> g;
  g.enter(g.leaf("leaf", threads, [](Block b) { return b; }), std::move(route));
  return g.definition()->entry->route;
}

constexpr ovlp::routing of_five{.size = 5, .sender = 3, .place = 12, .opener = 4};

}  // namespace

TEST_CASE("at gives one index, and outside the collection is an error that tells both") {
  CHECK(on_edge(ovlp::at(0))(nullptr, of_five) == 0);
  CHECK(on_edge(ovlp::at(4))(nullptr, of_five) == 4);
  CHECK_THROWS_WITH_AS(on_edge(ovlp::at(5))(nullptr, of_five), "route at(index) chose thread 5 of a collection with 5",
                       ovlp::graph_error);
}

TEST_CASE("by takes a member modulo the collection's size, also a negative one") {
  auto const by_row = on_edge(ovlp::by(&Block::row));
  auto index = [&](std::int64_t row) {
    Block const block{row, 0};
    return by_row(&block, of_five);
  };
  CHECK(index(0) == 0);
  CHECK(index(4) == 4);
  CHECK(index(7) == 2);
  CHECK(index(-1) == 4);
  CHECK(index(-5) == 0);
  CHECK(index(-7) == 3);
  CHECK(index(std::numeric_limits<std::int64_t>::min()) < 5);
}

TEST_CASE("by takes a callable of the object, and of what the posting node knows") {
  Block const block{2, 3};
  CHECK(on_edge(ovlp::by([](Block const& b) { return b.row * 10 - 21; }))(&block, of_five) == 4);
  CHECK(on_edge(ovlp::by([](Block const& b, ovlp::routing const& now) {
          return b.column + now.sender + now.size - now.opener;
        }))(&block, of_five) == 2);
}

TEST_CASE("in_turn goes round by the object's place in its group") {
  auto const route = on_edge(ovlp::in_turn());
  for (std::size_t place = 0; place < 12; ++place) {
    CHECK(route(nullptr, {.size = 5, .sender = 3, .place = place, .opener = 0}) == place % 5);
  }
}

TEST_CASE("relative steps from the posting thread and wraps at both ends") {
  CHECK(on_edge(ovlp::relative(0))(nullptr, of_five) == 3);
  CHECK(on_edge(ovlp::relative(1))(nullptr, of_five) == 4);
  CHECK(on_edge(ovlp::relative(2))(nullptr, of_five) == 0);
  CHECK(on_edge(ovlp::relative(-4))(nullptr, of_five) == 4);
  CHECK(on_edge(ovlp::relative(-14))(nullptr, of_five) == 4);
}

TEST_CASE("at_opener gives the thread that opened the group, even while it leaves the collection") {
  // Taken from the definition: the entry of a graph refuses it only when checked.
  auto const route = on_edge(ovlp::at_opener());
  CHECK(route(nullptr, of_five) == 4);
  CHECK(route(nullptr, {.size = 4, .sender = 0, .place = 0, .opener = 4}) == 4);
}

TEST_CASE("only at and at_opener give a thread without an object") {
  CHECK(on_edge(ovlp::at(0)).fixed());
  CHECK(on_edge(ovlp::at_opener()).fixed());
  CHECK_FALSE(on_edge(ovlp::by(&Block::row)).fixed());
  CHECK_FALSE(on_edge(ovlp::in_turn()).fixed());
  CHECK_FALSE(on_edge(ovlp::relative(1)).fixed());
  CHECK_FALSE(on_edge(ovlp::least_loaded()).fixed());
}
