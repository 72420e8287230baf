// SPDX-License-Identifier: BSD-3-Clause
#include "search/exploration.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/base/text.hpp>

#include "search/shrink.hpp"
#include "search/tree.hpp"

namespace ovlp::explore {
namespace {

using strategy_type = exploration_options::strategy_type;

/// A failure in another run is the same one up to its first figure.
std::string kind_of(std::string const& failure) { return failure.substr(0, failure.find_first_of("0123456789")); }

std::map<std::uint64_t, std::string> texts_of(answer const& of) { return {of.texts.begin(), of.texts.end()}; }

/// Which operations have run in each DPS thread, and which two of one thread in both orders.
class seen_pairs {
 public:
  void add(moments const& run) {
    std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> by_thread;
    for (moment const& now : run) {
      choice const& chosen = now.possible[now.chosen];
      if (chosen.kind == choice::kind_type::start) by_thread[chosen.source].push_back(chosen.name);
    }
    for (auto const& [thread, names] : by_thread) {
      for (std::size_t i = 0; i < names.size(); ++i) {
        for (std::size_t j = i + 1; j < std::min(names.size(), i + most_apart); ++j) add(names[i], names[j]);
      }
    }
  }
  std::size_t pairs() const { return orders_.size(); }
  std::size_t both() const { return both_; }

 private:
  static constexpr std::size_t most_apart = 16;  // so that a thread with thousands of operations costs no square of it

  void add(std::uint64_t first, std::uint64_t then) {
    bool const ascends = first < then;
    unsigned const order = ascends ? 1 : 2;
    unsigned& seen = orders_[mix(std::min(first, then), std::max(first, then))];
    if (seen != 3 && (seen | order) == 3) ++both_;
    seen |= order;
  }

  std::unordered_map<std::uint64_t, unsigned> orders_;
  std::size_t both_ = 0;
};

/// The next run of a search whose runs do not depend on one another.
request drawn(exploration_options const& how, std::uint64_t run, std::size_t length) {
  request asked;
  asked.seed = mix(how.seed, run);
  bool const random = how.strategy == strategy_type::random || (how.strategy == strategy_type::mixed && run % 2 == 0);
  if (random) {
    asked.order = request::order_type::random;
  } else {
    asked.order = request::order_type::priorities;
    asked.depth = 2 + (run / 2) % 4;
    asked.length = length;
  }
  return asked;
}

/// Errors: config_error if the plain order is not the same run twice.
answer plain_run(exploration_options const& how, runner const& run) {
  request plain;
  plain.moments = plain.texts = true;
  plain.most_choices = how.most_choices;
  plain.most_s = how.most_s;
  plain.is_expected = true;
  answer const once = run(plain);
  plain.is_expected = false;  // so that results are compared
  answer const again = run(plain);
  if (once.outcome.too_slow || again.outcome.too_slow) {
    throw config_error("a run in the plain order has not ended after " + base::fixed(how.most_s, 1) +
                       " s: it waits for something outside of the run, or it is large: expected a smaller program, or "
                       "more --run-seconds");
  }
  std::size_t const both = std::min(once.moments.size(), again.moments.size());
  std::size_t at = 0;
  while (at < both && once.moments[at].possible == again.moments[at].possible) ++at;
  if (at < both || once.moments.size() != again.moments.size()) {
    auto const texts = texts_of(once), other = texts_of(again);
    auto const text_at = [&](answer const& of, std::map<std::uint64_t, std::string> const& known) {
      if (at >= of.moments.size()) return std::string("its end");
      auto const found = known.find(of.moments[at].name());
      return found == known.end() ? std::string("something") : found->second;
    };
    throw config_error("the program is not the same twice: in the same order, choice " + std::to_string(at + 1) +
                       " was once '" + text_at(once, texts) + "', and once '" + text_at(again, other) +
                       "'; expected a program that asks for no time, no random numbers and no addresses");
  }
  if (once.outcome.results != again.outcome.results) {
    throw config_error(
        "the program is not the same twice: in the same order it has other results; expected a program "
        "that asks for no time, no random numbers and no addresses");
  }
  if (once.outcome.failure.empty() && !again.outcome.failure.empty()) return again;  // as it compares its results
  return once;
}

/// What several threads find together.
class search {
 public:
  search(exploration_options const& how, answer const& plain, std::function<void(exploration const&)> const& show)
      : how_(how), plain_(plain), show_(show), begun_(std::chrono::steady_clock::now()) {
    how_.most_s = std::max(how_.most_s, most_times_slower * plain_.outcome.seconds);
    found_.plain_choices = plain_.outcome.choices;
    found_.plain_results = plain_.outcome.results;
  }

