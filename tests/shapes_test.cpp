// SPDX-License-Identifier: BSD-3-Clause
// What saves writing bodies that everybody would write.
#include "support/run_on.hpp"
#include "support/sums.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace {

using engine = ovlp::engine_base;
using ovlp::at;
using ovlp::graph;
using ovlp::here;
using ovlp::in;
using ovlp::out;
using ovlp::threads;
using ovlp::testing::contains;
using ovlp::testing::run_on_one_and_three;
using ovlp::testing::thrown_by;

struct Note {
  int value;
};

/// Many arrive late: each waits for a number of others of its thread.
int shuffled(here<Number>& here, Number number) {
  ++here.state.value;
  int const until = here.state.value + number.value * 7 % 3;
  if (number.value % 3 == 0 && number.value < 90) here.wait_until([&] { return here.state.value > until; });
  return number.value;
}
std::string joined(std::string const& a, std::string const& b) { return a + b; }

}  // namespace

TEST_CASE("everywhere runs a leaf once in each thread") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1};
    threads<Number> const counters{"counters", 5};
    graph<Number, Sum> const count{"count", ovlp::everywhere("add", counters,
                                                             [](here<Number>& here, Number add) {
                                                               here.state.value += add.value;
                                                               return Number{here.state.value};
                                                             }) >>
                                                ovlp::merge("sum", master.at(0), add)};
    CHECK(run(count, {1}) == Sum{5, 5});
    CHECK(run(count, {2}) == Sum{15, 5});
  });
}

TEST_CASE("everywhere in a graph runs a split in each thread of the number that there is then") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", 2};
    graph<Number, Sum> g{"two from each"};
    auto const two = g.everywhere("two", workers, [](here<>& here, Number n, out<Number>& to) {
      for (int i = 0; i < n.value; ++i) to.post({static_cast<int>(here.index())});
    });
    auto const inner = g.merge("inner", workers, add);
    auto const outer = g.merge("outer", master, add_sums);
    g.enter(two, at(0));
    g.edge(two, inner, ovlp::at_opener());
    g.edge(inner, outer, at(0));
    g.leave(outer);
    CHECK(run(g, {2}) == Sum{0 + 0 + 1 + 1, 4});
    run.resize(workers, 4);
    CHECK(run(g, {3}) == Sum{3 * (0 + 1 + 2 + 3), 12});
  });
}

TEST_CASE("reduce adds up a group by a function object or by a function, and gives an empty value for an empty one") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", 3};
    auto const numbers = ovlp::split("numbers", master.at(0), cut) >>
                         ovlp::leaf("value", workers.in_turn(), [](Number n) { return n.value; });
    graph<Range, int> const sum = numbers >> ovlp::reduce("sum", master.at(0), std::plus<>{});
    graph<Range, int> const largest =
        numbers >> ovlp::reduce("largest", master.at(0), [](int a, int b) { return std::max(a, b); });
    run.add(largest);
    CHECK(run(sum, {0, 10}) == 45);
    CHECK(run(sum, {3, 3}) == 0);
    CHECK(run(largest, {3, 12}) == 11);
    CHECK(sum.name() == "numbers >> value >> sum");
  });
}

TEST_CASE("in group order a reduction and a gathering take objects as they were posted, however they arrive") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1};
    threads<Number> const workers{"workers", 2};
    auto const numbers = ovlp::split("numbers", master.at(0), cut) >> ovlp::leaf("late", workers.in_turn(), shuffled);
    graph<Range, std::vector<int>> const all = numbers >> ovlp::gather("all", master.at(0));
    graph<Range, std::string> const text =
        numbers >> ovlp::leaf("text", master.at(0), [](int n) { return std::to_string(n) + ' '; }) >>
        ovlp::reduce("text of all", master.at(0), joined, ovlp::in_group_order);
    run.add(text);
    std::vector<int> expected;
    std::string expected_text;
    for (int i = 0; i < 100; ++i) {
      expected.push_back(i);
      expected_text += std::to_string(i) + ' ';
    }
    CHECK(run(all, {0, 100}) == expected);
    CHECK(run(text, {0, 100}) == expected_text);
  });
}

