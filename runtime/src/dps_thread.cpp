// SPDX-License-Identifier: BSD-3-Clause
#include "dps_thread.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include <boost/container_hash/hash.hpp>

#include <ovlp/flowgraph/buffer.hpp>

#include "execution_thread.hpp"
#include "expects.hpp"
#include "thread_manager.hpp"

namespace ovlp {
namespace {

void dispose(mail* m) {
  switch (m->kind) {
    case mail::kind_type::object: envelope_ptr(static_cast<envelope*>(m)).reset(); break;
    case mail::kind_type::total: delete static_cast<total_mail*>(m); break;
    case mail::kind_type::move: delete static_cast<move_mail*>(m); break;
    case mail::kind_type::let_in: delete static_cast<let_in_mail*>(m); break;
    case mail::kind_type::leave: delete static_cast<leave_mail*>(m); break;
    case mail::kind_type::state: delete static_cast<state_mail*>(m); break;
    case mail::kind_type::start:
    case mail::kind_type::resume: break;  // parts of executions
  }
}

}  // namespace

void drop(mail_queue& all) {
  while (!all.empty()) dispose(all.pop());
}

dps_thread::dps_thread(thread_manager& manager, thread_address address, std::size_t pool, std::shared_ptr<void> state)
    : manager_(manager), address_(address), pool_(pool), state_(std::move(state)) {}

dps_thread::~dps_thread() { drop_mail(); }

void dps_thread::drop_mail() {
  while (mail* const m = inbox_.take()) dispose(m);
  drop(work_);
  drop(held_);
}

void dps_thread::own() {
  if (settle(false)) manager_.scheduler().enqueue(*this);
}

bool dps_thread::settle(bool stepped) {
  do {
    // One by one: of many that wait, none is touched before its turn.
    while (work_.empty()) {
      mail* const m = inbox_.take();
      if (m == nullptr) break;
      take_in(m);
    }
    if (stepped) {
      for (std::size_t i = 0; i < waiters_.size();) {
        if (manager_.holds(*waiters_[i])) {
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
        work_.push(new state_mail(state_mail::what_type::leave));
        return true;
      }
    }
  } while (!inbox_.disown());
  return false;
}

bool dps_thread::take_in_next() {
  mail* const m = work_.empty() ? inbox_.take() : nullptr;
  if (m != nullptr) take_in(m);
  return m != nullptr;
}

void dps_thread::take_in(mail* m) {
  if (departed_) {
    forward(m);
    return;
  }
  if (moving_to_ && goes_along(*m)) {
    hold(m);
    return;
  }
  switch (m->kind) {
    case mail::kind_type::object: {
      auto* const object = static_cast<envelope*>(m);
      if (is_closer(manager_.program().operation(object->graph, object->operation).kind)) {
        take_in_object(envelope_ptr(object));
      } else {
        work_.push(m);
      }
      break;
    }
    case mail::kind_type::total: {
      std::unique_ptr<total_mail> const total(static_cast<total_mail*>(m));
      take_in_total(total->total);
      break;
    }
    case mail::kind_type::start:
    case mail::kind_type::resume:
    case mail::kind_type::state: work_.push(m); break;
    case mail::kind_type::move: {
      std::unique_ptr<move_mail> const move(static_cast<move_mail*>(m));
      begin_move(move->to);
      break;
    }
    case mail::kind_type::let_in:
      dispose(m);
      let_in();
      break;
    case mail::kind_type::leave:
      dispose(m);
      leaving_ = true;
      break;
  }
}

void dps_thread::take_in_object(envelope_ptr object) {
  frame const opened = object->frames.back();
  object->frames.pop_back();
  execution& closer = this->closer(object->graph, object->operation, object->frames);
  object->frames.push_back(opened);
  if (closer.gathering()->add(std::move(object))) announce(closer, opened);
  if (closer.waiting() == execution::waits_for::object) ready(closer);
}

void dps_thread::take_in_total(group_total const& total) {
  execution* closer = nullptr;
  frame opened;
  if (auto const known = gathered_.find(total.group); known != gathered_.end()) {
    closer = known->second;
    opened.group = total.group;
    gathered_.erase(known);
  } else if (!total.enclosing.empty()) {
    ovlp::frames enclosing(total.enclosing.begin(), total.enclosing.end());
    opened = enclosing.back();
    enclosing.pop_back();
    closer = &this->closer(total.graph, total.operation, enclosing);
    closer->gathering()->add_empty(total.iteration);
  } else {
    return;  // the group came to an end by another way, or the run is being cancelled
  }
  closer->gathering()->set_total(opened, total.count);
  if (closer->waiting() == execution::waits_for::object && closer->gathering()->complete()) ready(*closer);
}

execution& dps_thread::closer(std::uint32_t graph, std::uint32_t operation, ovlp::frames const& enclosing) {
  closer_key const key{operation, enclosing.back().place, enclosing.back().group};
  if (last_closer_ != nullptr && key == last_key_) return *last_closer_;
  auto& found = closers_[key];
  if (!found) {
    found = std::make_unique<execution>(*this, graph, operation, enclosing);
    live_.push_back(*found);
    work_.push(&found->start);
  }
  last_key_ = key;
  last_closer_ = found.get();
  return *found;
}

void dps_thread::announce(execution& closer, frame const& opened) {
  if (auto const total = manager_.closer_at(opened.group, address_, closer.call())) {
    closer.gathering()->set_total(opened, *total);
  } else {
    gathered_.emplace(opened.group, &closer);
  }
}

void dps_thread::ready(execution& waiter) {
  if (std::exchange(waiter.resuming, true)) return;
  work_.push(&waiter.resume);
}

void dps_thread::run(mail* start, execution_thread& host) {
  if (start->kind == mail::kind_type::state) {
    have_state(static_cast<state_mail*>(start)->what);
    dispose(start);
    return;
  }
  if (start->kind == mail::kind_type::object) {
    execution operation(*this, envelope_ptr(static_cast<envelope*>(start)));
    live_.push_back(operation);
    operation.run(host);
    return;
  }
  execution& operation = static_cast<start_mail*>(start)->operation;
  frame const& enclosing = operation.frames().back();
  closer_key const key{operation.number(), enclosing.place, enclosing.group};
  operation.run(host);
  if (last_closer_ == &operation) last_closer_ = nullptr;
  closers_.erase(key);
}

void dps_thread::have_state(state_mail::what_type what) {
  if (what == state_mail::what_type::make) {
    auto const guard = std::exchange(detail::allocation_guard, nullptr);  // states have memory, whatever objects have
    state_ = manager_.make_state(address_);
    detail::allocation_guard = guard;
  } else {
    manager_.thread_left(*this);
  }
}

bool dps_thread::begins(std::string_view kernel, std::span<std::int64_t const> sizes) {
  std::size_t hash = std::hash<std::string_view>()(kernel);
  boost::hash_range(hash, sizes.begin(), sizes.end());
  return kernels_.insert(hash).second;
}

void dps_thread::keep_opened(std::uint32_t closer, execution const& opener, std::shared_ptr<void const> input) {
  frame const& enclosing = opener.frames().back();
  opened_[{closer, enclosing.place, enclosing.group}] = {opener.call(), std::move(input)};
}

std::shared_ptr<void const> dps_thread::take_opened(execution const& closer) {
  frame const& enclosing = closer.frames().back();
  auto const kept = opened_.find({closer.number(), enclosing.place, enclosing.group});
  expects(kept != opened_.end(), "the opener of a group has kept what its closer takes");
  std::shared_ptr<void const> input = std::move(kept->second.input);
  opened_.erase(kept);
  return input;
}

// Moving to another node

void dps_thread::begin_move(node_id to) {
  moving_to_ = to;
  mail_queue kept;
  while (!work_.empty()) {
    mail* const m = work_.pop();
    if (goes_along(*m)) {
      hold(m);
    } else {
      kept.push(m);
    }
  }
  work_ = kept;
}

/// Whether mail for a thread that is about to move waits and moves along: what starts something in a call that is
/// younger than all that keep the thread here. An operation that is suspended here may wait, by whatever way, for
/// anything of its own call, and an older call may be what lets a younger one go on elsewhere; so the oldest call is
/// never held back where another is let in.
bool dps_thread::goes_along(mail const& m) const {
  if (lets_in_) return false;
  group_id call = 0;
  if (m.kind == mail::kind_type::object) {
    call = origin_of(static_cast<envelope const&>(m).frames);
  } else if (m.kind == mail::kind_type::total && !static_cast<total_mail const&>(m).total.enclosing.empty()) {
    call = origin_of(static_cast<total_mail const&>(m).total.enclosing.front());
  } else {
    return false;
  }
  return std::none_of(live_.begin(), live_.end(), [&](execution const& e) { return e.call() >= call; }) &&
         std::none_of(opened_.begin(), opened_.end(), [&](auto const& kept) { return kept.second.call >= call; });
}

void dps_thread::hold(mail* m) {
  held_.push(m);
  manager_.hold_back(1);
}

void dps_thread::let_in() {
  if (!moving_to_ || departed_) return;
  lets_in_ = true;
  while (!held_.empty()) {
    manager_.hold_back(-1);
    take_in(held_.pop());
  }
}

void dps_thread::depart() {
  departed_ = true;
  manager_.send_state(*this, *moving_to_);
  while (!held_.empty()) {
    manager_.hold_back(-1);
    forward(held_.pop());
  }
}

void dps_thread::forward(mail* m) {
  if (m->kind == mail::kind_type::object) {
    manager_.forward(*moving_to_, envelope_ptr(static_cast<envelope*>(m)));
  } else if (m->kind == mail::kind_type::total) {
    std::unique_ptr<total_mail> const total(static_cast<total_mail*>(m));
    manager_.forward(*moving_to_, total->total);
  } else {
    dispose(m);
  }
}

std::vector<execution*> dps_thread::suspended() const {
  std::vector<execution*> all;
  for (execution const& e : live_) {
    if (e.suspended_on != nullptr) all.push_back(const_cast<execution*>(&e));
  }
  return all;
}

}  // namespace ovlp
