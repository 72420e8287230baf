// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <ovlp/runtime/internal/synchronization.hpp>

namespace ovlp::OVLP_INLINE_CORE {

/// Something in the queue of a DPS thread. What there is beside data objects: mail.hpp.
struct mail {
  enum class kind_type : std::uint8_t { object, total, start, resume, move, arrive, let_in, leave, state };
  kind_type kind;
  // Of an object; they stand here, where there is room, so that most envelopes fit two cache lines.
  std::uint16_t depth = 0;  ///< frames
  std::uint32_t epoch = 0;  ///< changes of collections that the node had adopted that sent it here
  shared<mail*> next{nullptr};

  /// Of whatever kind it is.
  struct deleter {
    void operator()(mail* m) const noexcept;
  };

 protected:
  explicit mail(kind_type k) : kind(k) {}
  ~mail() = default;
};
using mail_ptr = std::unique_ptr<mail, mail::deleter>;

/// First in, first out, for one thread; links through mail::next.
class mail_queue {
 public:
  mail_queue() = default;
  mail_queue(mail_queue&& other) noexcept
      : first_(std::exchange(other.first_, nullptr)), last_(std::exchange(other.last_, nullptr)) {}
  mail_queue& operator=(mail_queue&& other) noexcept {
    std::swap(first_, other.first_);
    std::swap(last_, other.last_);
    return *this;
  }
  ~mail_queue() { clear(); }

  bool empty() const { return first_ == nullptr; }
  /// nullptr: there is none.
  mail const* front() const { return first_; }
  void push(mail_ptr given) {
    mail* const m = given.release();
    m->next.store(nullptr, std::memory_order_relaxed);
    if (last_ == nullptr) {
      first_ = m;
    } else {
      last_->next.store(m, std::memory_order_relaxed);
    }
    last_ = m;
  }
  /// There must be one.
  mail_ptr pop() {
    mail* const m = first_;
    first_ = m->next.load(std::memory_order_relaxed);
    if (first_ == nullptr) last_ = nullptr;
    return mail_ptr(m);
  }
  void clear() {
    while (!empty()) pop();
  }
  std::size_t size() const {
    std::size_t count = 0;
    for (mail const* m = first_; m != nullptr; m = m->next.load(std::memory_order_relaxed)) ++count;
    return count;
  }

 private:
  mail* first_ = nullptr;
  mail* last_ = nullptr;
};

/// First in, first out: anyone adds, the owner takes. There is an owner whenever mail is there.
///
/// Mail waits in a list to which anyone adds at its end, by one exchange. Where nobody owns it there is no list, and
/// who adds becomes the owner and keeps that piece for itself. Of mail that waits none is touched before its turn.
/// Source of the list: the intrusive queue for many producers and one consumer of D. Vyukov (1024cores.net): a producer
/// exchanges the tail and then links, so an owner may find mail that is not linked yet and waits those few
/// instructions.
class mailbox {
 public:
  mailbox() : tail_(nobody()) {}
  ~mailbox() { clear(); }

  /// Returns whether nobody owned the mailbox: then the caller does now.
  bool add(mail_ptr m) {
    mail* before = tail_.load(std::memory_order_relaxed);
    if (before == nobody() && tail_.compare_exchange_strong(before, &empty_, std::memory_order_acquire)) {
      own_.push(std::move(m));
      return true;
    }
    mail* const added = m.release();
    added->next.store(nullptr, std::memory_order_relaxed);
    before = tail_.exchange(added, std::memory_order_acq_rel);
    if (before == nobody()) {
      head_ = added;
      return true;
    }
    before->next.store(added, std::memory_order_release);
    return false;
  }

  /// The oldest mail, or nullptr. Thread: the owner.
  mail_ptr take() {
    if (!own_.empty()) return own_.pop();
    if (head_ == nullptr) {
      if (tail_.load(std::memory_order_relaxed) == &empty_) return nullptr;
      head_ = spin_while(empty_.next, nullptr);
      empty_.next.store(nullptr, std::memory_order_relaxed);
    }
    mail* const oldest = head_;
    head_ = oldest->next.load(std::memory_order_acquire);
    mail* last = oldest;
    if (head_ == nullptr && !tail_.compare_exchange_strong(last, &empty_, std::memory_order_acq_rel))
      head_ = spin_while(oldest->next, nullptr);
    fetch(head_);
    return mail_ptr(oldest);
  }

  /// Gives the ownership up, unless mail has come. Thread: the owner, after take() gave nullptr.
  bool disown() {
    mail* last = &empty_;
    return tail_.compare_exchange_strong(last, nobody(), std::memory_order_release);
  }

  bool owned() const { return tail_.load() != nobody(); }
  /// Between two operations on it: whether somebody owns the mail that is there.
  std::string broken_invariant() const {
    return owned() || (own_.empty() && head_ == nullptr) ? "" : "mail is there, and nobody owns it";
  }

  /// Thread: the owner, or any if there is none.
  void clear() {
    while (owned() && take()) {
    }
  }

 private:
  /// Begins to get two cache lines of what comes next, while the oldest is worked on: docs/performance.md.
  static void fetch(mail const* next) {
    if (next == nullptr) return;
    __builtin_prefetch(next);
    __builtin_prefetch(reinterpret_cast<std::byte const*>(next) + 64);
  }
  struct marker final : mail {
    marker() : mail(kind_type::resume) {}
  };
  /// No mail, but an address that none has.
  static mail* nobody() {
    static constinit std::max_align_t mark{};
    return reinterpret_cast<mail*>(&mark);
  }

  alignas(apart_bytes) shared<mail*> tail_;  ///< the last mail; &empty_: there is none; nobody(): and nobody owns it
  // Of the owner.
  mail* head_ = nullptr;  ///< the first mail; nullptr: it is behind empty_, if there is one
  marker empty_;
  mail_queue own_;  ///< before all others: what made who added it the owner
};

}  // namespace ovlp::OVLP_INLINE_CORE
