// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <signal.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace ovlp {

/// An OS thread that calls `what()` each period until it is stopped, which it is at once. It handles no signals.
template <class Function>
std::jthread periodically(std::chrono::milliseconds period, Function what) {
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  std::jthread made([period, what = std::move(what)](std::stop_token const& stop) {
    std::mutex none;  // there is nothing to guard, but one cannot sleep until somebody stops us without
    std::condition_variable_any stopped;
    std::unique_lock lock(none);
    while (!stopped.wait_for(lock, stop, period, [&stop] { return stop.stop_requested(); })) what();
  });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return made;
}

}  // namespace ovlp
