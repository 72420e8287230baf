// SPDX-License-Identifier: BSD-3-Clause
#include "collections/views.hpp"

#include <algorithm>
#include <span>
#include <thread>

#include <ovlp/runtime/internal/thread_manager.hpp>

#include "collections/thread_states.hpp"
#include "steps/execution_pool.hpp"

namespace ovlp::OVLP_INLINE_CORE {

views::views(thread_manager& node)
    : node_(node),
      self_(node.self()),
      published_(node.program().collections()),
      current_(node.program().collections()) {}

void views::start(bool joins_later) {
  for (std::uint32_t c = 0; c < published_.size(); ++c) {
    std::shared_ptr<placement const> where = node_.common().placements().first(c);
    std::ptrdiff_t made = 0;
    for (std::uint32_t const i : where->threads_of(self_)) {
      if (joins_later) break;
      std::shared_ptr<void> const state = node_.states().make({c, i});
      dps_thread* owned = nullptr;
      {
        scoped_lock const lock(mutex_);
        owned = move_in({c, i}, state);
      }
      owned->own();
      ++made;
    }
    {
      scoped_lock const lock(mutex_);
      publish(c, 0, std::move(where));
    }
    node_.execution_threads().serve(c, made);
  }
}

// Mail

/// A thread that is not in the view: it leaves, or is about to come; then its mail is kept.
dps_thread* views::find_or_keep(thread_address to, mail_ptr& m) {
  scoped_lock const lock(mutex_);
  resident& r = residents_[place_of(to)];
  if (r.is != whereabouts::elsewhere) return r.thread.get();
  r.early.push(std::move(m));
  return nullptr;
}

void views::deliver(thread_address to, mail_ptr m) {
  dps_thread* owned = nullptr;
  {
    reading const now(*this);
    owned = add(now, to, std::move(m));
  }
  if (owned != nullptr) owned->own();
}

// Changes

template <class Function>
void views::for_each_resident(std::uint32_t collection, Function const& function) {
  auto at = residents_.lower_bound({collection, 0});
  for (; at != residents_.end() && at->first.first == collection; ++at) function(at->first.second, at->second);
}

/// The mail that makes it live here comes before what came early, and that before anyone else's.
dps_thread* views::move_in(thread_address address, given_state state) {
  resident& r = residents_[place_of(address)];
  if (!r.thread) {
    std::size_t const pool = node_.execution_threads().pool_of(address.collection);
    r.thread = std::make_unique<dps_thread>(node_, address, pool);
  }
  r.is = whereabouts::here;
  bool owned = r.thread->add(make_mail<arrive_mail>(std::move(state)));
  while (!r.early.empty()) owned = r.thread->add(r.early.pop()) || owned;
  return owned ? r.thread.get() : nullptr;
}

void views::publish(std::uint32_t collection, std::uint32_t version, std::shared_ptr<placement const> where) {
  auto next = std::make_unique<collection_view>();
  next->version = version;
  next->where = std::move(where);
  std::span<std::uint32_t const> const threads = next->where->threads_of(self_);
  next->here.resize(threads.size());
  for (std::size_t t = 0; t < threads.size(); ++t) {
    auto const known = residents_.find({collection, threads[t]});
    if (known != residents_.end() && known->second.is != whereabouts::elsewhere) {
      next->here[t] = known->second.thread.get();
    }
  }
  published_[collection] = next.get();
  replaced_.push_back(std::exchange(current_[collection], std::move(next)));
}

void views::publish_again(std::uint32_t collection) {
  publish(collection, current_[collection]->version, current_[collection]->where);
}

std::vector<dps_thread*> views::adopt(view_update const& update) {
  std::vector<dps_thread*> leaving, owned;
  std::ptrdiff_t made = 0;
  {
    scoped_lock const lock(mutex_);
    for_each_resident(update.collection, [&](std::uint32_t index, resident& r) {
      if (r.is == whereabouts::here && index >= update.nodes.size()) leaving.push_back(r.thread.get());
    });
    for (std::uint32_t i = 0; i < update.nodes.size(); ++i) {
      thread_address const address{update.collection, i};
      if (update.nodes[i] != node_.self() || residents_[place_of(address)].is != whereabouts::elsewhere) continue;
      if (dps_thread* const thread = move_in(address, std::nullopt)) owned.push_back(thread);
      ++made;
    }
    publish(update.collection, update.version,
            node_.common().placements().of(update.collection, update.version, update.nodes));
    epoch_ = std::max(epoch_.load(), update.epoch);
  }
  for (dps_thread* thread : owned) thread->own();
  node_.execution_threads().serve(update.collection, made);
  wait_for_readers();
  return leaving;
}

void views::wait_for_readers() {
  std::vector<std::unique_ptr<collection_view const>> unread;
  {
    scoped_lock const lock(mutex_);
    unread.swap(replaced_);
  }
  for (execution_thread* thread : node_.execution_threads().all()) {
    while (thread != scheduler::self() && thread->reads_views.load()) std::this_thread::yield();
  }
  scoped_lock const none(others_read_);
}

void views::arrive(thread_address thread, std::shared_ptr<void> state) {
  dps_thread* owned = nullptr;
  {
    scoped_lock const lock(mutex_);
    owned = move_in(thread, std::move(state));
    publish_again(thread.collection);
  }
  node_.execution_threads().serve(thread.collection, 1);
  if (owned != nullptr) owned->own();
}

void views::remove(thread_address thread, whereabouts then) {
  {
    scoped_lock const lock(mutex_);
    residents_[place_of(thread)].is = then;
  }
  node_.execution_threads().serve(thread.collection, -1);
}

/// If one comes back, its mail may come before its state: it must not find the thread as it left, which would forward
/// the mail to where it went.
void views::forget_departed(std::uint32_t collection) {
  bool any = false;
  scoped_lock const lock(mutex_);
  for_each_resident(collection, [&](std::uint32_t, resident& r) {
    if (r.is != whereabouts::departed) return;
    r.is = whereabouts::elsewhere;
    any = true;
  });
  if (any) publish_again(collection);
}

// All of them

std::vector<dps_thread*> views::threads() {
  scoped_lock const lock(mutex_);
  std::vector<dps_thread*> all;
  for (auto const& [at, r] : residents_) {
    if (r.is != whereabouts::elsewhere) all.push_back(r.thread.get());
  }
  return all;
}

std::vector<thread_address> views::expected() {
  scoped_lock const lock(mutex_);
  std::vector<thread_address> all;
  for (auto const& [at, r] : residents_) {
    if (!r.early.empty()) all.push_back({at.first, at.second});
  }
  return all;
}

std::string views::broken_invariant() {
  scoped_lock const lock(mutex_);
  for (auto const& [at, r] : residents_) {
    if (!r.early.empty() && r.is != whereabouts::elsewhere)
      return node_.program().name({at.first, at.second}) + " is here, and its first mail is kept beside it";
    if (r.is == whereabouts::elsewhere) continue;
    if (std::string broken = r.thread->broken_invariant(); !broken.empty()) return broken;
  }
  for (std::uint32_t c = 0; c < current_.size(); ++c) {
    if (std::string const broken = broken_invariant(c); !broken.empty())
      return "the view of collection '" + node_.program().collection(c).name + "': " + broken;
  }
  return "";
}

std::string views::broken_invariant(std::uint32_t collection) {
  collection_view const* const view = current_[collection].get();
  if (published_[collection].load() != view) return "another one is published";
  if (view == nullptr) return "";
  std::span<std::uint32_t const> const threads = view->where->threads_of(self_);
  if (threads.size() != view->here.size()) return "it has not as many threads here as are placed here";
  for (std::size_t t = 0; t < threads.size(); ++t) {
    if (view->where->node_of(threads[t]) != self_ || view->where->place_of(threads[t]) != t)
      return "its placement contradicts itself";
    auto const known = residents_.find({collection, threads[t]});
    bool const is_here = known != residents_.end() && known->second.is == whereabouts::here;
    if (view->here[t] == nullptr ? is_here : known == residents_.end() || known->second.thread.get() != view->here[t])
      return "thread " + std::to_string(threads[t]) + " is another one than the one that lives here";
  }
  return "";
}

void views::drop_mail() {
  scoped_lock const lock(mutex_);
  for (auto& [at, r] : residents_) {
    if (r.thread) r.thread->drop_mail();
    r.early.clear();
  }
}

}  // namespace ovlp::OVLP_INLINE_CORE
