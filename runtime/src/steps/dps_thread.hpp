// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <boost/intrusive/list.hpp>
#include <boost/intrusive/slist_hook.hpp>

#include <ovlp/runtime/internal/control.hpp>
#include <ovlp/runtime/internal/envelope.hpp>
#include <ovlp/runtime/internal/program.hpp>
#include <ovlp/runtime/internal/thread_manager.hpp>
#include <ovlp/runtime/internal/touch.hpp>

#include "steps/delivery_order.hpp"
#include "steps/execution.hpp"
#include "steps/mail.hpp"

namespace ovlp::OVLP_INLINE_CORE {

class execution_thread;
struct run_queue;

// steps/: how operations run on a node.
//
// Three things are called a thread. An OS thread is the machine's; in a simulation there is one. An execution_thread is
// what may run operations at the same time as others: an OS thread of a real node, a virtual one of a simulated node.
// A dps_thread is the program's: a serial place with a state, of which there may be thousands; it costs memory, and no
// stack.
//
// Who owns what, without a lock:
//   - a dps_thread's work queue, waiters and gatherings belong to its owner, of whom there is one whenever mail is
//     there: who has pushed into an idle thread, then the scheduler, then the execution thread that runs it;
//   - an execution belongs to whoever runs it; suspended, to its dps_thread's owner;
//   - a loop_fiber belongs to the execution thread that it stands on.
// With a lock: the scheduler's queues, for an instant; loop_pool; execution_pool, when collections change.
//
// A step ends where an operation posts, waits, calls or returns (backend::end_step). A simulation lets its time pass
// there; so nothing of an operation may stay half done over it that another operation of the node could see.
//
// Seen from other rooms: exchange pushes mail (push, add) and wakes who waits (execution::wake); collections make,
// move and remove dps_threads. This room calls backend.hpp for time, steps and kernels, and exchange to post.

/// Which piece of mail is added or looked for, for explored runs: in the place of one that others look at, too, a run
/// would differ.
#ifdef OVLP_ONE_THREAD
class mailbox_touches {
 public:
  template <class Thread>
  void added(Thread const& to) {
    if (explored == nullptr) [[likely]]
      return;
    touch(part::mailbox, to.manager().self(), name_of(to.address()));
    touch_mail(to, added_++);
  }
  template <class Thread>
  void looked_for(Thread const& in, bool found) {
    if (explored == nullptr) [[likely]]
      return;
    touch_mail(in, found ? taken_++ : taken_);
  }

 private:
  template <class Thread>
  static void touch_mail(Thread const& of, std::uint32_t number) {
    touch(part::mail, of.manager().self(), name_of(of.address()) * most_mail + number);
  }
  static constexpr std::uint64_t most_mail = 1'000'003;  // what is named alike by chance counts as dependent
  std::uint32_t added_ = 0, taken_ = 0;
};
#else
class mailbox_touches {
 public:
  template <class Thread>
  void added(Thread const&) {}
  template <class Thread>
  void looked_for(Thread const&, bool) {}
};
#endif

/// A logical, serial place of execution with its own state and queue. One operation runs in it at a time. Anyone pushes
/// mail, everything else belongs to the owner.
class dps_thread {
 public:
  /// It lives nowhere until it gets mail that says so.
  dps_thread(thread_manager& manager, thread_address address, std::size_t pool);
  ~dps_thread();

  /// Thread: any.
  void push(mail_ptr m) {
    if (add(std::move(m))) own();
  }
  /// The two halves of push: adds the mail, and says whether the caller now owns the thread and must call own().
  bool add(mail_ptr m) {
    if (order_ != nullptr) [[unlikely]]
      return order_->add(*this, std::move(m));
    return add_now(std::move(m));
  }
  /// The same, whatever the order in which mail is to come.
  bool add_now(mail_ptr m) {
    touches_.added(*this);
    return inbox_.add(std::move(m));
  }
  void own();

