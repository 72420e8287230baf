// SPDX-License-Identifier: BSD-3-Clause
#include "deferred_signals.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include <ovlp/instrument/entry.hpp>

#include "observed.hpp"

namespace ovlp::shared_memory {
namespace {

/// What the program has asked for. While it is being changed, a handler may be called with the mask of the other one.
std::array<struct sigaction, NSIG> actions{};

struct deferral {
  bool active, has_one;
  int signal;
  siginfo_t about;
  sigset_t mask;  ///< the thread's before: until then all others are blocked
};
// Known when the thread starts: a handler must not have it made.
__thread __attribute__((tls_model("initial-exec"))) deferral of_this_thread{};

/// By the thread's own doing: it cannot go on before they are handled.
constexpr std::array own_signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};

bool can_wait(int signal) {
  return signal > 0 && signal < NSIG && std::find(own_signals.begin(), own_signals.end(), signal) == own_signals.end();
}

void call_handler(struct sigaction const& of, int signal, siginfo_t* about, void* context) {
  if ((of.sa_flags & SA_SIGINFO) != 0) of.sa_sigaction(signal, about, context);
  else of.sa_handler(signal);
}

void handle(int signal, siginfo_t* about, void* context) {
  if (!of_this_thread.active) return call_handler(actions[static_cast<std::size_t>(signal)], signal, about, context);
  of_this_thread.has_one = true;
  of_this_thread.signal = signal;
  of_this_thread.about = *about;
  sigset_t& interrupted = static_cast<ucontext_t*>(context)->uc_sigmask;  // which this handler's end restores
  of_this_thread.mask = interrupted;
  ::sigfillset(&interrupted);
  for (int const s : own_signals) ::sigdelset(&interrupted, s);
}

bool calls_a_function(struct sigaction const& of) { return of.sa_handler != SIG_DFL && of.sa_handler != SIG_IGN; }

int sigaction_next(int signal, struct sigaction const* wanted, struct sigaction* before) {
  static auto const next = reinterpret_cast<decltype(&::sigaction)>(::dlsym(RTLD_NEXT, "sigaction"));
  return next(signal, wanted, before);
}

}  // namespace

void defer_signals() { of_this_thread.active = true; }
bool defers_signals() { return of_this_thread.active; }

void handle_deferred_signals() {
  of_this_thread.active = false;
  if (!of_this_thread.has_one) [[likely]]
    return;
  of_this_thread.has_one = false;
  sigset_t const before = of_this_thread.mask;
  struct sigaction const& action = actions[static_cast<std::size_t>(of_this_thread.signal)];
  sigset_t during = before;
  for (int s = 1; s < NSIG; ++s) {
    if (::sigismember(&action.sa_mask, s) == 1) ::sigaddset(&during, s);
  }
  if ((action.sa_flags & SA_NODEFER) == 0) ::sigaddset(&during, of_this_thread.signal);
  int const error = errno;
  siginfo_t about = of_this_thread.about;
  ucontext_t context;
  ::getcontext(&context);
  ::pthread_sigmask(SIG_SETMASK, &during, nullptr);
  call_handler(action, about.si_signo, &about, &context);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
}

}  // namespace ovlp::shared_memory

OVLP_ENTRY int sigaction(int signal, struct sigaction const* wanted, struct sigaction* before) {
  using namespace ovlp::shared_memory;  // NOLINT(google-build-using-namespace)
  counters const* const counting = counted();
  if (counting == nullptr || counting->how != definition::accurate || !can_wait(signal))
    return sigaction_next(signal, wanted, before);
  struct sigaction& kept = actions[static_cast<std::size_t>(signal)];
  struct sigaction const had = kept;
  struct sigaction ours {};
  bool const deferrable = wanted != nullptr && calls_a_function(*wanted);
  if (deferrable) {
    ours = *wanted;
    ours.sa_flags |= SA_SIGINFO;
    ours.sa_sigaction = handle;
    kept = *wanted;
  }
  struct sigaction found {};
  int const failed = sigaction_next(signal, deferrable ? &ours : wanted, &found);
  if (failed != 0) kept = had;
  bool const was_ours = (found.sa_flags & SA_SIGINFO) != 0 && found.sa_sigaction == handle;
  if (failed == 0 && before != nullptr) *before = was_ours ? had : found;
  return failed;
}

OVLP_ENTRY sighandler_t signal(int signal, sighandler_t handler) noexcept {
  struct sigaction wanted {};
  struct sigaction before {};
  wanted.sa_handler = handler;
  wanted.sa_flags = SA_RESTART;
  return ::sigaction(signal, &wanted, &before) == 0 ? before.sa_handler : SIG_ERR;
}
