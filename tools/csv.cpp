// SPDX-License-Identifier: BSD-3-Clause
#include "csv.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <system_error>
#include <utility>

#include <ovlp/flowgraph/error.hpp>

namespace ovlp::tools {
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

std::string joined(std::vector<std::string> const& words) {
  std::string all;
  for (std::string const& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  auto const is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
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

csv_reader::csv_reader(std::istream& from, std::string name, std::vector<std::string> columns, other_columns others)
    : from_(from), name_(std::move(name)), columns_(std::move(columns)) {
  while (read_line()) {
    if (line_.starts_with('#')) {
      comments_.push_back(line_);
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
      fail("no column " + quoted(column) + "; expected a line with the names " + joined(columns_) + ", got " +
           quoted(line_));
    }
    places_.push_back(static_cast<std::size_t>(found - fields_.begin()));
  }
  for (auto field = fields_.begin(); field != fields_.end(); ++field) {
    if (std::find(fields_.begin(), field, *field) != field) fail("column " + quoted(*field) + " stands there twice");
    bool const known = std::find(columns_.begin(), columns_.end(), *field) != columns_.end();
    if (!known && others == other_columns::refused) {
      fail("unknown column " + quoted(*field) + "; expected " + joined(columns_));
    }
  }
}

bool csv_reader::next() {
  std::size_t const expected = fields_.size();
  do {
    if (!read_line()) return false;
  } while (trimmed(line_).empty());
  split(line_, fields_);
  if (fields_.size() != expected) {
    fail("expected " + std::to_string(expected) + " fields, got " + std::to_string(fields_.size()) + ": " +
         quoted(line_));
  }
  return true;
}

bool csv_reader::read_line() {
  errno = 0;
  if (!std::getline(from_, line_)) {
    if (from_.bad()) throw io_error(name_ + ": cannot be read: " + std::strerror(errno));
    return false;
  }
  ++line_number_;
  if (line_.ends_with('\r')) line_.pop_back();
  if (line_number_ == 1 && line_.starts_with("\xef\xbb\xbf")) line_.erase(0, 3);  // what Windows marks UTF-8 with
  return true;
}

double csv_reader::number(std::size_t column) const {
  std::string_view const field = fields_[places_[column]];
  double value = -1;
  auto const [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  bool const good = error == std::errc() && end == field.data() + field.size() && std::isfinite(value) && value >= 0;
  if (!good) fail_field(column, "a number of at least 0");
  return value;
}

std::optional<double> csv_reader::number_or_none(std::size_t column) const {
  return fields_[places_[column]].empty() ? std::nullopt : std::optional(number(column));
}

std::uint64_t csv_reader::whole_number(std::size_t column, std::uint64_t least, std::uint64_t most) const {
  std::string_view const field = fields_[places_[column]];
  std::uint64_t value = 0;
  auto const [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || end != field.data() + field.size() || value < least || value > most) {
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
  std::string_view const field = fields_[places_[column]];
  fail(columns_[column] + ": expected " + expected + ", got " + (field.empty() ? "nothing" : quoted(field)));
}

}  // namespace ovlp::tools