  /// Sorts what has come in; `stepped`: an operation has run, so conditions are evaluated.
  /// Returns whether there is something to run; if not, the caller owns the thread no more.
  bool sort_mail(bool stepped);
  /// Sorts what has come in next, for a running operation that looks for its next object. False if other work comes
  /// before that, or nothing has come: then the operation suspends.
  bool take_in_next();
  mail_ptr take_work() { return work_.pop(); }
  /// What it takes then.
  mail const& next_work() const { return *work_.front(); }
  /// Runs an operation from its start until its body returns; it may be suspended in between. Or a function for the
  /// state.
  void run(mail_ptr start, execution_thread& host);
  /// The operation is over.
  void forget(execution& operation);
  /// Forgets everything that waits. When nothing runs.
  void drop_mail();
  /// Keeps what a split received, for the closer of its groups, which runs here too; and gives it to that.
  void keep_opened(std::uint32_t closer, execution const& opener, std::shared_ptr<void const> input);
  std::shared_ptr<void const> take_opened(execution const& closer);
  /// Registers a suspended operation that waits for a condition.
  void add_waiter(execution& waiter) { waiters_.push_back(&waiter); }

  thread_manager& manager() const { return manager_; }
  thread_address address() const { return address_; }
  std::size_t pool() const { return pool_; }
  void* state() const { return state_.get(); }
  std::shared_ptr<void> take_state() {
    state_in_memory_.release();
    return std::move(state_);
  }
  /// What the state takes in memory may have changed.
  void hold_state(memory_watch& watch);
  /// The operations that are suspended in it. The node must be passive, or have stopped.
  std::vector<execution*> suspended() const;
  /// Between two steps of the node.
  std::string broken_invariant() const;

  // Of the scheduler.
  boost::intrusive::slist_member_hook<boost::intrusive::link_mode<boost::intrusive::normal_link>> in_ready_queue;
  run_queue* ran_in = nullptr;  ///< of the execution thread that ran it last
#ifdef OVLP_ONE_THREAD
  std::uint64_t arrival = 0;
#endif

 private:
  /// A closer's execution is known by its operation and the enclosing groups' innermost frame.
  struct closer_key {
    std::uint32_t operation;
    std::uint32_t place;
    group_id group;
    bool operator==(closer_key const&) const = default;
  };
  static closer_key key_of(std::uint32_t operation, ovlp::frames enclosing) {
    return {operation, enclosing.back().place, enclosing.back().group};
  }
  struct closer_hash {
    std::size_t operator()(closer_key const& key) const {
      return (key.group * 0x9e3779b97f4a7c15u) ^ (std::size_t{key.operation} << 32) ^ key.place;
    }
  };
  /// What a split received, until the closer of its groups takes it.
  struct kept_input {
    group_id call;
    std::shared_ptr<void const> input;
  };
  mail_ptr take_mail();
  void have_state(state_mail::what_type what);
  void take_in(mail_ptr m);
  void take_in_object(envelope_ptr object);
  void take_in_total(group_total const& total);
  execution& closer(std::uint32_t graph, std::uint32_t operation, ovlp::frames enclosing);
  void announce(execution& closer, frame const& opened);
  void ready(execution& waiter);
  bool holds(execution& waiter);
  bool goes_along(mail const& m) const;
  void hold(mail_ptr m);
  void arrive(given_state const& state);
  void begin_move(node_id to);
  void let_in();
  void depart();
  void forward(mail_ptr m);

  thread_manager& manager_;
  thread_address const address_;
  std::size_t const pool_;
  delivery_order* const order_;  ///< nullptr: nobody notes in which order mail comes, or says it
  std::shared_ptr<void> state_;
  [[no_unique_address]] memory_claim state_in_memory_;
  std::unordered_map<closer_key, std::unique_ptr<execution>, closer_hash> closers_;
  std::unordered_map<closer_key, kept_input, closer_hash> opened_;
  closer_key last_key_{};
  execution* last_closer_ = nullptr;
  std::unordered_map<group_id, execution*> gathered_;  // groups whose total is not known here
  std::vector<execution*> waiters_;
  boost::intrusive::list<
      execution, boost::intrusive::member_hook<execution, decltype(execution::of_thread), &execution::of_thread>,
      boost::intrusive::constant_time_size<false>>
      live_;  // executions that have started, or are about to, and not ended: those of leaves and splits are its own
  std::optional<node_id> moving_to_;
  bool lets_in_ = false;
  bool departed_ = false;
  bool leaving_ = false;
  [[no_unique_address]] mailbox_touches touches_;
  // Mail refers to operations, so it goes first.
  mailbox inbox_;
  mail_queue work_;
  mail_queue held_;  // while moving: what goes along
};

}  // namespace ovlp::OVLP_INLINE_CORE
