// SPDX-License-Identifier: BSD-3-Clause
// Matrices alone, as tables of numbers.
#include <algorithm>
#include <string_view>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/threads/communication_file.hpp>

namespace ovlp::shared_memory {
namespace {

using row = std::vector<double>;

void append_row(std::string& to, communication_matrix const& of, std::size_t a) {
  for (std::size_t b = 0; b < of.threads(); ++b) {
    to += base::shortest(of(a, b));
    to += b + 1 < of.threads() ? ',' : '\n';
  }
}

row read_row(std::string_view line, std::string const& place) {
  row numbers;
  for (std::size_t at = 0; at <= line.size();) {
    std::size_t const end = std::min(line.find(',', at), line.size());
    std::string_view const field = base::trimmed(line.substr(at, end - at));
    double value = 0;
    if (!base::read_number(field, value) || !is_number_of_events(value))
      throw config_error(place + ": expected numbers, 0 or 1e-100 to 1e100, with commas between, got " +
                         base::quoted(field));
    numbers.push_back(value);
    at = end + 1;
  }
  return numbers;
}

bool symmetric(std::vector<row> const& rows) {
  for (std::size_t a = 0; a < rows.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (rows[a][b] != rows[b][a]) return false;
  return true;
}
bool empty_diagonal(std::vector<row> const& rows) {
  for (std::size_t a = 0; a < rows.size(); ++a)
    if (rows[a][a] != 0) return false;
  return true;
}

/// But for the diagonal, which is not read.
bool same(std::vector<row> const& a, std::vector<row> const& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a.size(); ++j)
      if (i != j && a[i][j] != b[i][j]) return false;
  return true;
}

/// Whoever writes a matrix with the last thread first: then the diagonal is where it belongs.
std::vector<row> in_order(std::vector<row> rows, row_order order, std::string const& file) {
  std::vector<row> reversed(rows.rbegin(), rows.rend());
  bool const as_it_is = symmetric(rows);
  bool const other_way = symmetric(reversed) && empty_diagonal(reversed);  // as numalize's is
  if (!as_it_is && !other_way)
    throw config_error(file + ": expected a symmetric matrix: what two threads communicate is one number");
  if (as_it_is && other_way && order == row_order::unknown && !same(rows, reversed))
    throw config_error(file +
                       ": expected --row-order first or last: its first row may be that of the first thread, or, as "
                       "numalize writes it, of the last one; the matrix is symmetric both ways");
  bool const reverse = as_it_is && other_way ? order == row_order::last : other_way;
  return reverse ? reversed : rows;
}

}  // namespace

std::string csv_of(communication_matrix const& what) {
  std::string text;
  for (std::size_t a = 0; a < what.threads(); ++a) append_row(text, what, a);
  return text;
}

std::string numalize_csv_of(communication_matrix const& what) {
  std::string text;
  for (std::size_t a = what.threads(); a-- > 0;) append_row(text, what, a);
  return text + "\n";
}

communication_matrix read_matrix(std::string const& file, row_order order) {
  std::string const contents = base::read_file(file);
  if (base::trimmed(contents).starts_with('{')) return read_communication(file).whole().relevant();
  std::vector<row> rows;
  std::vector<std::string> lines = base::lines_of(contents);
  std::size_t number = 0;
  for (std::string& line : lines) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (base::trimmed(line).empty()) continue;
    std::string const place = file + ":" + std::to_string(number);
    rows.push_back(read_row(line, place));
    if (rows.back().size() != rows.front().size())
      throw config_error(place + ": expected " + std::to_string(rows.front().size()) +
                         " numbers, as in the first row, got " + std::to_string(rows.back().size()));
  }
  if (rows.size() < 2 || rows.size() != rows.front().size())
    throw config_error(file + ": expected a square matrix of two threads or more, got " + std::to_string(rows.size()) +
                       " rows" + (rows.empty() ? "" : " of " + std::to_string(rows.front().size()) + " numbers"));
  rows = in_order(std::move(rows), order, file);
  communication_matrix made(rows.size());
  for (std::size_t a = 0; a < rows.size(); ++a)
    for (std::size_t b = a + 1; b < rows.size(); ++b) made.add(a, b, rows[a][b]);
  return made;
}

}  // namespace ovlp::shared_memory
