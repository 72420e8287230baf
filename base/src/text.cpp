// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/base/streams.hpp>
#include <ovlp/base/text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <iomanip>

namespace ovlp::base {

std::string_view trimmed(std::string_view text) {
  auto const is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string> words_of(std::string const& text) {
  std::vector<std::string> words;
  text_reader from(text);
  for (std::string word; from >> word;) words.push_back(word);
  return words;
}

std::vector<std::string> lines_of(std::string const& text) {
  std::vector<std::string> lines;
  text_reader from(text);
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
  std::ranges::replace_if(
      text, [](char c) { return (c >= 0 && c < ' ') || c == 127; }, ' ');
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

std::string shell_word(std::string_view text) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_";
  if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos) return std::string(text);
  std::string word = "'";
  for (char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

namespace {

/// Letters to change, to add or to leave out, or to exchange with the next, until one is the other (optimal string
/// alignment). Dashes and underscores are the same.
std::size_t distance(std::string_view a, std::string_view b) {
  auto const same = [](char x, char y) { return x == y || (x == '-' && y == '_') || (x == '_' && y == '-'); };
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string hint(std::string_view given, std::vector<std::string> const& known) {
  constexpr std::size_t longest = 64;
  if (given.size() > longest) return "";
  std::string const* nearest = nullptr;
  std::size_t least = given.size() / 3 + 1;  // more of it is another word
  for (std::string const& name : known) {
    bool const begins = given.size() > 2 && name.starts_with(given);
    if (std::size_t const away = begins ? 1 : distance(given, name); away < least || (nearest == nullptr && begins)) {
      nearest = &name;
      least = away;
    }
  }
  return nearest == nullptr ? "" : "; did you mean '" + *nearest + "'?";
}

std::string unexpected(std::vector<std::string> const& left, std::vector<std::string> const& options) {
  auto const option = std::find_if(left.begin(), left.end(), [](std::string const& a) {
    return a.size() > 1 && a[0] == '-' && (a[1] < '0' || a[1] > '9');
  });
  if (option == left.end()) return "unexpected argument '" + (left.empty() ? "" : left.front()) + "'";
  std::string const name = option->substr(0, option->find('='));
  return name + ": no such option" + hint(name, options);
}

std::string as_given_again(std::string what) {
  std::size_t const end = what.find(": At Most 1 required");
  return end == std::string::npos ? what : what.substr(0, end) + ": expected once, but given again";
}

std::string hexadecimal(std::uint64_t name) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(name));
  return text;
}

bool read_hexadecimal(std::string_view text, std::uint64_t& name) {
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), name, 16);
  return text.size() == 16 && error == std::errc{} && end == text.data() + text.size();
}

std::string fixed(double number, int digits) {
  text_writer text;
  text << std::fixed << std::setprecision(digits) << number;
  return text.str();
}

std::string shortest(double number) {
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr};
}

std::string relative_change(double now, double before) {
  double const percent = 100 * (now / before - 1);
  return (percent < 0 ? "" : "+") + fixed(percent, 1) + " %";
}

}  // namespace ovlp::base
