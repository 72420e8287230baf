// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/base/run_many.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace ovlp::base {

void run_many(std::size_t count, std::size_t at_once,
              std::function<command(std::size_t number, std::size_t place)> const& command_of,
              std::function<void(std::size_t number, std::size_t place, outcome const&)> const& ended) {
  std::atomic<std::size_t> next = 0;
  std::mutex one_at_a_time;
  std::exception_ptr failure;  // the first one
  auto const run_some = [&](std::size_t place) {
    try {
      for (std::size_t number = next++; number < count; number = next++) {
        outcome const how = run(command_of(number, place));
        std::scoped_lock const lock(one_at_a_time);
        if (!failure) ended(number, place, how);
      }
    } catch (...) {
      next = count;
      std::scoped_lock const lock(one_at_a_time);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t place = 0; place < std::min(at_once, count); ++place) threads.emplace_back(run_some, place);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace ovlp::base
