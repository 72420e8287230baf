// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/ovlp.hpp>
#include <ovlp/runtime/engine.hpp>

/// Random flow graphs, called several at a time while their collections change, and a serial evaluation of them.
namespace ovlp::testing::random_graphs {

using ovlp::graph;
using ovlp::here;
using ovlp::in;
using ovlp::out;
using ovlp::threads;
using engine = ovlp::engine_base;
using std::uint64_t;

struct Token {
  uint64_t value;
};
/// One of two that meet in a thread: the first waits for the second.
struct Guest {
  uint64_t value;
  bool waits;
};
struct Ledger {
  uint64_t sum = 0;                ///< of all that came by
  std::map<uint64_t, int> guests;  ///< that have come and not been waited for
};

inline uint64_t mix(uint64_t value, uint64_t salt) {  // splitmix64
  uint64_t z = value + salt * 0x9e3779b97f4a7c15u + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

constexpr uint64_t poison = 13;  ///< an operation with this remainder of 1024 throws, if its graph may

/// What a graph consists of: each takes a token and gives one.
struct part {
  enum class kind { leaf, sequence, fan, stream, two_ports, meeting, aside, call, change } what = kind::leaf;
  uint64_t salt = 0;
  std::size_t where = 0;     ///< number of the collection
  std::size_t route = 0;     ///< of what goes to its threads
  std::size_t close_at = 0;  ///< index of the closer's thread in the fixed collection
  bool close_at_opener = false;
  std::size_t window = 0;
  std::size_t most = 0;  ///< objects of a group
  bool twice = false;    ///< of a call: two run at once; of what is posted aside: what ends its path posts aside, too
  std::vector<part> parts;
  std::size_t called = 0;  ///< number of an earlier graph
};

struct plan {
  uint64_t seed;
  std::size_t nodes;
  std::vector<part> graphs;
  bool operations_change;  ///< the collection of leaves; else the main program changes all that may
  bool throws;
};

/// Collections: 0 never changes; 1 has leaves only and is resized and remapped by anyone; 2 has state, and 3 has none,
/// and both are remapped by the main program.
constexpr std::size_t fixed = 0, free_leaves = 1, with_state = 2, remapped = 3;
constexpr std::size_t sizes[] = {3, 4, 3, 4};

class maker {
 public:
  explicit maker(uint64_t seed) : random_(seed) {}

  plan make(bool may_throw) {
    plan made{random_(), 1 + below(4), {}, below(3) == 0, may_throw && below(8) == 0};
    std::size_t const graphs = 1 + below(3);
    for (std::size_t g = 0; g < graphs; ++g) made.graphs.push_back(sequence(g, made.operations_change, 3));
    return made;
  }
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }
  std::mt19937_64& random() { return random_; }

 private:
  part sequence(std::size_t graph, bool changes, int depth) {
    part made;
    made.what = part::kind::sequence;
    made.salt = random_();
    std::size_t const length = 1 + below(3);
    for (std::size_t i = 0; i < length; ++i) made.parts.push_back(one(graph, changes, depth));
    return made;
  }
  static std::size_t parts_of(part::kind what) {
    switch (what) {
      case part::kind::fan:
      case part::kind::aside: return 1;
      case part::kind::two_ports: return 2;
      case part::kind::stream: return 3;
      default: return 0;
    }
  }
  part one(std::size_t graph, bool changes, int depth) {
    part made;
    made.salt = random_();
    made.where = below(4);
    made.route = below(4);
    made.close_at = below(sizes[fixed]);
    made.window = below(3) == 0 ? 1 + below(4) : 0;
    made.most = 1 + below(7);
    switch (depth == 0 ? below(3) : below(12)) {
      case 0:
      case 1: made.what = part::kind::leaf; break;
      case 2: made.what = changes && below(3) == 0 ? part::kind::change : part::kind::leaf; break;
      case 3:
      case 4:
      case 5: made.what = part::kind::fan; break;
      case 6: made.what = part::kind::stream; break;
      case 7: made.what = part::kind::two_ports; break;
      case 8: made.what = part::kind::meeting; break;
      case 9:
      case 10: made.what = part::kind::aside; break;
      default: made.what = graph > 0 ? part::kind::call : part::kind::fan; break;
    }
    if (made.what != part::kind::leaf && made.where == free_leaves) made.where = remapped;
    made.close_at_opener = below(3) == 0;
    for (std::size_t i = 0; i < parts_of(made.what); ++i) made.parts.push_back(sequence(graph, changes, depth - 1));
    if (made.what == part::kind::call) made.called = below(graph);
    if (made.what == part::kind::call || made.what == part::kind::aside) made.twice = below(2) == 0;
    return made;
  }

  std::mt19937_64 random_;
};

/// What both evaluations compute.
inline uint64_t leaf_value(uint64_t value, part const& p) { return mix(value, p.salt); }
inline std::size_t count_of(uint64_t value, part const& p) {
  return static_cast<std::size_t>(mix(value, p.salt + 1) % (p.most + 1));
}
inline uint64_t posted(uint64_t value, std::size_t i, part const& p) { return mix(value + i, p.salt + 2); }
inline uint64_t closed(uint64_t sum, part const& p) { return mix(sum, p.salt + 3); }
inline std::size_t streamed(uint64_t value, part const& p) {
  return static_cast<std::size_t>(mix(value, p.salt + 4) % 3);
}
inline bool throws(plan const& p, uint64_t value) { return p.throws && value % 1024 == poison; }

/// Evaluates a graph serially. The ledger's sum is the sum over all its threads.
struct oracle {
  plan const& all;
  uint64_t ledger = 0;
  bool thrown = false;
  int steps = 0;

