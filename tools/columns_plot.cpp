// SPDX-License-Identifier: BSD-3-Clause
#include "columns_plot.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <map>
#include <sstream>
#include <utility>

#include <nlohmann/json.hpp>

#include <ovlp/base/database.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/gnuplot.hpp>
#include <ovlp/base/statistics.hpp>
#include <ovlp/base/text.hpp>

#include "picture.hpp"
#include "study/run_table.hpp"

namespace ovlp::tools {
namespace {

using base::database;
using base::gnuplot_text;
using base::statement;

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

/// Of a group: by x, all y.
using series = std::map<value, std::vector<double>>;

void expect_column(database& runs, std::string const& option, std::string const& name) {
  std::vector<std::string> const known = lab::study::columns_of(runs);
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  throw config_error("'" + runs.file() + "': " + option + ": expected a column of " + base::joined(known) + ", got " +
                     base::quoted(name) + base::hint(name, known));
}

std::map<value, series> read_series(database& runs, columns_plot_options const& options) {
  for (auto const& [option, column] :
       {std::pair("--x", options.x), std::pair("--y", options.y), std::pair("--group", options.group)}) {
    if (option != std::string("--group") || !column.empty()) expect_column(runs, option, column);
  }
  std::map<value, series> read;
  std::string const group = options.group.empty() ? "''" : base::sql_name(options.group);
  statement rows = runs.prepare("SELECT " + base::sql_name(options.x) + ", " + base::sql_name(options.y) + ", " +
                                group + " FROM runs");
  while (rows.next()) {
    if (rows.is_number(1)) read[value_of(rows, 2)][value_of(rows, 0)].push_back(rows.real(1));
  }
  if (read.empty())
    throw config_error("'" + runs.file() + "': --y: expected a column with numbers; '" + options.y + "' has none");
  return read;
}

/// What all runs share.
key_values options_of_all(database& runs) {
  statement fact = runs.prepare("SELECT value FROM fact WHERE name = 'options'");
  nlohmann::json const options = fact.next() ? nlohmann::json::parse(fact.text(0), nullptr, false) : nullptr;
  key_values common;
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

/// Where each x is drawn: as a number, or, if some are texts, one beside the other.
class places {
 public:
  explicit places(std::map<value, series> const& all) {
    for (auto const& [group, points] : all) {
      for (auto const& [x, ys] : points) {
        numbers_.emplace(x, 0);
        texts_ |= x.is_text;
      }
    }
    std::size_t next = 0;
    for (auto& [x, number] : numbers_) number = next++;
  }
  double of(value const& x) const { return texts_ ? static_cast<double>(numbers_.at(x)) : x.number; }
  std::string tics() const {
    if (!texts_) return "set xtics nomirror\n";
    std::string all;
    for (auto const& [x, number] : numbers_)
      all += (all.empty() ? "" : ", ") + gnuplot_text(x.text) + " " + std::to_string(number);
    return "set xtics nomirror (" + all + ")\n";
  }

 private:
  std::map<value, std::size_t> numbers_;
  bool texts_ = false;
};

std::string script_of(std::map<value, series> const& all, picture const& drawn, columns_plot_options const& options) {
  places const xs(all);
  std::size_t most_runs = 1;
  std::ostringstream to;
  to.precision(15);
  to << beginning_of(drawn);
  std::size_t i = 0;
  for (auto const& [group, points] : all) {
    to << "$points" << i++ << " << END\n";
    for (auto const& [x, ys] : points) {
      most_runs = std::max(most_runs, ys.size());
      auto const [least, greatest] = std::minmax_element(ys.begin(), ys.end());
      to << xs.of(x) << ' ' << base::median(ys) << ' ' << *least << ' ' << *greatest << '\n';
    }
    to << "END\n";
  }
  std::string const of_several =
      most_runs == 1 ? "" : " (median and range of up to " + std::to_string(most_runs) + " runs)";
  to << "set xlabel " << gnuplot_text(options.x) << "\nset ylabel " << gnuplot_text(options.y + of_several) << '\n';
  bool const from_0 = std::find(options.log.begin(), options.log.end(), "y") == options.log.end();
  to << xs.tics() << "set ytics nomirror\nset offsets graph 0.04, graph 0.04, graph 0.04, 0\n";
  if (from_0) to << "set yrange [*<0:*]\n";
  for (std::string const& axis : options.log) to << "set logscale " << axis << '\n';

  to << "plot ";
  for (i = 0; i < drawn.legend.size() && most_runs > 1; ++i)
    to << "$points" << i << " using 1:2:3:4 with yerrorbars lw 1.2 pt 0 lc rgb '" << color(i) << "' notitle, \\\n";
  for (i = 0; i < drawn.legend.size(); ++i) {
    to << "$points" << i << " using 1:2 with linespoints lw 2" << style(i, drawn.legend[i])
       << (i + 1 < drawn.legend.size() ? ", \\\n" : "\n");
  }
  return to.str();
}

}  // namespace

void plot_columns(columns_plot_options const& options) {
  database runs = lab::study::open_runs(options.runs);
  std::map<value, series> const all = read_series(runs, options);
  note_what_differs(runs, options.group);
  picture drawn{options.output, options.y + " over " + options.x, options_of_all(runs), {}, 3};
  for (auto const& [group, points] : all)
    drawn.legend.push_back(options.group.empty() ? options.y : as_words(options.group, group.text));
  base::write_output(options.output, base::run_gnuplot(script_of(all, drawn, options)));
}

}  // namespace ovlp::tools