  void run_drawn(runner const& run) {
    while (!over()) {
      std::uint64_t const number = next_++;
      if (how_.runs > 0 && number >= how_.runs) return;
      request asked = drawn(how_, number, plain_.outcome.choices);
      if (!take(run, asked)) return;
    }
  }

  void run_all(runner const& run) {
    interleaving_tree tree;
    for (bool more = true; more && !over();) {
      request asked;
      asked.order = request::order_type::path;
      asked.path = tree.path();
      moments made;
      if (how_.runs > 0 && next_++ >= how_.runs) return;
      if (!take(run, asked, &made)) return;
      more = tree.next(made);
      found_.all = !more;
    }
  }

  exploration result() {
    std::lock_guard const lock(mutex_);
    update();
    return found_;
  }
  void stop() { over_ = true; }

 private:
  bool over() const { return over_ || (how_.seconds > 0 && now_s() > how_.seconds); }
  double now_s() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count(); }
  void update() {
    found_.seconds = now_s();
    found_.pairs = pairs_.pairs();
    found_.both_orders = pairs_.both();
    found_.interleavings = orders_.size();
  }

  /// Returns whether to go on.
  bool take(runner const& run, request& asked, moments* made = nullptr) {
    asked.moments = made != nullptr;
    asked.most_choices = how_.most_choices;
    asked.most_s = how_.most_s;
    asked.tolerance = how_.tolerance;
    answer given = run(asked);
    std::string const wrong = difference(plain_.outcome, given.outcome);
    {
      std::lock_guard const lock(mutex_);
      ++found_.runs;
      found_.choices += given.outcome.choices;
      std::uint64_t order = 0;
      for (moment const& now : given.moments) order = mix(order, now.name());
      if (!given.outcome.given_up && orders_.insert(order).second) pairs_.add(given.moments);
      if (show_ && found_.runs % 64 == 0) {
        update();
        show_(found_);
      }
      if (wrong.empty()) {
        if (made != nullptr) *made = std::move(given.moments);
        return true;
      }
      if (over_.exchange(true)) return false;  // another one has found something
      found_.found = finding{.failure = wrong, .run = found_.runs, .after_s = now_s()};
    }
    asked.moments = true;
    given = run(asked);
    request fails = asked;
    fails.order = request::order_type::given;
    fails.differs = difference_of(given.moments);
    finding told = shrink_and_tell(run, plain_, fails);
    std::lock_guard const lock(mutex_);
    told.run = found_.found->run;
    told.after_s = found_.found->after_s;
    if (told.failure.empty()) told.failure = found_.found->failure;
    found_.found = std::move(told);
    return false;
  }

  static constexpr double most_times_slower = 20;  // than the plain order: else a run is taken for one without end

