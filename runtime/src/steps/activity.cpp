// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/internal/activity.hpp>

#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>

#include <ovlp/flowgraph/sanitizers.hpp>

namespace ovlp {
namespace {

std::atomic<activity*> known_activities{nullptr};
constexpr std::int64_t worth_naming_ns = 1'000'000'000;

std::int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// Whether an OS thread waits for something, as the system sees it now. Async-signal-safe.
bool is_blocked(int thread) {
  signal_line path;
  path << "/proc/self/task/" << thread << std::string_view("/stat", sizeof "/stat");
  int const file = ::open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char text[256];
  ssize_t const size = ::read(file, text, sizeof text);
  ::close(file);
  std::string_view const all_of_it(text, size < 0 ? 0 : static_cast<std::size_t>(size));
  std::size_t const name_ends = all_of_it.rfind(") ");
  return name_ends != std::string_view::npos && name_ends + 2 < all_of_it.size() && all_of_it[name_ends + 2] != 'R';
}

}  // namespace

struct activity::holder {
  activity* own = nullptr;
  holder() {
    for (activity* a = known_activities.load(); a != nullptr; a = a->next_.load()) {
      bool free = false;
      if (!a->taken_.compare_exchange_strong(free, true)) continue;
      own = a;
      break;
    }
    if (own == nullptr) {
      own = new activity;
      activity* first = known_activities.load();
      do {
        own->next_.store(first);
      } while (!known_activities.compare_exchange_weak(first, own));
    }
    own->thread_.store(::gettid());
  }
  holder(holder const&) = delete;
  holder& operator=(holder const&) = delete;
  ~holder() {
    // std::exit() in what it runs: it is asked for its name later, and no other thread comes.
    if (own->operation_.load() == nullptr && own->function_.load() == nullptr) own->taken_.store(false);
  }
};

/// Not inlined: an operation goes on in another OS thread after a switch.
[[gnu::noinline]] activity& activity::of_this_thread() {
  thread_local holder const mine;
  return *mine.own;
}

void activity::begins_kernel(std::string_view name) {
  std::array<std::uint64_t, kernel_words> words{};
  std::memcpy(words.data(), name.data(), std::min(name.size(), sizeof words));
  for (std::size_t i = kernel_words; i-- > 0;) kernel_[i].store(words[i], std::memory_order_relaxed);
}

/// What an activity was, all at one moment.
struct activity::seen {
  std::uint64_t step = 0;
  operation_definition const* operation = nullptr;
  char const* function = nullptr;
  std::string const* collection = nullptr;
  std::uint32_t index = 0;
  node_id node = 0;
  std::array<std::uint64_t, kernel_words> kernel{};
  std::int64_t age_ns = 0;  ///< since watch() saw this step first
  bool blocked = false;     ///< when watch() looked last

  /// Of the program's, what runs: the same for all threads that run it.
  void const* what() const { return operation != nullptr ? static_cast<void const*>(operation) : collection; }
  void name(signal_line& to) const {
    if (operation != nullptr) {
      to << kind_name(operation->kind) << " '" << operation->name << "'";
    } else {
      to << function;
    }
    to << " in " << *collection << "[" << index << "] on node" << node;
  }
  void print() const {
    signal_line text;
    text << "ovlp: ";
    name(text);
    text << " has been in one step for " << age_ns / 1'000'000'000 << " s";
    if (kernel[0] != 0) {
      char const* const begin = reinterpret_cast<char const*>(kernel.data());
      text << ", in kernel '" << std::string_view(begin, ::strnlen(begin, sizeof kernel)) << "'";
    }
    text << (blocked ? "; now it is blocked\n" : "; now it computes\n");
    text.print();
  }
};

/// Whether it runs something, and nothing changed meanwhile.
bool activity::read(seen& into) const {
  into.step = steps_.load(std::memory_order_acquire);
  into.operation = operation_.load(std::memory_order_acquire);
  into.function = function_.load(std::memory_order_acquire);
  into.collection = collection_.load(std::memory_order_acquire);
  std::uint64_t const place = place_.load(std::memory_order_acquire);
  into.index = static_cast<std::uint32_t>(place);
  into.node = static_cast<node_id>(place >> 32);
  for (std::size_t i = 0; i < kernel_words; ++i) into.kernel[i] = kernel_[i].load(std::memory_order_acquire);
  std::int64_t const since_ns = since_ns_.load(std::memory_order_acquire);
  into.blocked = blocked_.load(std::memory_order_acquire);
  into.age_ns = watched_.load(std::memory_order_acquire) == into.step ? now_ns() - since_ns : 0;
  return (into.operation != nullptr || into.function != nullptr) && steps_.load() == into.step &&
         operation_.load() == into.operation && function_.load() == into.function;
}

bool activity::name_if(bool (*wanted)(activity const&), signal_line& to) {
  bool any = false;
  for (activity const* a = known_activities.load(); a != nullptr; a = a->next_.load()) {
    seen now;
    if (!wanted(*a) || !a->read(now)) continue;
    to << (std::exchange(any, true) ? ", " : "");
    now.name(to);
  }
  return any;
}

bool activity::name_here(signal_line& to) {
  return name_if([](activity const& of) { return of.thread_.load() == ::gettid() && of.taken_.load(); }, to);
}

bool activity::name_all(signal_line& to) {
  return name_if([](activity const&) { return true; }, to);
}

void activity::watch() {
  static std::mutex one_at_a_time;
  static std::set<std::pair<void const*, node_id>> named;
  std::lock_guard const lock(one_at_a_time);
  for (activity* a = known_activities.load(); a != nullptr; a = a->next_.load()) {
    if (std::uint64_t const step = a->steps_.load(); a->watched_.load() != step) {
      a->since_ns_.store(now_ns());
      a->watched_.store(step);
    }
    seen now;
    if (!a->read(now) || now.age_ns < worth_naming_ns) continue;
    a->blocked_.store(now.blocked = is_blocked(a->thread_.load()));
    if (now.age_ns < long_step_s * 1'000'000'000 || signal_line::would_wait()) continue;
    if (named.insert({now.what(), now.node}).second) now.print();
  }
}

void activity::handle(int signal) {
  int const error = errno;
  for (activity const* a = known_activities.load(); a != nullptr; a = a->next_.load()) {
    seen now;
    if (a->read(now) && now.age_ns >= worth_naming_ns && !signal_line::would_wait()) now.print();
  }
  struct sigaction otherwise {};
  otherwise.sa_handler = SIG_DFL;
  ::sigaction(signal, &otherwise, nullptr);
  ::raise(signal);  // when this returns
  errno = error;
}

void activity::name_on_signals() {
#ifndef OVLP_THREAD_SANITIZER  // which keeps a handler from what computes, and so an interruption
  static std::once_flag installed;
  std::call_once(installed, [] {
    for (int const signal : {SIGINT, SIGQUIT, SIGTERM}) {
      struct sigaction known {};
      if (::sigaction(signal, nullptr, &known) != 0 || (known.sa_flags & SA_SIGINFO) != 0 ||
          known.sa_handler != SIG_DFL)
        continue;
      struct sigaction ours {};
      ours.sa_handler = handle;
      ours.sa_flags = SA_ONSTACK | SA_RESTART;
      ::sigemptyset(&ours.sa_mask);
      ::sigaction(signal, &ours, nullptr);
    }
  });
#endif
}

}  // namespace ovlp
