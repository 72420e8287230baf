// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ovlp/base/streams.hpp>

namespace ovlp::base {

/// Reads comma-separated values, row by row: comment lines that begin with '#', a line with the names of the columns,
/// in any order, and rows. Windows line ends, blanks around fields and empty lines mean nothing; there are no quotes.
///
/// Errors, of all members: config_error "FILE:LINE: what is wrong, and what was expected".
class csv_reader {
 public:
  enum class other_columns { refused, skipped };

  /// Reads up to the names of the columns, which must be all of `columns`. `name` stands for the file in messages.
  csv_reader(std::string contents, std::string name, std::vector<std::string> columns, other_columns others);
  csv_reader(csv_reader const&) = delete;
  csv_reader& operator=(csv_reader const&) = delete;
  ~csv_reader() = default;

  /// Whether the file has a column of this name. Before the first next().
  bool has_column(std::string_view name) const;
  /// The comment lines, as they are.
  std::vector<std::string> const& comments() const { return comments_; }

  /// Goes to the next row; false at the end.
  bool next();

  /// The row, or at first the line of names, as it stands in the file, without its end.
  std::string_view line() const { return line_; }
  std::size_t line_number() const { return line_number_; }

  // Fields of the row; `column` is a place in the list of columns that were asked for.

  std::string text(std::size_t column) const { return std::string(field(column)); }
  /// Finite, and at least 0.
  double number(std::size_t column) const;
  /// None of an empty field.
  std::optional<double> number_or_none(std::size_t column) const;
  std::uint64_t whole_number(std::size_t column, std::uint64_t least = 0,
                             std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) const;

  /// What is wrong with the line, or with a field of it.
  [[noreturn]] void fail(std::string const& what) const;
  [[noreturn]] void fail_field(std::size_t column, std::string const& expected) const;

 private:
  std::string_view field(std::size_t column) const { return fields_[places_[column]]; }
  bool read_line();
  void read_names(other_columns others);

  std::string const contents_;
  std::string_view left_;  // of the contents
  std::string name_;
  std::vector<std::string> columns_;
  std::vector<std::size_t> places_;  // of the columns in a row
  std::vector<std::string> comments_;
  std::string_view line_;
  std::size_t line_number_ = 0;
  std::vector<std::string_view> fields_;  // of the line
};

/// Writes comma-separated values, as csv_reader reads them.
class csv_writer {
 public:
  /// `names`: of the columns, with commas between; `digits`: so many of numbers that are not whole.
  csv_writer(std::string_view names, int digits) {
    text_.precision(digits);
    text_ << names << '\n';
  }

  /// An optional field that is none is empty.
  template <class First, class... Others>
  void row(First const& first, Others const&... others) {
    put(first);
    ((text_ << ',', put(others)), ...);
    text_ << '\n';
  }

  std::string text() const { return text_.str(); }

 private:
  template <class Field>
  void put(Field const& field) {
    text_ << field;
  }
  template <class Field>
  void put(std::optional<Field> const& field) {
    if (field) text_ << *field;
  }

  text_writer text_;
};

}  // namespace ovlp::base
