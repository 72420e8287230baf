// SPDX-License-Identifier: BSD-3-Clause
// Paths that end without an answer: operations that return nothing, and ports all of whose paths end in them.
#include "support/run_on.hpp"
#include "support/seed.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "exchange/handled_counts.hpp"

namespace {

using engine = ovlp::engine_base;
using ovlp::graph;
using ovlp::here;
using ovlp::in;
using ovlp::out;
using ovlp::threads;
using ovlp::testing::contains;
using ovlp::testing::run_on;
using ovlp::testing::run_on_one_and_three;
using ovlp::testing::thrown_by;

struct Order {
  int count;
};
struct Coin {
  int value;
};
struct Box {
  int sum = 0;
};

int give(Order order, out<Coin>& coins) {
  for (int i = 1; i <= order.count; ++i) coins.post({i});
  return order.count;
}
void keep(here<Box>& here, Coin coin) { here.state.sum += coin.value; }
int sum_to(int count) { return count * (count + 1) / 2; }

/// What is in all boxes, emptied.
graph<Order, int> emptying(threads<Box> const& boxes) {
  return {"emptying",
          ovlp::everywhere("empty", boxes, [](here<Box>& here, Order) { return std::exchange(here.state.sum, 0); }) >>
              ovlp::reduce("all", boxes.at(0), std::plus<>{})};
}

}  // namespace

TEST_CASE("a result leaves when all that its operation has posted aside has been handled") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1};
    threads<Box> const boxes{"boxes", 5};
    graph<Order, int> const giving{
        "giving", ovlp::leaf("give", master.at(0), give).aside(ovlp::leaf("keep", boxes.in_turn(), keep))};
    graph<Order, int> const empty = emptying(boxes);
    run.add(empty);
    for (int count : {0, 1, 3, 200, 5, 0, 1000}) {
      CHECK(run(giving, {count}) == count);
      CHECK(run(empty, {0}) == sum_to(count));
    }
  });
}

TEST_CASE("a graph all of whose paths end returns nothing, when all that follows from its call has been handled") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", 3};
    threads<Box> const boxes{"boxes", 4};
    graph<Order, void> const keeping{"keeping", ovlp::leaf("keep all", boxes.at(3), [](here<Box>& here, Order order) {
                                       here.state.sum += order.count;
                                     })};
    // A split with side ports only, leaves between, a whole group on the way, and calls that nobody waits for.
    graph<Order, void> giving("giving");
    auto const first = giving.split("give", master, [](Order order, out<Coin>& coins, out<Order>& orders) {
      for (int i = 1; i <= order.count; ++i) coins.post({i});
      for (int i = 1; i <= order.count; ++i) orders.post({i});
    });
    auto const pass = giving.leaf("pass", workers, [](Coin coin) { return coin; });
    auto const kept = giving.leaf("keep", boxes, keep);
    auto const cut = giving.split("cut", workers, [](Order order, out<Coin>& ones) {
      for (int i = 0; i < order.count; ++i) ones.post({1});
    });
    auto const sum = giving.merge("sum", workers, [](in<Coin>& ones) {
      Order all{0};
      while (auto const one = ones.wait()) all.count += one->value;
      return all;
    });
    auto const call = giving.leaf("call", workers, [keeping](here<>& here, Order order) {
      here.async(keeping, {order.count});
      here.async(keeping, {order.count});
    });
    giving.enter(first, ovlp::at(0));
    giving.edge(first.port<0>(), pass, ovlp::in_turn());
    giving.edge(pass, kept, ovlp::by(&Coin::value));
    giving.edge(first.port<1>(), cut, ovlp::in_turn());
    giving.edge(cut, sum, ovlp::at_opener());
    giving.edge(sum, call, ovlp::relative(1));
    graph<Order, int> const empty = emptying(boxes);
    run.add(keeping);
    run.add(empty);
    for (int count : {0, 1, 40}) {
      run(giving, {count});
      CHECK(run(empty, {0}) == 3 * sum_to(count));
    }
    auto one = run.async(giving, {10});
    auto other = run.async(giving, {20});
    other.get();
    one.get();
    CHECK(run(empty, {0}) == 3 * (sum_to(10) + sum_to(20)));
  });
}

