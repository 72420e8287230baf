// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/internal/process_exit.hpp>

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <set>
#include <system_error>

#include <ovlp/flowgraph/error.hpp>
namespace ovlp {
namespace {

std::atomic<bool> failed = false;
std::string& name_for_messages() {
  static std::string name;
  return name;
}

std::set<describe_function*>& all_running() {
  static std::set<describe_function*> all;
  return all;
}

void flush_and_end(int status) {
  std::cout.flush();
  std::fflush(nullptr);
  ::_exit(status);
}

void at_exit() {
  errno = 0;
  std::cout.flush();
  bool const written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && !std::cout.bad();
  if (!written) {
    std::fprintf(stderr, "%s: standard output: cannot be written%s%s\n", name_for_messages().c_str(),
                 errno == 0 ? "" : ": ", errno == 0 ? "" : std::strerror(errno));
  }
  bool midway = false;
  for (describe_function* const running : all_running()) {
    std::string const operation = running();
    if (operation.empty()) continue;
    std::fprintf(stderr, "%s: %s ended the program: expected it to return, or to throw\n", name_for_messages().c_str(),
                 operation.c_str());
    midway = true;
  }
  if (!written || failed || midway) flush_and_end(1);
}

}  // namespace

std::string explained(std::exception const& thrown) {
  if (dynamic_cast<std::bad_alloc const*>(&thrown) != nullptr) return memory_ran_out;
  auto const* const system = dynamic_cast<std::system_error const*>(&thrown);
  if (system == nullptr || system->code() != std::errc::resource_unavailable_try_again) return thrown.what();
  return "no thread can be started: a limit is reached (ulimit -v of memory, ulimit -u of processes, a control group); "
         "fewer --execution-threads, or fewer processes on this machine, need less";
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

void check_output_at_exit(std::string const& application) {
  name_for_messages() = application;
  static bool const registered = std::atexit(at_exit) == 0;
  static_cast<void>(registered);
}

void ask_at_exit(describe_function* running) { all_running().insert(running); }

void fail_at_exit(std::string const& application, std::string const& why) {
  check_output_at_exit(application);
  failed = true;
  std::fprintf(stderr, "%s: %s\n", application.c_str(), why.c_str());
}

}  // namespace ovlp
