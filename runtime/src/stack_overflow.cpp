// SPDX-License-Identifier: BSD-3-Clause
#include "stack_overflow.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <string_view>

#include <ovlp/runtime/internal/execution_thread.hpp>
#include <ovlp/runtime/internal/thread_manager.hpp>

#include "dps_thread.hpp"
#include "execution.hpp"
#include "loop_pool.hpp"
#include "scheduler.hpp"

namespace ovlp {
inline namespace OVLP_CORE {
namespace {

/// A line that is put together without memory or locks: the fault may have come in the middle of malloc.
class line {
 public:
  line& operator<<(std::string_view text) {
    std::size_t const now = std::min(text.size(), sizeof text_ - size_);
    std::memcpy(text_ + size_, text.data(), now);
    size_ += now;
    return *this;
  }
  line& operator<<(std::size_t number) {
    char digits[24];
    auto const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    return *this << std::string_view(digits, static_cast<std::size_t>(end - digits));
  }
  void print() const { [[maybe_unused]] ssize_t const written = ::write(STDERR_FILENO, text_, size_); }

 private:
  char text_[1024];
  std::size_t size_ = 0;
};

struct sigaction previous;

/// Async-signal-safe: it reads what is constant while the operation runs.
void report(int signal, siginfo_t* what, void*) {
  execution_thread const* const self = scheduler::self();
  loop_fiber const* const on = self == nullptr ? nullptr : self->loop();
  if (on != nullptr && on->fiber.overflows_at(what->si_addr)) {
    thread_manager const& manager = self->manager();
    line text;
    text << "ovlp: stack overflow in ";
    if (on->operation != nullptr) {
      execution const& e = *on->operation;
      thread_address const at = e.thread().address();
      text << kind_name(e.definition().kind) << " '" << e.definition().name << "' in "
           << manager.program().collection(at.collection).name << "[" << std::size_t{at.index} << "]";
    } else {  // between operations
      text << "the maker of a state, or the condition of a wait";
    }
    text << " on node" << std::size_t{manager.self()} << ": its " << manager.settings().stack_bytes / 1024
         << " KiB are too few; --stack-kib gives more\n";
    text.print();
  }
  // Returning repeats the fault, for whoever comes next.
  ::sigaction(signal, &previous, nullptr);
}

/// Where the handler runs: the operation's own stack is full.
class alternate_stack {
 public:
  alternate_stack() {
    stack_t known{};
    if (::sigaltstack(nullptr, &known) == 0 && (known.ss_flags & SS_DISABLE) == 0) return;  // a sanitizer has given one
    memory_ = std::make_unique<std::byte[]>(bytes);
    stack_t mine{};
    mine.ss_sp = memory_.get();
    mine.ss_size = bytes;
    ::sigaltstack(&mine, nullptr);
  }
  alternate_stack(alternate_stack const&) = delete;
  alternate_stack& operator=(alternate_stack const&) = delete;
  ~alternate_stack() {
    if (!memory_) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    ::sigaltstack(&none, nullptr);
  }

 private:
  static constexpr std::size_t bytes = 64 * 1024;
  std::unique_ptr<std::byte[]> memory_;
};

}  // namespace

void report_stack_overflows() {
  static std::once_flag installed;
  std::call_once(installed, [] {
    struct sigaction ours {};
    ours.sa_sigaction = report;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigemptyset(&ours.sa_mask);
    ::sigaction(SIGSEGV, &ours, &previous);
  });
  thread_local alternate_stack const own;
}

}  // namespace OVLP_CORE
}  // namespace ovlp