TEST_CASE("merges post aside, and return nothing; splits and streams have ports of both kinds") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", 3};
    threads<Box> const boxes{"boxes", 3};
    graph<Order, int> g("both");
    auto const first = g.split("give", master, [](Order order, out<Coin>& coins, out<Order>& orders) {
      for (int i = 1; i <= order.count; ++i) coins.post({i});
      orders.post(order);
    });
    auto const kept = g.leaf("keep", boxes, keep);
    auto const more = g.split("more", workers, [](Order order, out<Coin>& closed, out<Coin>& aside) {
      for (int i = 1; i <= order.count; ++i) (i % 2 == 0 ? closed : aside).post({i});
    });
    auto const stream = g.stream("stream", workers, [](in<Coin>& coins, out<Coin>& closed, out<Coin>& aside) {
      for (Coin const& coin : coins) (coin.value % 3 == 0 ? closed : aside).post(coin);
    });
    auto const last = g.merge("last", workers, [](in<Coin>& coins, out<Coin>& aside) {
      int count = 0;
      for (Coin const& coin : coins) {
        aside.post(coin);
        ++count;
      }
      return count;
    });
    auto const counted = g.merge("counted", master, [](in<int>& counts) {
      int all = 0;
      for (int const count : counts) all += count;
      return all;
    });
    g.enter(first, ovlp::at(0));
    g.edge(first.port<0>(), kept, ovlp::by(&Coin::value));
    g.edge(first.port<1>(), more, ovlp::in_turn());
    g.edge(more.port<0>(), stream, ovlp::at(1));
    g.edge(more.port<1>(), kept, ovlp::by(&Coin::value));
    g.edge(stream.port<0>(), last, ovlp::at(2));
    g.edge(stream.port<1>(), kept, ovlp::by(&Coin::value));
    g.edge(last.port<0>(), counted, ovlp::at(0));
    g.edge(last.port<1>(), kept, ovlp::by(&Coin::value));
    g.leave(counted);
    // What a merge returns nothing of.
    graph<Order, void> const summing{
        "summing", ovlp::split("give", master.at(0), [](Order order, out<Coin>& coins) { give(order, coins); }) >>
                       ovlp::leaf("pass", workers.in_turn(), [](Coin coin) { return coin; }) >>
                       ovlp::merge("keep", boxes.at(1), [](here<Box>& here, in<Coin>& coins) {
                         for (Coin const& coin : coins) here.state.sum += coin.value;
                       })};
    graph<Order, int> const empty = emptying(boxes);
    run.add(summing);
    run.add(empty);
    CHECK(run(g, {100}) == 16);
    CHECK(run(empty, {0}) == 2 * sum_to(100));
    CHECK(run(g, {0}) == 0);
    CHECK(run(empty, {0}) == 0);
    run(summing, {50});
    CHECK(run(empty, {0}) == sum_to(50));
    run(summing, {0});
    CHECK(run(empty, {0}) == 0);
  });
}

TEST_CASE("a window bounds what has not been handled, and the least loaded is who has handled most") {
  run_on(1, [](engine& run) {
    static std::atomic<int> under_way, most;
    under_way = most = 0;
    threads<> const master{"master", 1};
    threads<Box> const boxes{"boxes", 3};
    graph<Order, int> g("bounded");
    auto const first = g.leaf("give", master, [](Order order, out<Coin>& coins) {
      for (int i = 1; i <= order.count; ++i) {
        coins.post({i});
        most = std::max(most.load(), ++under_way);
      }
      return order.count;
    });
    auto const kept = g.leaf("keep", boxes, [](here<Box>& here, Coin coin) {
      --under_way;
      keep(here, coin);
    });
    g.enter(first, ovlp::at(0));
    g.edge(first.port<1>().window(4), kept, ovlp::least_loaded());
    g.leave(first);
    graph<Order, int> const empty = emptying(boxes);
    run.add(empty);
    CHECK(run(g, {500}) == 500);
    CHECK(under_way == 0);
    CHECK(most <= 5);  // one has been counted after it was posted, and may have been handled by then
    CHECK(run(empty, {0}) == sum_to(500));
  });
}

