// SPDX-License-Identifier: BSD-3-Clause
// What node 0 decides of collections, asked and answered in any order; and the inbox in which its events wait.
#include "collections/collection_changes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <ovlp/ovlp.hpp>
#include <ovlp/runtime/internal/handlers.hpp>
#include <ovlp/runtime/internal/inbox.hpp>

#include "support/seed.hpp"

namespace {

using namespace ovlp;

constexpr std::size_t nodes = 5;

/// The nodes of a run as node 0 sees them: each answers some time later what it was told, in any order.
class answering_nodes {
 public:
  answering_nodes(collection_changes& of, std::mt19937_64& draw, std::set<node_id>& asked)
      : changes_(of), draw_(draw), asked_(asked) {}

  void request(change_request wanted) {
    ++open_;
    changes_.handle_change_request(wanted);
    after_event();
  }
  /// Something else is asked of a node, which it answers some time later.
  void ask(node_id node) {
    if (changes_.held().contains(node) && asked_.insert(node).second) answers_.push_back({node, answered{}});
  }
  bool any() const { return !answers_.empty(); }
  std::size_t open() const { return open_; }
  std::set<node_id> const& launched() const { return launched_; }

  void answer_one() {
    std::size_t const which = std::uniform_int_distribution<std::size_t>(0, answers_.size() - 1)(draw_);
    answer const next = answers_[which];
    answers_.erase(answers_.begin() + static_cast<std::ptrdiff_t>(which));
    std::visit(handlers{[&](thread_moved const& m) { changes_.handle_thread_moved(m); },
                        [&](view_adopted const& m) {
                          --views_under_way_[next.from];
                          changes_.handle_view_adopted(next.from, m);
                        },
                        [&](answered) {
                          asked_.erase(next.from);
                          changes_.release_unneeded();
                        },
                        [&](drained const& m) { changes_.handle_drained(next.from, m); },
                        [&](left const& m) { changes_.handle_left(next.from, m); },
                        [&](joined) { changes_.node_joined(next.from); }},
               next.what);
    after_event();
  }

 private:
  struct joined {};
  struct answered {};
  struct answer {
    node_id from;
    std::variant<thread_moved, view_adopted, drained, left, joined, answered> what;
  };

  void after_event() {
    for (collection_changes::action const& action : changes_.take_actions()) {
      std::visit(handlers{[&](collection_changes::send_control const& send) { told(send.to, send.message); },
                          [&](collection_changes::launch_node const& launch) {
                            CHECK_MESSAGE(launched_.insert(launch.node).second, "launched twice");
                            answers_.push_back({launch.node, joined{}});
                          },
                          [&](collection_changes::release_node const& release) {
                            CHECK_MESSAGE(launched_.erase(release.node) == 1, "released, and was not there");
                            CHECK_MESSAGE(!asked_.contains(release.node), "released, and owes an answer");
                          }},
                 action);
    }
    REQUIRE(changes_.broken_invariant() == "");
    for (node_id held : changes_.held()) CHECK(launched_.contains(held));
  }

  void told(node_id to, control const& message) {
    CHECK_MESSAGE(launched_.contains(to), "told a node that is not there");
    std::visit(handlers{[&](change_done const& m) {
                          CHECK(m.error == "");
                          --open_;
                        },
                        [&](move_thread const& m) {
                          CHECK_MESSAGE(views_under_way_[m.to] == 0, "a thread moves to a node without its views");
                          answers_.push_back({m.to, thread_moved{m.thread}});
                        },
                        [&](view_update const& m) {
                          ++views_under_way_[to];
                          answers_.push_back({to, view_adopted{m.collection, m.version,
                                                               std::vector<std::uint64_t>(nodes, std::uint64_t{7})}});
                        },
                        [&](drain const& m) {
                          answers_.push_back({to, drained{m.collection}});
                        },
                        [&](leave const& m) {
                          answers_.push_back({to, left{m.number, 0, 0}});
                        },
                        [](auto const&) { FAIL("an answer, and nobody asked"); }},
               message);
  }

