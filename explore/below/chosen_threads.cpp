// SPDX-License-Identifier: BSD-3-Clause
#include "below/chosen_threads.hpp"

#include <atomic>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

#include <ovlp/base/expects.hpp>

#include "below/chosen.hpp"
#include "steps/fiber.hpp"

namespace ovlp::explore {
namespace {

constexpr std::size_t stack_bytes = 64 * 1024;

/// Ends the threads of a run that has failed.
struct run_is_over {};
/// What must() throws.
struct broken {
  std::string what;
};

/// One run of a unit.
class unit_run {
 public:
  unit_run(strategy& chooses, std::size_t most_choices)
      : strategy_(chooses), most_choices_(most_choices), outer_(std::exchange(running_, this)) {}
  unit_run(unit_run const&) = delete;
  unit_run& operator=(unit_run const&) = delete;
  ~unit_run() { running_ = outer_; }

  /// Notes in `texts`, unless it is nullptr, what each name means.
  outcome run(unit_maker const& make, std::vector<std::pair<std::uint64_t, std::string>>* texts) {
    unit_ = make();
    for (std::size_t i = 0; i < unit_->threads.size(); ++i) threads_.emplace_back(i);
    for (thread& one : threads_) {
      if (failure_.empty()) begin(one);
    }
    outcome ended;
    for (std::size_t made = 0; failure_.empty(); ++made) {
      look_what_is_possible(texts);
      if (possible_.empty()) break;
      if (made == most_choices_) {
        failure_ = "it has not ended: choices made: " + std::to_string(most_choices_);
        break;
      }
      std::size_t chosen = ended.given_up ? 0 : strategy_.choose(choices_);
      if (chosen == strategy::give_up) {
        ended.given_up = true;  // but what the threads have begun is brought to an end
        chosen = 0;
      }
      thread& one = *possible_[chosen];
      resource const touched = one.next.touched;
      enter(one);
      if (ended.given_up) continue;
      ++ended.choices;
      strategy_.happened({&touched, 1});
    }
    if (failure_.empty()) failure_ = stall();
    if (failure_.empty()) {
      failure_ = unit_->wrong();
      ended.results.push_back(unit_->result());
    }
    ended.failure = ended.given_up ? "" : failure_;
    if (!failure_.empty()) end_threads();
    return ended;
  }

  static unit_run* running() { return running_; }
  resource new_name() {
    std::uint64_t const maker = current_ == nullptr ? 0 : current_->number + 1;
    std::uint64_t const place = current_ == nullptr ? made_++ : current_->made++;
    return (maker << 32 | place) << 1;
  }
  bool in_thread() const { return current_ != nullptr; }

  /// Thread: the unit's that is running. The condition lives until this returns.
  void await_choice(operation const& next, function_ref<bool()> const* possible) {
    thread& self = *current_;
    if (!over_) {
      self.next = next;
      self.possible = possible;
      ++self.operations;
      self.stack->switch_to(main_);
    }
    if (!over_ || next.kind == choice::kind_type::release || std::uncaught_exceptions() > 0) return;
    throw run_is_over();
  }
  void fail(std::string what) {
    if (failure_.empty()) failure_ = std::move(what);
    over_ = true;
  }

 private:
  struct thread {
    explicit thread(std::size_t n) : number(n) {}
    std::size_t const number;
    std::optional<fiber> stack = {};
    bool has_ended = false;
    std::uint64_t operations = 0;  ///< so far, with the next one
    std::uint64_t made = 0;        ///< shared things
    operation next{"", 0};
    function_ref<bool()> const* possible = nullptr;  ///< nullptr: always
    std::uint64_t listed = 0;                        ///< its operation in possible_, or 0

    bool can_go_on() const { return stack && !has_ended && (possible == nullptr || (*possible)()); }
  };

  /// Up to its first operation.
  void begin(thread& one) {
    one.stack.emplace(stack_bytes, [this, &one] {
      try {
        unit_->threads[one.number]();
      } catch (run_is_over const&) {
      } catch (broken const& why) {
        fail(why.what);
      } catch (std::exception const& why) {
        fail(why.what());
      }
      one.has_ended = true;
      one.stack->switch_to(main_);
    });
    enter(one);
  }
  void enter(thread& one) {
    current_ = &one;
    unit_->enter(one.number);
    main_.switch_to(*one.stack);
    current_ = nullptr;
    last_ = &one;
  }