TEST_CASE("in the short form a window stands before the way of its port") {
  run_on_one_and_three([](engine& run) {
    threads<> const master{"master", 1};
    threads<Box> const boxes{"boxes", 5};
    graph<Order, int> const giving{
        "giving", ovlp::leaf("give", master.at(0), give).window(2).aside(ovlp::leaf("keep", boxes.in_turn(), keep))};
    auto const& ports = giving.definition()->operations.front().ports;
    REQUIRE(ports.size() == 2);
    CHECK(ports[0].window == 0);
    CHECK(ports[1].window == 2);
    graph<Order, int> const empty = emptying(boxes);
    run.add(empty);
    for (int count : {0, 1, 200}) {
      CHECK(run(giving, {count}) == count);
      CHECK(run(empty, {0}) == sum_to(count));
    }
  });
}

TEST_CASE("nodes that count what they have handled leave, and threads move, and nothing is lost") {
  run_on(3, [](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", "node1 node2"};
    threads<Box> const boxes{"boxes", "node1 node2 node0"};
    graph<Order, int> const giving{"giving",
                                   ovlp::leaf("give", master.at(0), give)
                                       .aside(ovlp::leaf("pass", workers.in_turn(), [](Coin coin) { return coin; }) >>
                                              ovlp::leaf("keep", boxes.in_turn(), keep))};
    // It goes on while the nodes that have handled what it posted before leave.
    graph<Order, int> moving("moving");
    auto const first =
        moving.leaf("give, move, give", master, [boxes, workers](here<>& here, Order order, out<Coin>& coins) {
          give(order, coins);
          here.remap(boxes, "node0*3");
          here.resize(workers, 1);
          here.remap(workers, "node0");
          give(order, coins);
          here.remap(boxes, "node2 node1 node0");
          give(order, coins);
          return 3 * order.count;
        });
    auto const kept = moving.leaf("keep", boxes, keep);
    moving.enter(first, ovlp::at(0));
    moving.edge(first.port<1>(), kept, ovlp::in_turn());
    moving.leave(first);
    graph<Order, int> const empty = emptying(boxes);
    run.add(moving);
    run.add(empty);
    for (int count : {300, 10}) {
      CHECK(run(giving, {count}) == count);
      CHECK(run(empty, {0}) == sum_to(count));
      CHECK(run(moving, {count}) == 3 * count);
      CHECK(run(empty, {0}) == 3 * sum_to(count));
      auto call = run.async(giving, {count});
      run.remap(boxes, "node1 node0 node2");
      run.resize(workers, 2);
      CHECK(call.get() == count);
      CHECK(run(empty, {0}) == sum_to(count));
    }
  });
}

TEST_CASE("what ends a path may throw, and the call does") {
  run_on(2, [](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", 2};
    graph<Order, int> const giving{
        "giving", ovlp::leaf("give", master.at(0), give).aside(ovlp::leaf("break", workers.in_turn(), [](Coin coin) {
          if (coin.value == 20) throw std::runtime_error("no");
        }))};
    auto const error = thrown_by<ovlp::operation_error>([&] { run(giving, {40}); });
    CHECK(error.operation == "break");
    CHECK(contains(error.what(), "no"));
  });
}

TEST_CASE("an operation that waits for ever for what it has posted aside is named, with how much is missing") {
  run_on(
      2, {},
      [](engine& run) {
        threads<> const master{"master", 1};
        threads<Box> const boxes{"boxes", "node1"};
        graph<Order, int> const giving{"giving",
                                       ovlp::leaf("give", master.at(0), give)
                                           .aside(ovlp::leaf("wait", boxes.at(0), [](here<Box>& here, Coin coin) {
                                             if (coin.value > 3) here.wait_until([&] { return here.state.sum > 0; });
                                           }))};
        auto const error = thrown_by<ovlp::stalled>([&] { run(giving, {5}); });
        CHECK(contains(error.what(),
                       "leaf 'give' in master[0] on node0 waits until what it has posted on side is "
                       "handled: group "));
        CHECK(contains(error.what(), ": 3 of 5 objects handled"));
      },
      ovlp::testing::checks::none);
}

