// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace ovlp::base {

/// Without blanks and tabs around it.
std::string_view trimmed(std::string_view text);

/// Its words, which blanks, tabs and line ends separate.
std::vector<std::string> words_of(std::string const& text);
/// Its lines, without their ends.
std::vector<std::string> lines_of(std::string const& text);
/// The last line that is not empty and begins with `start`; empty if there is none.
std::string last_line(std::string const& text, std::string_view start = "");

/// "a, b, c"
std::string joined(std::vector<std::string> const& words, std::string_view separator = ", ");
/// On one line, for a message: blanks in the place of control characters.
std::string one_line(std::string text);
/// For a message: in quotes, cut when long, '?' for what is not plain ASCII.
std::string quoted(std::string_view text);
/// As a word for a shell: in single quotes, unless nothing in it means anything to one.
std::string shell_word(std::string_view text);

/// What was probably meant: "; did you mean 'per_node'?"; empty if nothing known is close.
std::string hint(std::string_view given, std::vector<std::string> const& known);
/// Why no option takes what is left of a command line: "--node: no such option; did you mean '--nodes'?".
std::string unexpected(std::vector<std::string> const& left, std::vector<std::string> const& options);
/// "--nodes: expected once, but given again", for what CLI11 says then: "--nodes: At Most 1 required but received 2".
std::string as_given_again(std::string what);

/// Whether the whole text is a number as std::from_chars reads it, and no other way: 010 is ten, no locale has a say.
template <class Number>
bool read_number(std::string_view text, Number& value) {
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

/// 16 digits, for names that are hashes.
std::string hexadecimal(std::uint64_t name);
/// Whether the text is one.
bool read_hexadecimal(std::string_view text, std::uint64_t& name);

/// A number with so many digits after the point.
std::string fixed(double number, int digits);
/// With as many digits as it takes to read the same number again.
std::string shortest(double number);
/// "+4.9 %": how much more it is now than before.
std::string relative_change(double now, double before);

}  // namespace ovlp::base
