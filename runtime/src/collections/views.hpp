// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/flowgraph/mapping.hpp>
#include <ovlp/runtime/internal/control.hpp>
#include <ovlp/runtime/internal/execution_thread.hpp>
#include <ovlp/runtime/internal/program.hpp>
#include <ovlp/runtime/internal/synchronization.hpp>

#include "collections/placement.hpp"
#include "steps/dps_thread.hpp"
#include "steps/mail.hpp"
#include "steps/scheduler.hpp"

namespace ovlp::OVLP_INLINE_CORE {

class thread_manager;

/// Where the threads of a collection live, as a node knows it. Constant once published.
struct collection_view {
  std::uint32_t version = 0;
  std::shared_ptr<placement const> where;
  std::vector<dps_thread*> here;  ///< those that it places here; nullptr: it has not come yet
};

/// What a node knows of all collections: where their threads live; and the threads that live here.
///
/// Everyone reads the views without a lock. Nobody waits for who reads but a change: a new view counts as adopted, and
/// an old one is forgotten, when nobody reads the old one any more.
/// Thread: any; changes of one collection come one after another.
class views {
 public:
  /// Reads views: those that it gives stay while it lives. One at a time in an OS thread, and not for long.
  class reading {
   public:
    explicit reading(views& of) : of_(of) {
      if (execution_thread* const self = scheduler::self()) {
        mark_ = &self->reads_views;
        mark_->store(true);
      } else {
        as_other_.emplace(of_.others_read_);
      }
      epoch_ = of_.epoch_;
    }
    ~reading() {
      if (mark_ != nullptr) mark_->store(false, std::memory_order_release);
    }

    /// Changes that had been adopted when it began. What is sent by these views carries it.
    std::uint32_t epoch() const { return epoch_; }
    collection_view const& operator[](std::uint32_t collection) const { return *of_.published_[collection].load(); }

   private:
    views& of_;
    shared<bool>* mark_ = nullptr;                ///< of the execution thread that reads
    std::optional<scoped_lock<mutex>> as_other_;  ///< as any other OS thread, one at a time
    std::uint32_t epoch_ = 0;
  };

  explicit views(thread_manager& node);

  /// The collections' first mappings. The threads that they place here are made, unless the node is to be told its own.
  void start(bool joins_later);

  /// Threads of the collection.
  std::size_t size(std::uint32_t collection) { return reading(*this)[collection].where->size(); }
  std::uint32_t epoch() const { return epoch_; }

  /// Adds mail for a thread that lives here, leaves, or is about to come. Returns the thread if the caller now owns it,
  /// which must call own() once it reads no more.
  [[nodiscard]] dps_thread* add(reading const& now, thread_address to, mail_ptr m) {
    collection_view const& view = now[to.collection];
    bool const placed_here = to.index < view.where->size() && view.where->node_of(to.index) == self_;
    dps_thread* const here = placed_here ? view.here[view.where->place_of(to.index)] : nullptr;
    dps_thread* const thread = here != nullptr ? here : find_or_keep(to, m);
    return thread != nullptr && thread->add(std::move(m)) ? thread : nullptr;
  }
  /// The same for who does not read.
  void deliver(thread_address to, mail_ptr m);

  /// Replaces a view; new threads here have their state made. When it returns, nobody sends by an older one. Returns
  /// the threads here that are to leave.
  std::vector<dps_thread*> adopt(view_update const& update);
  /// A thread has come from another node.
  void arrive(thread_address thread, std::shared_ptr<void> state);
  /// A thread has gone to another node, and sends after itself what still comes.
  void depart(thread_address thread) { remove(thread, whereabouts::departed); }
  /// Nothing comes any more for threads that have gone.
  void forget_departed(std::uint32_t collection);
  /// A thread has left the collection.
  void leave(thread_address thread) { remove(thread, whereabouts::elsewhere); }

  /// Threads that are here, and those that have gone and send things after themselves.
  std::vector<dps_thread*> threads();
  /// Threads that are not here and for which something has come.
  std::vector<thread_address> expected();
  /// Of the views, and of the threads that live here. Between two steps of the node.
  std::string broken_invariant();
  /// At the end: forgets all mail.
  void drop_mail();

 private:
  enum class whereabouts : std::uint8_t { elsewhere, here, departed };
  /// A thread that lives here, has lived here, or is about to. The object is kept for the day when the thread comes
  /// back, for an execution thread may still hold what has left.
  struct resident {
    std::unique_ptr<dps_thread> thread;
    whereabouts is = whereabouts::elsewhere;
    mail_queue early;  ///< that has come before the thread
  };
  using place = std::pair<std::uint32_t, std::uint32_t>;  // collection, index
  static place place_of(thread_address thread) { return {thread.collection, thread.index}; }

  dps_thread* find_or_keep(thread_address to, mail_ptr& m);
  template <class Function>
  void for_each_resident(std::uint32_t collection, Function const& function) OVLP_REQUIRES(mutex_);
  dps_thread* move_in(thread_address address, given_state state) OVLP_REQUIRES(mutex_);
  void remove(thread_address thread, whereabouts then);
  void publish(std::uint32_t collection, std::uint32_t version, std::shared_ptr<placement const> where)
      OVLP_REQUIRES(mutex_);
  void publish_again(std::uint32_t collection) OVLP_REQUIRES(mutex_);
  void wait_for_readers();
  std::string broken_invariant(std::uint32_t collection) OVLP_REQUIRES(mutex_);

  thread_manager& node_;
  node_id const self_;
  std::vector<shared<collection_view const*>> published_;
  shared<std::uint32_t> epoch_{0};  ///< changes adopted; raised after the view that it goes with is published
  mutex others_read_;
  mutex mutex_;
  std::vector<std::unique_ptr<collection_view const>> current_ OVLP_GUARDED_BY(mutex_);  ///< that are published
  std::vector<std::unique_ptr<collection_view const>> replaced_ OVLP_GUARDED_BY(mutex_);
  std::map<place, resident> residents_ OVLP_GUARDED_BY(mutex_);
};

}  // namespace ovlp::OVLP_INLINE_CORE