  uint64_t evaluate(part const& p, uint64_t value) {
    ++steps;
    switch (p.what) {
      case part::kind::leaf:
        thrown = thrown || throws(all, value);
        if (p.where == with_state) ledger += value;
        return leaf_value(value, p);
      case part::kind::change: return leaf_value(value, p);
      case part::kind::sequence: {
        for (part const& next : p.parts) value = evaluate(next, value);
        return value;
      }
      case part::kind::fan: {
        uint64_t sum = 0;
        for (std::size_t i = 0; i < count_of(value, p); ++i) sum += evaluate(p.parts[0], posted(value, i, p));
        return closed(sum, p);
      }
      case part::kind::two_ports: {
        uint64_t sum = 0;
        for (std::size_t i = 0; i < count_of(value, p); ++i) sum += evaluate(p.parts[i % 2], posted(value, i, p));
        return closed(sum, p);
      }
      case part::kind::stream: {
        uint64_t sum = 0;
        for (std::size_t i = 0; i < count_of(value, p); ++i) {
          uint64_t const came = evaluate(p.parts[0], posted(value, i, p));
          for (std::size_t j = 0; j < streamed(came, p); ++j) sum += evaluate(p.parts[1], posted(came, j, p));
        }
        return evaluate(p.parts[2], closed(sum, p));
      }
      case part::kind::meeting: {
        uint64_t sum = 0;
        for (std::size_t i = 0; i < count_of(value, p); ++i) sum += 3 * posted(value, i, p);
        return closed(sum, p);
      }
      case part::kind::aside: {
        for (std::size_t i = 0; i < count_of(value, p); ++i) {
          uint64_t const came = evaluate(p.parts[0], posted(value, i, p));
          for (std::size_t j = 0; p.twice && j < streamed(came, p); ++j) ledger += posted(came, j, p);
          ledger += came;
        }
        return leaf_value(value, p);
      }
      case part::kind::call: {
        uint64_t const first = evaluate(all.graphs[p.called], value);
        return p.twice ? mix(first + evaluate(all.graphs[p.called], value + 1), p.salt) : mix(first, p.salt);
      }
    }
    return 0;
  }
};

/// Now and then, in iterations that overlap.
template <class State>
void work_on(here<State>& here, Token t) {
  if (t.value % 3 == 0) here.iteration(1 + static_cast<int>(t.value / 3 % 5));
  if (t.value % 5 != 0) here.kernel("work", {static_cast<int>(t.value % 7)}, [] {});
  if (t.value % 5 == 1) here.kernel("more work", {1}, [] {});
}

/// Builds the graphs of a plan, over collections of its own.
class builder {
 public:
  builder(plan const& p, maker& random)
      : plan_(p),
        fixed_("fixed", sizes[fixed]),
        free_("free", nodes_for(random, sizes[free_leaves])),
        state_("state", nodes_for(random, sizes[with_state])),
        remapped_("remapped", nodes_for(random, sizes[remapped])) {
    for (std::size_t g = 0; g < p.graphs.size(); ++g) {
      graph<Token, Token> made("graph " + std::to_string(g));
      auto const first = leaf(made, "enter", fixed, [](here<>&, Token t) { return t; });
      made.enter(first, ovlp::at(0));
      end const last = add(made, p.graphs[g], first.port<0>());
      auto const leave = leaf(made, "leave", fixed, [](here<>&, Token t) { return t; });
      made.edge(last, leave, ovlp::at(0));
      made.leave(leave);
      made.check();
      graphs.push_back(made);
    }
    graph<Token, Token> sum("sum of the ledgers");
    auto const all = sum.split("all", fixed_, [](Token, out<Token>& to) {
      for (std::size_t i = 0; i < sizes[with_state]; ++i) to.post({i});
    });
    auto const read = sum.leaf("read", state_, [](here<Ledger>& here, Token) { return Token{here.state.sum}; });
    auto const add_up = sum.merge("add up", fixed_, [](in<Token>& sums) {
      Token total{0};
      while (auto const s = sums.wait()) total.value += s->value;
      return total;
    });
    sum.enter(all, ovlp::at(0));
    sum.edge(all, read, ovlp::by(&Token::value));
    auto const through =
        leaf(sum, "through", free_leaves, [](here<>&, Token t) { return t; });  // each collection is used
    auto const and_through = leaf(sum, "and through", remapped, [](here<>&, Token t) { return t; });
    sum.edge(read, through, ovlp::in_turn());
    sum.edge(through, and_through, ovlp::in_turn());
    sum.edge(and_through, add_up, ovlp::at(0));
    sum.leave(add_up);
    ledgers.emplace(sum);
    pause.emplace(ovlp::leaf("pause", fixed_.at(1), [](Token t) { return t; }));
  }

