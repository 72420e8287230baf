// SPDX-License-Identifier: BSD-3-Clause
// Lists of numbers in tables: with blanks between.
#pragma once

#include <array>
#include <charconv>
#include <sstream>
#include <string>
#include <vector>

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

template <class Number>
std::vector<Number> from_words(std::string const& words) {
  std::istringstream in(words);
  std::vector<Number> all;
  for (Number n = 0; in >> n;) all.push_back(n);
  return all;
}

}  // namespace ovlp::store
