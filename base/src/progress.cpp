// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/base/progress.hpp>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>

#include <ovlp/base/host.hpp>
#include <ovlp/base/process.hpp>

namespace ovlp::base {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds first_shown_after = 1s, shown_each = 260ms;
constexpr double least_pause_s = 0.25;

std::string in_words(double seconds) {
  auto const whole = [](double number) { return std::to_string(std::llround(number)); };
  if (seconds < 90) return whole(std::ceil(seconds)) + " s";
  if (seconds < 90 * 60) return whole(seconds / 60) + " min";
  if (seconds < 48 * 3600.0) return whole(std::floor(seconds / 3600)) + " h";
  return whole(std::floor(seconds / 86400)) + " days";
}

std::size_t width_of_terminal() {
  winsize size{};
  bool const known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

}  // namespace

terminal_line::terminal_line() : on_terminal_(::isatty(STDERR_FILENO) == 1), last_s_(-least_pause_s) {}

void terminal_line::show(std::string const& text) {
  double const now_s = monotonic_s();
  if (!on_terminal_ || now_s < last_s_ + least_pause_s) return;
  last_s_ = now_s;
  clear();
  std::fputs(text.substr(0, width_of_terminal() - 1).c_str(), stderr);
  shown_ = true;
}

void terminal_line::clear() {
  if (std::exchange(shown_, false)) std::fputs("\r\033[K", stderr);
}

progress::progress(std::string what, std::size_t total, std::string units, std::size_t done)
    : what_(std::move(what)),
      units_(std::move(units)),
      total_(total),
      done_earlier_(done),
      begun_s_(monotonic_s()),
      done_(done),
      last_advance_s_(begun_s_) {
  if (shown_.is_seen()) shows_ = std::thread([this] { show_until_the_end(); });
}

progress::~progress() {
  {
    std::scoped_lock const lock(mutex_);
    ends_ = true;
  }
  changed_.notify_one();
  if (shows_.joinable()) shows_.join();
}

void progress::advance(std::size_t by) {
  end_if_interrupted();
  std::scoped_lock const lock(mutex_);
  done_ += by;
  last_advance_s_ = monotonic_s();
}

void progress::say(std::string const& line) {
  std::scoped_lock const lock(mutex_);
  shown_.clear();
  std::fprintf(stderr, "%s\n", line.c_str());
}

void progress::show_until_the_end() {
  std::unique_lock lock(mutex_);
  std::chrono::milliseconds pause = first_shown_after;
  while (!changed_.wait_for(lock, pause, [this] { return ends_; })) {
    shown_.show(line());
    pause = shown_each;
  }
  shown_.clear();
}

std::string progress::line() const {
  std::string text = what_ + ": " + std::to_string(done_) + " of " + std::to_string(total_) + " " + units_;
  if (done_ == done_earlier_) return text;
  double const each_s = (last_advance_s_ - begun_s_) / static_cast<double>(done_ - done_earlier_);
  double const left_s = each_s * static_cast<double>(total_ - std::min(done_, total_));
  return text + ", " + in_words(std::max(0.0, left_s - (monotonic_s() - last_advance_s_))) + " left";
}

}  // namespace ovlp::base