  ovlp::mapping nodes_for(maker& random, std::size_t size) const {
    std::string text;
    for (std::size_t i = 0; i < size; ++i) text += " node" + std::to_string(random.below(plan_.nodes));
    return ovlp::mapping(text.substr(1));
  }

  /// Some change of some collection, from the main program.
  void change(engine& run, maker& random) {
    switch (random.below(4)) {
      case 0: run.resize(free_, size_ = 1 + random.below(6)); break;
      case 1: run.remap(free_, nodes_for(random, size_)); break;
      case 2: run.remap(state_, nodes_for(random, sizes[with_state])); break;
      default: run.remap(remapped_, nodes_for(random, sizes[remapped])); break;
    }
  }

  std::vector<graph<Token, Token>> graphs;
  std::optional<graph<Token, Token>> ledgers;
  std::optional<graph<Token, Token>> pause;  ///< takes as long as a message to another node and back

 private:
  using unary = ovlp::operation<Token, Token>;
  using end = ovlp::port<Token>;  ///< of what has been built so far

  template <class Body>
  unary leaf(graph<Token, Token>& g, std::string const& name, std::size_t where, Body body) {
    switch (where) {
      case fixed: return g.leaf(name, fixed_, body);
      case free_leaves: return g.leaf(name, free_, body);
      default: return g.leaf(name, remapped_, body);
    }
  }
  template <class Operation>
  static void route(graph<Token, Token>& g, end const& from, Operation const& to, std::size_t how) {
    switch (how) {
      case 0: g.edge(from, to, ovlp::in_turn()); break;
      case 1: g.edge(from, to, ovlp::by(&Token::value)); break;
      case 2: g.edge(from, to, ovlp::relative(1)); break;
      default: g.edge(from, to, ovlp::at(0)); break;
    }
  }

  /// A split in the collection that the part says. Its closer, if that is the opener, stands in the same one.
  template <class Body>
  auto in_where(part const& p, Body body) {
    switch (p.where) {
      case fixed: return body(fixed_);
      case with_state: return body(state_);
      default: return body(remapped_);
    }
  }