TEST_CASE("in group order the objects of one port come before those of the next") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1};
    graph<Range, std::vector<Number>> g{"two ports"};
    auto const both = g.split("both", master, [](Range range, out<Number>& even, out<Number>& odd) {
      for (int i = range.first; i < range.last; ++i) (i % 2 == 0 ? even : odd).post({i});
    });
    auto const all = g.gather<Number>("all", master);
    g.enter(both, at(0));
    g.edge(both.port<1>(), all, at(0));
    g.edge(both.port<0>(), all, at(0));
    g.leave(all);
    std::vector<int> got;
    for (Number const n : run(g, {0, 7})) got.push_back(n.value);
    CHECK(got == std::vector<int>{0, 2, 4, 6, 1, 3, 5});
  });
}

TEST_CASE("a merge learns the place of an object in its group, is a range, and drains what it does not need") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", 3};
    graph<Range, Sum> const g = ovlp::split("numbers", master.at(0), cut) >>
                                ovlp::leaf("same", workers.in_turn(), same) >>
                                ovlp::merge("until 5", master.at(0), [](in<Number>& numbers) {
                                  Sum sum{};
                                  for (Number const& n : numbers) {
                                    CHECK(static_cast<int>(numbers.place()) + 10 == n.value);
                                    if (++sum.objects == 5) break;
                                  }
                                  numbers.drain();
                                  return sum;
                                });
    CHECK(run(g, {10, 20}).objects == 5);
  });
}

TEST_CASE("a merge at the opener takes what the opener received") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1}, openers{"openers", 3}, workers{"workers", 4};
    auto const outer = ovlp::split("calls", master.at(0), [](Range range, out<Range>& parts) {
      for (int i = range.first; i < range.last; ++i) parts.post({0, i});
    });
    // Of each part: its own range, the empty one of the first part too.
    auto const inner =
        ovlp::split("cut", openers.in_turn(), [](Range range, out<Number>& numbers) { cut(range, numbers); }) >>
        ovlp::leaf("same", workers.in_turn(), same) >>
        ovlp::merge("check", openers.at_opener(), [](here<>&, Range const& opened, in<Number>& numbers) {
          Sum sum{0, opened.last};
          for (Number const& n : numbers) sum.value += n.value;
          return sum;
        });
    graph<Range, Sum> const g = outer >> inner >> ovlp::merge("all", master.at(0), add_sums);
    CHECK(run(g, {0, 6}) == Sum{0 + 0 + 1 + 3 + 6 + 10, 15});
  });
}

TEST_CASE("a merge that takes what the opener received must stand at the opener, and name its type") {
  threads<> const master{"master", 1};
  auto const build = [&](auto closer, auto route) {
    graph<Range, Sum> g{"wrong"};
    auto const split = g.split("cut", master, cut);
    auto const merge = g.merge("sum", master, closer);
    g.enter(split, at(0));
    g.edge(split, merge, route);
    g.leave(merge);
    return thrown_by<ovlp::graph_error>([&] { g.check(); });
  };
  auto const right = [](Range const&, in<Number>& numbers) { return add(numbers); };
  auto const other = [](Note const&, in<Number>& numbers) { return add(numbers); };
  CHECK(contains(build(right, at(0)).what(), "the edges to it must be at_opener()"));
  CHECK(contains(build(other, ovlp::at_opener()).what(), "but split 'cut' receives"));
}

TEST_CASE("the last parameters of a body are constants of the run") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", 3};
    auto const scale = [](here<>&, Number number, int factor, std::string const& text) {
      return Number{number.value * factor + static_cast<int>(text.size())};
    };
    auto const post = [](Range range, out<Number>& numbers, int step) {
      for (int i = range.first; i < range.last; i += step) numbers.post({i});
    };
    graph<Range, Sum> g{"constants"};
    auto const split = g.split("post", master, post, 2);
    auto const leaf = g.leaf("scale", workers, scale, 10, std::string("abc"));
    auto const merge = g.merge("add", master, add);
    g.enter(split, at(0));
    g.edge(split, leaf, ovlp::in_turn());
    g.edge(leaf, merge, at(0));
    g.leave(merge);
    CHECK(run(g, {0, 5}) == Sum{3 + 23 + 43, 3});
  });
}

TEST_CASE("a graph of the short form has the name that it is given, or those of its operations") {
  threads<> const master{"master", 1};
  auto const chain = ovlp::split("cut", master.at(0), cut) >> ovlp::merge("add", master.at(0), add);
  CHECK(graph<Range, Sum>(chain).name() == "cut >> add");
  ovlp::graph const named{"range", chain};
  CHECK(named.name() == "range");
}
