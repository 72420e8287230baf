// SPDX-License-Identifier: BSD-3-Clause
#include "cluster_page.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

#include <ovlp/base/text.hpp>
#include <ovlp/base/version.hpp>

#include "html_page.hpp"
#include "results/over_time.hpp"

namespace ovlp::tools {
namespace {

using cluster::cluster_over_time;
using cluster::cluster_run;
using cluster::job_result;

constexpr std::size_t page_windows = 400, colored_jobs = 60, colors = 10, shown_jobs = 300;
constexpr double plot_left = 52, plot_width = 620, plot_right = 28;

std::string plain_number(double value) { return base::fixed(value, std::abs(value) < 1000 ? 2 : 0); }
std::string in_percent(double value) { return base::fixed(100 * value, 1) + " %"; }
std::string at(double coordinate) { return base::fixed(coordinate, 1); }

/// Jobs that have one colour: each of few; of many those that ask for about as many nodes.
struct job_groups {
  std::vector<std::string> names;
  std::vector<std::size_t> of_jobs;
};

job_groups groups_of(cluster::workload const& of) {
  job_groups made;
  if (of.jobs.size() <= colored_jobs) {
    for (cluster::job const& one : of.jobs) {
      made.of_jobs.push_back(made.names.size());
      made.names.push_back(one.name);
    }
    return made;
  }
  std::vector<std::uint64_t> largest{1};  // of each group: 1, 4, 16, ... nodes
  for (cluster::job const& one : of.jobs) {
    while (largest.back() < one.requested) largest.push_back(4 * largest.back());
  }
  for (std::size_t g = 0; g < largest.size(); ++g)
    made.names.push_back(g == 0 ? "1 node asked for"
                                : std::to_string(largest[g - 1] + 1) + " to " + std::to_string(largest[g]));
  for (cluster::job const& one : of.jobs)
    made.of_jobs.push_back(
        static_cast<std::size_t>(std::ranges::lower_bound(largest, one.requested) - largest.begin()));
  return made;
}

std::string color(std::size_t group) { return "c" + std::to_string(group % colors); }

/// A plot of windows of time, from 0 to `most`.
class time_plot {
 public:
  time_plot(std::string const& label, cluster::windows const& in, double most, double height)
      : in_(in), most_(most > 0 ? most : 1), height_(height) {
    text_ = "<svg viewBox=\"0 0 " + at(plot_left + plot_width + plot_right) + " " + at(height + 44) +
            "\" role=\"img\" aria-label=\"" + escaped(label) + "\">\n";
    for (double const part : {0.0, 0.25, 0.5, 0.75, 1.0}) {
      text_ += line("grid", plot_left, y(part * most_), plot_left + plot_width, y(part * most_));
      text_ += word("end", plot_left - 6, y(part * most_) + 4, base::shortest(std::round(100 * part * most_) / 100));
    }
    double const span_s = in.to_s - in.from_s;
    double step_s = span_s > 0 ? std::pow(10, std::floor(std::log10(span_s / 4))) : 1;
    for (double const more : {2.0, 2.5, 2.0}) {
      if (span_s / step_s > 8) step_s *= more;
    }
    for (int i = 0; i * step_s <= span_s; ++i) {
      double const t = i * step_s;
      double const place = plot_left + plot_width * (span_s > 0 ? t / span_s : 0);
      text_ += line("grid", place, y(0), place, y(0) + 4);
      text_ += word("middle", place, y(0) + 17, base::fixed(t, step_s < 1 ? 2 : 0));
    }
    text_ += word("end", plot_left + plot_width, y(0) + 31, "seconds since the first arrival");
  }