  end add(graph<Token, Token>& g, part const& p, end from) {
    std::string const name = std::to_string(number_++);
    plan const& all = plan_;
    switch (p.what) {
      case part::kind::sequence: {
        for (part const& next : p.parts) from = add(g, next, from);
        return from;
      }
      case part::kind::leaf: {
        auto const made = p.where == with_state ? g.leaf("leaf " + name, state_,
                                                         [p, all](here<Ledger>& here, Token t) {
                                                           if (throws(all, t.value))
                                                             throw std::runtime_error("poisoned");
                                                           here.state.sum += t.value;
                                                           work_on(here, t);
                                                           return Token{leaf_value(t.value, p)};
                                                         })
                                                : leaf(g, "leaf " + name, p.where, [p, all](here<>& here, Token t) {
                                                    if (throws(all, t.value)) throw std::runtime_error("poisoned");
                                                    work_on(here, t);
                                                    return Token{leaf_value(t.value, p)};
                                                  });
        route(g, from, made, p.route);
        return made.template port<0>();
      }
      case part::kind::change: {
        auto const made = g.leaf("change " + name, fixed_, [this, p](here<>& here, Token t) {
          std::size_t const size = 1 + static_cast<std::size_t>(mix(t.value, p.salt) % 5);
          here.resize(free_, size);
          return Token{leaf_value(t.value, p)};
        });
        route(g, from, made, p.route);
        return made.template port<0>();
      }
      case part::kind::call: {
        graph<Token, Token> const called = graphs.at(p.called);
        auto const made = g.leaf("call " + name, fixed_, [p, called](here<>& here, Token t) {
          if (!p.twice) return Token{mix(here.call(called, t).value, p.salt)};
          auto first = here.async(called, t);
          auto second = here.async(called, Token{t.value + 1});
          uint64_t const sum = first.get().value + second.get().value;
          return Token{mix(sum, p.salt)};
        });
        route(g, from, made, p.route);
        return made.template port<0>();
      }
      case part::kind::fan: {
        auto const split = in_where(p, [&](auto const& where) {
          return g.split("split " + name, where, [p](Token t, out<Token>& to) {
            for (std::size_t i = 0; i < count_of(t.value, p); ++i) to.post({posted(t.value, i, p)});
          });
        });
        route(g, from, split, p.route);
        end const last = add(g, p.parts[0], split.template port<Token>().window(p.window));
        return close(g, p, name, {last}, true);
      }
      case part::kind::aside: {
        auto const opener = in_where(p, [&](auto const& where) {
          return g.leaf("aside " + name, where, [p](Token t, out<Token>& side) {
            for (std::size_t i = 0; i < count_of(t.value, p); ++i) side.post({posted(t.value, i, p)});
            return Token{leaf_value(t.value, p)};
          });
        });
        route(g, from, opener, p.route);
        end const last = add(g, p.parts[0], opener.template port<1>().window(p.window));
        auto const deposit = [](here<Ledger>& here, Token t) {
          here.state.sum += t.value;
          work_on(here, t);
        };
        if (!p.twice) {
          route(g, last, g.leaf("deposit " + name, state_, deposit), p.close_at);
        } else {
          auto const both = g.split("deposit more " + name, state_, [p](here<Ledger>& here, Token t, out<Token>& more) {
            for (std::size_t j = 0; j < streamed(t.value, p); ++j) more.post({posted(t.value, j, p)});
            here.state.sum += t.value;
          });
          route(g, last, both, p.close_at);
          route(g, both.template port<0>(), g.leaf("deposit " + name, state_, deposit), p.close_at + 1);
        }
        return opener.template port<0>();
      }
      case part::kind::two_ports: {
        auto const split = in_where(p, [&](auto const& where) {
          return g.split("split " + name, where, [p](Token t, out<Token>& even, out<Token>& odd) {
            for (std::size_t i = 0; i < count_of(t.value, p); ++i)
              (i % 2 == 0 ? even : odd).post({posted(t.value, i, p)});
          });
        });
        route(g, from, split, p.route);
        end const even = add(g, p.parts[0], split.template port<0>().window(p.window));
        end const odd = add(g, p.parts[1], split.template port<1>());
        return close(g, p, name, {even, odd}, true);
      }
      case part::kind::stream: {
        auto const split = in_where(p, [&](auto const& where) {
          return g.split("split " + name, where, [p](Token t, out<Token>& to) {
            for (std::size_t i = 0; i < count_of(t.value, p); ++i) to.post({posted(t.value, i, p)});
          });
        });
        route(g, from, split, p.route);
        end const before = add(g, p.parts[0], split.template port<Token>().window(p.window));
        auto const stream = g.stream("stream " + name, fixed_, [p](in<Token>& came, out<Token>& to) {
          while (auto const t = came.wait()) {
            for (std::size_t j = 0; j < streamed(t->value, p); ++j) to.post({posted(t->value, j, p)});
          }
        });
        g.edge(before, stream, ovlp::at(p.close_at));
        end const after = add(g, p.parts[1], stream.template port<Token>().window(p.window));
        return add(g, p.parts[2], close(g, p, name, {after}, false));
      }
      case part::kind::meeting: {
        auto const split = in_where(p, [&](auto const& where) {
          return g.split("invite " + name, where, [p](Token t, out<Guest>& to) {
            for (std::size_t i = 0; i < count_of(t.value, p); ++i) {
              uint64_t const value = posted(t.value, i, p);
              bool const first = value % 2 == 0;
              to.post({value, first});
              to.post({value, !first});
            }
          });
        });
        route(g, from, split, p.route);
        auto const meet = g.leaf("meet " + name, state_, [](here<Ledger>& here, Guest guest) {
          std::map<uint64_t, int>& guests = here.state.guests;
          if (!guest.waits) {
            ++guests[guest.value];
            return Token{guest.value};
          }
          auto const there = [&] {
            auto const found = guests.find(guest.value);
            return found != guests.end() && found->second > 0;
          };
          here.wait_until(there);
          if (--guests[guest.value] == 0) guests.erase(guest.value);
          return Token{2 * guest.value};
        });
        g.edge(split.template port<Guest>(), meet, ovlp::by(&Guest::value));
        return close(g, p, name, {meet.template port<0>()}, true);
      }
    }
    throw std::logic_error("no such part");
  }

