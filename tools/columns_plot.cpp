// SPDX-License-Identifier: BSD-3-Clause
// ovlp plot columns: a column of a sweep's runs over another one. Where several runs have the same x, the median of
// their y, and the range; of predicted times where measurements back them the intervals. Runs without y are left out:
// those that failed are. An x that is no number in all runs is a text, and its values stand side by side.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <ovlp/base/database.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/base/statistics.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/charts/chart.hpp>

#include "options.hpp"
#include "study/run_table.hpp"
#include "subcommands.hpp"

namespace ovlp::tools {
namespace {

using base::database;
using base::statement;

struct columns_plot_options {
  std::string runs;              // of ovlp sweep
  std::string x, y;              // columns
  std::string group;             // column; runs that agree in it are a line. Empty: all are one
  std::vector<std::string> log;  // axes of logarithms: x, y
  std::string output;
};

/// A value of a column. Numbers come first, in their order, then texts in theirs.
struct value {
  bool is_text;
  double number;
  std::string text;

  friend bool operator<(value const& a, value const& b) {
    if (a.is_text != b.is_text) return b.is_text;
    return a.is_text ? a.text < b.text : a.number < b.number;
  }
};

value value_of(statement const& row, int column) {
  if (row.is_number(column)) return {false, row.real(column), row.text(column)};
  return {true, 0, row.is_null(column) ? "none" : row.text(column)};
}

/// Of a run.
struct figure {
  double y;
  double low, high;  ///< an interval in which it is; both y if there is none
};

/// Of a group: by x, all y.
using series = std::map<value, std::vector<figure>>;

void expect_column(database& runs, std::string const& option, std::string const& name) {
  std::vector<std::string> const known = lab::study::columns_of(runs);
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  throw config_error("'" + runs.file() + "': " + option + ": expected a column of " + base::joined(known) + ", got " +
                     base::quoted(name) + base::hint(name, known));
}

/// Predicted times have intervals, of runs that newer programs made.
bool has_intervals(database& runs, columns_plot_options const& options) {
  std::vector<std::string> const known = lab::study::columns_of(runs);
  return options.y == "time_s" && std::ranges::find(known, "time_low_s") != known.end();
}

std::map<value, series> read_series(database& runs, columns_plot_options const& options) {
  expect_column(runs, "--x", options.x);
  expect_column(runs, "--y", options.y);
  if (!options.group.empty()) expect_column(runs, "--group", options.group);
  std::map<value, series> read;
  std::string const group = options.group.empty() ? "''" : base::sql_name(options.group);
  std::string const interval = has_intervals(runs, options) ? "time_low_s, time_high_s" : "NULL, NULL";
  statement rows = runs.prepare("SELECT " + base::sql_name(options.x) + ", " + base::sql_name(options.y) + ", " +
                                group + ", " + interval + " FROM runs");
  while (rows.next()) {
    if (!rows.is_number(1)) continue;
    double const y = rows.real(1);
    bool const known = rows.is_number(3) && rows.is_number(4);
    read[value_of(rows, 2)][value_of(rows, 0)].push_back({y, known ? rows.real(3) : y, known ? rows.real(4) : y});
  }
  if (read.empty())
    throw config_error("'" + runs.file() + "': --y: expected a column with numbers; '" + options.y + "' has none");
  return read;
}

/// What all runs share.
std::vector<charts::fact> options_of_all(database& runs) {
  statement fact = runs.prepare("SELECT value FROM fact WHERE name = 'options'");
  nlohmann::json const options = fact.next() ? nlohmann::json::parse(fact.text(0), nullptr, false) : nullptr;
  std::vector<charts::fact> common;
  if (!options.is_object()) return common;
  for (auto const& [name, given] : options.items()) common.emplace_back(name, lab::study::as_text(given));
  return common;
}

/// Runs that are not drawn, or should not be compared, are told.
void note_what_differs(database& runs, std::string const& group) {
  statement failed = runs.prepare("SELECT count(*), count(error), min(error) FROM run");
  if (failed.next() && failed.number(1) > 0)
    std::fprintf(stderr, "ovlp: note: %lld of %lld runs failed, and are not drawn: %s\n",
                 static_cast<long long>(failed.number(1)), static_cast<long long>(failed.number(0)),
                 failed.text(2).c_str());
  std::vector<std::string> const known = lab::study::columns_of(runs);
  if (group == "call" || std::ranges::find(known, "call") == known.end()) return;
  statement calls = runs.prepare("SELECT count(DISTINCT call) FROM runs");
  if (calls.next() && calls.number(0) > 1)
    std::fputs("ovlp: note: the figures are of different calls of the program: --group call tells them apart\n",
               stderr);
}

/// All x, in their order.
std::set<value> values_of_x(std::map<value, series> const& all) {
  std::set<value> xs;
  for (auto const& [group, points] : all) {
    for (auto const& [x, ys] : points) xs.insert(x);
  }
  return xs;
}

charts::chart chart_of(std::map<value, series> const& all, columns_plot_options const& options) {
  auto const base_of = [&](char const* axis) { return std::ranges::count(options.log, axis) > 0 ? 10.0 : 0.0; };
  charts::chart drawn{.title = options.y + " over " + options.x,
                      .x = {.label = options.x, .logarithm = base_of("x")},
                      .y = {.label = options.y, .with_zero = base_of("y") == 0, .logarithm = base_of("y")}};
  std::set<value> const xs = values_of_x(all);
  if (xs.rbegin()->is_text) {
    for (value const& x : xs) drawn.x.names.push_back(x.text);
  }
  auto const place_of = [&](value const& x) {
    return xs.rbegin()->is_text ? static_cast<double>(std::distance(xs.begin(), xs.find(x))) : x.number;
  };
  std::size_t most_runs = 1;
  bool any_interval = false;
  for (auto const& [group, points] : all) {
    charts::series line{.name = options.group.empty() ? options.y : charts::text_of({options.group, group.text}),
                        .look = drawn.all.size()};
    for (auto const& [x, ys] : points) {
      most_runs = std::max(most_runs, ys.size());
      std::vector<double> middles;
      for (figure const& of : ys) middles.push_back(of.y);
      line.points.push_back({place_of(x), base::median(middles), std::ranges::min(ys, {}, &figure::low).low,
                             std::ranges::max(ys, {}, &figure::high).high});
      any_interval |= std::ranges::any_of(ys, [](figure const& of) { return of.low < of.high; });
    }
    drawn.all.push_back(std::move(line));
  }
  if (most_runs > 1) drawn.y.label += " (median and range of up to " + std::to_string(most_runs) + " runs)";
  if (any_interval) drawn.y.label += " with 90 % intervals";
  return drawn;
}

void plot_columns(columns_plot_options const& options) {
  database runs = lab::study::open_runs(options.runs);
  charts::chart drawn = chart_of(read_series(runs, options), options);
  note_what_differs(runs, options.group);
  drawn.facts = options_of_all(runs);
  charts::draw(drawn, options.output);
}

}  // namespace

void add_plot_columns(CLI::App& plot) {
  auto const options = std::make_shared<columns_plot_options>();
  CLI::App& columns = *plot.add_subcommand("columns", "A column of a sweep's runs over another one");
  add_required(columns, "runs", options->runs, "RUNS", "as ovlp sweep writes them");
  add_required(columns, "--x", options->x, "COLUMN", "column: an option, or a figure of the summary");
  add_required(columns, "--y", options->y, "COLUMN", "column; of runs with the same x the median and the range");
  add_option(columns, "--group", options->group, "COLUMN", "column; runs that agree in it are a line");
  add_option(columns, "--log", options->log, "x|y", "an axis of logarithms; may be repeated", among("x|y"))
      ->allow_extra_args(false);
  add_picture_output(columns, options->output);
  columns.footer(
      "Examples:\n"
      "  ovlp plot columns runs.sqlite --x nodes --y time_s --group block -o time.svg\n"
      "Format: docs/formats/sweep.md");
  columns.callback([options] { plot_columns(*options); });
}

}  // namespace ovlp::tools
