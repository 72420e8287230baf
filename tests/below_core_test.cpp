// SPDX-License-Identifier: BSD-3-Clause
// What synchronizes below the atomic steps that `ovlp explore` chooses from: mailbox, inbox, scheduler, DPS threads
// that are in both, and the outbox with its send queues. Each apart, with two or three threads, in all interleavings of
// their operations on mutexes and atomics, or, where these are too many, in random ones and by priorities. The core's
// own code is compiled for it with the types of explore/below/chosen.hpp.
//
// Not covered: memory orders weaker than sequentially consistent, and accesses that nothing orders (the thread
// sanitizer looks for both: preset tsan); the real backend, which has mutexes and atomics of its own; more threads, or
// more that they do, than stands here.
//
// Of each unit there is a copy with mistakes, which must be found: so these tests can fail.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/flowgraph/object_type.hpp>
#include <ovlp/flowgraph/sanitizers.hpp>
#include <ovlp/runtime/internal/backend.hpp>
#include <ovlp/runtime/internal/common_parts.hpp>
#include <ovlp/runtime/internal/execution_thread.hpp>
#include <ovlp/runtime/internal/inbox.hpp>
#include <ovlp/runtime/internal/mailbox.hpp>
#include <ovlp/runtime/internal/program.hpp>
#include <ovlp/runtime/internal/synchronization.hpp>
#include <ovlp/runtime/internal/thread_manager.hpp>

#include "below/chosen_threads.hpp"
#include "exchange/handled_counts.hpp"
#include "exchange/outbox.hpp"
#include "search/tree.hpp"
#include "steps/dps_thread.hpp"
#include "steps/mail.hpp"
#include "steps/scheduler.hpp"
#include "support/seed.hpp"

