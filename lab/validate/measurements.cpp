// SPDX-License-Identifier: BSD-3-Clause
#include "measurements.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <utility>

#include <ovlp/base/compressed.hpp>
#include <ovlp/base/csv.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp::lab::validate {
namespace {

using base::csv_reader;
using base::csv_writer;
using columns = std::vector<std::string>;

/// Older versions wrote others, too.
columns const run_columns{"testbed", "application", "options",   "repetition", "failure",    "time_s",
                          "work_s",  "overhead_s",  "transfers", "bytes",      "held_node_s"};
/// Of runs that were measured before they were they are missing.
columns const later_run_columns{"call", "cpu_s", "waited_s"};
columns const iteration_columns{"testbed", "application", "options", "repetition", "iteration",
                                "start_s", "end_s",       "work_s",  "held_node_s"};
columns const kernel_columns{"testbed", "application",          "options", "repetition", "kernel", "sizes",
                             "mean_s",  "standard_deviation_s", "first_s", "count"};

columns all_run_columns() {
  columns all = run_columns;
  all.insert(all.end(), later_run_columns.begin(), later_run_columns.end());
  return all;
}

/// Of a file that may not be there yet.
void for_each_row(std::string const& file, columns const& names, csv_reader::other_columns others,
                  std::function<void(csv_reader const&)> const& read) {
  if (!std::filesystem::exists(file)) return;
  csv_reader rows(base::read_compressed(file), file, names, others);
  while (rows.next()) read(rows);
}

bool has_later_columns(std::string const& file) {
  return std::filesystem::exists(file) &&
         csv_reader(base::read_compressed(file), file, run_columns, csv_reader::other_columns::skipped)
             .has_column(later_run_columns.front());
}

/// Whole numbers, separated by blanks.
std::string read_sizes(csv_reader const& row, std::size_t column) {
  for (std::string const& size : base::words_of(row.text(column))) {
    std::int64_t read = 0;
    if (!base::read_number(size, read) || read < 0) row.fail_field(column, "whole numbers");
  }
  return row.text(column);
}

run_key read_key(csv_reader const& row) { return {row.text(0), row.text(1), row.text(2), row.whole_number(3, 1)}; }

measurement read_run(csv_reader const& row, bool has_later) {
  measurement read{read_key(row), row.text(4),         row.number(5),       row.number(6),
                   row.number(7), row.whole_number(8), row.whole_number(9), row.number(10)};
  if (has_later) {
    read.call = row.text(11);
    read.processors = {row.number(12), row.number(13)};
  }
  if (read.failure.empty() && read.time_s == 0) row.fail_field(5, "a time above 0 of a run that did not fail");
  return read;
}

iteration_measurement read_iteration(csv_reader const& row) {
  auto const number = static_cast<int>(row.whole_number(4, 0, std::numeric_limits<int>::max()));
  return {read_key(row), number, row.number(5), row.number(6), row.number(7), row.number(8)};
}

kernel_measurement read_kernel(csv_reader const& row) {
  return {read_key(row), row.text(4),   read_sizes(row, 5),    row.number(6),
          row.number(7), row.number(8), row.whole_number(9, 1)};
}

csv_writer writer(columns const& names) { return {base::joined(names, ","), 9}; }

/// Cuts what would not fit a field.
std::string as_field(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == ',' || c == '\n' || c == '\r'; }, ';');
  return text;
}

}  // namespace

static std::ostream& operator<<(std::ostream& to, run_key const& run) {
  return to << run.testbed << ',' << run.application << ',' << run.options << ',' << run.repetition;
}

measurements::measurements(std::string folder) : folder_(std::move(folder)) {
  std::string const file = file_of("measurements.csv");
  bool const has_later = has_later_columns(file);
  for_each_row(file, has_later ? all_run_columns() : run_columns, csv_reader::other_columns::skipped,
               [&](csv_reader const& row) {
                 measurement read = read_run(row, has_later);
                 if (has(read.of)) row.fail("expected each repetition once, got a second row of it");
                 keep(std::move(read));
               });
  for_each_row(file_of("iterations.csv"), iteration_columns, csv_reader::other_columns::refused,
               [this](csv_reader const& row) {
                 if (has(read_key(row))) iterations_.push_back(read_iteration(row));
               });
  for_each_row(file_of("durations.csv"), kernel_columns, csv_reader::other_columns::refused,
               [this](csv_reader const& row) {
                 if (has(read_key(row))) kernels_.push_back(read_kernel(row));
               });
}

std::string measurements::file_of(std::string const& name) const {
  return base::plain_or_compressed(folder_ + "/" + name);
}

void measurements::keep(measurement run) {
  run.failure = as_field(run.failure);
  run.call = as_field(run.call);
  known_.insert(run.of);
  runs_.push_back(std::move(run));
}

/// The runs come last: only with its row there a run is there.
void measurements::write() const {
  csv_writer iterations = writer(iteration_columns);
  for (auto const& i : iterations_) iterations.row(i.of, i.iteration, i.start_s, i.end_s, i.work_s, i.held_node_s);
  base::replace_compressed(file_of("iterations.csv"), iterations.text());
  csv_writer kernels = writer(kernel_columns);
  for (auto const& k : kernels_)
    kernels.row(k.of, k.kernel, k.sizes, k.mean_s, k.standard_deviation_s, k.first_s, k.count);
  base::replace_compressed(file_of("durations.csv"), kernels.text());
  csv_writer runs = writer(all_run_columns());
  for (auto const& r : runs_) {
    runs.row(r.of, r.failure, r.time_s, r.work_s, r.overhead_s, r.transfers, r.bytes, r.held_node_s, r.call,
             r.processors.cpu_s, r.processors.waited_s);
  }
  base::replace_compressed(file_of("measurements.csv"), runs.text());
}

void measurements::add(measurement const& run, std::vector<iteration_measurement> const& iterations,
                       std::vector<kernel_measurement> const& kernels) {
  iterations_.insert(iterations_.end(), iterations.begin(), iterations.end());
  kernels_.insert(kernels_.end(), kernels.begin(), kernels.end());
  keep(run);
  write();
}

}  // namespace ovlp::lab::validate
