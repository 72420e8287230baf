// SPDX-License-Identifier: BSD-3-Clause
#include "measurements.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <utility>

#include <ovlp/flowgraph/error.hpp>

#include "../output.hpp"
#include "grid.hpp"

namespace ovlp::tools::validate {
namespace {

using fields = std::vector<std::string>;

constexpr char const* run_columns =
    "testbed,application,options,repetition,failure,time_s,work_s,overhead_s,transfers,bytes,machine_s,apart_s";
constexpr char const* iteration_columns =
    "testbed,application,options,repetition,iteration,start_s,end_s,work_s,held_node_s";
constexpr char const* kernel_columns =
    "testbed,application,options,repetition,kernel,sizes,mean_s,standard_deviation_s,first_s,count";

fields split_row(std::string const& line) {
  fields all{""};
  for (char c : line) {
    if (c == ',') all.emplace_back();
    else all.back() += c;
  }
  return all;
}

/// The rows of a file that we have written ourselves, one by one.
class table {
 public:
  table(std::string const& file, std::string const& columns) : file_(file), from_(file) {
    std::error_code error;
    if (!std::filesystem::exists(file, error)) return;
    there_ = true;
    wanted_ = split_row(columns).size();
    std::string names;
    next_line(names);
    if (names != columns) fail("expected the columns " + columns + ", got '" + names + "'");
  }
  bool next() {
    std::string line;
    if (!there_ || !next_line(line)) return false;
    ++line_;
    row_ = split_row(line);
    if (row_.size() != wanted_)
      fail("expected " + std::to_string(wanted_) + " fields, got " + std::to_string(row_.size()));
    return true;
  }
  std::string const& text(std::size_t column) const { return row_[column]; }
  template <class Number>
  Number number(std::size_t column) const {
    Number value{};
    std::string const& field = row_[column];
    auto const [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc() || end != field.data() + field.size()) fail("expected a number, got '" + field + "'");
    return value;
  }
  /// A time, or another measure that is never negative.
  double measure(std::size_t column) const {
    auto const value = number<double>(column);
    if (!std::isfinite(value) || value < 0) fail("expected a number of at least 0, got '" + row_[column] + "'");
    return value;
  }
  /// Whole numbers, separated by blanks.
  std::string const& sizes(std::size_t column) const {
    for (std::string const& size : split(row_[column])) {
      bool const whole = size.find_first_not_of("0123456789") == std::string::npos && size.size() < 19;
      if (!whole) fail("expected whole numbers, got '" + row_[column] + "'");
    }
    return row_[column];
  }
  /// Measures, separated by blanks.
  std::vector<double> numbers(std::size_t column) const {
    std::vector<double> all;
    std::istringstream from(row_[column]);
    for (double value = 0; from >> value;) all.push_back(value);
    bool const good = from.eof() && std::all_of(all.begin(), all.end(), [](double v) { return v > 0; });
    if (!good) fail("expected numbers above 0, got '" + row_[column] + "'");
    return all;
  }
  run_key key() const { return {text(0), text(1), text(2), number<std::size_t>(3)}; }
  measurement run() const {
    measurement read{key(),
                     text(4),
                     measure(5),
                     measure(6),
                     measure(7),
                     number<std::uint64_t>(8),
                     number<std::uint64_t>(9),
                     {numbers(10), measure(11)}};
    if (read.failure.empty() && read.time_s == 0) fail("expected a time_s above 0 of a run that did not fail");
    return read;
  }
  iteration_measurement iteration() const {
    return {key(), number<int>(4), measure(5), measure(6), measure(7), measure(8)};
  }
  kernel_measurement kernel() const {
    auto const count = number<std::uint64_t>(9);
    if (count == 0) fail("expected a count above 0");
    return {key(), text(4), sizes(5), measure(6), measure(7), measure(8), count};
  }
  [[noreturn]] void fail(std::string const& what) const {
    throw config_error(file_ + ":" + std::to_string(line_) + ": " + what);
  }

