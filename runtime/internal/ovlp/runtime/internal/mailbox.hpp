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
/// Source: the intrusive queue for many producers and one consumer of D. Vyukov (1024cores.net): a producer exchanges
/// the tail and then links, so an owner may find mail that is not linked yet and waits those few instructions.
class mailbox {
 public:
  mailbox() : head_(&stub_), tail_(&stub_) {}
  ~mailbox() { clear(); }

  /// Returns whether nobody owned the mailbox: then the caller does now.
  bool add(mail_ptr m) {
    link(m.release());
    return !owned_.load() && !owned_.exchange(true);
  }

  /// The oldest mail, or nullptr. Thread: the owner.
  mail_ptr take() {
    if (head_ == &stub_) {
      if (tail_.load() == &stub_) return nullptr;
      head_ = next_of(&stub_);
    }
    mail* const oldest = head_;
    // The last one can only be taken with another behind it.
    if (oldest->next.load(std::memory_order_acquire) == nullptr && tail_.load() == oldest) link(&stub_);
    head_ = next_of(oldest);
    return mail_ptr(oldest);
  }

  /// Gives the ownership up, unless mail has come. Thread: the owner, after take() gave nullptr.
  bool disown() {
    owned_.store(false);
    if (tail_.load() == &stub_) return true;
    return owned_.exchange(true);  // if it was true, who added the mail is the owner
  }

  bool owned() const { return owned_.load(); }
  /// Between two operations on it: whether somebody owns the mail that is there.
  std::string broken_invariant() const {
    bool const empty = head_ == &stub_ && tail_.load() == &stub_;
    return empty || owned() ? "" : "mail is there, and nobody owns it";
  }

  /// Thread: the owner, or any if there is none.
  void clear() {
    while (take()) {
    }
  }

 private:
  struct stub_mail final : mail {
    stub_mail() : mail(kind_type::resume) {}
  };

  void link(mail* m) {
    m->next.store(nullptr, std::memory_order_relaxed);
    tail_.exchange(m)->next.store(m, std::memory_order_release);
  }
  static mail* next_of(mail* m) { return spin_while(m->next, nullptr); }

  mail* head_;
  alignas(apart_bytes) shared<mail*> tail_;
  shared<bool> owned_{false};
  stub_mail stub_;
};

}  // namespace ovlp::OVLP_INLINE_CORE
