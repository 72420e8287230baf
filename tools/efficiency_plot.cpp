// SPDX-License-Identifier: BSD-3-Clause
#include "efficiency_plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include <ovlp/base/csv.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/gnuplot.hpp>
#include <ovlp/base/text.hpp>

#include "picture.hpp"

namespace ovlp::tools {
namespace {

using base::csv_reader;
using base::gnuplot_text;
using base::trimmed;

struct point {
  double at;                      // iteration, or middle of the window
  double reach;                   // to either side, to the next point's
  double nodes;                   // held, on average
  std::optional<double> percent;  // none: nothing can be said of it
};

struct run {
  std::string file;
  key_values keys;  // of the comment lines
  std::vector<point> points;
  std::string label;

  std::optional<std::string> value_of(std::string const& key) const {
    for (auto const& [name, value] : keys) {
      if (name == key) return value;
    }
    return std::nullopt;
  }
};

/// "# key: value"
std::optional<std::pair<std::string, std::string>> key_of(std::string_view comment) {
  comment.remove_prefix(1);
  std::size_t const colon = comment.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  return std::pair(std::string(trimmed(comment.substr(0, colon))), std::string(trimmed(comment.substr(colon + 1))));
}

constexpr std::uint64_t most = 1'000'000'000;  // iterations

std::vector<std::string> columns_of(efficiency_kind kind) {
  switch (kind) {
    case efficiency_kind::iteration: return {"iteration", "nodes", "efficiency"};
    case efficiency_kind::interval: return {"iteration", "nodes", "interval_efficiency"};
    case efficiency_kind::time: return {"window_start_s", "nodes", "efficiency", "window_end_s"};
  }
  return {};
}

std::optional<double> percent(csv_reader const& reader) {
  auto const ratio = reader.number_or_none(2);
  return ratio ? std::optional(100 * *ratio) : std::nullopt;
}

double nodes_held(csv_reader const& reader) {
  double const nodes = reader.number(1);
  if (nodes > static_cast<double>(most)) reader.fail_field(1, "nodes up to 1e9");
  return nodes;
}

point read_iteration(csv_reader const& reader, std::vector<point> const& before) {
  std::uint64_t const least = before.empty() ? 1 : static_cast<std::uint64_t>(before.back().at) + 1;
  return {static_cast<double>(reader.whole_number(0, least, most)), 0.5, nodes_held(reader), percent(reader)};
}

/// Windows slide by a half of themselves.
point read_window(csv_reader const& reader) {
  double const start_s = reader.number(0), end_s = reader.number(3);
  if (!(end_s > start_s) || end_s > 1e15) reader.fail("expected a window_end_s after window_start_s, and up to 1e15");
  return {(start_s + end_s) / 2, (end_s - start_s) / 4, nodes_held(reader), percent(reader)};
}

csv_reader open(std::string const& name, std::vector<std::string> columns) {
  return {base::read_file(name), name, std::move(columns), csv_reader::other_columns::skipped};
}

/// Whether an iteration begins before all before it have ended, but for a hundredth of itself. False if the file does
/// not say when they began and ended, or has nothing else to draw.
bool iterations_overlap(std::string const& name) {
  csv_reader const known = open(name, {});
  for (char const* column : {"start_s", "end_s", "interval_efficiency"}) {
    if (!known.has_column(column)) return false;
  }
  csv_reader reader = open(name, {"start_s", "end_s"});
  double closed_s = 0;
  while (reader.next()) {
    double const start_s = reader.number(0), end_s = reader.number(1);
    if (start_s < closed_s - 0.01 * (end_s - start_s)) return true;
    closed_s = std::max(closed_s, end_s);
  }
  return false;
}

run read_run(std::string const& name, efficiency_kind kind) {
  csv_reader reader = open(name, columns_of(kind));
  run read{name, {}, {}, {}};
  for (std::string const& comment : reader.comments()) {
    if (auto key = key_of(comment)) read.keys.push_back(std::move(*key));
  }
  while (reader.next()) {
    bool const window = kind == efficiency_kind::time;
    read.points.push_back(window ? read_window(reader) : read_iteration(reader, read.points));
  }
  if (auto const failure = read.value_of("failure")) throw config_error(name + ": the run failed: " + *failure);
  if (read.points.empty()) throw config_error(name + ": expected at least one row, but the file has none");
  return read;
}

// What runs have in common stands in the title, what tells them apart in the legend.

struct common_and_different {
  key_values common;
  std::vector<std::string> different;
};

common_and_different compare(std::vector<run> const& runs) {
  common_and_different found;
  std::set<std::string> seen;
  for (run const& of : runs) {
    for (auto const& [key, value] : of.keys) {
      if (!seen.insert(key).second) continue;
      bool const equal = std::all_of(runs.begin(), runs.end(), [&key = key, &value = value](run const& other) {
        return other.value_of(key) == value;
      });
      if (equal) {
        found.common.emplace_back(key, value);
      } else {
        found.different.push_back(key);
      }
    }
  }
  return found;
}

void set_labels(std::vector<run>& runs, std::vector<std::string> const& different) {
  auto const occurs_once = [&](auto const& text_of, run const& mine) {
    return std::count_if(runs.begin(), runs.end(), [&](run const& r) { return text_of(r) == text_of(mine); }) == 1;
  };
  auto const base_of = [](run const& r) { return std::filesystem::path(r.file).filename().string(); };
  auto const file_of = [&](run const& r) {
    return std::all_of(runs.begin(), runs.end(), [&](run const& each) { return occurs_once(base_of, each); })
               ? base_of(r)
               : r.file;
  };
  auto const keys_of = [&](run const& r) {
    std::string words;
    for (std::string const& key : different) {
      if (auto const value = r.value_of(key)) words += (words.empty() ? "" : ", ") + as_words(key, *value);
    }
    return words;
  };
  for (run& r : runs) {
    r.label = keys_of(r);
    if (r.label.empty()) {
      r.label = file_of(r);
    } else if (!occurs_once(keys_of, r)) {
      r.label += " (" + file_of(r) + ")";
    }
  }
}

std::pair<char const*, char const*> labels_of(efficiency_kind kind) {
  switch (kind) {
    case efficiency_kind::iteration: return {"Iteration", "Dynamic efficiency of the iteration (%)"};
    case efficiency_kind::interval:
      return {"Iteration k (interval k: from the end of iteration k \u2212 1 to the end of k)",
              "Dynamic efficiency of interval k (%)"};
    case efficiency_kind::time: return {"Time (s)", "Dynamic efficiency in a sliding window (%)"};
  }
  return {};
}

/// What all runs share, but for the application: it stands in the title.
picture picture_of(std::vector<run> const& runs, key_values common, std::string const& output) {
  picture drawn{output, "Dynamic efficiency", {}, {}, 11};
  for (auto& [key, value] : common) {
    if (key != "application") drawn.common.emplace_back(std::move(key), std::move(value));
    else if (!value.empty()) drawn.title += " of " + value;
  }
  for (run const& r : runs) drawn.legend.push_back(r.label);
  return drawn;
}

std::string script_of(std::vector<run> const& runs, picture const& drawn, efficiency_kind kind) {
  double last = 0;
  double most_nodes = 1;
  double most_percent = 0;
  for (run const& r : runs) {
    last = std::max(last, r.points.back().at + r.points.back().reach);
    for (point const& p : r.points) {
      most_nodes = std::max(most_nodes, p.nodes);
      most_percent = std::max(most_percent, p.percent.value_or(0));
    }
  }
  auto const held_alike = [&](run const& r) {
    auto const& first = runs.front().points;
    return std::equal(first.begin(), first.end(), r.points.begin(), r.points.end(),
                      [](point const& a, point const& b) { return a.at == b.at && a.nodes == b.nodes; });
  };
  bool const nodes_once = std::all_of(runs.begin(), runs.end(), held_alike);

  // Both axes have their tics on the same lines.
  double const step = most_percent <= 100.5 ? 20 : round_step(most_percent / 5, {1, 2, 4, 5});
  double const intervals = most_percent <= 100.5 ? 5 : std::ceil(most_percent / step);
  double const step_of_nodes = round_step(most_nodes / intervals, {1, 2, 3, 4, 5, 6, 8});

  std::ostringstream to;
  to.precision(15);
  to << beginning_of(drawn);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    to << "$efficiency" << i << " << END\n";
    for (point const& p : runs[i].points) {
      if (p.percent) to << p.at << ' ' << *p.percent;
      to << '\n';  // an empty line is a gap
    }
    to << "END\n$nodes" << i << " << END\n";
    // A step is as wide as the iteration. Where runs hold equal numbers their lines stand side by side.
    double const middle = static_cast<double>(runs.size() - 1) / 2;
    double const aside = nodes_once ? 0 : 0.008 * step_of_nodes * intervals * (middle - static_cast<double>(i));
    for (point const& p : runs[i].points) {
      double const height = p.nodes + aside;
      to << p.at - p.reach << ' ' << height << '\n';
      to << p.at + p.reach << ' ' << height << '\n';
    }
    to << "END\n";
  }

