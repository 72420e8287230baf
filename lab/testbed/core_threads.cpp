// SPDX-License-Identifier: BSD-3-Clause
#include "core_threads.hpp"

#include <sched.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <ovlp/base/text.hpp>

namespace ovlp::lab {

void check(bool good, char const* what) {
  if (good) return;
  std::fprintf(stderr, "%s: cannot %s: %s\n", program_invocation_short_name, what, std::strerror(errno));
  std::exit(1);
}

long whole_number(char const* text, char const* expected, long most) {
  long read = 0;
  if (base::read_number(text, read) && read >= 0 && read <= most) return read;
  std::fprintf(stderr, "%s: expected %s, got '%s'\n", program_invocation_short_name, expected, text);
  std::exit(2);
}

void run_on(std::size_t core, int policy, int priority, char const* what) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(core, &only);
  check(::sched_setaffinity(0, sizeof only, &only) == 0, "run on that core");
  sched_param const level{priority};
  check(::sched_setscheduler(0, policy, &level) == 0, what);
}

void for_each_core(std::span<char* const> cores, std::function<void(std::size_t)> const& body) {
  std::vector<std::thread> threads;
  for (char const* core : cores) {
    threads.emplace_back(body, static_cast<std::size_t>(whole_number(core, "numbers of cores", CPU_SETSIZE - 1)));
  }
  for (std::thread& one : threads) one.join();
}

}  // namespace ovlp::lab