namespace {

using namespace ovlp;
using namespace ovlp::explore;
using strategy_type = exploration_options::strategy_type;

constexpr std::size_t most_choices = 1000;  // of a run: beyond that it is not expected to end

/// How much an exploration has seen is printed: a test that has become empty shows.
void tell(std::string const& what, exploration const& seen) {
  MESSAGE(what << ": " << seen.interleavings << " interleavings, " << seen.runs << " runs of about "
               << seen.plain_choices << " choices, " << seen.seconds << " s" << std::string(seen.all ? ", all" : ""));
}

/// All interleavings hold.
void check_all(std::string const& what, unit_maker const& make) {
  exploration const seen = explore_unit({.strategy = strategy_type::exhaustive, .most_choices = most_choices}, make);
  tell(what, seen);
  if (seen.found) {
    for (std::string const& line : seen.found->story) MESSAGE(line);
    FAIL_CHECK(what << ": " << seen.found->failure);
  }
  CHECK(seen.all);
}

#ifdef OVLP_ADDRESS_SANITIZER
constexpr std::size_t runs_divided_by = 4;  // each takes eight times as long
#else
constexpr std::size_t runs_divided_by = 1;
#endif

/// So many drawn ones hold.
void check_some(std::string const& what, std::size_t runs, unit_maker const& make) {
  std::uint64_t const seed = ovlp::testing::new_seed();
  exploration const seen = explore_unit(
      {.strategy = strategy_type::mixed, .runs = runs / runs_divided_by, .seed = seed, .most_choices = most_choices},
      make);
  tell(what, seen);
  if (seen.found) {
    for (std::string const& line : seen.found->story) MESSAGE(line);
    FAIL_CHECK(what << ": " << seen.found->failure);
  }
}

/// A unit with a mistake: it is found, both where all interleavings are tried and where some are, and what it takes is
/// told in a few lines.
void check_found(std::string const& what, std::string const& failure, unit_maker const& make) {
  for (strategy_type const strategy : {strategy_type::exhaustive, strategy_type::mixed}) {
    exploration const seen =
        explore_unit({.strategy = strategy, .runs = 100'000, .seed = 1, .most_choices = most_choices}, make);
    tell(what, seen);
    REQUIRE_MESSAGE(seen.found.has_value(), what);
    CHECK(seen.found->failure.substr(0, failure.size()) == failure);
    CHECK(seen.found->differs.size() <= 5);
    std::string story = seen.found->failure;
    for (std::string const& line : seen.found->story) story += "\n  " + line;
    MESSAGE(what << " (" << seen.found->held_back << " events, " << seen.found->differs.size() << " left): " << story);
  }
}

template <class Unit, class... Arguments>
unit_maker maker_of(Arguments... arguments) {
  return [=]() -> std::unique_ptr<unit> { return std::make_unique<Unit>(arguments...); };
}

}  // namespace

// How threads are explored

namespace {

/// Two threads take two mutexes, each the other one first.
struct crossed_locks final : unit {
  crossed_locks() {
    threads = {[this] { both(a, b); }, [this] { both(b, a); }};
  }
  static void both(mutex& first, mutex& second) {
    scoped_lock const one(first);
    scoped_lock const other(second);
  }
  mutex a, b;
};

/// A thread spins with no bound, in a way that nobody told of.
struct endless final : unit {
  endless() {
    threads = {[this] {
                 while (!never) {
                 }
               },
               [this] { other = true; }};
  }
  shared<bool> never{false}, other{false};
};

struct lost_count final : unit {
  lost_count() {
    for (int i = 0; i < 2; ++i) {
      threads.emplace_back([this] { count = count + 1; });
    }
  }
  std::string wrong() override { return count == 2 ? "" : "a count is lost"; }
  shared<int> count{0};
};

/// Three threads that lock two mutexes, one after the other; and who came when.
struct some_sections final : unit {
  some_sections() {
    threads = {[this] { come(1, {&a, &b}); }, [this] { come(2, {&b, &a}); }, [this] { come(3, {&b, &b}); }};
  }
  struct section {
    mutex guard;
    std::uint64_t order OVLP_GUARDED_BY(guard) = 0;
  };
  static void come(unsigned who, std::array<section*, 2> const& to) {
    for (section* const one : to) {
      scoped_lock const lock(one->guard);
      one->order = one->order * 4 + who;
    }
  }
  std::uint64_t result() override {
    scoped_lock const first(a.guard), second(b.guard);
    return mix(a.order, b.order);
  }
  section a, b;
};

/// Two threads that wait for each other in turns, lock, and try to.
struct turns final : unit {
  turns() {
    threads = {[this] {
                 spin_while(stage, 0);
                 add(1);
                 stage = 2;
               },
               [this] {
                 add(2);
                 stage = 1;
                 if (guard.try_lock()) {
                   order = order * 5 + 3;
                   guard.unlock();
                 }
                 spin_while(stage, 1);
                 add(4);
               },
               [this] { add(0); }};
  }
  void add(unsigned what) {
    scoped_lock const lock(guard);
    order = order * 5 + what;
  }
  std::uint64_t result() override {
    scoped_lock const lock(guard);
    return order;
  }
  mutex guard;
  std::uint64_t order OVLP_GUARDED_BY(guard) = 1;
  shared<int> stage{0};
};

/// Loads, stores and sums, with no mutex.
struct values final : unit {
  values() {
    threads = {[this] {
                 a = 1;
                 seen[0] = b;
               },
               [this] {
                 b = 1;
                 seen[1] = a + c;
               },
               [this] {
                 seen[2] = c.exchange(2) + b;
                 a += 4;
               }};
  }
  std::uint64_t result() override {
    std::uint64_t all = static_cast<std::uint64_t>(int{a});
    for (int const one : seen) all = mix(all, static_cast<std::uint64_t>(one));
    return all;
  }
  shared<int> a{0}, b{0}, c{0};
  std::array<int, 3> seen{};  ///< by thread
};

/// Threads that do some operations, drawn, on two mutexes and two values.
struct drawn_operations final : unit {
  explicit drawn_operations(std::uint64_t seed) {
    std::mt19937_64 draw(seed);
    auto const up_to = [&](unsigned most) { return std::uniform_int_distribution<unsigned>(0, most)(draw); };
    std::size_t const count = 2 + up_to(1);
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<step> mine(1 + up_to(count == 2 ? 3 : 1));
      for (step& one : mine) one = {static_cast<step::what_type>(up_to(6)), up_to(1), up_to(2)};
      threads.emplace_back([this, i, mine] {
        for (step const& one : mine) come(i, one);
      });
    }
  }
  struct step {
    enum class what_type : std::uint8_t { load, store, add, wait, section, nested, attempt };
    what_type what;
    unsigned where;
    unsigned number;
  };
  void come(std::size_t thread, step const& one) {
    std::uint64_t& mine = seen[thread];
    shared<unsigned>& value = values[one.where];
    section& here = sections[one.where];
    switch (one.what) {
      case step::what_type::load: mine = mix(mine, value); break;
      case step::what_type::store: value = one.number; break;
      case step::what_type::add: mine = mix(mine, value += one.number); break;
      case step::what_type::wait: mine = mix(mine, spin_while(value, one.number)); break;
      case step::what_type::section: {
        scoped_lock const lock(here.guard);
        here.order = mix(here.order, thread);
        break;
      }
      case step::what_type::nested: {
        scoped_lock const lock(here.guard);
        here.order = mix(here.order, thread);
        scoped_lock const other(sections[1 - one.where].guard);
        mine = mix(mine, value);
        break;
      }
      case step::what_type::attempt: {
        bool const locked = here.guard.try_lock();
        mine = mix(mine, locked ? 1 : 0);
        if (!locked) break;
        here.order = mix(here.order, thread);
        here.guard.unlock();
        break;
      }
    }
  }
  std::uint64_t result() override {
    std::uint64_t all = mix(values[0], values[1]);
    for (std::uint64_t const one : seen) all = mix(all, one);
    for (section& one : sections) {
      scoped_lock const lock(one.guard);
      all = mix(all, one.order);
    }
    return all;
  }
  struct section {
    mutex guard;
    std::uint64_t order OVLP_GUARDED_BY(guard) = 0;
  };
  std::array<section, 2> sections;
  std::array<shared<unsigned>, 2> values;
  std::array<std::uint64_t, 3> seen{};  ///< by thread
};

/// All orders that there are, one after another, with no thought of what depends on what.
class each_order final : public strategy {
 public:
  std::size_t choose(std::span<choice const> possible) override {
    if (at_ == chosen_.size()) chosen_.push_back({0, possible.size()});
    return chosen_[at_++].first;
  }
  /// The run has ended. Returns whether there is another one.
  bool next() {
    at_ = 0;
    while (!chosen_.empty() && chosen_.back().first + 1 == chosen_.back().second) chosen_.pop_back();
    if (chosen_.empty()) return false;
    ++chosen_.back().first;
    return true;
  }

 private:
  std::vector<std::pair<std::size_t, std::size_t>> chosen_;  ///< which of how many
  std::size_t at_ = 0;
};

struct outcomes {
  std::set<std::uint64_t> all;
  std::size_t runs = 0;
  bool failed = false;
  void add(outcome const& ended) {
    ++runs;
    failed = failed || !ended.failure.empty();
    if (!ended.given_up && ended.failure.empty()) all.insert(ended.results.front());
  }
};

/// Until one fails.
outcomes outcomes_of_each_order(unit_maker const& make) {
  outcomes seen;
  each_order chooses;
  do seen.add(run_unit(make, chooses, most_choices));
  while (!seen.failed && chooses.next());
  return seen;
}

outcomes outcomes_in_tree(unit_maker const& make, bool reduces) {
  outcomes seen;
  interleaving_tree tree(reduces);
  for (bool more = true; more && !seen.failed;) {
    path_order along(tree.path());
    noted_order noted(along);
    seen.add(run_unit(make, noted, most_choices));
    more = tree.next(noted.run());
  }
  return seen;
}

}  // namespace

TEST_CASE("threads that wait for each other's mutexes are found, and what it takes") {
  check_found("crossed locks", "no thread can go on", maker_of<crossed_locks>());
}

TEST_CASE("a thread that spins for ever is told by a bound") {
  exploration const seen = explore_unit({.most_choices = 100}, maker_of<endless>());
  REQUIRE(seen.found.has_value());
  CHECK(seen.found->failure == "it has not ended: choices made: 100");
}

TEST_CASE("an increment that others come into is found") {
  check_found("load and store", "a count is lost", maker_of<lost_count>());
}

TEST_CASE("interleavings that are left out bring nothing else than those that are tried") {
  std::vector<std::pair<std::string, unit_maker>> const all{
      {"values", maker_of<values>()}, {"turns", maker_of<turns>()}, {"sections", maker_of<some_sections>()}};
  for (auto const& [name, make] : all) {
    outcomes const each = outcomes_of_each_order(make), every = outcomes_in_tree(make, false),
                   reduced = outcomes_in_tree(make, true);
    MESSAGE(name << ": " << each.all.size() << " outcomes in all " << each.runs << " orders, " << reduced.all.size()
                 << " in " << reduced.runs);
    CHECK(every.runs == each.runs);
    CHECK(every.all == each.all);
    CHECK(reduced.all == each.all);
    CHECK(reduced.runs < each.runs / 4);
    CHECK_FALSE(each.failed);
  }
}

TEST_CASE("what is left out brings nothing else in drawn units either, and of those that can stall one run that does") {
  std::uint64_t const seed = ovlp::testing::new_seed();
  constexpr std::size_t drawn = 100;
  std::size_t stalled = 0, orders = 0, runs = 0;
  for (std::uint64_t i = 0; i < drawn; ++i) {
    CAPTURE(seed + i);
    unit_maker const make = maker_of<drawn_operations>(seed + i);
    outcomes const each = outcomes_of_each_order(make), reduced = outcomes_in_tree(make, true);
    CHECK(reduced.failed == each.failed);
    if (each.failed) {
      ++stalled;
      continue;
    }
    CHECK(reduced.all == each.all);
    orders += each.runs;
    runs += reduced.runs;
  }
  MESSAGE((drawn - stalled) << " units in " << orders << " orders and in " << runs << " runs; " << stalled
                            << " can stall");
}

// Mailbox

namespace {

struct numbered_mail final : mail {
  explicit numbered_mail(int n) : mail(kind_type::resume), number(n) {}  // of a kind that nobody deletes
  int number;
};

enum class mistake : std::uint8_t {
  none,
  gives_up_blindly,    ///< disown() does not look whether mail has come
  looks_first,         ///< disown() looks, and gives up in another step
  asks_then_owns,      ///< add() reads and sets that there is an owner in two steps
  links_in_two_steps,  ///< add() reads and sets the tail in two steps
  takes_the_last,      ///< take() looks whether it takes the last one, and says so in another step
};

/// The lines of mailbox that synchronize, with a mistake.
template <mistake Made>
class mistaken_mailbox {
 public:
  bool add(mail_ptr m) {
    mail* before = tail_.load();
    if (before == &nobody_) {
      if constexpr (Made == mistake::asks_then_owns) tail_.store(&empty_);
      if (Made == mistake::asks_then_owns || tail_.compare_exchange_strong(before, &empty_)) {
        own_.push(std::move(m));
        return true;
      }
    }
    mail* const added = m.release();
    added->next.store(nullptr);
    if constexpr (Made == mistake::links_in_two_steps) {
      before = tail_;
      tail_ = added;
    } else {
      before = tail_.exchange(added);
    }
    if (before == &nobody_) {
      head_ = added;
      return true;
    }
    before->next.store(added);
    return false;
  }
  mail_ptr take() {
    if (!own_.empty()) return own_.pop();
    if (head_ == nullptr) {
      if (tail_.load() == &empty_) return nullptr;
      head_ = spin_while(empty_.next, nullptr);
      empty_.next.store(nullptr);
    }
    mail* const oldest = head_;
    head_ = oldest->next.load();
    if (head_ != nullptr) return mail_ptr(oldest);
    mail* last = oldest;
    if constexpr (Made == mistake::takes_the_last) {
      if (tail_.load() == last) tail_.store(&empty_);
      else head_ = spin_while(oldest->next, nullptr);
    } else if (!tail_.compare_exchange_strong(last, &empty_)) {
      head_ = spin_while(oldest->next, nullptr);
    }
    return mail_ptr(oldest);
  }
  bool disown() {
    if constexpr (Made == mistake::gives_up_blindly || Made == mistake::looks_first) {
      if (Made == mistake::looks_first && tail_.load() != &empty_) return false;
      tail_.store(&nobody_);
      return true;
    }
    mail* last = &empty_;
    return tail_.compare_exchange_strong(last, &nobody_);
  }

