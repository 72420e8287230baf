// SPDX-License-Identifier: BSD-3-Clause
// Interleavings of a flow graph, each the same again by its choices.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <ovlp/ovlp.hpp>

#include "search/interleaving_file.hpp"
#include "search/same_object.hpp"
#include "search/shrink.hpp"
#include "search/strategy.hpp"
#include "search/tree.hpp"
#include "steps/delivery_order.hpp"
#include "support/process.hpp"
#include "support/run_on.hpp"
#include "support/seed.hpp"
#include "world/call_run.hpp"
#include "world/kept_object.hpp"

namespace {

using namespace ovlp;
using namespace ovlp::explore;

#ifdef NDEBUG
constexpr bool optimized = true;
#else
constexpr bool optimized = false;  // fewer runs
#endif

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
call_run word_count(delivery_orders* orders = nullptr) {
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
  explored_backend::settings how = on_nodes(3);
  how.node.orders = orders;
  return {count, {"to be or", "not to be", "that is"}, how};
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
  std::set<std::vector<std::uint64_t>> orders;
  for (std::uint64_t i = 0; i < 500; ++i) {
    CAPTURE(seed + i);
    random_order random(seed + i);
    noted_order noted(random);
    CHECK(difference(expected, words.run(noted)) == "");
    orders.insert(names_of(noted.run()));
  }
  CHECK(orders.size() > 450);
}

TEST_CASE("the same choices are the same run") {
  call_run words = word_count();
  for (std::uint64_t i = 0; i < 50; ++i) {
    random_order random(i), again(i);
    noted_order one(random), other(again);
    words.run(one);
    words.run(other);
    CHECK(names_of(one.run()) == names_of(other.run()));
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

TEST_CASE("what comes to each DPS thread comes in the order that is given, whatever else happens") {
  std::uint64_t const seed = ovlp::testing::new_seed();
  auto const play = [](std::uint64_t drawn, delivery_orders& orders) {
    random_order random(drawn);
    CHECK(word_count(&orders).run(random).failure == "");
    return orders.so_far();
  };
  std::size_t others = 0;
  for (std::uint64_t i = 0; i < 100; ++i) {
    CAPTURE(seed + i);
    delivery_orders noted(true), free(true);
    delivery_orders::account const first = play(seed + i, noted);
    delivery_orders followed(true, first.noted);
    delivery_orders::account const same = play(seed + i + 1, followed), other = play(seed + i + 1, free);
    REQUIRE(same.noted.size() == first.noted.size());
    for (std::size_t t = 0; t < first.noted.size(); ++t) {
      CHECK(same.noted[t].thread == first.noted[t].thread);
      CHECK(same.noted[t].comes == first.noted[t].comes);
      if (other.noted[t].comes != first.noted[t].comes) ++others;
    }
    CHECK(same.unknown == 0);
    CHECK(same.missing == 0);
  }
  CHECK(others > 0);  // without it, they do not
}

TEST_CASE("an order that another run has gives way where nothing else can go on") {
  plain_order plain;
  delivery_orders noted(true);
  CHECK(word_count(&noted).run(plain).failure == "");
  std::vector<deliveries> given = noted.so_far().noted;
  for (deliveries& one : given) one.comes.insert(one.comes.begin(), 1);  // which never comes
  int given_up = 0;
  delivery_orders impossible(false, given, [&] { ++given_up; });
  CHECK(word_count(&impossible).run(plain).failure == "");
  CHECK(given_up == 1);
  CHECK(impossible.so_far().missing == given.size());
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

struct found_orders {
  std::size_t runs = 0;
  std::set<std::vector<std::uint64_t>> results;
};

found_orders orders_of(call_run program, bool reduces) {
  interleaving_tree tree(reduces);
  found_orders found;
  for (bool more = true; more;) {
    path_order along(tree.path());
    noted_order noted(along);
    outcome const ended = program.run(noted);
    if (!ended.given_up) {
      ++found.runs;
      found.results.insert(ended.results);
    }
    more = tree.next(noted.run());
  }
  return found;
}

}  // namespace

namespace {

/// In which order objects arrive at a merge that so many workers, each alone on its node, send so many to.
call_run arrivals(int workers, int each) {
  threads<> const master{"master", 1}, sink{"sink", 1},
      senders{"senders", mapping("node[1-" + std::to_string(workers) + "]")};
  graph<int, std::vector<int>> const order = split("deal", master.at(0),
                                                   [](int count, out<int>& to) {
                                                     for (int i = 0; i < count; ++i) to.post(i);
                                                   }) >>
                                             leaf("send", senders.in_turn(), [](int number) { return number; }) >>
                                             merge("note", sink.at(0), [](in<int>& numbers) {
                                               std::vector<int> taken;
                                               for (int const number : numbers) taken.push_back(number);
                                               return taken;
                                             });
  return {order, workers * each, on_nodes(static_cast<std::size_t>(workers) + 1)};
}

}  // namespace

TEST_CASE("all interleavings give as many orders of arrival as there are by hand") {
  // Of two and three senders, whose own messages keep their order: (sum of each)! / product of each!.
  CHECK(orders_of(arrivals(1, 3), true).results.size() == 1);
  CHECK(orders_of(arrivals(2, 1), true).results.size() == 2);
  if (optimized) CHECK(orders_of(arrivals(2, 2), true).results.size() == 6);
  CHECK(orders_of(arrivals(3, 1), true).results.size() == 6);
  if (optimized) CHECK(orders_of(arrivals(4, 1), true).results.size() == 24);
}

TEST_CASE("with less than a hundredth of the runs the same results are found where nodes are independent") {
  found_orders const all = orders_of(first_of(2), false), some = orders_of(first_of(2), true);
  CHECK(some.results == all.results);
  CHECK(100 * some.runs < all.runs);
  if (!optimized) return;  // 14528 runs
  CHECK(orders_of(arrivals(2, 1), true).results == orders_of(arrivals(2, 1), false).results);
}

namespace {

/// Processes of some steps each, of which each touches something: what a run is to interleaving_tree and no more.
struct plain_processes {
  std::vector<std::vector<resource>> steps;  ///< by process

  found_orders all(bool reduces) const {
    interleaving_tree tree(reduces);
    found_orders found;
    for (bool more = true; more;) {
      path_order along(tree.path());
      noted_order noted(along);
      std::vector<std::uint64_t> order;
      if (run(noted, order)) {
        ++found.runs;
        found.results.insert(order);
      }
      more = tree.next(noted.run());
    }
    return found;
  }

 private:
  /// `order`: in which the steps that touch 1 have come.
  bool run(strategy& chooses, std::vector<std::uint64_t>& order) const {
    std::vector<std::size_t> done(steps.size());
    for (;;) {
      std::vector<choice> possible;
      for (std::size_t p = 0; p < steps.size(); ++p) {
        if (done[p] < steps[p].size()) possible.push_back({mix(p + 1, done[p]), p});
      }
      if (possible.empty()) return true;
      std::size_t const chosen = chooses.choose(possible);
      if (chosen == strategy::give_up) return false;
      std::size_t const p = possible[chosen].source;
      resource const touched = changes(2 * steps[p][done[p]++]);
      if (touched == changes(2)) order.push_back(p);
      chooses.happened({&touched, 1});
    }
  }
};

}  // namespace

TEST_CASE("the tree of all interleavings has as many paths as a formula says") {
  plain_processes const independent{{{10, 10}, {20, 20}, {30, 30}}};
  CHECK(independent.all(false).runs == 90);  // 6! / (2! 2! 2!)
  CHECK(independent.all(true).runs == 1);
  plain_processes const shared{{{1, 1, 1}, {1, 1, 1}}};
  CHECK(shared.all(false).runs == 20);  // 6! / (3! 3!)
  CHECK(shared.all(true).runs == 20);
  CHECK(shared.all(true).results.size() == 20);
  // One step of each of three processes is shared, between others that are not: 3! orders of these.
  plain_processes const mixed{{{10, 1, 10}, {20, 1, 20}, {30, 1, 30}}};
  CHECK(mixed.all(false).runs == 1680);  // 9! / (3! 3! 3!)
  CHECK(mixed.all(true).runs == 6);
  CHECK(mixed.all(true).results.size() == 6);
}

namespace {

struct Counted {
  std::uint64_t sum = 0;
};

/// Threads with states move to other nodes, and threads without leave, while objects are on their way to them, and more
/// meanwhile.
call_run movers(delivery_orders* order_of_mail = nullptr) {
  threads<> const helpers{"helpers", mapping("node0 node1 node2")};
  threads<> const master{"master", 1}, other{"other", mapping("node1")};
  threads<Counted> const counters{"counters", mapping("node1 node2")};
  graph<int, std::uint64_t> moves("moves");
  auto const deal = moves.split("deal", master, [](int count, out<int>& to, out<int>& orders) {
    for (int i = 0; i < count; ++i) {
      to.post(i);
      if (i == 1) orders.post(i);
    }
  });
  auto const count = moves.leaf("count", counters, [](here<Counted>& here, int number) {
    here.state.sum += static_cast<std::uint64_t>(number);
    return number;
  });
  auto const help = moves.leaf("help", helpers, [](int number) { return number; });
  auto const move = moves.leaf("move", other, [counters, helpers](here<>& here, int) {
    here.remap(counters, mapping("node2 node0"));
    here.resize(helpers, 1);
    return 100;
  });
  auto const add_up = moves.merge("add up", master, [](in<int>& numbers) {
    std::uint64_t sum = 0;
    while (auto const number = numbers.wait()) sum += static_cast<std::uint64_t>(*number);
    return sum;
  });
  moves.enter(deal, at(0));
  moves.edge(deal.port<0>(), count, in_turn());
  moves.edge(deal.port<1>(), move, at(0));
  moves.edge(count, help, in_turn());
  moves.edge(help, add_up, at(0));
  moves.edge(move, add_up, at(0));
  moves.leave(add_up);
  explored_backend::settings how = on_nodes(3);
  how.node.orders = order_of_mail;
  return {moves, 5, how};
}

/// Threads leave while objects of two edges are on their way to them: some come before, and others go elsewhere then.
call_run leavers(delivery_orders& orders) {
  threads<> const master{"master", 1}, first{"first", 1}, other{"other", mapping("node1")};
  threads<> const workers{"workers", mapping("node0 node1")};
  graph<int, int> leaves("leaves");
  auto const deal = leaves.split("deal", master, [](int count, out<int>& to, out<int>& others, out<int>& to_shrink) {
    for (int i = 0; i < count; ++i) {
      to.post(i);
      others.post(i);
    }
    to_shrink.post(0);
  });
  auto const pass_on = [](int number) { return number; };
  auto const early = leaves.leaf("early", first, pass_on), late = leaves.leaf("late", other, pass_on);
  auto const work = leaves.leaf("work", workers, pass_on), more = leaves.leaf("more work", workers, pass_on);
  auto const shrink = leaves.leaf("shrink", first, [workers](here<>& here, int number) {
    here.resize(workers, 1);
    return number;
  });
  auto const add_up = leaves.merge("add up", master, [](in<int>& numbers) {
    int sum = 0;
    for (int const number : numbers) sum += number;
    return sum;
  });
  leaves.enter(deal, at(0));
  leaves.edge(deal.port<0>(), early, at(0));
  leaves.edge(deal.port<1>(), late, at(0));
  leaves.edge(deal.port<2>(), shrink, at(0));
  leaves.edge(early, work, in_turn());
  leaves.edge(late, more, in_turn());
  leaves.edge(work, add_up, at(0));
  leaves.edge(more, add_up, at(0));
  leaves.edge(shrink, add_up, at(0));
  leaves.leave(add_up);
  explored_backend::settings how = on_nodes(2);
  how.node.orders = &orders;
  return {leaves, 4, how};
}

}  // namespace

TEST_CASE("a node that nothing needs is released, and launched when it is needed again, in whatever order") {
  threads<> const master{"master", 1};
  threads<Counted> const counter{"counter", mapping("node1")};
  graph<int, int> moves("moves");
  auto const come_and_go = moves.leaf("come and go", master, [counter](here<>& here, int) {
    for (char const* const to : {"node0", "node1", "node0", "node1"}) here.remap(counter, mapping(to));
    return 1;
  });
  auto const count = moves.leaf("count", counter, [](here<Counted>& here, int number) {
    here.state.sum += static_cast<std::uint64_t>(number);
    return static_cast<int>(here.state.sum);
  });
  moves.enter(come_and_go, at(0));
  moves.edge(come_and_go, count, at(0));
  moves.leave(count);
  std::multiset<std::string> events;
  explored_backend::settings how = on_nodes(2);
  how.text = [&](std::uint64_t, std::string const& text) { events.insert(text); };
  call_run program(moves, 5, how);
  plain_order plain;
  outcome const expected = program.run(plain);
  CHECK(expected.failure == "");
  std::uint64_t const seed = ovlp::testing::new_seed();
  for (std::uint64_t i = 0; i < 200; ++i) {
    CAPTURE(seed + i);
    random_order random(seed + i);
    CHECK(difference(expected, program.run(random)) == "");
  }
  CHECK(events.count("node1 is released") > 0);
  CHECK(events.count("node1 joins") > 0);
}

TEST_CASE("threads move, and no object is lost, in whatever order") {
  call_run program = movers();
  plain_order plain;
  outcome const expected = program.run(plain);
  CHECK(expected.failure == "");
  std::uint64_t const seed = ovlp::testing::new_seed();
  for (std::uint64_t i = 0; i < (optimized ? 2000 : 200); ++i) {
    CAPTURE(seed + i);
    random_order random(seed + i);
    priority_order priorities(seed + i, 3, expected.choices);
    CHECK(difference(expected, program.run(random)) == "");
    CHECK(difference(expected, program.run(priorities)) == "");
  }
}

TEST_CASE("an order of deliveries loses nothing where threads move or leave meanwhile") {
  std::uint64_t const seed = ovlp::testing::new_seed();
  for (std::uint64_t i = 0; i < 200; ++i) {
    CAPTURE(seed + i);
    random_order random(seed + i), another(seed + i + 1);
    delivery_orders noted(true);
    outcome const first = movers(&noted).run(random);
    delivery_orders followed(false, noted.so_far().noted);
    CHECK(first.failure == "");
    CHECK(difference(first, movers(&followed).run(another)) == "");
    delivery_orders before(true);
    CHECK(leavers(before).run(random).failure == "");
    delivery_orders after(false, before.so_far().noted);
    CHECK(leavers(after).run(another).failure == "");
  }
}

TEST_CASE("choices that are independent may change places, and nothing else changes") {
  std::uint64_t const seed = ovlp::testing::new_seed();
  std::size_t swapped = 0;
  for (std::uint64_t i = 0; i < 300; ++i) {
    CAPTURE(seed + i);
    call_run program = i % 3 == 0 ? arrivals(3, 2) : i % 3 == 1 ? first_of(5) : movers();
    random_order random(seed + i);
    noted_order noted(random);
    outcome const ended = program.run(noted);
    moments const& run = noted.run();
    for (std::size_t at = mix(seed, i) % 7; at + 1 < run.size(); at += 7) {
      moment const &one = run[at], &next = run[at + 1];
      bool const was_possible = std::ranges::find(one.possible, next.name(), &choice::name) != one.possible.end();
      if (!was_possible || depend(one.touched, next.touched)) continue;
      tree_path path;
      for (moment const& now : run) path.chosen.push_back(now.name());
      std::swap(path.chosen[at], path.chosen[at + 1]);
      path_order along(path);
      noted_order again(along);
      outcome const other = program.run(again);
      CHECK(other.results == ended.results);
      REQUIRE(again.run().size() == run.size());
      auto const touched_by = [](moments const& of, std::size_t place) {
        return std::set<resource>(of[place].touched.begin(), of[place].touched.end());
      };
      CHECK(touched_by(again.run(), at) == touched_by(run, at + 1));
      CHECK(touched_by(again.run(), at + 1) == touched_by(run, at));
      ++swapped;
    }
  }
  CHECK(swapped > 100);
}

namespace {

template <class T>
object_difference compared(T const& one, T const& other) {
  kept_object const a = keep(type_of<T>(), &one), b = keep(type_of<T>(), &other);
  return compare(layout<T>(), a.parts(), b.parts());
}

template <class T>
bool equal(T const& one, T const& other) {
  object_difference const found = compared(one, other);
  CHECK(!found.by_rounding);
  return !found.differs;
}

struct Reading {
  std::string where;
  double value;
  std::vector<float> more;
};

}  // namespace

TEST_CASE("results are compared by what they consist of") {
  CHECK(equal(5, 5));
  CHECK(!equal(5, 6));
  CHECK(equal<std::map<std::string, int>>({{"a", 1}, {"b", 2}}, {{"b", 2}, {"a", 1}}));
  CHECK(!equal<std::map<std::string, int>>({{"a", 1}}, {{"a", 2}}));
  CHECK(!equal<std::vector<int>>({1, 2}, {2, 1}));
  CHECK(!equal<std::vector<int>>({1, 2}, {1, 2, 3}));
  CHECK(!equal<std::optional<int>>(std::nullopt, 0));
  CHECK(!equal<std::variant<int, char>>(1, 'a'));
  CHECK(equal<std::array<std::pair<int, bool>, 2>>({{{1, true}, {2, false}}}, {{{1, true}, {2, false}}}));
  CHECK(equal<std::vector<std::tuple<>>>({{}, {}}, {{}, {}}));
  std::unordered_map<int, std::string> hashed, again;
  for (int i = 0; i < 100; ++i) hashed.emplace(i, std::to_string(i));
  again.reserve(1000);
  for (int i = 100; i-- > 0;) again.emplace(i, std::to_string(i));
  CHECK(equal(hashed, again));
  again[7] = "8";
  CHECK(!equal(hashed, again));
}

TEST_CASE("results that differ by rounding are told from others") {
  Reading const one{"here", 0.1 + 0.2, {1}};
  Reading other{"here", 0.3, {1}};
  CHECK(compared(one, other).differs);
  CHECK(compared(one, other).by_rounding);
  CHECK(compared(one, other).largest_relative < 1e-15);
  other.where = "there";
  CHECK(compared(one, other).differs);
  CHECK(!compared(one, other).by_rounding);

  buffer<double> numbers(1000), sums(1000);  // in the bulk part
  for (std::size_t i = 0; i < 1000; ++i) numbers.mutate()[i] = sums.mutate()[i] = static_cast<double>(i);
  CHECK(!compared(numbers, sums).differs);
  sums.mutate()[999] += 1e-10;
  CHECK(compared(numbers, sums).by_rounding);
  CHECK(compared(numbers, sums).largest_relative == doctest::Approx(1e-13).epsilon(0.01));
}

TEST_CASE("an interleaving is written and read again, and what is none is refused in a line") {
  ovlp::testing::temporary_folder const folder;
  std::string const file = folder.path() / "interleaving.json";
  interleaving_file const kept{{"program", "--nodes", "3"},
                               "it \"fails\"",
                               {{1, 2}, {~std::uint64_t{0}, 3}},
                               {"b before a", "d before c"},
                               500,
                               {7, 8}};
  write_interleaving_file(file, kept);
  interleaving_file const read = read_interleaving_file(file);
  CHECK(read.command == kept.command);
  CHECK(read.failure == kept.failure);
  CHECK(read.differs == kept.differs);
  CHECK(read.story == kept.story);
  CHECK(read.most_choices == kept.most_choices);
  CHECK(read.plain_results == kept.plain_results);
  write_interleaving_file(file, {{"program"}, "always", {}, {}, 0, {}});
  CHECK(read_interleaving_file(file).differs.empty());
  auto const refused = [&](std::string const& text) {
    return ovlp::testing::thrown_by<config_error>([&] { read_interleaving_file(folder.file("wrong.json", text)); });
  };
  CHECK(ovlp::testing::contains(refused("{").what(), "wrong.json"));
  CHECK(ovlp::testing::contains(refused(R"({"format": "other"})").what(), "format: expected"));
  std::string const head =
      R"({"format": "ovlp interleaving 1", "command": ["p"], "failure": "f", "most_choices": 9, "plain_results": [], "held_back": )";
  CHECK(ovlp::testing::contains(refused(head + R"([{"story": "s", "then": "xyz", "first": "0"}]})").what(),
                                "held_back[0].then: expected a name, 16 hexadecimal digits"));
  CHECK(ovlp::testing::contains(refused(head + "3}").what(), "held_back"));
}

TEST_CASE("orders that differ by shared memory alone are found if the program says that it is shared") {
  auto const orders = [](bool says) {
    static std::vector<int> seen;
    threads<> const master{"master", 1}, writers{"writers", mapping("node1 node2")};
    graph<int, std::vector<int>> const written = split("deal", master.at(0),
                                                       [](int count, out<int>& to) {
                                                         seen.clear();
                                                         for (int i = 0; i < count; ++i) to.post(i);
                                                       }) >>
                                                 leaf("write", writers.in_turn(),
                                                      [says](here<>& here, int number) {
                                                        if (says) here.shares("seen");
                                                        seen.push_back(number);
                                                        return number;
                                                      }) >>
                                                 merge("all", master.at(0), [](in<int>& numbers) {
                                                   while (numbers.wait()) {
                                                   }
                                                   return seen;
                                                 });
    return orders_of({written, 2, on_nodes(3)}, true).results.size();
  };
  CHECK(orders(true) == 2);
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