  /// What stays possible keeps its place. A thread that has gone on comes first, what becomes possible by it last.
  void look_what_is_possible(std::vector<std::pair<std::uint64_t, std::string>>* texts) {
    std::erase_if(possible_, [](thread* one) {
      if (one->listed == one->operations && one->can_go_on()) return false;
      one->listed = 0;
      return true;
    });
    for (thread& one : threads_) {
      if (one.listed != 0 || !one.can_go_on()) continue;
      one.listed = one.operations;
      possible_.insert(&one == last_ ? possible_.begin() : possible_.end(), &one);
      if (texts != nullptr) texts->emplace_back(name_of(one), text_of(one));
    }
    choices_.clear();
    for (thread const* one : possible_) choices_.push_back({name_of(*one), one->number, one->next.kind});
  }

  std::string stall() const {
    std::string all;
    for (thread const& one : threads_) {
      if (!one.has_ended) all += (all.empty() ? "no thread can go on: " : "; ") + text_of(one);
    }
    return all;
  }
  static std::uint64_t name_of(thread const& one) { return mix(one.number + 1, one.operations); }
  static std::string text_of(thread const& one) {
    std::uint64_t const maker = one.next.touched >> 33, place = (one.next.touched >> 1) & 0xffffffff;
    return "thread " + std::to_string(one.number) + ", operation " + std::to_string(one.operations) + ": " +
           one.next.what + " " + (maker == 0 ? "" : "thread " + std::to_string(maker - 1) + "'s ") + "#" +
           std::to_string(place);
  }

  /// What is on their stacks goes away. What they share may be half done, and stays as it is.
  void end_threads() {
    over_ = true;
    for (thread& one : threads_) {
      if (one.stack && !one.has_ended) enter(one);
    }
    static std::mutex alone;
    static std::vector<std::unique_ptr<unit>>& kept = *new std::vector<std::unique_ptr<unit>>;
    std::lock_guard const lock(alone);
    kept.push_back(std::move(unit_));
  }

  static constinit thread_local unit_run* running_;

  strategy& strategy_;
  std::size_t const most_choices_;
  unit_run* const outer_;
  std::unique_ptr<unit> unit_;
  fiber main_;
  std::deque<thread> threads_;
  thread* current_ = nullptr;
  thread* last_ = nullptr;  ///< that has gone on
  std::uint64_t made_ = 0;  ///< shared things, when nobody runs
  std::vector<thread*> possible_;
  std::vector<choice> choices_;  ///< the same
  bool over_ = false;
  std::string failure_;
};

constinit thread_local unit_run* unit_run::running_ = nullptr;

/// What lives longer than a run has names that no run gives.
resource name_outside() {
  static std::atomic<std::uint64_t> made = 0;
  return (std::uint64_t{0x7fffffff} << 32 | made++) << 1;
}

}  // namespace

resource name_of_new_shared() {
  unit_run* const run = unit_run::running();
  return run != nullptr ? run->new_name() : name_outside();
}

void await_choice(operation const& next) {
  if (unit_run* const run = unit_run::running(); run != nullptr && run->in_thread()) run->await_choice(next, nullptr);
}

void await_choice(operation const& next, function_ref<bool()> possible) {
  if (unit_run* const run = unit_run::running(); run != nullptr && run->in_thread()) {
    run->await_choice(next, &possible);
  } else {
    base::expects(possible(), "nobody else goes on meanwhile");
  }
}

void must(bool holds, char const* what) {
  if (holds) return;
  unit_run::running()->fail(what);
  throw broken{what};
}

outcome run_unit(unit_maker const& make, strategy& chooses, std::size_t most_choices) {
  return unit_run(chooses, most_choices).run(make, nullptr);
}

answer run_unit(unit_maker const& make, request const& asked) {
  std::unique_ptr<strategy> const chooses = make_strategy(asked);
  noted_order noted(*chooses);
  unit_run run(noted, asked.most_choices);
  answer given;
  given.outcome = run.run(make, asked.texts ? &given.texts : nullptr);
  given.moments = noted.run();
  for (moment& now : given.moments) {
    if (!asked.moments) now = {{now.possible[now.chosen]}};
  }
  return given;
}

exploration explore_unit(exploration_options const& how, unit_maker const& make) {
  return explore(how, {[&](request const& asked) { return run_unit(make, asked); }});
}

}  // namespace ovlp::explore