 private:
  numbered_mail nobody_{-1}, empty_{-1};
  shared<mail*> tail_{&nobody_};
  mail* head_ = nullptr;
  mail_queue own_;
};

/// Each thread adds mail, and takes what there is if it becomes the owner, as a DPS thread's do (dps_thread::push).
template <class Mailbox>
struct mailbox_unit final : unit {
  explicit mailbox_unit(std::vector<int> const& counts) {
    for (std::size_t producer = 0; producer < counts.size(); ++producer) {
      std::vector<numbered_mail*>& mine = of_producer.emplace_back();
      for (int i = 0; i < counts[producer]; ++i) {
        all.push_back(std::make_unique<numbered_mail>(static_cast<int>(all.size())));
        mine.push_back(all.back().get());
      }
      threads.emplace_back([this, producer] {
        for (numbered_mail* const one : of_producer[producer]) {
          if (box.add(mail_ptr(one))) own();
        }
      });
    }
  }
  void own() {
    do {
      must(owners++ == 0, "two threads own the mailbox");
      while (mail_ptr const taken = box.take()) order.push_back(static_cast<numbered_mail const&>(*taken).number);
      --owners;
    } while (!box.disown());
  }
  std::string wrong() override {
    for (std::vector<numbered_mail*> const& mine : of_producer) {
      auto from = order.begin();
      for (numbered_mail const* const one : mine) {
        from = std::find(from, order.end(), one->number);
        if (from == order.end()) return "mail is lost, or not in order";
      }
    }
    if (order.size() != all.size()) return "mail is there twice";
    return box.add(mail_ptr(&last)) ? "" : "the mailbox has an owner, and nobody is it";
  }
  struct counter {
    shared<int> value{0};
    int operator++(int) { return value.fetch_add(1); }
    int operator--() { return --value; }
  };

