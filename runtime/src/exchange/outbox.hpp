// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

#include <ovlp/runtime/internal/control.hpp>
#include <ovlp/runtime/internal/envelope.hpp>
#include <ovlp/runtime/internal/synchronization.hpp>

#include "exchange/by_node.hpp"
#include "steps/mail.hpp"

namespace ovlp::OVLP_INLINE_CORE {

class thread_manager;

/// The objects for one other node: at most `bound` in transfer at once, the others in order behind them.
/// docs/model.md, "Transfers".
class send_queue {
 public:
  /// Returns the object if it is to go now. `bound` 0: none.
  envelope_ptr add(envelope_ptr object, std::size_t bound) {
    if (bound == 0 || in_transfer_ < bound) {
      ++in_transfer_;
      return object;
    }
    waiting_.push(as_mail(std::move(object)));
    return nullptr;
  }
  /// One transfer has ended: returns the object that is to go now, if any.
  envelope_ptr next() {
    if (!waiting_.empty()) return as_object(waiting_.pop());
    --in_transfer_;
    return nullptr;
  }
  /// In transfer, or waiting for it. Cost: one pass.
  std::size_t size() const { return in_transfer_ + waiting_.size(); }

 private:
  std::size_t in_transfer_ = 0;
  mail_queue waiting_;
};

/// What a node sends to others: the objects for each in a send_queue, control messages at once.
/// Thread: any.
class outbox {
 public:
  explicit outbox(thread_manager& node) : node_(node) {}

  void send(node_id to, envelope_ptr object);
  /// One that is for this node is handled before this returns. `call` of the main program: for the records.
  void tell(node_id to, control const& message, group_id call = 0);
  /// The transfer of an object to this node has ended, so that another may begin.
  void sent(node_id to) { hand_over(to, transfer_ended(to)); }
  /// No object waits to be sent or is in transfer.
  bool all_sent() const { return under_way_ == 0; }
  /// What should always hold and does not; empty: all does.
  std::string broken_invariant();

 private:
  void hand_over(node_id to, envelope_ptr object);
  envelope_ptr transfer_ended(node_id to);

  thread_manager& node_;
  mutex mutex_;
  by_node<send_queue> queues_ OVLP_GUARDED_BY(mutex_);
  shared<std::size_t> under_way_{0};  ///< objects that wait, or are in transfer
};

}  // namespace ovlp::OVLP_INLINE_CORE
