// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/internal/process_exit.hpp>

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <new>
#include <system_error>

#include <ovlp/base/error.hpp>
#include <ovlp/runtime/internal/activity.hpp>
#include <ovlp/runtime/internal/signal_line.hpp>

namespace ovlp {
namespace {

std::atomic<bool> failed = false;
bool output_matters = false;
std::atomic<unfinished const*> asked{nullptr};
std::string& name_for_messages() {
  static std::string name;
  return name;
}

bool could_write_output() {
  errno = 0;
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && !std::cout.bad()) return true;
  std::fprintf(stderr, "%s: standard output: cannot be written%s%s\n", name_for_messages().c_str(),
               errno == 0 ? "" : ": ", errno == 0 ? "" : std::strerror(errno));
  return false;
}

void at_exit(int status, void*) {
  bool const written = !output_matters || could_write_output();
  signal_line line;
  line << name_for_messages() << ": ";
  bool const midway = activity::name_here(line);
  if (midway) {
    line << " ended the program: expected it to return, or to throw\n";
    line.print();
  }
  unfinished const* const left = asked.load();
  std::string const lost = left == nullptr || status != 0 || midway || failed ? "" : left->lost();
  if (!lost.empty())
    std::fprintf(stderr, "%s: the program ended before its engine: %s\n", name_for_messages().c_str(), lost.c_str());
  if (!written || failed || midway || !lost.empty()) end_at_once(1);
}

}  // namespace

std::string explained(std::exception const& thrown) {
  if (dynamic_cast<std::bad_alloc const*>(&thrown) != nullptr) return memory_ran_out;
  auto const* const system = dynamic_cast<std::system_error const*>(&thrown);
  if (system == nullptr || system->code() != std::errc::resource_unavailable_try_again) return thrown.what();
  return "no thread can be started: a limit is reached (ulimit -v of memory, ulimit -u of processes, a control group); "
         "fewer --execution-threads, or fewer processes on this machine, need less";
}

void end_at_once(int status) {
  std::cout.flush();
  std::fflush(nullptr);
  ::_exit(status);
}

void report_uncaught_errors() {
  static std::terminate_handler const otherwise = std::get_terminate();
  std::set_terminate([] {
    std::cout.flush();
    std::fflush(nullptr);
    if (std::exception_ptr const uncaught = std::current_exception()) {
      try {
        std::rethrow_exception(uncaught);
      } catch (error const& e) {
        std::fprintf(stderr, "ovlp: %s\n", e.what());
        ::_exit(1);
      } catch (std::bad_alloc const&) {
        std::fprintf(stderr, "ovlp: %s\n", memory_ran_out);
        ::_exit(1);
      } catch (...) {
        otherwise();
      }
    }
    std::abort();
  });
}

void check_at_exit(std::string const& application, bool output) {
  name_for_messages() = application;
  output_matters = output;
  static bool const registered = ::on_exit(at_exit, nullptr) == 0;
  static_cast<void>(registered);
}

void ask_at_exit(unfinished const* what) { asked = what; }

void fail_at_exit(std::string const& application, std::string const& why) {
  check_at_exit(application, true);
  failed = true;
  std::fprintf(stderr, "%s: %s\n", application.c_str(), why.c_str());
}

}  // namespace ovlp