  counter owners;
  std::vector<std::unique_ptr<numbered_mail>> all;
  std::vector<std::vector<numbered_mail*>> of_producer;
  std::vector<int> order;  ///< of what was taken, by owners
  numbered_mail last{-2};
  Mailbox box;
};

}  // namespace

TEST_CASE("a mailbox loses no mail, keeps each producer's order, and has one owner at a time") {
  check_all("two add one each", maker_of<mailbox_unit<mailbox>>(std::vector{1, 1}));
  check_all("two add two and one", maker_of<mailbox_unit<mailbox>>(std::vector{2, 1}));
#ifdef NDEBUG
  check_all("two add two each", maker_of<mailbox_unit<mailbox>>(std::vector{2, 2}));
#else  // where all would take six seconds
  check_some("two add two each", 1000, maker_of<mailbox_unit<mailbox>>(std::vector{2, 2}));
#endif
  check_some("three add some", 1000, maker_of<mailbox_unit<mailbox>>(std::vector{2, 1, 2}));
}

TEST_CASE("a mailbox with a mistake is found") {
  check_all("none", maker_of<mailbox_unit<mistaken_mailbox<mistake::none>>>(std::vector{2, 1}));
  check_found("disown() does not look", "mail is lost",
              maker_of<mailbox_unit<mistaken_mailbox<mistake::gives_up_blindly>>>(std::vector{1, 1}));
  check_found("disown() looks first", "mail is lost",
              maker_of<mailbox_unit<mistaken_mailbox<mistake::looks_first>>>(std::vector{1, 1}));
  check_found("add() asks, then owns", "",
              maker_of<mailbox_unit<mistaken_mailbox<mistake::asks_then_owns>>>(std::vector{1, 1}));
  check_found("add() links in two steps", "",
              maker_of<mailbox_unit<mistaken_mailbox<mistake::links_in_two_steps>>>(std::vector{1, 1, 1}));
  check_found("take() looks, then takes the last", "",
              maker_of<mailbox_unit<mistaken_mailbox<mistake::takes_the_last>>>(std::vector{1, 2}));
}

// Inbox

namespace {

enum class inbox_mistake : std::uint8_t {
  none,
  gives_up_blindly,  ///< the owner handles what has come, and does not look again
  asks_then_owns,    ///< whether there is an owner is asked for without the mutex
  looks_unguarded,   ///< when_idle() calls when the mutex is free again
};

/// The lines of inbox, with a mistake.
template <inbox_mistake Made>
class mistaken_inbox {
 public:
  template <class Handle>
  void put(int event, Handle const& handle) {
    {
      scoped_lock const lock(mutex_);
      waiting_.push_back(event);
      if (Made != inbox_mistake::asks_then_owns && owned_.exchange(true)) return;
    }
    if constexpr (Made == inbox_mistake::asks_then_owns) {
      if (owned_) return;
      owned_ = true;
    }
    std::vector<int> now;
    while (take(now)) {
      for (int& one : now) handle(one);
      if constexpr (Made == inbox_mistake::gives_up_blindly) {
        owned_ = false;
        return;
      }
    }
  }
  template <class Function>
  bool when_idle(Function const& look) {
    if constexpr (Made == inbox_mistake::looks_unguarded) {
      bool owned = false;
      {
        scoped_lock const lock(mutex_);
        owned = owned_;
      }
      if (!owned) look();
      return !owned;
    }
    scoped_lock const lock(mutex_);
    bool const owned = owned_;
    if (!owned) look();
    return !owned;
  }

 private:
  bool take(std::vector<int>& now) {
    now.clear();
    scoped_lock const lock(mutex_);
    now.swap(waiting_);
    owned_ = !now.empty();
    return !now.empty();
  }
  mutex mutex_;
  std::vector<int> waiting_ OVLP_GUARDED_BY(mutex_);
  shared<bool> owned_{false};
};

/// Each thread puts events in; one with the number 0 looks when nothing is in hand. An event below 10 puts another one
/// in, of 10 more.
template <class Inbox>
struct inbox_unit final : unit {
  explicit inbox_unit(std::vector<std::vector<int>> const& events) : of_thread(events) {
    for (std::vector<int> const& mine : of_thread) {
      threads.emplace_back([this, &mine] {
        for (int const event : mine) event == 0 ? look() : put(event);
      });
    }
  }
  void put(int event) {
    box.put(event, [this](int& one) { handle(one); });
  }
  void handle(int event) {
    must(in_hand.fetch_add(1) == 0, "two events are handled at once");
    order.push_back(event);
    if (event < 10) put(event + 10);
    --in_hand;
  }
  void look() {
    box.when_idle([this] { must(in_hand == 0, "it is not idle"); });
  }
  std::string wrong() override {
    for (std::vector<int> const& mine : of_thread) {
      auto from = order.begin();
      for (int const event : mine) {
        if (event == 0) continue;
        from = std::find(from, order.end(), event);
        if (from == order.end()) return "an event is lost, or not in order";
        if (event < 10 && std::find(from, order.end(), event + 10) == order.end())
          return "what an event put in is lost";
      }
    }
    if (std::set<int>(order.begin(), order.end()).size() != order.size()) return "an event is handled twice";
    return box.when_idle([] {}) ? "" : "it is never idle again";
  }

