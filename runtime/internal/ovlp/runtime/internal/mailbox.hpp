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
  /// Of an object: changes of collections that the node had adopted that sent it here. It stands here, where there is
  /// room, because an envelope just fits two cache lines.
  std::uint32_t epoch = 0;
  mail* next = nullptr;

  /// Of whatever kind it is.
  struct deleter {
    void operator()(mail* m) const noexcept;
  };

 protected:
  explicit constexpr mail(kind_type k) : kind(k) {}
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
    m->next = nullptr;
    if (last_ == nullptr) {
      first_ = m;
    } else {
      last_->next = m;
    }
    last_ = m;
  }
  /// There must be one.
  mail_ptr pop() {
    mail* const m = first_;
    first_ = m->next;
    if (first_ == nullptr) last_ = nullptr;
    return mail_ptr(m);
  }
  /// From first to last by their links, into an empty one.
  void take_linked(mail* first, mail* last) {
    first_ = first;
    last_ = last;
  }
  void clear() {
    while (!empty()) pop();
  }
  std::size_t size() const {
    std::size_t count = 0;
    for (mail const* m = first_; m != nullptr; m = m->next) ++count;
    return count;
  }

 private:
  mail* first_ = nullptr;
  mail* last_ = nullptr;
};

/// First in, first out: anyone adds, the owner takes. There is an owner whenever mail is there.
///
/// Who adds puts the mail on top of a stack, or finds that nobody owns it, and then does; the owner takes the whole
/// stack at once and turns it over. Source of the stack: R. K. Treiber, "Systems programming: coping with parallelism",
/// IBM RJ 5118, 1986; without its problem of addresses that come back, for nobody takes a single one.
class mailbox {
 public:
  mailbox() : top_(nobody()) {}
  ~mailbox() { clear(); }

  /// Returns whether nobody owned the mailbox: then the caller does now.
  bool add(mail_ptr m) {
    mail* top = top_.load(std::memory_order_relaxed);
    for (;;) {
      if (top == nobody()) {
        if (!top_.compare_exchange_weak(top, nullptr, std::memory_order_acquire)) continue;
        taken_.push(std::move(m));
        return true;
      }
      m->next = top;
      if (!top_.compare_exchange_weak(top, m.get(), std::memory_order_release)) continue;
      static_cast<void>(m.release());
      return false;
    }
  }

  /// The oldest mail, or nullptr. Thread: the owner.
  mail_ptr take() {
    if (taken_.empty()) {
      if (top_.load(std::memory_order_relaxed) == nullptr) return nullptr;
      turn_over(top_.exchange(nullptr, std::memory_order_acquire));
    }
    return taken_.pop();
  }

  /// Gives the ownership up, unless mail has come. Thread: the owner, after take() gave nullptr.
  bool disown() {
    mail* none = nullptr;
    return top_.compare_exchange_strong(none, nobody(), std::memory_order_release);
  }

  bool owned() const { return top_.load() != nobody(); }
  /// Between two operations on it: whether somebody owns the mail that is there.
  std::string broken_invariant() const { return taken_.empty() || owned() ? "" : "mail is there, and nobody owns it"; }

  /// Thread: the owner, or any if there is none.
  void clear() {
    taken_.clear();
    if (!owned()) return;
    while (take()) {
    }
  }

 private:
  struct marker final : mail {
    constexpr marker() : mail(kind_type::resume) {}
  };
  static mail* nobody() {
    static constinit marker mark;
    return &mark;
  }

  void turn_over(mail* newest) {
    mail* oldest = nullptr;
    for (mail* m = newest; m != nullptr;) oldest = std::exchange(m, std::exchange(m->next, oldest));
    taken_.take_linked(oldest, newest);
  }

  alignas(apart_bytes) shared<mail*> top_;  ///< the newest; nullptr: none; nobody(): none, and nobody owns it
  mail_queue taken_;                        ///< of the owner
};

}  // namespace ovlp::OVLP_INLINE_CORE