  end close(graph<Token, Token>& g, part const& p, std::string const& name, std::vector<end> const& from,
            bool opened_by_split) {
    auto const body = [p](in<Token>& came) {
      uint64_t sum = 0;
      while (auto const t = came.wait()) sum += t->value;
      return Token{closed(sum, p)};
    };
    bool const at_opener = p.close_at_opener && opened_by_split;
    unary const merge = at_opener
                            ? in_where(p, [&](auto const& where) { return g.merge("merge " + name, where, body); })
                            : g.merge("merge " + name, fixed_, body);
    for (auto const& port : from) {
      if (at_opener) {
        g.edge(port, merge, ovlp::at_opener());
      } else {
        g.edge(port, merge, ovlp::at(p.close_at));
      }
    }
    return merge.template port<0>();
  }

  plan plan_;
  threads<> fixed_, free_;
  threads<Ledger> state_;
  threads<> remapped_;
  std::size_t size_ = sizes[free_leaves];
  int number_ = 0;
};

/// What one round does, in whichever backend: calls some at a time, changes meanwhile. Returns what was wrong; empty:
/// nothing.
inline std::string play(plan const& p, uint64_t seed, engine& run) {
  maker random(seed + 1);
  builder built(p, random);
  run.record();
  run.estimate("work", [](std::span<std::int64_t const> of) { return 1e-5 * static_cast<double>(of[0]); });
  run.estimate("more work", 1e-4);
  for (auto const& g : built.graphs) run.add(g);
  run.add(*built.ledgers);
  run.add(*built.pause);
  oracle expected{p};
  std::string wrong;
  auto const expect = [&](Token got, uint64_t value) {
    if (got.value != value) wrong = "a call gave " + std::to_string(got.value) + ", expected " + std::to_string(value);
  };
  std::vector<std::pair<ovlp::pending_call<Token>, uint64_t>> pending;
  try {
    for (std::size_t turn = 0; turn < 4; ++turn) {
      for (std::size_t calls = random.below(4); calls > 0; --calls) {
        std::size_t const g = random.below(built.graphs.size());
        uint64_t const value = random.below(1 << 20);
        pending.emplace_back(run.async(built.graphs[g], Token{value}), expected.evaluate(p.graphs[g], value));
        for (std::size_t hops = random.below(4); hops > 0; --hops) run(*built.pause, {0});
      }
      if (!p.operations_change) {
        for (std::size_t changes = random.below(3); changes > 0; --changes) built.change(run, random);
      }
      if (random.below(3) == 0 && !pending.empty()) {
        expect(pending.back().first.get(), pending.back().second);
        pending.pop_back();
      }
    }
    for (auto& [call, result] : pending) expect(call.get(), result);
    expect(run(*built.ledgers, {0}), expected.ledger);
    return expected.thrown ? "no operation has thrown" : wrong;
  } catch (ovlp::operation_error const& error) {
    if (expected.thrown && error.type == "std::runtime_error") return wrong;
    return std::string("an operation has thrown: ") + error.what();
  }
}

/// A plan that takes not too long.
inline plan make_plan(uint64_t seed, bool may_throw = true, int most_steps = 3000) {
  maker random(seed);
  for (;;) {
    plan made = random.make(may_throw);
    oracle tried{made};
    for (part const& g : made.graphs) {
      for (uint64_t value : {1u, 2u, 3u}) tried.evaluate(g, value);
    }
    if (tried.steps < most_steps) return made;
  }
}

}  // namespace ovlp::testing::random_graphs