  std::vector<std::vector<int>> const of_thread;
  Inbox box;
  shared<int> in_hand{0};
  std::vector<int> order;  ///< of what was handled, by owners
};

}  // namespace

TEST_CASE("an inbox handles each event, one at a time, in order, and what they put in") {
  using inbox_of_numbers = inbox_unit<inbox<int>>;
  using events = std::vector<std::vector<int>>;
  check_all("two put", maker_of<inbox_of_numbers>(events{{20, 21}, {1}}));
  check_all("two put, one looks", maker_of<inbox_of_numbers>(events{{1}, {20}, {0}}));
  check_all("three put", maker_of<inbox_of_numbers>(events{{20}, {21}, {22}}));
  check_some("three put more, and look", 1000, maker_of<inbox_of_numbers>(events{{20, 1, 21}, {2, 0, 22}, {0, 23, 3}}));
}

TEST_CASE("an inbox with a mistake is found") {
  using events = std::vector<std::vector<int>>;
  events const some{{20}, {21}, {0}};
  check_all("none", maker_of<inbox_unit<mistaken_inbox<inbox_mistake::none>>>(some));
  check_found("the owner gives up without looking", "an event is lost",
              maker_of<inbox_unit<mistaken_inbox<inbox_mistake::gives_up_blindly>>>(some));
  check_found("put() asks, then owns", "",
              maker_of<inbox_unit<mistaken_inbox<inbox_mistake::asks_then_owns>>>(events{{20}, {21, 22}}));
  check_found("when_idle() looks when others may go on", "it is not idle",
              maker_of<inbox_unit<mistaken_inbox<inbox_mistake::looks_unguarded>>>(some));
}

// Scheduler

namespace {

/// A world in which nothing happens.
class silent_backend : public backend {
 public:
  double now_s() override { return 0; }
  double computed_s() override { return 0; }
  void start(execution_thread&) override {}
  void idle(execution_thread&) override {}
  void wake(execution_thread&) override {}
  void end_step(step_end) override {}
  bool end_last_step(step_end) override { return true; }
  kernel_time kernel(kernel_call const&) override { return {0}; }
  bool transmit(node_id, node_id, envelope_ptr) override { return true; }
  void transmit(node_id, node_id, control const&) override {}
  void launch(node_id) override {}
  void release(node_id) override {}
  void fail(failure const& what) override { throw std::logic_error(what.text); }
  void call_ended() override {}
};

/// Node 0 of two, of a program of nothing.
struct some_node {
  explicit some_node(backend& world, std::size_t bound = 1)
      : manager(0, known, world, {.nodes = 2, .concurrent_per_pair = bound}, common) {}
  program known;
  common_parts common{known, 2, 64 * 1024};
  thread_manager manager;
};

enum class scheduler_mistake : std::uint8_t {
  none,
  looks_once,         ///< who goes idle does not look once more
  room_in_two_steps,  ///< whether the pool has room is asked for without the mutex
  asks_first,         ///< whether somebody is idle is asked for before something waits
  forgets_held,       ///< who ends does not go on with what was held
  keeps_room,         ///< who goes idle does not give back the room that it has kept
};

/// The lines of scheduler that synchronize, for one pool, with a mistake.
template <scheduler_mistake Made>
class mistaken_scheduler {
 public:
  mistaken_scheduler(backend& world, std::size_t, bool) : backend_(&world) {
    queues_.push_back(std::make_unique<queue>());
  }
  void set_limit(std::size_t, std::size_t limit, bool) { limit_ = limit; }
  void add(execution_thread& thread) {
    queues_.push_back(std::make_unique<queue>());
    queues_.back()->owner = &thread;
  }
  void enqueue(dps_thread& thread) {
    ++busy_;
    if (push(*queues_.front(), thread)) wake_one();
  }
  dps_thread* next(execution_thread& self, dps_thread* finished, bool more) {
    queue& own = **std::find_if(queues_.begin(), queues_.end(), [&](auto const& q) { return q->owner == &self; });
    dps_thread* picked = nullptr;
    bool room = false;
    if (finished != nullptr) {
      if (wanted_) picked = leave();
      else room = true;
      if (!more) --busy_;
      else if (push(own, *finished)) wake_one();
    }
    while (picked == nullptr) {
      picked = take_from(own, room);
      for (auto const& q : queues_) picked = picked == nullptr && q.get() != &own ? take_from(*q, room) : picked;
      if (picked == nullptr && room && Made != scheduler_mistake::keeps_room) {
        room = false;
        picked = leave();
      }
      if (picked == nullptr && stays_idle(own)) return nullptr;
    }
    return picked;
  }
  void wake_all() {
    for (std::size_t i = 0; i < queues_.size(); ++i) wake_one();
  }
  std::size_t busy() const { return busy_; }
  std::string broken_invariant() const { return ""; }

 private:
  struct queue {
    execution_thread* owner = nullptr;
    mutex mine;
    std::deque<dps_thread*> ready OVLP_GUARDED_BY(mine);
  };
  bool push(queue& to, dps_thread& thread) {
    bool const before = Made == scheduler_mistake::asks_first && idle_count_ > 0;
    scoped_lock const lock(to.mine);
    to.ready.push_back(&thread);
    return Made == scheduler_mistake::asks_first ? before : idle_count_ > 0;
  }
  dps_thread* take_from(queue& from, bool& room) {
    for (;;) {
      dps_thread* oldest = nullptr;
      {
        scoped_lock const lock(from.mine);
        if (from.ready.empty()) return nullptr;
        oldest = from.ready.front();
        from.ready.pop_front();
      }
      if (std::exchange(room, false) || admit(*oldest)) return oldest;
    }
  }
  bool admit(dps_thread& thread) {
    bool const room_before = Made == scheduler_mistake::room_in_two_steps && running_ < limit_;
    scoped_lock const lock(pool_);
    bool const room = room_before || running_ < limit_;
    if (room) ++running_;
    else held_.push_back(&thread);
    wanted_ = !held_.empty();
    return room;
  }
  dps_thread* leave() {
    scoped_lock const lock(pool_);
    if (held_.empty() || Made == scheduler_mistake::forgets_held) {
      --running_;
      return nullptr;
    }
    dps_thread* const held = held_.front();
    held_.pop_front();
    wanted_ = !held_.empty();
    return held;
  }
  bool stays_idle(queue& own) {
    {
      scoped_lock const lock(idle_mutex_);
      if (std::find(idle_.begin(), idle_.end(), &own) != idle_.end()) return true;
      idle_.push_back(&own);
      idle_count_ = idle_.size();
    }
    if (Made == scheduler_mistake::looks_once) return true;
    bool waits = false;
    for (auto const& q : queues_) {
      scoped_lock const lock(q->mine);
      waits = waits || !q->ready.empty();
    }
    if (!waits) return true;
    scoped_lock const lock(idle_mutex_);
    auto const at = std::find(idle_.begin(), idle_.end(), &own);
    if (at == idle_.end()) return true;
    idle_.erase(at);
    idle_count_ = idle_.size();
    return false;
  }
  void wake_one() {
    execution_thread* woken = nullptr;
    {
      scoped_lock const lock(idle_mutex_);
      if (idle_.empty()) return;
      woken = idle_.back()->owner;
      idle_.pop_back();
      idle_count_ = idle_.size();
    }
    backend_->wake(*woken);
  }

