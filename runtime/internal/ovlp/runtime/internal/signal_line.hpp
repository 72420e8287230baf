// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace ovlp {

/// A line for standard error that is put together without memory or locks, for handlers of signals: one may have come
/// in the middle of malloc.
class signal_line {
 public:
  signal_line& operator<<(std::string_view text) {
    std::size_t const now = std::min(text.size(), sizeof text_ - size_);
    std::memcpy(text_ + size_, text.data(), now);
    size_ += now;
    return *this;
  }
  template <std::integral Number>
  signal_line& operator<<(Number number) {
    char digits[24];
    auto const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    return *this << std::string_view(digits, static_cast<std::size_t>(end - digits));
  }
  char const* data() const { return text_; }
  /// Whether nobody reads what is on standard error: a pager, a held terminal.
  static bool would_wait() {
    pollfd to{STDERR_FILENO, POLLOUT, 0};
    return ::poll(&to, 1, 0) != 1 || (to.revents & POLLOUT) == 0;
  }
  void print() const { [[maybe_unused]] ssize_t const written = ::write(STDERR_FILENO, text_, size_); }

 private:
  char text_[1024];
  std::size_t size_ = 0;
};

}  // namespace ovlp
