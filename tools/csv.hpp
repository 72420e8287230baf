// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ovlp::tools {

/// A text for a message: in quotes, cut when long, '?' for what is not plain ASCII.
std::string quoted(std::string_view text);

/// Without blanks and tabs around it.
std::string_view trimmed(std::string_view text);

/// Reads comma-separated values, row by row: comment lines that begin with '#', a line with the names of the columns,
/// in any order, and rows of numbers. Windows line ends, blanks around fields and empty lines mean nothing; there are
/// no quotes.
///
/// Errors, of all members: config_error "FILE:LINE: what is wrong, and what was expected"; io_error if the file cannot
/// be read.
class csv_reader {
 public:
  enum class other_columns { refused, skipped };

  /// Reads up to the names of the columns, which must be all of `columns`. `name` stands for the file in messages.
  csv_reader(std::istream& from, std::string name, std::vector<std::string> columns, other_columns others);

  /// Whether the file has a column of this name. Before the first next().
  bool has_column(std::string_view name) const {
    return std::find(fields_.begin(), fields_.end(), name) != fields_.end();
  }
  /// The comment lines, as they are.
  std::vector<std::string> const& comments() const { return comments_; }

  /// Goes to the next row; false at the end.
  bool next();

  /// The row, or at first the line of names, as it stands in the file, without its end.
  std::string const& line() const { return line_; }
  std::size_t line_number() const { return line_number_; }

  // Fields of the row; `column` is a place in the list of columns that were asked for.

  /// Finite, and at least 0.
  double number(std::size_t column) const;
  /// None of an empty field.
  std::optional<double> number_or_none(std::size_t column) const;
  std::uint64_t whole_number(std::size_t column, std::uint64_t least = 0,
                             std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) const;

  [[noreturn]] void fail(std::string const& what) const;

 private:
  bool read_line();
  void read_names(other_columns others);
  [[noreturn]] void fail_field(std::size_t column, std::string const& expected) const;

  std::istream& from_;
  std::string name_;
  std::vector<std::string> columns_;
  std::vector<std::size_t> places_;  // of the columns in a row
  std::vector<std::string> comments_;
  std::string line_;
  std::size_t line_number_ = 0;
  std::vector<std::string_view> fields_;  // of the line
};

}  // namespace ovlp::tools
