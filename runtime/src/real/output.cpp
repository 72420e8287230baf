// SPDX-License-Identifier: BSD-3-Clause
#include "output.hpp"

#include <utility>

namespace ovlp::real {

output::~output() {
  if (!thread_.joinable()) return;
  {
    std::scoped_lock const lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void output::print(std::string const& line) {
  {
    std::scoped_lock const lock(mutex_);
    waiting_.append(line).push_back('\n');
    if (!thread_.joinable()) thread_ = std::thread([this] { write(); });
  }
  changed_.notify_all();
}

bool output::full(std::function<void()> then) {
  std::scoped_lock const lock(mutex_);
  if (waiting_.size() < most_waiting_bytes) return false;
  want_room_.push_back(std::move(then));
  return true;
}

void output::flush() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.empty() && !writing_; });
}

void output::write() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    std::string const now = std::exchange(waiting_, {});
    auto const want_room = std::exchange(want_room_, {});
    writing_ = true;
    lock.unlock();
    for (auto const& then : want_room) then();
    std::fwrite(now.data(), 1, now.size(), to_);
    std::fflush(to_);
    lock.lock();
    writing_ = false;
    changed_.notify_all();
  }
}

}  // namespace ovlp::real
