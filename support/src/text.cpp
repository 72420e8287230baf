// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/support/text.hpp>

#include <algorithm>
#include <cstddef>
#include <iomanip>
#include <sstream>

namespace ovlp::support {

std::string_view trimmed(std::string_view text) {
  auto const is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string> words_of(std::string const& text) {
  std::vector<std::string> words;
  std::istringstream from(text);
  for (std::string word; from >> word;) words.push_back(word);
  return words;
}

std::vector<std::string> lines_of(std::string const& text) {
  std::vector<std::string> lines;
  std::istringstream from(text);
  for (std::string line; std::getline(from, line);) lines.push_back(line);
  return lines;
}

std::string last_line(std::string const& text, std::string_view start) {
  std::vector<std::string> const lines = lines_of(text);
  auto const found = std::find_if(lines.rbegin(), lines.rend(),
                                  [&](std::string const& line) { return !line.empty() && line.starts_with(start); });
  return found == lines.rend() ? "" : *found;
}

std::string joined(std::vector<std::string> const& words, std::string_view separator) {
  std::string all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) all += separator;
    all += words[i];
  }
  return all;
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string quoted(std::string_view text) {
  constexpr std::size_t most = 60;
  std::string shown(text.substr(0, most));
  for (char& c : shown) {
    if (c < ' ' || c > '~') c = '?';
  }
  return "'" + shown + (text.size() > most ? "..." : "") + "'";
}

std::string fixed(double number, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << number;
  return text.str();
}

std::string relative_change(double now, double before) {
  double const percent = 100 * (now / before - 1);
  return (percent < 0 ? "" : "+") + fixed(percent, 1) + " %";
}

}  // namespace ovlp::support
