// SPDX-License-Identifier: BSD-3-Clause
// Interleavings of a flow graph, each the same again by its choices.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/ovlp.hpp>

#include "search/shrink.hpp"
#include "search/strategy.hpp"
#include "search/tree.hpp"
#include "support/seed.hpp"
#include "world/call_run.hpp"

namespace {

using namespace ovlp;
using namespace ovlp::explore;

using Words = std::map<std::string, std::size_t>;

explored_backend::settings on_nodes(std::size_t nodes) {
  explored_backend::settings how;
  how.node.nodes = nodes;
  how.node.stack_bytes = 64 * 1024;
  return how;
}

Words words_of(std::string const& text) {
  Words words;
  std::istringstream from(text);
  for (std::string word; from >> word;) ++words[word];
  return words;
}

/// The most frequent words of some lines, counted by three nodes.
call_run word_count() {
  threads<> const master{"master", 1}, workers{"workers", 3};
  graph<std::vector<std::string>, Words> const count = split("read", master.at(0),
                                                             [](std::vector<std::string> lines, out<std::string>& to) {
                                                               for (std::string& line : lines) to.post(std::move(line));
                                                             }) >>
                                                       leaf("count", workers.in_turn(), words_of) >>
                                                       merge("add up", master.at(0), [](in<Words>& parts) {
                                                         Words all;
                                                         for (Words const& part : parts) {
                                                           for (auto const& [word, times] : part) all[word] += times;
                                                         }
                                                         return all;
                                                       });
  return {count, {"to be or", "not to be", "that is"}, on_nodes(3)};
}

/// Which number a merge has taken first: right in one order only.
call_run first_of(int posted) {
  threads<> const master{"master", 1}, workers{"workers", 3};
  graph<int, int> const first = split("deal", master.at(0),
                                      [](int count, out<int>& to) {
                                        for (int i = 0; i < count; ++i) to.post(i);
                                      }) >>
                                leaf("work", workers.in_turn(), [](int number) { return number; }) >>
                                merge("first", master.at(0), [](in<int>& numbers) {
                                  int taken = -1;
                                  for (int const number : numbers) taken = taken < 0 ? number : taken;
                                  return taken;
                                });
  return {first, posted, on_nodes(3)};
}

std::vector<std::uint64_t> names_of(moments const& run) {
  std::vector<std::uint64_t> names;
  for (moment const& now : run) names.push_back(now.name());
  return names;
}

}  // namespace

TEST_CASE("a call has the same result in every order if its merge asks for none") {
  call_run words = word_count();
  plain_order plain;
  outcome const expected = words.run(plain);
  REQUIRE(expected.failure.empty());
  std::uint64_t const seed = ovlp::testing::new_seed();
  std::set<std::uint64_t> orders;
  for (std::uint64_t i = 0; i < 500; ++i) {
    CAPTURE(seed + i);
    random_order random(seed + i);
    hashed_order hashed(random);
    CHECK(difference(expected, words.run(hashed)) == "");
    orders.insert(hashed.hash());
  }
  CHECK(orders.size() > 450);
}

TEST_CASE("the same choices are the same run") {
  call_run words = word_count();
  for (std::uint64_t i = 0; i < 50; ++i) {
    random_order random(i), again(i);
    hashed_order one(random), other(again);
    words.run(one);
    words.run(other);
    CHECK(one.hash() == other.hash());
  }
}

TEST_CASE("a run that is noted can be given again") {
  call_run first = first_of(4);
  for (std::uint64_t i = 0; i < 200; ++i) {
    CAPTURE(i);
    random_order random(i);
    noted_order noted(random);
    outcome const ended = first.run(noted);
    given_order given(difference_of(noted.run()));
    noted_order again(given);
    outcome const repeated = first.run(again);
    CHECK(names_of(again.run()) == names_of(noted.run()));
    CHECK(repeated.results == ended.results);
  }
}

TEST_CASE("an order of priorities finds a merge that asks for an order") {
  call_run first = first_of(4);
  plain_order plain;
  outcome const expected = first.run(plain);
  std::size_t found = 0;
  for (std::uint64_t i = 0; i < 100; ++i) {
    priority_order priorities(i, 2, expected.choices);
    if (difference(expected, first.run(priorities)) != "") ++found;
  }
  CHECK(found > 0);
}

TEST_CASE("what fails is shrunk to the fewest events that are held back") {
  call_run first = first_of(6);
  plain_order plain;
  outcome const expected = first.run(plain);
  auto const fails = [&](interleaving const& differs) {
    given_order given(differs);
    return difference(expected, first.run(given)) != "";
  };
  std::size_t found = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    random_order random(i);
    noted_order noted(random);
    if (difference(expected, first.run(noted)) == "") continue;
    ++found;
    REQUIRE(fails(difference_of(noted.run())));
    interleaving const least = shrink(difference_of(noted.run()), fails);
    CHECK(fails(least));
    CHECK(least.size() <= 2);
  }
  CHECK(found > 0);
}

namespace {

/// A split deals objects to threads that are alone on their nodes; nothing comes back but the number.
std::size_t orders_of(call_run program, bool reduces, std::set<std::vector<std::uint64_t>>* results = nullptr) {
  interleaving_tree tree(reduces);
  std::size_t runs = 0;
  for (bool more = true; more;) {
    path_order along(tree.path());
    noted_order noted(along);
    outcome const ended = program.run(noted);
    REQUIRE(ended.failure.empty());
    if (!ended.given_up) ++runs;
    if (results != nullptr && !ended.given_up) results->insert(ended.results);
    more = tree.next(noted.run());
  }
  return runs;
}

}  // namespace

TEST_CASE("dbg" * doctest::skip()) {
  for (int n = 1; n < 4; ++n) {
    std::set<std::vector<std::uint64_t>> all, some;
    MESSAGE(n, " ", orders_of(first_of(n), true, &some), " ", some.size());
    if (n < 3) MESSAGE(n, " all ", orders_of(first_of(n), false, &all), " ", all.size());
  }
}

TEST_CASE("speed" * doctest::skip()) {
  call_run words = word_count();
  auto const start = std::chrono::steady_clock::now();
  std::size_t choices = 0;
  constexpr int runs = 20000;
  for (int i = 0; i < runs; ++i) {
    random_order random(static_cast<std::uint64_t>(i));
    choices += words.run(random).choices;
  }
  double const s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  MESSAGE((runs / s), " runs a second of ", (static_cast<double>(choices) / runs), " choices");
}
