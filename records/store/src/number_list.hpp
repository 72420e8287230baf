// SPDX-License-Identifier: BSD-3-Clause
// Lists of numbers in tables: with blanks between.
#pragma once

#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp::store {

template <class Numbers>
std::string to_words(Numbers const& numbers) {
  std::string text;
  for (auto const n : numbers) {
    std::array<char, 32> digits{};
    if (!text.empty()) text += ' ';
    text.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), n).ptr);
  }
  return text;
}

/// None of what is no such list.
template <class Number>
std::optional<std::vector<Number>> read_words(std::string_view words) {
  std::vector<Number> all;
  char const* at = words.data();
  char const* const end = at + words.size();
  while (at != end) {
    Number number{};
    auto const [stop, error] = std::from_chars(at, end, number);
    if (error != std::errc() || (stop != end && *stop != ' ')) return std::nullopt;
    all.push_back(number);
    at = stop == end ? end : stop + 1;
  }
  return all;
}
/// Errors: io_error.
template <class Number>
std::vector<Number> from_words(std::string_view words) {
  auto read = read_words<Number>(words);
  if (!read) throw io_error("expected numbers with blanks between, got " + base::quoted(words));
  return std::move(*read);
}

/// Lists of such lists: a line each.
template <class Lists>
std::string to_lines(Lists const& lists) {
  std::string text;
  for (auto const& one : lists) text += (text.empty() ? "" : "\n") + to_words(one);
  return text;
}

}  // namespace ovlp::store