  /// Between two curves of steps; one window's ends are joined.
  void area(std::string const& as, std::string const& name, std::vector<double> const& low,
            std::vector<double> const& high) {
    for (std::size_t w = 0; w < in_.count;) {
      if (!(high[w] > low[w])) {
        ++w;
        continue;
      }
      std::string forth, back;
      for (; w < in_.count && high[w] > low[w]; ++w) {
        step(forth, w, high[w], false);
        step(back, w, low[w], true);
      }
      text_ += "<path class=\"" + as + "\" d=\"M" + forth.substr(1) + back + "Z\"><title>" + escaped(name) +
               "</title></path>\n";
    }
  }
  void curve(std::string const& as, std::function<double(std::size_t)> const& value) {
    std::string path;
    bool down = false;
    for (std::size_t w = 0; w < in_.count; ++w) {
      double const there = value(w);
      if (!std::isfinite(there)) {
        down = false;
        continue;
      }
      std::string forth;
      step(forth, w, there, false);
      path += down ? forth : "M" + forth.substr(1);
      down = true;
    }
    text_ += "<path class=\"" + as + "\" d=\"" + path + "\"/>\n";
  }
  std::string text() const { return text_ + "</svg>\n"; }

 private:
  double x(std::size_t w) const {
    return plot_left + plot_width * static_cast<double>(w) / static_cast<double>(in_.count);
  }
  double y(double value) const { return 8 + height_ * (1 - std::min(1.0, value / most_)); }
  void step(std::string& path, std::size_t w, double value, bool backwards) const {
    std::string const from = "L" + at(x(w)) + " " + at(y(value)), to = "L" + at(x(w + 1)) + " " + at(y(value));
    path = backwards ? to + from + path : path + from + to;
  }
  static std::string line(std::string const& as, double x1, double y1, double x2, double y2) {
    return "<path class=\"" + as + "\" d=\"M" + at(x1) + " " + at(y1) + "L" + at(x2) + " " + at(y2) + "\"/>";
  }
  static std::string word(std::string const& anchor, double x, double y, std::string const& what) {
    return "<text text-anchor=\"" + anchor + "\" x=\"" + at(x) + "\" y=\"" + at(y) + "\">" + what + "</text>\n";
  }

