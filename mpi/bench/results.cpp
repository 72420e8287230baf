// SPDX-License-Identifier: BSD-3-Clause
#include "results.hpp"

#include <array>
#include <cstdio>

#include <ovlp/base/csv.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp::overlap_bench {
namespace {

/// The numbers of a row, in the order of their columns.
struct column {
  char const* name;
  double overlap::*value;
};
constexpr std::array<column, 8> columns{{{"reference_s", &overlap::reference_s},
                                         {"reference_error_s", &overlap::reference_error_s},
                                         {"work_s", &overlap::work_s},
                                         {"hidden", &overlap::hidden},
                                         {"hidden_low", &overlap::hidden_low},
                                         {"hidden_high", &overlap::hidden_high},
                                         {"post", &overlap::post},
                                         {"wait", &overlap::wait}}};
std::vector<std::string> const keys{"operation", "backend", "ranks", "bytes", "slices"};

std::vector<std::string> column_names() {
  std::vector<std::string> all = keys;
  for (column const& each : columns) all.emplace_back(each.name);
  return all;
}

std::string exact(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.12g", number);
  return text.data();
}

}  // namespace

std::string csv_header() { return base::joined(column_names(), ",") + "\n"; }

std::string csv_row(result const& row) {
  std::string line = base::joined(
      {row.operation, row.backend, std::to_string(row.ranks), std::to_string(row.bytes), std::to_string(row.slices)},
      ",");
  for (column const& each : columns) line += "," + exact(row.measured.*each.value);
  return line + "\n";
}

std::vector<result> read_results(std::string const& csv, std::string const& name) {
  base::csv_reader reader(csv, name, column_names(), base::csv_reader::other_columns::refused);
  std::vector<result> rows;
  while (reader.next()) {
    result& row = rows.emplace_back(result{
        reader.text(0), reader.text(1), reader.whole_number(2), reader.whole_number(3), reader.whole_number(4), {}});
    for (std::size_t i = 0; i < columns.size(); ++i) row.measured.*columns[i].value = reader.number(keys.size() + i);
  }
  return rows;
}

std::string table_of(std::vector<result> const& rows) {
  std::string text =
      "operation    bytes      progress  reference [ms]    work [ms]   hidden   interval          post    wait\n";
  for (result const& row : rows) {
    overlap const& of = row.measured;
    std::array<char, 200> line{};
    std::snprintf(line.data(), line.size(),
                  "%-11s  %-9zu  %-8s  %8.4f ±%6.4f  %9.4f  %6.1f%%  %6.1f%% – %5.1f%%  %5.1f%%  %5.1f%%\n",
                  row.operation.c_str(), row.bytes, row.slices > 1 ? std::to_string(row.slices - 1).c_str() : "none",
                  1e3 * of.reference_s, 1e3 * of.reference_error_s, 1e3 * of.work_s, 100 * of.hidden,
                  100 * of.hidden_low, 100 * of.hidden_high, 100 * of.post, 100 * of.wait);
    text += line.data();
  }
  return text;
}

}  // namespace ovlp::overlap_bench