  backend* backend_;
  std::vector<std::unique_ptr<queue>> queues_;  ///< the first has no owner
  mutex pool_, idle_mutex_;
  shared<std::size_t> running_{0}, limit_{0}, busy_{0}, idle_count_{0};
  std::deque<dps_thread*> held_ OVLP_GUARDED_BY(pool_);
  shared<bool> wanted_{false};
  std::vector<queue*> idle_ OVLP_GUARDED_BY(idle_mutex_);
};

/// What happens in a unit of a scheduler.
struct schedule {
  std::vector<std::size_t> limits;  ///< of pools
  /// Of DPS threads: in which pool, how often it has something to run, and which unit's thread gives it that at first.
  struct work {
    std::size_t pool;
    int steps;
    std::size_t from;
  };
  std::vector<work> all;
  std::size_t givers;  ///< unit's threads that enqueue; then come the execution threads
  std::size_t executors;
  bool limits_come_late = false;  ///< set by the first giver, after it has enqueued
};

/// Execution threads that do what those of a node do (execution_thread::turn) until all is run.
template <class Scheduler>
struct scheduler_unit final : unit {
  explicit scheduler_unit(schedule const& given) : what(given), pools(what.limits.size()), left(what.all.size()) {
    for (schedule::work const& one : what.all) {
      auto const index = static_cast<std::uint32_t>(all.size());
      all.push_back(std::make_unique<dps_state>(node.manager, thread_address{0, index}, one.pool, one.steps));
    }
    for (std::size_t i = 0; i < what.executors; ++i) {
      hosts.push_back(std::make_unique<host>(node));
      tested.add(hosts.back()->thread);
    }
    for (std::size_t i = 0; i < what.limits.size(); ++i)
      tested.set_limit(i, what.limits_come_late ? 0 : what.limits[i], false);
    for (std::size_t i = 0; i < what.givers; ++i) threads.emplace_back([this, i] { give(i); });
    for (auto const& one : hosts) threads.emplace_back([this, &one] { execute(*one); });
  }
  ~scheduler_unit() override { scheduler::set_self(nullptr); }
  void enter(std::size_t thread) override {
    scheduler::set_self(thread < what.givers ? nullptr : &hosts[thread - what.givers]->thread);
  }
  void give(std::size_t number) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (what.all[i].from == number) tested.enqueue(all[i]->thread);
    }
    for (std::size_t i = 0; i < what.limits.size(); ++i) {
      if (what.limits_come_late && number == 0) tested.set_limit(i, what.limits[i], false);
    }
  }

  struct waking final : silent_backend {
    void wake(execution_thread& thread) override { static_cast<host*>(thread.world)->woken = true; }
  };
  struct host {
    explicit host(some_node& of) : thread(of.manager, of.common.loops()) { thread.world = this; }
    execution_thread thread;
    shared<bool> woken{false};
  };
  struct dps_state {
    dps_state(thread_manager& manager, thread_address address, std::size_t pool, int s)
        : thread(manager, address, pool), steps(s) {}
    dps_thread thread;
    int steps;  ///< of who runs it
    shared<bool> runs{false};
  };
  struct counter {
    shared<std::size_t> value{0};
  };

  void execute(host& self) {
    dps_state* finished = nullptr;
    while (!stopping) {
      bool const more = finished != nullptr && --finished->steps > 0;
      dps_thread* const next = tested.next(self.thread, finished == nullptr ? nullptr : &finished->thread, more);
      if (finished != nullptr && !more && --left == 0) {
        stopping = true;
        tested.wake_all();
      }
      finished = nullptr;
      if (next != nullptr) {
        finished = all[next->address().index].get();
        run(*finished);
      } else if (!stopping) {
        spin_while(self.woken, false);
        self.woken = false;
      }
    }
  }
  void run(dps_state& one) {
    must(!one.runs.exchange(true), "a DPS thread runs twice at once");
    shared<std::size_t>& running = pools[one.thread.pool()].value;
    must(running.fetch_add(1) < what.limits[one.thread.pool()], "more run than the limit of their pool");
    --running;
    one.runs = false;
  }
  std::string wrong() override {
    if (std::string broken = tested.broken_invariant(); !broken.empty()) return broken;
    return tested.busy() == 0 ? "" : "it is busy, and all is run";
  }

  schedule const what;
  waking world;
  some_node node{world};
  std::vector<counter> pools;  ///< DPS threads that run
  std::vector<std::unique_ptr<dps_state>> all;
  std::vector<std::unique_ptr<host>> hosts;
  shared<std::size_t> left;
  shared<bool> stopping{false};
  Scheduler tested{world, pools.size(), false};
};

}  // namespace

TEST_CASE("a scheduler wakes an execution thread for all that comes, and runs no more than the limits") {
  using tested = scheduler_unit<scheduler>;
  check_all("one comes while one goes idle", maker_of<tested>(schedule{{1}, {{0, 1, 0}}, 1, 1}));
  check_all("two come while one goes idle", maker_of<tested>(schedule{{1}, {{0, 2, 0}, {0, 1, 1}}, 2, 1}));
  check_some("two go idle, one may run", 1000, maker_of<tested>(schedule{{1}, {{0, 1, 0}, {0, 1, 0}}, 1, 2}));
  check_some("two go idle, both may run", 1000, maker_of<tested>(schedule{{2}, {{0, 1, 0}, {0, 1, 0}}, 1, 2}));
  check_some("of two pools", 1000, maker_of<tested>(schedule{{1, 1}, {{0, 1, 0}, {1, 1, 0}}, 1, 2}));
  check_some("limits come late", 1000, maker_of<tested>(schedule{{1}, {{0, 1, 0}, {0, 1, 1}}, 2, 1, true}));
  check_some("many come and go", 1000,
             maker_of<tested>(schedule{.limits = {2, 1},
                                       .all = {{0, 2, 0}, {1, 1, 0}, {0, 1, 1}, {1, 2, 1}, {0, 1, 0}},
                                       .givers = 2,
                                       .executors = 3,
                                       .limits_come_late = true}));
}

TEST_CASE("a scheduler with a mistake is found") {
  schedule const one{{1}, {{0, 1, 0}}, 1, 1}, two{{1}, {{0, 1, 0}, {0, 1, 0}}, 1, 2};
  check_all("none", maker_of<scheduler_unit<mistaken_scheduler<scheduler_mistake::none>>>(one));
  check_found("who goes idle does not look once more", "no thread can go on",
              maker_of<scheduler_unit<mistaken_scheduler<scheduler_mistake::looks_once>>>(one));
  check_found("admit() looks for room, then takes it", "more run than the limit of their pool",
              maker_of<scheduler_unit<mistaken_scheduler<scheduler_mistake::room_in_two_steps>>>(two));
  check_found("enqueue() looks who is idle, then inserts", "no thread can go on",
              maker_of<scheduler_unit<mistaken_scheduler<scheduler_mistake::asks_first>>>(one));
  check_found("what was held is forgotten", "no thread can go on",
              maker_of<scheduler_unit<mistaken_scheduler<scheduler_mistake::forgets_held>>>(two));
  check_found("who goes idle keeps the room", "no thread can go on",
              maker_of<scheduler_unit<mistaken_scheduler<scheduler_mistake::keeps_room>>>(two));
}

// Counts of side groups

