// SPDX-License-Identifier: BSD-3-Clause
#include "steps/crashes.hpp"

#include <signal.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <mutex>

#include <ovlp/runtime/internal/execution_thread.hpp>
#include <ovlp/runtime/internal/signal_line.hpp>
#include <ovlp/runtime/internal/thread_manager.hpp>

#include "steps/loop_pool.hpp"
#include "steps/scheduler.hpp"

namespace ovlp::OVLP_INLINE_CORE {
namespace {

struct crash {
  int signal;
  char const* name;
  struct sigaction previous;
};
std::array crashes{crash{SIGSEGV, "SIGSEGV", {}}, crash{SIGBUS, "SIGBUS", {}}, crash{SIGFPE, "SIGFPE", {}},
                   crash{SIGILL, "SIGILL", {}}, crash{SIGABRT, "SIGABRT", {}}};

void report(int signal, siginfo_t* what, void*) {
  crash const& known =
      *std::find_if(crashes.begin(), crashes.end(), [&](crash const& c) { return c.signal == signal; });
  bool const sent = what->si_code == SI_USER || what->si_code == SI_QUEUE;  // by somebody, to whatever thread
  execution_thread const* const self = sent ? nullptr : scheduler::self();
  loop_fiber const* const on = self == nullptr ? nullptr : self->loop();
  bool const overflow = on != nullptr && signal == SIGSEGV && on->fiber.overflows_at(what->si_addr);
  signal_line text;
  text << "ovlp: " << (overflow ? "stack overflow" : known.name) << " in ";
  bool named = !sent && activity::name_here(text);
  if (!named && !sent && self == nullptr) {  // perhaps in a thread that one of them has started
    text << "another thread, while there ran ";
    named = activity::name_all(text);
  }
  if (overflow) {
    text << ": its " << self->manager().settings().stack_bytes / 1024 << " KiB are too few; --stack-kib gives more";
  }
  text << "\n";
  if (named) text.print();
  // Returning repeats a fault, for whoever comes next.
  ::sigaction(signal, &known.previous, nullptr);
  if (signal == SIGABRT || what->si_code <= 0) ::raise(signal);
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

void report_crashes() {
  static std::once_flag installed;
  std::call_once(installed, [] {
    for (crash& c : crashes) {
      struct sigaction ours {};
      ours.sa_sigaction = report;
      ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
      ::sigemptyset(&ours.sa_mask);
      ::sigaction(c.signal, &ours, &c.previous);
    }
  });
  thread_local alternate_stack const own;
}

}  // namespace ovlp::OVLP_INLINE_CORE
