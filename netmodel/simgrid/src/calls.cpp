// SPDX-License-Identifier: BSD-3-Clause
#include "calls.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>

#include <xbt/log.h>

namespace ovlp::net {

thread_local sigjmp_buf* after_abort = nullptr;

namespace {

int log_file = -1;
bool has_aborted = false;
struct sigaction before {};

void handle_crash(int signal) {
  if (after_abort != nullptr) siglongjmp(*after_abort, signal);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void handle_abort(int signal) {
  if (after_abort != nullptr) siglongjmp(*after_abort, signal);
  sigaction(SIGABRT, &before, nullptr);  // not SimGrid's
  std::raise(signal);
}

}  // namespace

void catch_aborts() {
  log_file = ::memfd_create("simgrid-log", MFD_CLOEXEC);
  if (log_file >= 0) {
    std::string const file = "root.app:file:/proc/self/fd/" + std::to_string(log_file);
    for (char const* setting : {"root.thresh:error", "root.fmt:%m%n", file.c_str()}) xbt_log_control_set(setting);
  }
  struct sigaction handling {};
  handling.sa_handler = handle_abort;
  sigaction(SIGABRT, &handling, &before);
}

bool aborted() { return has_aborted; }

std::string handle_aborted(int signal) {
  has_aborted = true;
  sigset_t handled;
  sigemptyset(&handled);
  sigaddset(&handled, signal);
  pthread_sigmask(SIG_UNBLOCK, &handled, nullptr);
  if (signal == SIGSEGV) return "SimGrid crashed: expected a machine that it can simulate";
  std::fflush(nullptr);  // its log
  std::array<char, 4096> text{};
  ssize_t const got = log_file < 0 ? 0 : ::pread(log_file, text.data(), text.size(), 0);
  std::string words(text.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  while (!words.empty() && words.back() == '\n') words.pop_back();
  for (char& c : words) {
    if (c == '\n') c = ' ';
  }
  return words.empty() ? "SimGrid stopped, and did not say why" : words;
}

crash_guard::crash_guard() : error_(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)) {
  int const nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(nothing, STDERR_FILENO);
  ::close(nothing);
  struct sigaction handling {};
  handling.sa_handler = handle_crash;
  handling.sa_flags = SA_ONSTACK;
  sigaction(SIGSEGV, &handling, &on_crash_);
}

crash_guard::~crash_guard() {
  sigaction(SIGSEGV, &on_crash_, nullptr);
  ::dup2(error_, STDERR_FILENO);
  ::close(error_);
}

}  // namespace ovlp::net
