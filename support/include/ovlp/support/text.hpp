// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ovlp::support {

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
/// On one line, for a message.
std::string one_line(std::string text);
/// For a message: in quotes, cut when long, '?' for what is not plain ASCII.
std::string quoted(std::string_view text);

/// A number with so many digits after the point.
std::string fixed(double number, int digits);
/// "+4.9 %": how much more it is now than before.
std::string relative_change(double now, double before);

}  // namespace ovlp::support
