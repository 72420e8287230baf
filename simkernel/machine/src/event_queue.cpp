// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/machine/event_queue.hpp>

#include <algorithm>
#include <functional>

namespace ovlp::machine {

void event_queue::add(event_source& source) {
  source.order_ = ++last_order_;
  sources_.push({never, &source}, placed);
  changed(source);
}

void event_queue::changed(event_source& source) {
  if (source.changed_) return;
  source.changed_ = true;
  changed_.push_back(&source);
}

void event_queue::happen_at(double time_s, event& e) {
  number(e);
  timers_.push_back({time_s, &e});
  std::push_heap(timers_.begin(), timers_.end(), std::greater{});
}

bool event_queue::advance() {
  for (event_source* source : changed_) {
    source->changed_ = false;
    sources_.rekey(source->place_, source->next_event_s(), placed);
  }
  changed_.clear();
  double next_s = never;
  if (!sources_.empty()) next_s = sources_.top().key;
  if (!timers_.empty()) next_s = std::min(next_s, timers_.front().at_s);
  if (next_s == never) return false;
  now_s_ = std::max(now_s_, next_s);
  collect();
  for (event* e : due_) e->happen();
  return true;
}

/// All that is to happen now. What sources let happen will mostly change them again, so they get their new places with
/// the next instant.
void event_queue::collect() {
  due_.clear();
  while (!timers_.empty() && timers_.front().at_s <= now_s_) {
    due_.push_back(timers_.front().what);
    std::pop_heap(timers_.begin(), timers_.end(), std::greater{});
    timers_.pop_back();
  }
  sources_.find_up_to(now_s_, advancing_);
  for (std::size_t const place : advancing_) {
    event_source& source = *sources_[place].source;
    source.advance(now_s_, due_);
    changed(source);
  }
  if (due_.size() < 2) return;
  std::sort(due_.begin(), due_.end(), [](event const* a, event const* b) { return a->number() < b->number(); });
  if (shuffled_) std::shuffle(due_.begin(), due_.end(), *shuffled_);
}

}  // namespace ovlp::machine