 private:
  /// Also of a file that an editor gave the line ends of another system.
  bool next_line(std::string& line) {
    if (!std::getline(from_, line)) return false;
    if (line.ends_with('\r')) line.pop_back();
    return true;
  }
  std::string file_;
  std::ifstream from_;
  bool there_ = false;
  std::size_t wanted_ = 0;
  std::size_t line_ = 1;
  fields row_;
};

/// All of a file or, if we are interrupted, what was there before.
void replace_file(std::string const& file, std::string const& contents) {
  write_output(file + ".new", contents);
  std::error_code error;
  std::filesystem::rename(file + ".new", file, error);
  if (error) throw io_error(file + ": cannot be written: " + error.message());
}

std::ostream& operator<<(std::ostream& to, run_key const& run) {
  return to << run.testbed << ',' << run.application << ',' << run.options << ',' << run.repetition;
}

std::ostringstream row_writer() {
  std::ostringstream made;
  made << std::setprecision(9);
  return made;
}

std::string joined(std::vector<double> const& numbers) {
  std::ostringstream text;
  text << std::setprecision(5);
  for (double number : numbers) text << (text.tellp() > 0 ? " " : "") << number;
  return text.str();
}

/// Cuts what would not fit a field.
std::string as_field(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == ',' || c == '\n' || c == '\r'; }, ';');
  return text;
}

}  // namespace

measurements::measurements(std::string folder) : folder_(std::move(folder)) {
  for (table t(folder_ + "/measurements.csv", run_columns); t.next();) {
    measurement read = t.run();
    if (has(read.of)) t.fail("expected each repetition once, got a second row of it");
    keep(std::move(read));
  }
  for (table t(folder_ + "/iterations.csv", iteration_columns); t.next();) {
    if (has(t.key())) iterations_.push_back(t.iteration());
  }
  for (table t(folder_ + "/durations.csv", kernel_columns); t.next();) {
    if (has(t.key())) kernels_.push_back(t.kernel());
  }
}

void measurements::keep(measurement run) {
  run.failure = as_field(run.failure);
  known_.emplace(run.of, runs_.size());
  runs_.push_back(std::move(run));
}

/// The runs come last: only with its row there a run is there.
void measurements::write() const {
  std::ostringstream rows = row_writer();
  rows << iteration_columns << "\n";
  for (auto const& i : iterations_) {
    rows << i.of << ',' << i.iteration << ',' << i.start_s << ',' << i.end_s << ',' << i.work_s << ',' << i.held_node_s
         << "\n";
  }
  replace_file(folder_ + "/iterations.csv", rows.str());
  rows = row_writer();
  rows << kernel_columns << "\n";
  for (auto const& k : kernels_) {
    rows << k.of << ',' << k.kernel << ',' << k.sizes << ',' << k.mean_s << ',' << k.standard_deviation_s << ','
         << k.first_s << ',' << k.count << "\n";
  }
  replace_file(folder_ + "/durations.csv", rows.str());
  rows = row_writer();
  rows << run_columns << "\n";
  for (auto const& r : runs_) {
    rows << r.of << ',' << r.failure << ',' << r.time_s << ',' << r.work_s << ',' << r.overhead_s << ',' << r.transfers
         << ',' << r.bytes << ',' << joined(r.machine.cores_s) << ',' << joined({r.machine.apart_s}) << "\n";
  }
  replace_file(folder_ + "/measurements.csv", rows.str());
}

void measurements::add(measurement const& run, std::vector<iteration_measurement> const& iterations,
                       std::vector<kernel_measurement> const& kernels) {
  iterations_.insert(iterations_.end(), iterations.begin(), iterations.end());
  kernels_.insert(kernels_.end(), kernels.begin(), kernels.end());
  keep(run);
  write();
}

}  // namespace ovlp::tools::validate
