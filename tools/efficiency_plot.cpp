// SPDX-License-Identifier: BSD-3-Clause
// ovlp plot efficiency: the dynamic efficiency of runs over their iterations, or over time, and the nodes that they
// held. Format of the input: docs/formats/efficiency.md.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ovlp/base/csv.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/charts/chart.hpp>

#include "options.hpp"
#include "subcommands.hpp"

namespace ovlp::tools {
namespace {

using base::csv_reader;
using base::trimmed;

struct efficiency_kind {
  char const *name, *column, *x_label, *y_label;
};
constexpr std::array<efficiency_kind, 3> kinds{{
    {"iteration", "efficiency", "Iteration", "Dynamic efficiency of the iteration (%)"},
    {"interval", "interval_efficiency",
     "Iteration k (interval k: from the end of iteration k \u2212 1 to the end of k)",
     "Dynamic efficiency of interval k (%)"},
    {"time", "efficiency", "Time (s)", "Dynamic efficiency in a sliding window (%)"},
}};
constexpr efficiency_kind const &iteration = kinds[0], &interval = kinds[1], &window = kinds[2];

struct plot_options {
  std::vector<std::string> inputs;  // CSV files, one for each run
  std::string output, kind;
};

struct point {
  double at;                      // iteration, or middle of the window
  double reach;                   // to either side, to the next point's
  double nodes;                   // held, on average
  std::optional<double> percent;  // none: nothing can be said of it
};

struct run {
  std::string file;
  std::vector<charts::fact> keys;  // of the comment lines
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

run read_run(std::string const& name, efficiency_kind const& kind) {
  bool const by_time = &kind == &window;
  csv_reader reader = by_time ? open(name, {"window_start_s", "nodes", kind.column, "window_end_s"})
                              : open(name, {"iteration", "nodes", kind.column});
  run read{name, {}, {}, {}};
  for (std::string const& comment : reader.comments()) {
    if (auto key = key_of(comment)) read.keys.push_back(std::move(*key));
  }
  while (reader.next()) {
    read.points.push_back(by_time ? read_window(reader) : read_iteration(reader, read.points));
  }
  if (auto const failure = read.value_of("failure")) throw config_error(name + ": the run failed: " + *failure);
  if (read.points.empty()) throw config_error(name + ": expected at least one row, but the file has none");
  return read;
}

/// What runs have in common, for the title, and the keys of what tells them apart, for the legend.
std::pair<std::vector<charts::fact>, std::vector<std::string>> compare(std::vector<run> const& runs) {
  std::vector<charts::fact> common;
  std::vector<std::string> different;
  std::set<std::string> seen;
  for (run const& of : runs) {
    for (charts::fact const& each : of.keys) {
      if (!seen.insert(each.first).second) continue;
      bool const equal =
          std::ranges::all_of(runs, [&](run const& other) { return other.value_of(each.first) == each.second; });
      if (equal) common.push_back(each);
      else different.push_back(each.first);
    }
  }
  return {common, different};
}

/// Its keys, or its file, or both where keys do not tell it from another one.
void set_labels(std::vector<run>& runs, std::vector<std::string> const& different) {
  std::vector<std::string> names, keys;
  for (run const& r : runs) {
    names.push_back(std::filesystem::path(r.file).filename().string());
    std::vector<std::string> words;
    for (std::string const& key : different) {
      if (auto const value = r.value_of(key)) words.push_back(charts::text_of({key, *value}));
    }
    keys.push_back(base::joined(words));
  }
  auto const occurs_once = [](auto const& all, std::string const& one) { return std::ranges::count(all, one) == 1; };
  bool const by_name = std::ranges::all_of(names, [&](std::string const& name) { return occurs_once(names, name); });
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::string const& file = by_name ? names[i] : runs[i].file;
    runs[i].label = keys[i].empty() ? file : occurs_once(keys, keys[i]) ? keys[i] : keys[i] + " (" + file + ")";
  }
}

/// The least of these digits times a power of ten that is not less than this: a step between tics.
double round_step(double least, std::initializer_list<double> digits) {
  double power = 1;
  while (10 * power < least) power *= 10;
  for (double const digit : digits) {
    if (digit * power >= least) return digit * power;
  }
  return 10 * power;
}

/// Where runs hold equal numbers of nodes their lines stand side by side: each `aside` by so much.
charts::series nodes_of(run const& of, double aside) {
  charts::series nodes{.drawn_as = charts::mark::line, .dashed = true, .on_y2 = true};
  for (point const& p : of.points) {  // a step is as wide as the iteration
    nodes.points.push_back({p.at - p.reach, p.nodes + aside});
    nodes.points.push_back({p.at + p.reach, p.nodes + aside});
  }
  return nodes;
}

charts::series efficiency_of(run const& of) {
  bool const gaps = std::ranges::any_of(of.points, [](point const& p) { return !p.percent; });
  // Markers: not at each of many points, but at those that stand alone.
  charts::series efficiency{.name = of.label,
                            .marker_every = gaps ? 1 : std::max<std::size_t>(1, of.points.size() / 30)};
  for (point const& p : of.points) efficiency.points.push_back({p.at, p.percent.value_or(charts::gap)});
  return efficiency;
}

bool hold_alike(std::vector<run> const& runs) {
  auto const& first = runs.front().points;
  return std::ranges::all_of(runs, [&](run const& r) {
    return std::ranges::equal(first, r.points,
                              [](point const& a, point const& b) { return a.at == b.at && a.nodes == b.nodes; });
  });
}

charts::chart chart_of(std::vector<run> const& runs, std::vector<charts::fact> const& common,
                       efficiency_kind const& kind) {
  double last = 0, most_nodes = 1, most_percent = 0;
  for (run const& r : runs) {
    last = std::max(last, r.points.back().at + r.points.back().reach);
    for (point const& p : r.points) {
      most_nodes = std::max(most_nodes, p.nodes);
      most_percent = std::max(most_percent, p.percent.value_or(0));
    }
  }
  bool const nodes_once = hold_alike(runs);
  // Both axes have their tics on the same lines.
  double const step = most_percent <= 100.5 ? 20 : round_step(most_percent / 5, {1, 2, 4, 5});
  double const intervals = most_percent <= 100.5 ? 5 : std::ceil(most_percent / step);
  double const step_of_nodes = round_step(most_nodes / intervals, {1, 2, 3, 4, 5, 6, 8});

  charts::chart drawn{.title = "Dynamic efficiency"};
  for (charts::fact const& each : common) {
    if (each.first != "application") drawn.facts.push_back(each);
    else if (!each.second.empty()) drawn.title += " of " + each.second;
  }
  drawn.x = {.label = kind.x_label, .from = 0, .to = last};
  if (&kind != &window) drawn.x = {kind.x_label, 0.5, last, false, round_step(last / 20, {1, 2, 5})};
  drawn.y = {.label = kind.y_label, .from = 0, .to = step * intervals, .step = step};
  drawn.y2 = {.label = nodes_once ? "Nodes held (thin dashed line)" : "Nodes held (thin dashed lines)",
              .from = 0,
              .to = step_of_nodes * intervals,
              .step = step_of_nodes};
  for (std::size_t i = 0; i < runs.size() && (i == 0 || !nodes_once); ++i) {
    double const middle = static_cast<double>(runs.size() - 1) / 2;
    double const aside = nodes_once ? 0 : 0.008 * step_of_nodes * intervals * (middle - static_cast<double>(i));
    drawn.all.push_back(nodes_of(runs[i], aside));
    if (!nodes_once) drawn.all.back().look = i;
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    drawn.all.push_back(efficiency_of(runs[i]));
    drawn.all.back().look = i;
  }
  return drawn;
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

void plot_efficiency(plot_options const& options) {
  auto const named = std::ranges::find(kinds, options.kind, &efficiency_kind::name);
  bool const overlap = named == kinds.end() && std::ranges::any_of(options.inputs, iterations_overlap);
  efficiency_kind const& kind = named != kinds.end() ? *named : overlap ? interval : iteration;
  std::vector<run> runs;
  for (std::string const& input : options.inputs) runs.push_back(read_run(input, kind));
  note_what_differs(runs);
  auto const [common, different] = compare(runs);
  set_labels(runs, different);
  charts::draw(chart_of(runs, common, kind), options.output);
  if (overlap)
    std::fputs("ovlp: note: iterations overlap, so intervals are drawn; --kind iteration draws each for itself\n",
               stderr);
}

}  // namespace

void add_plot_efficiency(CLI::App& plot) {
  auto const options = std::make_shared<plot_options>();
  CLI::App& efficiency =
      *plot.add_subcommand("efficiency", "Dynamic efficiency over the iterations of one or more runs");
  add_required(efficiency, "inputs", options->inputs, "FILE",
               "CSV files of --efficiency, or of --efficiency-over-time, one for each run");
  add_picture_output(efficiency, options->output);
  add_choice(
      efficiency, "--kind", options->kind, "iteration|interval|time",
      "iteration: efficiency between an iteration's start and its end; interval: between the ends of the "
      "iteration before and of this one; time: in a sliding window. Without it by interval if the iterations of a "
      "run overlap, else by iteration");
  efficiency.footer(
      "Examples:\n"
      "  ovlp plot efficiency run.csv -o run.png\n"
      "  ovlp plot efficiency --kind interval 4-nodes.csv 8-nodes.csv -o efficiency.svg\n"
      "  ovlp plot efficiency --kind time over-time.csv -o over-time.svg\n"
      "Format: docs/formats/efficiency.md");
  efficiency.callback([options] { plot_efficiency(*options); });
}

}  // namespace ovlp::tools
