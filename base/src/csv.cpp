// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/base/csv.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp::base {
namespace {

void split(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  for (;;) {
    std::size_t const comma = line.find(',');
    fields.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return;
    line.remove_prefix(comma + 1);
  }
}

}  // namespace

csv_reader::csv_reader(std::string contents, std::string name, std::vector<std::string> columns, other_columns others)
    : contents_(std::move(contents)), left_(contents_), name_(std::move(name)), columns_(std::move(columns)) {
  if (left_.starts_with("\xef\xbb\xbf")) left_.remove_prefix(3);  // what Windows marks UTF-8 with
  while (read_line()) {
    if (line_.starts_with('#')) {
      comments_.emplace_back(line_);
    } else if (!trimmed(line_).empty()) {
      read_names(others);
      return;
    }
  }
  throw config_error(name_ + ": expected a line with the names of columns (" + joined(columns_) +
                     "), but the file has none");
}

void csv_reader::read_names(other_columns others) {
  split(line_, fields_);
  for (std::string const& column : columns_) {
    auto const found = std::find(fields_.begin(), fields_.end(), column);
    if (found == fields_.end()) {
      fail("no column " + base::quoted(column) + "; expected a line with the names " + joined(columns_) + ", got " +
           base::quoted(line_));
    }
    places_.push_back(static_cast<std::size_t>(found - fields_.begin()));
  }
  for (auto field = fields_.begin(); field != fields_.end(); ++field) {
    if (std::find(fields_.begin(), field, *field) != field)
      fail("column " + base::quoted(*field) + " stands there twice");
    bool const known = std::find(columns_.begin(), columns_.end(), *field) != columns_.end();
    if (!known && others == other_columns::refused) {
      fail("unknown column " + base::quoted(*field) + "; expected " + joined(columns_));
    }
  }
}

bool csv_reader::has_column(std::string_view name) const {
  return std::find(fields_.begin(), fields_.end(), name) != fields_.end();
}

bool csv_reader::next() {
  std::size_t const expected = fields_.size();
  do {
    if (!read_line()) return false;
  } while (trimmed(line_).empty());
  split(line_, fields_);
  if (fields_.size() != expected) {
    fail("expected " + std::to_string(expected) + " fields, got " + std::to_string(fields_.size()) + ": " +
         base::quoted(line_));
  }
  return true;
}

bool csv_reader::read_line() {
  if (left_.empty()) return false;
  std::size_t const end = left_.find('\n');
  line_ = left_.substr(0, end);
  left_.remove_prefix(end == std::string_view::npos ? left_.size() : end + 1);
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  ++line_number_;
  return true;
}

double csv_reader::number(std::size_t column) const {
  std::string_view const text = field(column);
  double value = -1;
  if (!read_number(text, value) || !std::isfinite(value) || value < 0) fail_field(column, "a number of at least 0");
  return value;
}

std::optional<double> csv_reader::number_or_none(std::size_t column) const {
  return field(column).empty() ? std::nullopt : std::optional(number(column));
}

std::uint64_t csv_reader::whole_number(std::size_t column, std::uint64_t least, std::uint64_t most) const {
  std::string_view const text = field(column);
  std::uint64_t value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    bool const bounded = most != std::numeric_limits<std::uint64_t>::max() || error == std::errc::result_out_of_range;
    fail_field(column, bounded ? "a whole number from " + std::to_string(least) + " to " + std::to_string(most)
                               : "a whole number of at least " + std::to_string(least));
  }
  return value;
}

void csv_reader::fail(std::string const& what) const {
  throw config_error(name_ + ":" + std::to_string(line_number_) + ": " + what);
}

void csv_reader::fail_field(std::size_t column, std::string const& expected) const {
  std::string_view const text = field(column);
  fail(columns_[column] + ": expected " + expected + ", got " + (text.empty() ? "nothing" : base::quoted(text)));
}

}  // namespace ovlp::base
