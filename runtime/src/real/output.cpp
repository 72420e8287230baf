// SPDX-License-Identifier: BSD-3-Clause
#include "output.hpp"

#include <system_error>
#include <utility>

namespace ovlp::real {

output::~output() {
  if (!thread_.joinable()) return;
  {
    scoped_lock const lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void output::print(std::string const& line) {
  {
    scoped_lock const lock(mutex_);
    waiting_.append(line).push_back('\n');
    if (!thread_.joinable() && !start()) {
      put(std::exchange(waiting_, {}));
      return;
    }
  }
  changed_.notify_all();
}

bool output::full(std::function<void()> then) {
  scoped_lock const lock(mutex_);
  if (waiting_.size() < most_waiting_bytes) return false;
  want_room_.push_back(std::move(then));
  return true;
}

void output::flush() {
  scoped_lock const lock(mutex_);
  while (!waiting_.empty() || writing_) changed_.wait(mutex_);
}

/// Without a thread one has to wait after all.
bool output::start() {
  try {
    thread_ = std::thread([this] { write(); });
    return true;
  } catch (std::system_error const&) {
    return false;
  }
}

void output::put(std::string const& text) {
  std::fwrite(text.data(), 1, text.size(), to_);
  std::fflush(to_);
}

void output::write() {
  for (;;) {
    std::string now;
    std::vector<std::function<void()>> want_room;
    {
      scoped_lock const lock(mutex_);
      writing_ = false;
      changed_.notify_all();
      while (waiting_.empty() && !stopping_) changed_.wait(mutex_);
      if (waiting_.empty()) return;
      now.swap(waiting_);
      want_room.swap(want_room_);
      writing_ = true;
    }
    for (auto const& then : want_room) then();
    put(now);
  }
}

}  // namespace ovlp::real