namespace {

/// Execution threads handle the objects of a group, whose opener forgets it when it learns that all are handled. Under
/// the address sanitizer: nothing of it is touched then.
struct handled_unit final : unit {
  explicit handled_unit(std::uint64_t objects) {
    count->set_total(objects);
    for (std::uint64_t i = 0; i < objects; ++i) {
      threads.emplace_back([this, to = count.get()] {
        if (to->add_here()) all = true;
      });
    }
    threads.emplace_back([this] {
      spin_while(all, false);
      must(count->complete(), "a group is over too early");
      count.reset();
    });
  }
  std::string wrong() override { return count == nullptr ? "" : "a group is not over"; }
  std::unique_ptr<handled_total> count = std::make_unique<handled_total>();
  shared<bool> all{false};
};

}  // namespace

TEST_CASE("a side group may be forgotten as soon as its last object is counted") {
  check_all("two objects", maker_of<handled_unit>(std::uint64_t{2}));
  check_all("three", maker_of<handled_unit>(std::uint64_t{3}));
}

// Outbox and send queues

namespace {

struct Numbered {
  int number;
};

enum class outbox_mistake : std::uint8_t {
  none,
  counts_in_two_steps,  ///< what is under way is read and written apart
  looks_in_two_steps,   ///< whether something waits is asked for, and the end of the transfer noted later
  counts_late,          ///< an object is under way once it is in the queue
  takes_in_two_steps,   ///< whether the bound is reached is asked for without the mutex
};

/// The lines of outbox and send_queue that synchronize, for one other node, with a mistake.
template <outbox_mistake Made>
class mistaken_outbox {
 public:
  mistaken_outbox(backend& world, std::size_t bound) : world_(world), bound_(bound) {}
  void send(node_id to, envelope_ptr object) {
    if (Made == outbox_mistake::counts_in_two_steps) under_way_ = under_way_ + 1;
    if (Made != outbox_mistake::counts_in_two_steps && Made != outbox_mistake::counts_late) ++under_way_;
    envelope_ptr now;
    bool const room = Made == outbox_mistake::takes_in_two_steps && in_transfer_ < bound_;
    {
      scoped_lock const lock(mutex_);
      if (Made == outbox_mistake::takes_in_two_steps ? room : in_transfer_ < bound_) {
        ++in_transfer_;
        now = std::move(object);
      } else {
        waiting_.push_back(std::move(object));
      }
    }
    hand_over(to, std::move(now));
    if (Made == outbox_mistake::counts_late) ++under_way_;
  }
  void sent(node_id to) { hand_over(to, transfer_ended()); }
  bool all_sent() const { return under_way_ == 0; }
  std::string broken_invariant() {
    scoped_lock const lock(mutex_);
    return in_transfer_ + waiting_.size() == under_way_ ? "" : "what is under way is miscounted";
  }

 private:
  void hand_over(node_id to, envelope_ptr object) {
    while (object && world_.transmit(0, to, std::move(object))) object = transfer_ended();
  }
  envelope_ptr transfer_ended() {
    --under_way_;
    if constexpr (Made == outbox_mistake::looks_in_two_steps) {
      {
        scoped_lock const lock(mutex_);
        if (!waiting_.empty()) return pop();
      }
      scoped_lock const lock(mutex_);
      --in_transfer_;
      return nullptr;
    }
    scoped_lock const lock(mutex_);
    if (!waiting_.empty()) return pop();
    --in_transfer_;
    return nullptr;
  }
  envelope_ptr pop() OVLP_REQUIRES(mutex_) {
    envelope_ptr first = std::move(waiting_.front());
    waiting_.pop_front();
    return first;
  }

  backend& world_;
  std::size_t const bound_;
  mutex mutex_;
  std::deque<envelope_ptr> waiting_ OVLP_GUARDED_BY(mutex_);
  shared<std::size_t> in_transfer_{0};
  shared<std::size_t> under_way_{0};
};

/// The core's own one.
class node_outbox {
 public:
  node_outbox(backend& world, std::size_t bound) : node_(world, bound) {}
  void send(node_id to, envelope_ptr object) { node_.manager.outbox().send(to, std::move(object)); }
  void sent(node_id to) { node_.manager.sent(to); }
  bool all_sent() const { return node_.manager.outbox().all_sent(); }
  std::string broken_invariant() { return node_.manager.outbox().broken_invariant(); }

 private:
  some_node node_;
};

struct sending {
  std::vector<int> objects;  ///< that each sender sends
  std::size_t bound;
  bool at_once = false;  ///< each transfer has ended when transmit() returns; else a thread of the network ends it
};

/// Threads that send to one node, and the network.
template <class Outbox>
struct outbox_unit final : unit, silent_backend {
  explicit outbox_unit(sending const& given) : what(given), tested(*this, given.bound) {
    int first = 0;
    for (int const count : what.objects) {
      threads.emplace_back([this, first, count] {
        for (int i = first; i < first + count; ++i) {
          Numbered object{i};
          tested.send(1, envelope::make(type_of<Numbered>(), &object, {}, call_frame(1, 1, 0, 0)));
        }
      });
      first += count;
    }
    total = first;
    if (!what.at_once) threads.emplace_back([this] { end_transfers(); });
  }
  using silent_backend::transmit;
  bool transmit(node_id, node_id, envelope_ptr object) override {
    must(in_transfer.fetch_add(1) < what.bound, "more are in transfer than the bound");
    must(!tested.all_sent(), "all is sent, it says, and something is in transfer");
    order.push_back(static_cast<Numbered*>(object->object())->number);
    if (what.at_once) {
      --in_transfer;
    } else {
      ++begun;
    }
    return what.at_once;
  }
  void end_transfers() {
    for (int ended = 0; ended < total; ++ended) {
      spin_while(begun, ended);
      --in_transfer;
      tested.sent(1);
    }
  }
  std::string wrong() override {
    if (std::set<int>(order.begin(), order.end()).size() != order.size()) return "an object is sent twice";
    if (order.size() != static_cast<std::size_t>(total)) return "an object is lost";
    int first = 0;
    for (int const count : what.objects) {
      auto from = order.begin();
      for (int i = first; i < first + count && what.bound == 1; ++i) {
        from = std::find(from, order.end(), i);
        if (from == order.end()) return "objects are not in order";
      }
      first += count;
    }
    if (!tested.all_sent()) return "not all is sent, it says";
    return tested.broken_invariant();
  }

  sending const what;
  int total = 0;
  shared<std::size_t> in_transfer{0};
  shared<int> begun{0};
  std::vector<int> order;  ///< of transfers
  Outbox tested;
};

}  // namespace

