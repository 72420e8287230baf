// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp::mpi {

/// A text, line by line, and the fields of a line, one after another. Windows line ends and empty lines mean nothing.
/// Errors, of all members: config_error "FILE:LINE: ...".
class line_reader {
 public:
  /// `separator`: of fields. Several blanks are one.
  line_reader(std::string_view text, std::string file, char separator)
      : text_(text), file_(std::move(file)), separator_(separator) {}

  /// Goes to the next line that is not empty; false at the end.
  bool next() {
    while (next_ < text_.size()) {
      at_ = next_;
      std::size_t const end = std::min(text_.find('\n', at_), text_.size());
      next_ = end + 1;
      ++number_;
      line_ = text_.substr(at_, end - at_);
      if (line_.ends_with('\r')) line_.remove_suffix(1);
      left_ = line_;
      skip_blanks();
      if (!left_.empty()) return true;
    }
    return false;
  }
  std::string_view line() const { return line_; }
  /// Where the line begins in the text.
  std::size_t position() const { return at_; }

  /// Whether the line has no more fields.
  bool at_end() const { return left_.empty(); }
  std::size_t fields_left() const {
    return left_.empty() ? 0 : 1 + static_cast<std::size_t>(std::count(left_.begin(), left_.end(), separator_));
  }
  /// All of the line that is left.
  std::string_view remaining() const { return left_; }
  std::string_view rest() { return std::exchange(left_, {}); }
  std::string_view word(char const* what) {
    if (left_.empty()) fail(std::string("expected ") + what + " at the end of the line");
    std::size_t const end = std::min(left_.find(separator_), left_.size());
    std::string_view const found = left_.substr(0, end);
    pass(end);
    return found;
  }
  /// If the field is this, it is passed.
  bool accept_word(std::string_view word) {
    if (!left_.starts_with(word) || !ends_field(left_.data() + word.size())) return false;
    pass(word.size());
    return true;
  }
  /// If the field begins so, this is passed.
  bool accept(std::string_view start) {
    if (!left_.starts_with(start)) return false;
    left_.remove_prefix(start.size());
    return true;
  }

  template <class Number>
  Number whole(char const* what, Number least = 0, Number most = std::numeric_limits<Number>::max()) {
    Number const value = whole_before(what, {&separator_, 1}, least, most);
    if (!left_.empty()) pass(0);
    return value;
  }
  /// One that ends with the line or before one of these characters, which is not passed.
  template <class Number>
  Number whole_before(char const* what, std::string_view ends, Number least = 0,
                      Number most = std::numeric_limits<Number>::max()) {
    Number value{};
    auto const [end, error] = std::from_chars(left_.data(), left_.data() + left_.size(), value);
    auto const length = static_cast<std::size_t>(end - left_.data());
    bool const ends_there = length == left_.size() || ends.find(*end) != std::string_view::npos;
    if (error != std::errc{} || !ends_there || value < least || value > most) {
      std::string const range = most == std::numeric_limits<Number>::max()
                                    ? std::to_string(least) + " or more"
                                    : "from " + std::to_string(least) + " to " + std::to_string(most);
      fail(std::string("expected ") + what + ", a whole number " + range + ", got " + got());
    }
    left_.remove_prefix(length);
    return value;
  }
  /// Finite, and 0 or more.
  double real(char const* what) {
    double value = 0;
    auto const [end, error] = std::from_chars(left_.data(), left_.data() + left_.size(), value);
    if (error != std::errc{} || !ends_field(end) || !std::isfinite(value) || value < 0)
      fail(std::string("expected ") + what + ", a number of 0 or more, got " + got());
    pass(static_cast<std::size_t>(end - left_.data()));
    return value;
  }
  /// The line has no more fields.
  void end() {
    if (!left_.empty()) fail("expected the end of the line, got " + got());
  }

  [[noreturn]] void fail(std::string const& what) const {
    throw config_error(file_ + ":" + std::to_string(number_) + ": " + what);
  }
  /// The field that is next, for a message.
  std::string got() const { return base::quoted(left_.substr(0, std::min(left_.find(separator_), left_.size()))); }

 private:
  bool ends_field(char const* end) const { return end == left_.data() + left_.size() || *end == separator_; }
  void pass(std::size_t count) {
    left_.remove_prefix(count);
    if (left_.empty()) return;
    left_.remove_prefix(1);  // the separator
    if (separator_ != ' ') {
      if (left_.empty()) fail("expected a field after the last separator");
      return;
    }
    skip_blanks();
  }
  void skip_blanks() {
    std::size_t const first = left_.find_first_not_of(" \t");
    left_.remove_prefix(std::min(first, left_.size()));
  }

  std::string_view const text_;
  std::string const file_;
  char const separator_;
  std::size_t at_ = 0, next_ = 0;
  std::size_t number_ = 0;
  std::string_view line_, left_;
};

/// As many digits as are needed to read it again.
inline void append_number(std::string& text, auto value, auto... format) {
  char digits[400];  // a small one without an exponent is long
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value, format...).ptr);
}

}  // namespace ovlp::mpi