TEST_CASE("the work of what ends a path belongs to the iteration of its object") {
  ovlp::testing::simulate_on(2, {"--execution", "partial"}, [](engine& run) {
    threads<> const master{"master", 1};
    threads<Box> const boxes{"boxes", "node1"};
    graph<Order, int> const giving{"giving",
                                   ovlp::leaf("give", master.at(0), [](here<>& here, Order order, out<Coin>& coins) {
                                     for (int k = 1; k <= order.count; ++k) {
                                       here.iteration(k);
                                       coins.post({k});
                                     }
                                     return order.count;
                                   }).aside(ovlp::leaf("work", boxes.at(0), [](here<Box>& here, Coin coin) {
                                     here.kernel("work", {coin.value}, [] {});
                                   }))};
    run.record();
    run.estimate("work", [](std::span<std::int64_t const> sizes) { return static_cast<double>(sizes[0]); });
    run(giving, {3});
    ovlp::summary const figures = run.summary();
    CHECK(figures.time_s >= 6);
    REQUIRE(figures.iterations.size() == 3);
    for (std::size_t k = 0; k < 3; ++k)
      CHECK(figures.iterations[k].work_s == doctest::Approx(static_cast<double>(k + 1)));
  });
}

// Counting, with messages that come in any order.

namespace {

using ovlp::node_id;
using ovlp::concurrent::handled_elsewhere;
using ovlp::concurrent::handled_total;

struct told {
  node_id from;
  handled_elsewhere::news news;
};
struct asked {
  node_id node;
  std::uint64_t batch;
};

/// So many objects are handled on some nodes, in random order. Returns messages until all are known to be handled.
std::size_t messages_until_complete(std::uint64_t objects, std::size_t nodes, std::mt19937_64& random) {
  constexpr ovlp::group_id group = 7;
  handled_total home;
  std::vector<handled_elsewhere> others(nodes);
  std::vector<told> to_home;
  std::vector<asked> to_others;
  std::vector<std::uint64_t> left(nodes);
  for (std::uint64_t i = 0; i < objects; ++i) ++left[random() % nodes];
  std::uint64_t unhandled = objects;
  bool ended = false;
  std::size_t messages = 0;
  auto const tell = [&](node_id node, std::uint64_t batch) { to_others.push_back({node, batch}); };
  while (unhandled > 0 || !ended || !to_home.empty() || !to_others.empty()) {
    CHECK(!(home.complete() && unhandled > 0));
    switch (random() % 4) {
      case 0: {
        std::size_t const node = random() % nodes;
        if (left[node] == 0) break;
        --left[node];
        --unhandled;
        if (auto const news = others[node].add(group); news.count > 0)
          to_home.push_back({static_cast<node_id>(node), news});
        break;
      }
      case 1: {
        if (to_home.empty()) break;
        std::swap(to_home[random() % to_home.size()], to_home.back());
        told const t = to_home.back();
        to_home.pop_back();
        ++messages;
        home.add(t.news.count);
        if (t.news.begins) home.counts(t.from);
        home.settle(tell);
        break;
      }
      case 2: {
        if (to_others.empty()) break;
        std::swap(to_others[random() % to_others.size()], to_others.back());
        asked const a = to_others.back();
        to_others.pop_back();
        ++messages;
        if (auto const count = others[a.node].set_batch(group, a.batch); count > 0)
          to_home.push_back({a.node, {count, false}});
        break;
      }
      default:
        if (ended || random() % 100 != 0) break;
        ended = true;
        home.set_total(objects);
        home.settle(tell);
    }
  }
  CHECK(home.complete());
  return messages;
}

}  // namespace

TEST_CASE("whatever order messages come in, the last object handled is known, by few messages") {
  std::uint64_t const seed = ovlp::testing::new_seed();
  INFO("repeat with OVLP_TEST_SEED=" << seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 300; ++round) {
    std::size_t const nodes = 1 + random() % 6;
    std::uint64_t const objects = random() % (round % 10 == 0 ? 20000 : 60);
    std::size_t const messages = messages_until_complete(objects, nodes, random);
    CAPTURE(objects);
    CAPTURE(nodes);
    CHECK(messages <= std::max<std::size_t>(2 * objects, 0));
    if (objects > 10000) CHECK(messages < 2000);
  }
}
