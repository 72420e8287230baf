// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/machine/event_queue.hpp>

#include <algorithm>
#include <functional>

namespace ovlp::machine {

void event_queue::place(entry const& e, std::size_t at) {
  sources_[at] = e;
  e.source->place_ = at;
}

void event_queue::add(event_source& source) {
  sources_.push_back({never, &source});
  source.order_ = source.place_ = sources_.size() - 1;
  changed(source);
}

void event_queue::changed(event_source& source) {
  if (source.changed_) return;
  source.changed_ = true;
  changed_.push_back(&source);
}

void event_queue::rekey(event_source& source) {
  entry const e{source.next_event_s(), &source};
  std::size_t at = source.place_;
  while (at > 0 && e < sources_[(at - 1) / 2]) {
    place(sources_[(at - 1) / 2], at);
    at = (at - 1) / 2;
  }
  for (std::size_t child = 2 * at + 1; child < sources_.size(); child = 2 * at + 1) {
    if (child + 1 < sources_.size() && sources_[child + 1] < sources_[child]) ++child;
    if (!(sources_[child] < e)) break;
    place(sources_[child], at);
    at = child;
  }
  place(e, at);
}

void event_queue::happen_at(double time_s, event& e) {
  number(e);
  timers_.push_back({time_s, &e});
  std::push_heap(timers_.begin(), timers_.end(), std::greater{});
}

bool event_queue::advance() {
  for (event_source* source : changed_) {
    source->changed_ = false;
    rekey(*source);
  }
  changed_.clear();
  double next_s = never;
  if (!sources_.empty()) next_s = sources_.front().at_s;
  if (!timers_.empty()) next_s = std::min(next_s, timers_.front().at_s);
  if (next_s == never) return false;
  now_s_ = std::max(now_s_, next_s);
  collect();
  for (event* e : due_) e->happen();
  return true;
}

/// Those that have come to their next event are a tree on top of the heap. What they let happen will mostly change
/// them again, so they get their new places with the next instant.
void event_queue::advance_sources(std::size_t at) {
  if (at >= sources_.size() || sources_[at].at_s > now_s_) return;
  event_source& source = *sources_[at].source;
  source.advance(now_s_, due_);
  changed(source);
  advance_sources(2 * at + 1);
  advance_sources(2 * at + 2);
}

/// All that is to happen now.
void event_queue::collect() {
  due_.clear();
  while (!timers_.empty() && timers_.front().at_s <= now_s_) {
    due_.push_back(timers_.front().what);
    std::pop_heap(timers_.begin(), timers_.end(), std::greater{});
    timers_.pop_back();
  }
  if (!sources_.empty()) advance_sources(0);
  if (due_.size() < 2) return;
  std::sort(due_.begin(), due_.end(), [](event const* a, event const* b) { return a->number() < b->number(); });
  if (shuffled_) std::shuffle(due_.begin(), due_.end(), *shuffled_);
}

}  // namespace ovlp::machine