TEST_CASE("an outbox sends each object, in order, no more at once than the bound, and knows when all is sent") {
  using tested = outbox_unit<node_outbox>;
  check_all("one sends three", maker_of<tested>(sending{{3}, 1}));
  check_all("two send one each", maker_of<tested>(sending{{1, 1}, 1}));
  check_all("two send two and one", maker_of<tested>(sending{{2, 1}, 1}));
  check_all("two send at once", maker_of<tested>(sending{{2, 1}, 1, true}));
  check_all("one sends three, two at once", maker_of<tested>(sending{{3}, 2}));
  check_all("two send one each, two at once", maker_of<tested>(sending{{1, 1}, 2}));
  check_some("three send many", 1000, maker_of<tested>(sending{{3, 2, 3}, 1}));
  check_some("three send many, two at once", 1000, maker_of<tested>(sending{{3, 2, 3}, 2}));
}

TEST_CASE("an outbox with a mistake is found") {
  sending const one{{1, 1}, 1};
  check_all("none", maker_of<outbox_unit<mistaken_outbox<outbox_mistake::none>>>(one));
  check_found("it counts in two steps", "",
              maker_of<outbox_unit<mistaken_outbox<outbox_mistake::counts_in_two_steps>>>(one));
  check_found("it looks what waits, then ends the transfer", "no thread can go on",
              maker_of<outbox_unit<mistaken_outbox<outbox_mistake::looks_in_two_steps>>>(one));
  check_found("it counts late", "all is sent, it says",
              maker_of<outbox_unit<mistaken_outbox<outbox_mistake::counts_late>>>(one));
  check_found("it looks for room, then takes it", "",
              maker_of<outbox_unit<mistaken_outbox<outbox_mistake::takes_in_two_steps>>>(one));
}

// DPS threads: mailbox and scheduler together

namespace {

enum class turn_mistake : std::uint8_t {
  none,
  never_sorts,  ///< an execution thread gives the DPS thread back, and does not look what has come for it
};

struct pushing {
  std::vector<std::vector<std::size_t>> to;  ///< by unit's thread: to which DPS thread it pushes work, each time
  std::size_t executors;
};

/// Work is pushed into DPS threads; execution threads do what those of a node do (execution_thread::turn), until all is
/// done. The core's own code, of one node.
template <turn_mistake Made>
struct dps_threads_unit final : unit {
  explicit dps_threads_unit(pushing const& given) : what(given) {
    std::size_t count = 0, pushes = 0;
    for (std::vector<std::size_t> const& mine : what.to) {
      pushes += mine.size();
      for (std::size_t const one : mine) count = std::max(count, one + 1);
    }
    left = pushes;
    for (std::size_t i = 0; i < count; ++i)
      all.push_back(std::make_unique<dps_state>(node.manager, thread_address{0, static_cast<std::uint32_t>(i)}));
    for (std::size_t i = 0; i < what.executors; ++i) {
      hosts.push_back(std::make_unique<host>(node));
      scheduler_of_node().add(hosts.back()->thread);
    }
    scheduler_of_node().set_limit(0, what.executors, false);
    for (std::vector<std::size_t> const& mine : what.to) {
      threads.emplace_back([this, &mine] {
        // What arrives with no state has one to make: that is work.
        for (std::size_t const one : mine) all[one]->thread.push(make_mail<arrive_mail>(std::nullopt));
      });
    }
    for (auto const& one : hosts) threads.emplace_back([this, &one] { execute(*one); });
  }
  ~dps_threads_unit() override { scheduler::set_self(nullptr); }
  void enter(std::size_t thread) override {
    scheduler::set_self(thread < what.to.size() ? nullptr : &hosts[thread - what.to.size()]->thread);
  }
  struct waking final : silent_backend {
    void wake(execution_thread& thread) override { static_cast<host*>(thread.world)->woken = true; }
  };
  struct host {
    explicit host(some_node& of) : thread(of.manager, of.common.loops()) { thread.world = this; }
    execution_thread thread;
    shared<bool> woken{false};
  };
  struct dps_state {
    dps_state(thread_manager& manager, thread_address address) : thread(manager, address, 0) {}
    dps_thread thread;
    shared<bool> runs{false};
  };
  ovlp::scheduler& scheduler_of_node() { return node.manager.scheduler(); }

  void execute(host& self) {
    dps_thread* finished = nullptr;
    while (left != 0) {
      dps_thread* const before = std::exchange(finished, nullptr);
      bool const more = before != nullptr && Made != turn_mistake::never_sorts && before->sort_mail(true);
      dps_thread* const next = scheduler_of_node().next(self.thread, before, more);
      if (next != nullptr) {
        run(*all[next->address().index]);
        finished = next;
      } else if (left != 0) {
        spin_while(self.woken, false);
        self.woken = false;
      }
    }
    if (finished != nullptr) scheduler_of_node().next(self.thread, finished, finished->sort_mail(true));
  }
  void run(dps_state& one) {
    must(!one.runs.exchange(true), "a DPS thread runs twice at once");
    must(one.thread.take_work() != nullptr, "it has nothing to run");
    one.runs = false;
    if (--left == 0) scheduler_of_node().wake_all();
  }
  std::string wrong() override {
    if (std::string broken = node.manager.broken_invariant(); !broken.empty()) return broken;
    return node.manager.passive() ? "" : "it is not passive, and all is run";
  }

  pushing const what;
  shared<std::size_t> left{0};
  waking world;
  some_node node{world};
  std::vector<std::unique_ptr<dps_state>> all;
  std::vector<std::unique_ptr<host>> hosts;
};

}  // namespace

TEST_CASE("what is pushed into DPS threads is run, by one execution thread at a time, and then the node is passive") {
  using tested = dps_threads_unit<turn_mistake::none>;
  using pushes = std::vector<std::vector<std::size_t>>;
  check_all("one pushes", maker_of<tested>(pushing{pushes{{0}}, 1}));
  check_all("one pushes twice", maker_of<tested>(pushing{pushes{{0, 0}}, 1}));
  check_all("two push", maker_of<tested>(pushing{pushes{{0}, {0}}, 1}));
  check_some("two push to two", 1000, maker_of<tested>(pushing{pushes{{0, 1}, {0, 1}}, 2}));
}

TEST_CASE("an execution thread that does not look what has come for a DPS thread is found") {
  check_found("it never sorts", "no thread can go on",
              maker_of<dps_threads_unit<turn_mistake::never_sorts>>(
                  pushing{std::vector<std::vector<std::size_t>>{{0}, {0}}, 1}));
}