  exploration_options how_;
  answer const plain_;
  std::function<void(exploration const&)> const& show_;
  std::chrono::steady_clock::time_point const begun_;
  std::atomic<std::uint64_t> next_ = 0;
  std::atomic<bool> over_ = false;
  std::mutex mutex_;  // of the rest
  exploration found_;
  std::unordered_set<std::uint64_t> orders_;
  seen_pairs pairs_;
};

/// The same events held back, each until the last of those has happened that pass it in this run.
interleaving passing(interleaving const& differs, moments const& run) {
  interleaving all;
  for (held_back const& one : difference_of(run)) {
    if (std::ranges::find(differs, one.then, &held_back::then) != differs.end()) all.push_back(one);
  }
  return all;
}

/// The name of the first object that is another one than in the plain order; 0: there is none.
std::uint64_t first_other(answer const& plain, answer const& of) {
  std::unordered_map<std::uint64_t, std::uint64_t> const expected(plain.objects.begin(), plain.objects.end());
  for (auto const& [name, hash] : of.objects) {
    auto const known = expected.find(name);
    if (known != expected.end() && known->second != hash) return name;
  }
  return 0;
}

}  // namespace

finding shrink_and_tell(runner const& run, answer const& plain, request const& fails) {
  finding told;
  told.held_back = fails.differs.size();
  request asked = fails;
  asked.moments = asked.texts = false;
  auto const wrong_in = [&](interleaving const& differs) {
    asked.differs = differs;
    return difference(plain.outcome, run(asked).outcome);
  };
  told.failure = wrong_in(fails.differs);
  told.again = !told.failure.empty();
  if (!told.again) return told;
  std::string const kind = kind_of(told.failure);
  auto const still_fails = [&](interleaving const& some) { return kind_of(wrong_in(some)) == kind; };
  told.differs = shrink(fails.differs, still_fails);
  // What is left may wait for something that happens no more: it waits for what passes it in this run, which may be
  // later, so that others need not wait.
  asked.differs = told.differs;
  asked.moments = true;
  interleaving const passed = passing(told.differs, run(asked).moments);
  asked.moments = false;
  if (still_fails(passed)) told.differs = shrink(passed, still_fails);
  told.again = !told.differs.empty();  // else the plain order fails, too, which it did not
  asked.differs = told.differs;
  asked.texts = true;
  answer const last = run(asked);
  told.failure = difference(plain.outcome, last.outcome);
  auto const texts = texts_of(last);
  auto const text = [&](std::uint64_t name) {
    auto const known = texts.find(name);
    return known == texts.end() ? std::string("something that does not happen") : known->second;
  };
  for (held_back const& one : told.differs) told.story.push_back(text(one.first) + " before " + text(one.then));
  if (std::uint64_t const other = first_other(plain, last); other != 0) told.first_other = text(other);
  return told;
}

exploration explore(exploration_options const& how, std::vector<runner> const& runners,
                    std::function<void(exploration const&)> const& show) {
  answer const plain = plain_run(how, runners.front());
  if (!plain.outcome.failure.empty()) {
    exploration none;
    none.plain_choices = plain.outcome.choices;
    none.found = finding{.failure = plain.outcome.failure, .plain = true};
    return none;
  }
  bool const one_order = std::ranges::all_of(plain.moments, [](moment const& now) { return now.possible.size() == 1; });
  if (one_order) {
    exploration none;
    none.plain_choices = plain.outcome.choices;
    none.all = none.one_order = true;
    return none;
  }
  for (std::size_t i = 1; i < runners.size(); ++i) plain_run(how, runners[i]);  // each keeps what is expected
  search all(how, plain, show);
  if (how.strategy == strategy_type::exhaustive) {
    all.run_all(runners.front());
    return all.result();
  }
  std::vector<std::exception_ptr> wrong(runners.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < runners.size(); ++i) {
      threads.emplace_back([&, i] {
        try {
          all.run_drawn(runners[i]);
        } catch (...) {
          wrong[i] = std::current_exception();
          all.stop();
        }
      });
    }
  }
  for (std::exception_ptr const& one : wrong) {
    if (one) std::rethrow_exception(one);
  }
  return all.result();
}

}  // namespace ovlp::explore