  cluster::windows const in_;
  double const most_, height_;
  std::string text_;
};

std::string nodes_plot(cluster_run const& run, cluster_over_time const& by, job_groups const& groups) {
  time_plot made("Nodes over time, " + run.title(), by.of, run.nodes, 220);
  double const width_s = by.of.width_s();
  std::vector<double> low(by.of.count, 0), high = low;
  for (std::size_t g = 0; g < by.held_by.size(); ++g) {
    for (std::size_t w = 0; w < by.of.count; ++w) high[w] = low[w] + by.held_by[g][w] / width_s;
    made.area(color(g), groups.names[g], low, high);
    low = high;
  }
  made.curve("work", [&](std::size_t w) { return by.available_node_s[w] > 0 ? by.work_node_s[w] / width_s : NAN; });
  return made.text();
}

std::string row_of(std::string const& cell, std::vector<std::string> const& cells) {
  std::string text = "<tr>";
  for (std::string const& one : cells) text += "<" + cell + ">" + escaped(one) + "</" + cell + ">";
  return text + "</tr>\n";
}

std::string figures_table(std::vector<cluster_run> const& runs) {
  std::string text = "<div class=\"scroll\"><table><thead>" +
                     row_of("th", {"scheduler", "nodes", "mean turnaround", "median", "95 %", "mean wait", "longest",
                                   "bounded slowdown", "makespan", "utilization", "efficiency", "dynamic efficiency",
                                   "node-seconds", "work"}) +
                     "</thead><tbody>";
  for (cluster_run const& run : runs) {
    cluster::cluster_figures const of = figures_of(run);
    text += row_of(
        "td", {run.title(), std::to_string(run.nodes), plain_number(of.mean_turnaround_s),
               plain_number(of.median_turnaround_s), plain_number(of.p95_turnaround_s), plain_number(of.mean_wait_s),
               plain_number(of.longest_wait_s), base::fixed(of.mean_bounded_slowdown, 2), plain_number(of.makespan_s),
               in_percent(of.utilization), in_percent(of.efficiency), in_percent(of.dynamic_efficiency),
               plain_number(of.held_node_s), plain_number(run.work_node_s)});
  }
  return text + "</tbody></table></div>\n";
}

std::string jobs_table(cluster_run const& run) {
  std::vector<std::size_t> shown(run.jobs.size());
  std::iota(shown.begin(), shown.end(), 0);
  auto const wait_s = [&](std::size_t j) { return run.jobs[j].start_s - run.of->jobs[j].arrival_s; };
  std::string text = "<h3>" + escaped(run.title()) + "</h3>";
  if (shown.size() > shown_jobs) {
    std::ranges::stable_sort(shown, std::ranges::greater{}, wait_s);
    text += "<p class=\"quiet\">The " + std::to_string(shown_jobs) + " that waited longest; " +
            std::to_string(shown.size() - shown_jobs) + " more, which waited " +
            plain_number(wait_s(shown[shown_jobs])) + " s or less, are in the file.</p>";
    shown.resize(shown_jobs);
  }
  text += "<div class=\"scroll tall\"><table><thead>" +
          row_of("th", {"job", "arrival", "wait", "turnaround", "slowdown", "asked", "first", "most", "changes",
                        "node-seconds", "efficiency", "end"}) +
          "</thead><tbody>";
  for (std::size_t const j : shown) {
    cluster::job const& asked = run.of->jobs[j];
    job_result const& got = run.jobs[j];
    text += row_of("td", {asked.name, plain_number(asked.arrival_s - run.begin_s), plain_number(wait_s(j)),
                          plain_number(got.end_s - asked.arrival_s), base::fixed(bounded_slowdown(asked, got), 2),
                          std::to_string(asked.requested), std::to_string(got.first_nodes),
                          std::to_string(got.most_nodes), std::to_string(got.changes), plain_number(got.held_node_s),
                          in_percent(efficiency(got)), name_of(got.end)});
  }
  return text + "</tbody></table></div>\n";
}

constexpr char const* page_style = R"(
:root { color-scheme: light dark; --text: light-dark(#1a1d23, #e8eaee); --faint: light-dark(#5b6270, #a0a8b6); --line: light-dark(#e3e6ea, #2c323c); }
body { margin: 0 auto; max-width: 1680px; padding: 16px 24px; background: light-dark(#fff, #1b1f26); color: var(--text); font: 14px/1.45 system-ui, "DejaVu Sans", sans-serif; }
h1 { font-size: 18px; margin: 0; } h2 { font-size: 16px; margin: 22px 0 2px; } h3 { font-size: 14px; margin: 8px 0 2px; }
.quiet { color: var(--faint); margin: 0; font-size: 13px; }
.beside { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 560px), 1fr)); gap: 8px 28px; }
.beside > div { min-width: 0; max-width: 1000px; } svg { width: 100%; height: auto; display: block; }
svg text { font-size: 11px; fill: var(--faint); } .grid { stroke: var(--line); fill: none; }
.work { fill: none; stroke: var(--text); stroke-width: 1.4; } .one { fill: none; stroke: light-dark(#1f5fbf, #6ea8ff); stroke-width: 1.4; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 14px; list-style: none; margin: 4px 0; padding: 0; font-size: 13px; }
.legend i { display: inline-block; width: 11px; height: 11px; border-radius: 3px; margin-right: 6px; vertical-align: -1px; }
.scroll { overflow: auto; } .tall { max-height: 480px; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 13px; }
th, td { text-align: right; padding: 3px 0 3px 11px; border-bottom: 1px solid var(--line); white-space: nowrap; font-weight: 400; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
thead th { color: var(--faint); position: sticky; top: 0; background: light-dark(#fff, #1b1f26); }
)";

std::string style_of_colors() {
  static constexpr char const* light[] = {"#4269d0", "#efa318", "#e5563f", "#3fae96", "#3ca951",
                                          "#ee6f9f", "#9150e0", "#71a7ee", "#9c6b4e", "#868d96"};
  std::string text;
  for (std::size_t c = 0; c < colors; ++c)
    text += "." + color(c) + "{fill:" + light[c] + ";background:" + light[c] + "}";
  return text;
}

/// A section in which each run has its part, side by side.
std::string section(std::string const& title, std::string const& explanation, std::size_t runs,
                    std::function<std::string(std::size_t)> const& part, std::string const& between = "") {
  std::string text =
      "<section><h2>" + title + "</h2><p class=\"quiet\">" + explanation + "</p>" + between + "<div class=\"beside\">";
  for (std::size_t r = 0; r < runs; ++r) text += "<div>" + part(r) + "</div>";
  return text + "</div></section>\n";
}

}  // namespace

std::string cluster_page(cluster::stored_cluster const& of, std::string const& name) {
  job_groups const groups = groups_of(*of.of);
  cluster::windows const in = windows_of(of.runs, page_windows);
  std::vector<cluster_over_time> by;
  double most_waiting = 1;
  for (cluster_run const& run : of.runs) {
    by.push_back(over_time(run, in, groups.of_jobs));
    most_waiting = std::max(most_waiting, *std::ranges::max_element(by.back().waiting));
  }
  most_waiting = 4 * std::ceil(most_waiting / 4);  // whole numbers at the axis
  std::string const title = escaped(name.empty() ? of.of->name : name);
  std::size_t const runs = of.runs.size();
  std::string text =
      "<!doctype html>\n<html lang=\"en\" data-complete=\"yes\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\"><link rel=\"icon\" href=\"data:,\"><title>" +
      title + " – ovlp report</title><style>" + page_style + style_of_colors() + "</style></head>\n<body><h1>" + title +
      "</h1><p class=\"quiet\">" + std::to_string(of.of->jobs.size()) + " jobs on one cluster" +
      (runs > 1 ? ", under " + std::to_string(runs) + " schedulers" : "") + "</p>\n";
  for (cluster_run const& run : of.runs) {
    for (std::vector<std::string> const* all : {&run.failures, &run.notes})
      for (std::string const& line : *all) text += "<p role=\"alert\">" + escaped(run.title() + ": " + line) + "</p>\n";
  }
  text +=
      "<section><h2>Figures</h2><p class=\"quiet\">Times in seconds. Efficiency is work over what jobs hold, "
      "utilization what they hold over what there is, dynamic efficiency the product.</p>" +
      figures_table(of.runs) + "</section>\n";
  auto const heading = [&](std::size_t r) { return "<h3>" + escaped(of.runs[r].title()) + "</h3>"; };
  std::string legend = "<ul class=\"legend\">";
  for (std::size_t g = 0; g < groups.names.size(); ++g)
    legend += "<li><i class=\"" + color(g) + "\"></i>" + escaped(groups.names[g]) + "</li>";
  text += section(
      "Nodes",
      "Held by jobs, in the colours below; the line is held nodes times the efficiency of their "
      "jobs: what is above it is held and does no work.",
      runs, [&](std::size_t r) { return heading(r) + nodes_plot(of.runs[r], by[r], groups); }, legend + "</ul>");
  text += section("Queue", "Jobs that wait.", runs, [&](std::size_t r) {
    time_plot made("Queue over time, " + of.runs[r].title(), in, most_waiting, 120);
    made.curve("one", [&](std::size_t w) { return by[r].available_node_s[w] > 0 ? by[r].waiting[w] : NAN; });
    return heading(r) + made.text();
  });
  text += section("Dynamic efficiency", "Work over available node-seconds.", runs, [&](std::size_t r) {
    time_plot made("Dynamic efficiency over time, " + of.runs[r].title(), in, 1, 120);
    made.curve("one", [&](std::size_t w) { return by[r].available_node_s[w] > 0 ? by[r].efficiency(w) : NAN; });
    return heading(r) + made.text();
  });
  text += section("Jobs", "", runs, [&](std::size_t r) { return jobs_table(of.runs[r]); });
  return text + "<footer class=\"quiet\">Made by ovlp " + std::string(version()) + "</footer></body></html>\n";
}

}  // namespace ovlp::tools
