// SPDX-License-Identifier: BSD-3-Clause
#include "steps/dps_thread.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <ovlp/base/expects.hpp>
#include <ovlp/flowgraph/buffer.hpp>
#include <ovlp/runtime/internal/execution_thread.hpp>
#include <ovlp/runtime/internal/reallocation.hpp>
#include <ovlp/runtime/internal/thread_manager.hpp>

#include "collections/thread_states.hpp"
#include "exchange/delivery.hpp"
#include "exchange/group_messages.hpp"
#include "exchange/group_table.hpp"
#include "steps/scheduler.hpp"

namespace ovlp::OVLP_INLINE_CORE {

dps_thread::dps_thread(thread_manager& manager, thread_address address, std::size_t pool)
    : manager_(manager),
      address_(address),
      pool_(pool),
      order_(manager.settings().orders == nullptr
                 ? nullptr
                 : &manager.settings().orders->of(manager.program().name(address), manager.self())) {}

dps_thread::~dps_thread() {
  while (!live_.empty()) {  // a run has failed while the time of their last steps passed
    execution& never_ended = live_.front();
    live_.pop_front();
    if (never_ended.gathering() == nullptr) delete &never_ended;
  }
}

void dps_thread::drop_mail() {
  if (order_ != nullptr) order_->drop_held();
  inbox_.clear();
  work_.clear();
  held_.clear();
}

void dps_thread::own() {
  if (sort_mail(false)) manager_.scheduler().enqueue(*this);
}

mail_ptr dps_thread::take_mail() {
  mail_ptr oldest = inbox_.take();
  touches_.looked_for(*this, oldest != nullptr);
  return oldest;
}

bool dps_thread::sort_mail(bool stepped) {
  do {
    // One by one: of many that wait, none is touched before its turn.
    while (work_.empty()) {
      mail_ptr m = take_mail();
      if (!m) break;
      take_in(std::move(m));
    }
    if (stepped) {
      for (std::size_t i = 0; i < waiters_.size();) {
        if (holds(*waiters_[i])) {
          ready(*waiters_[i]);
          waiters_.erase(waiters_.begin() + static_cast<std::ptrdiff_t>(i));
        } else {
          ++i;
        }
      }
    }
    if (!work_.empty()) return true;
    if (live_.empty() && opened_.empty()) {
      if (moving_to_ && !departed_) depart();
      // Otherwise the group's first object will find this thread here.
      if (leaving_ && !manager_.groups().awaits(address_)) {
        leaving_ = false;
        work_.push(make_mail<state_mail>(state_mail::what_type::leave));
        return true;
      }
    }
  } while (!inbox_.disown());
  return false;
}

bool dps_thread::take_in_next() {
  mail_ptr m = work_.empty() ? take_mail() : nullptr;
  if (!m) return false;
  take_in(std::move(m));
  return true;
}

void dps_thread::take_in(mail_ptr m) {
  if (departed_ && m->kind != mail::kind_type::arrive) {
    forward(std::move(m));
    return;
  }
  if (moving_to_ && goes_along(*m)) {
    hold(std::move(m));
    return;
  }
  switch (m->kind) {
    case mail::kind_type::object: {
      envelope const& object = as<envelope>(m);
      if (is_closer(manager_.program().operation(object.graph, object.operation).kind)) {
        take_in_object(as_object(std::move(m)));
      } else {
        work_.push(std::move(m));
      }
      break;
    }
    case mail::kind_type::total: take_in_total(as<total_mail>(m).total); break;
    case mail::kind_type::start:
    case mail::kind_type::resume:
    case mail::kind_type::state: work_.push(std::move(m)); break;
    case mail::kind_type::arrive: arrive(as<arrive_mail>(m).state); break;
    case mail::kind_type::move: begin_move(as<move_mail>(m).to); break;
    case mail::kind_type::let_in: let_in(); break;
    case mail::kind_type::leave: leaving_ = true; break;
  }
}

void dps_thread::take_in_object(envelope_ptr object) {
  frame const opened = object->innermost();
  ovlp::frames const in = object->frames();
  execution& closer = this->closer(object->graph, object->operation, in.first(in.size() - 1));
  if (closer.gathering()->add(std::move(object))) announce(closer, opened);
  if (closer.waiting() == wait_cause::object) ready(closer);
}

void dps_thread::take_in_total(group_total const& total) {
  execution* closer = nullptr;
  frame opened;
  if (auto const known = gathered_.find(total.group); known != gathered_.end()) {
    closer = known->second;
    opened.group = total.group;
    gathered_.erase(known);
  } else if (!total.enclosing.empty()) {
    ovlp::frames const in = total.enclosing;
    opened = in.back();
    closer = &this->closer(total.graph, total.operation, in.first(in.size() - 1));
    closer->gathering()->add_empty(total.iteration);
  } else {
    return;  // the group came to an end by another way, or the run is being cancelled
  }
  closer->gathering()->set_total(opened, total.count);
  if (closer->waiting() == wait_cause::object && closer->gathering()->complete()) ready(*closer);
}

execution& dps_thread::closer(std::uint32_t graph, std::uint32_t operation, ovlp::frames enclosing) {
  closer_key const key = key_of(operation, enclosing);
  if (last_closer_ != nullptr && key == last_key_) return *last_closer_;
  auto& found = closers_[key];
  if (!found) {
    found = std::make_unique<execution>(*this, graph, operation, enclosing);
    live_.push_back(*found);
    work_.push(mail_ptr(&found->start));
  }
  last_key_ = key;
  last_closer_ = found.get();
  return *found;
}

void dps_thread::announce(execution& closer, frame const& opened) {
  auto const total = manager_.group_messages().closer_at(opened.group, address_, closer.call());
  if (total && order_ == nullptr) {
    closer.gathering()->set_total(opened, *total);
    return;
  }
  gathered_.emplace(opened.group, &closer);
  if (total) add(make_mail<total_mail>(group_total{address_, opened.group, *total, 0, 0}));  // it has a turn, too
}

bool dps_thread::holds(execution& waiter) {
  activity& here = scheduler::self()->activity();
  waiter.show(here);
  try {
    bool const holds_now = (*waiter.condition)();
    here.ends();
    return holds_now;
  } catch (...) {
    waiter.failed(std::current_exception());
    return false;
  }
}

void dps_thread::ready(execution& waiter) {
  if (std::exchange(waiter.resuming, true)) return;
  work_.push(mail_ptr(&waiter.resume));
}

void dps_thread::run(mail_ptr start, execution_thread& host) {
  if (start->kind == mail::kind_type::state) {
    have_state(as<state_mail>(start).what);
    return;
  }
  if (start->kind == mail::kind_type::object) {
    execution& begun = host.new_execution();
    begun.begin(*this, as_object(std::move(start)));
    live_.push_back(begun);
    begun.run(host);
  } else {
    operation_of(std::move(start)).run(host);
  }
}

void dps_thread::forget(execution& operation) {
  if (operation.gathering() == nullptr) {
    operation.host().keep(operation);
    return;
  }
  if (last_closer_ == &operation) last_closer_ = nullptr;
  closers_.erase(key_of(operation.number(), operation.frames()));
}

void dps_thread::hold_state(memory_watch& watch) {
  object_type const* const type = manager_.program().collection(address_.collection).state.type;
  if (type == nullptr || state_ == nullptr) return;
  state_in_memory_.hold(watch, manager_.self(),
                        {*type, state_.get(), address_.collection, state_operation, address_.index});
}

void dps_thread::have_state(state_mail::what_type what) {
  if (what == state_mail::what_type::make) {
    auto const guard = std::exchange(detail::allocation_guard, nullptr);  // states have memory, whatever objects have
    state_ = manager_.states().make(address_);
    detail::allocation_guard = guard;
    if (memory_watch* const watch = manager_.memory()) hold_state(*watch);
  } else {
    manager_.reallocation().thread_left(*this);
  }
}

void dps_thread::keep_opened(std::uint32_t closer, execution const& opener, std::shared_ptr<void const> input) {
  opened_[key_of(closer, opener.frames())] = {opener.call(), std::move(input)};
}

std::shared_ptr<void const> dps_thread::take_opened(execution const& closer) {
  auto const kept = opened_.find(key_of(closer.number(), closer.frames()));
  base::expects(kept != opened_.end(), "the opener of a group has kept what its closer takes");
  std::shared_ptr<void const> input = std::move(kept->second.input);
  opened_.erase(kept);
  return input;
}

// Moving to another node

/// As if it had never lived before.
void dps_thread::arrive(given_state const& state) {
  moving_to_.reset();
  lets_in_ = departed_ = false;
  if (state) {
    state_ = *state;
    if (memory_watch* const watch = manager_.memory()) hold_state(*watch);
  } else {
    work_.push(make_mail<state_mail>(state_mail::what_type::make));
  }
}

void dps_thread::begin_move(node_id to) {
  moving_to_ = to;
  mail_queue kept;
  while (!work_.empty()) {
    mail_ptr m = work_.pop();
    if (goes_along(*m)) {
      hold(std::move(m));
    } else {
      kept.push(std::move(m));
    }
  }
  work_ = std::move(kept);
}

/// Whether mail for a thread that is about to move waits and moves along: what starts something in a call that is
/// younger than all that keep the thread here. An operation that is suspended here may wait, by whatever way, for
/// anything of its own call, and an older call may be what lets a younger one go on elsewhere; so the oldest call is
/// never held back where another is let in.
bool dps_thread::goes_along(mail const& m) const {
  if (lets_in_) return false;
  group_id call = 0;
  if (m.kind == mail::kind_type::object) {
    call = origin_of(static_cast<envelope const&>(m).frames());
  } else if (m.kind == mail::kind_type::total && !static_cast<total_mail const&>(m).total.enclosing.empty()) {
    call = origin_of(static_cast<total_mail const&>(m).total.enclosing.front());
  } else {
    return false;
  }
  return std::none_of(live_.begin(), live_.end(), [&](execution const& e) { return e.call() >= call; }) &&
         std::none_of(opened_.begin(), opened_.end(), [&](auto const& kept) { return kept.second.call >= call; });
}

void dps_thread::hold(mail_ptr m) {
  held_.push(std::move(m));
  manager_.reallocation().hold_back(1);
}

void dps_thread::let_in() {
  if (!moving_to_ || departed_) return;
  lets_in_ = true;
  while (!held_.empty()) {
    manager_.reallocation().hold_back(-1);
    take_in(held_.pop());
  }
}

void dps_thread::depart() {
  departed_ = true;
  manager_.reallocation().send_thread(*this, *moving_to_);
  while (!held_.empty()) {
    manager_.reallocation().hold_back(-1);
    forward(held_.pop());
  }
}

/// Other mail means nothing where the thread went.
void dps_thread::forward(mail_ptr m) {
  if (m->kind == mail::kind_type::object) {
    manager_.delivery().send_to(*moving_to_, as_object(std::move(m)));
  } else if (m->kind == mail::kind_type::total) {
    manager_.delivery().send_to(*moving_to_, as<total_mail>(m).total, 0);
  }
}

std::vector<execution*> dps_thread::suspended() const {
  std::vector<execution*> all;
  for (execution const& e : live_) {
    if (e.suspended_on != nullptr) all.push_back(const_cast<execution*>(&e));
  }
  return all;
}

std::string dps_thread::broken_invariant() const {
  std::string wrong = inbox_.broken_invariant();
  if (!work_.empty() && !inbox_.owned()) wrong = "work is there, and nobody owns it";
  if (!held_.empty() && (!moving_to_ || departed_)) wrong = "mail is held back, and it does not move";
  if (departed_ && !(live_.empty() && opened_.empty())) wrong = "it has gone, and operations are left";
  return wrong.empty() ? "" : manager_.program().name(address_) + ": " + wrong;
}

}  // namespace ovlp::OVLP_INLINE_CORE