  collection_changes& changes_;
  std::mt19937_64& draw_;
  std::set<node_id> launched_ = changes_.held();
  std::vector<answer> answers_;
  std::map<node_id, int> views_under_way_;
  std::set<node_id>& asked_;
  std::size_t open_ = 0;
};

}  // namespace

TEST_CASE("changes asked and answered in any order all end, with their threads on nodes that are held and no others") {
  std::mt19937_64 draw(ovlp::testing::new_seed());
  auto const up_to = [&](std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most)(draw); };
  threads<> const some{"some", mapping("node0 node1")}, others{"others", mapping("node1 node2 node3")};
  program known;
  graph<int, int> const of_both =
      leaf("a", some.at(0), [](int i) { return i; }) >> leaf("b", others.at(0), [](int i) { return i; });
  known.add(of_both.definition());
  known.close();
  for (int round = 0; round < 300; ++round) {
    std::set<node_id> asked;
    collection_changes decides(known, nodes, [&](node_id node) { return asked.contains(node); });
    answering_nodes world(decides, draw, asked);
    std::vector<std::size_t> size{2, 3};  // once the requests so far are done
    std::vector<std::set<node_id>> last(2);
    for (std::uint64_t number = 0; number < 12; ++number) {
      auto const collection = static_cast<std::uint32_t>(up_to(1));
      change_request wanted{number, collection, 0, {}};
      if (up_to(1) == 0) {
        size[collection] = wanted.count = 1 + up_to(5);
        last[collection].clear();
      } else {
        for (std::size_t i = 0; i < size[collection]; ++i)
          wanted.nodes.push_back(static_cast<node_id>(up_to(nodes - 1)));
        last[collection] = {wanted.nodes.begin(), wanted.nodes.end()};
      }
      world.request(wanted);
      world.ask(static_cast<node_id>(up_to(nodes - 1)));
      for (std::size_t some_answers = up_to(8); some_answers > 0 && world.any(); --some_answers) world.answer_one();
    }
    while (world.any()) world.answer_one();
    CHECK(world.open() == 0);
    CHECK(decides.describe_wait() == "");
    CHECK_FALSE(decides.any_leaves());
    CHECK(world.launched() == decides.held());
    for (std::set<node_id> const& used : last) CHECK(std::ranges::includes(decides.held(), used));
    CHECK(decides.held().contains(0));
  }
}

TEST_CASE("what an event causes is handled after it, and what came before that first") {
  inbox<int> events;
  std::vector<int> handled;
  bool busy = false;
  auto const handle = [&](auto const& self, int event) -> void {
    events.put(event, [&](int one) {
      CHECK_FALSE(std::exchange(busy, true));
      CHECK_FALSE(events.when_idle([] { FAIL("an event is in hand"); }));
      handled.push_back(one);
      if (one == 1) {
        self(self, 2);
        self(self, 3);
      }
      if (one == 2) self(self, 4);
      busy = false;
    });
  };
  handle(handle, 1);
  CHECK(handled == std::vector{1, 2, 3, 4});
  CHECK(events.when_idle([] {}));
}

TEST_CASE("events of several OS threads are handled each once, one at a time, those of one thread in order") {
  inbox<std::pair<int, int>> events;
  std::vector<int> next_of(4, 0);  // no lock: the owner has them
  std::vector<std::thread> all;
  for (int thread = 0; thread < 4; ++thread) {
    all.emplace_back([&, thread] {
      for (int i = 0; i < 5000; ++i) {
        events.put({thread, i}, [&](std::pair<int, int> one) {
          if (next_of[static_cast<std::size_t>(one.first)] == one.second)
            ++next_of[static_cast<std::size_t>(one.first)];
        });
      }
    });
  }
  for (std::thread& one : all) one.join();
  CHECK(next_of == std::vector(4, 5000));
}

TEST_CASE("an inbox whose event has thrown handles those that come later") {
  inbox<int> events;
  int handled = 0;
  CHECK_THROWS_AS(events.put(1, [](int) { throw std::runtime_error("no"); }), std::runtime_error);
  events.put(2, [&](int one) { handled = one; });
  CHECK(handled == 2);
}