  auto const [x_label, y_label] = labels_of(kind);
  to << "set xlabel " << gnuplot_text(x_label) << "\nset ylabel " << gnuplot_text(y_label) << '\n';
  to << "set y2label " << gnuplot_text(nodes_once ? "Nodes held (thin dashed line)" : "Nodes held (thin dashed lines)")
     << '\n';
  if (kind == efficiency_kind::time) {
    to << "set xrange [0:" << last << "]\nset xtics nomirror\n";
  } else {
    double const x_step = round_step(last / 20, {1, 2, 5});
    to << "set xrange [0.5:" << last << "]\nset xtics " << x_step << ',' << x_step << " nomirror\n";
  }
  to << "set yrange [0:" << step * intervals << "]\nset ytics 0," << step << " nomirror\n";
  to << "set y2range [0:" << step_of_nodes * intervals << "]\nset y2tics 0," << step_of_nodes << " nomirror\n";

  to << "plot ";
  for (std::size_t i = 0; i < runs.size() && (i == 0 || !nodes_once); ++i) {
    to << "$nodes" << i << " axes x1y2 with lines lw 1.2 dt (10,6) lc rgb '" << (nodes_once ? "#606060" : color(i))
       << "' notitle, \\\n";
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    bool const gaps = std::ranges::any_of(runs[i].points, [](point const& p) { return !p.percent; });
    // Markers: not at each of many points, but at those that stand alone.
    std::size_t const every = gaps ? 1 : std::max<std::size_t>(1, runs[i].points.size() / 30);
    to << "$efficiency" << i << " axes x1y1 with linespoints lw 2 pi " << every << style(i, runs[i].label)
       << (i + 1 < runs.size() ? ", \\\n" : "\n");
  }
  return to.str();
}

/// Runs that should not be compared without a word.
void note_what_differs(std::vector<run> const& runs) {
  for (run const& r : runs) {
    if (auto const waited = r.value_of("waited for processors"))
      std::fprintf(stderr, "ovlp: note: %s: its threads waited for processors, for %s\n", r.file.c_str(),
                   waited->c_str());
    auto const first = runs.front().value_of("call"), here = r.value_of("call");
    if (first && here && *first != *here)
      std::fprintf(stderr, "ovlp: note: %s is of the call %s, %s of %s\n", r.file.c_str(), here->c_str(),
                   runs.front().file.c_str(), first->c_str());
  }
}

}  // namespace

efficiency_kind plot_efficiency(plot_options const& options) {
  bool const overlap = !options.kind && std::ranges::any_of(options.inputs, iterations_overlap);
  efficiency_kind const kind = options.kind.value_or(overlap ? efficiency_kind::interval : efficiency_kind::iteration);
  std::vector<run> runs;
  for (std::string const& input : options.inputs) runs.push_back(read_run(input, kind));
  note_what_differs(runs);
  common_and_different const keys = compare(runs);
  set_labels(runs, keys.different);
  base::write_output(options.output,
                     base::run_gnuplot(script_of(runs, picture_of(runs, keys.common, options.output), kind)));
  return kind;
}

}  // namespace ovlp::tools
