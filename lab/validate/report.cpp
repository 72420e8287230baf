// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iomanip>
#include <iterator>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include <ovlp/base/csv.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/statistics.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/charts/chart.hpp>

#include "plans.hpp"

namespace ovlp::lab::validate {
namespace {

constexpr std::array limits{0.02, 0.04, 0.06, 0.12};
constexpr double repeatable = 0.04;  // spread up to which a configuration counts as repeatable
constexpr double good_rank = 0.02;   // by which the best predicted may be slower than the best measured

using error_of = std::function<double(comparison const&)>;

std::string percent(double ratio, int digits = 1) { return base::fixed(100 * ratio, digits); }

using group = std::vector<comparison const*>;

std::string name_of(configuration const& of) { return of.application + " on " + of.testbed; }

/// By application and testbed.
std::map<std::string, group> parts_of(results const& found) {
  std::map<std::string, group> parts;
  for (comparison const& c : found.times) parts[name_of(c.of)].push_back(&c);
  return parts;
}

/// One line of a table: how far off the predictions are of those of a group that are wanted.
std::string summary_line(std::string const& label, group const& of, error_of const& error,
                         std::function<bool(comparison const&)> const& wanted) {
  std::vector<double> errors;
  for (comparison const* c : of)
    if (wanted(*c)) errors.push_back(error(*c));
  std::ostringstream line;
  line << std::left << std::setw(34) << label << std::right << error_columns(errors, limits);
  if (!errors.empty()) {
    auto const [least, most] = std::ranges::minmax(errors);
    line << std::setw(9) << percent(std::max(-least, most));
  }
  line << "\n";
  return line.str();
}

std::string error_table(results const& found, error_of const& error) {
  std::string text =
      "                                    runs   <=2 %   <=4 %   <=6 %  <=12 %   mean %  mean|%|   worst %\n";
  auto const any = [](comparison const&) { return true; };
  auto const is_repeatable = [](comparison const& c) { return c.measured_s.size() > 1 && c.spread <= repeatable; };
  group all;
  for (comparison const& c : found.times) all.push_back(&c);
  text += summary_line("all", all, error, any) + summary_line("repetitions within 4 %", all, error, is_repeatable) +
          summary_line("repetitions spread over 4 %, or one only", all, error, std::not_fn(is_repeatable));
  for (auto const& [name, part] : parts_of(found))
    text += summary_line(name, part, error, any) + summary_line("  repetitions within 4 %", part, error, is_repeatable);
  return text;
}

std::string communication_lines(results const& found) {
  std::ostringstream text;
  for (auto const& [name, part] : parts_of(found)) {
    std::vector<double> shares;
    for (comparison const* c : part) shares.push_back(c->communication());
    auto const [least, most] = std::ranges::minmax(shares);
    text << std::left << std::setw(34) << name << std::right << std::setw(5) << shares.size() << std::setw(8)
         << percent(least) << std::setw(8) << percent(base::median(shares)) << std::setw(8) << percent(most) << "\n";
  }
  return text.str();
}

/// For each group of variants: is the one predicted best measured best, or nearly so?
std::string rank_table(results const& found) {
  std::map<std::string, group> groups;
  for (comparison const& c : found.times) groups[c.of.testbed + " " + c.of.application + " " + c.of.rank].push_back(&c);
  std::ostringstream bad;
  std::size_t ranked = 0, good = 0;
  for (auto const& [name, variants] : groups) {
    if (variants.size() < 2) continue;
    ++ranked;
    auto const chosen = *std::ranges::min_element(variants, {}, &comparison::predicted_s);
    auto const best = *std::ranges::min_element(variants, {}, &comparison::median_s);
    double const loss = chosen->median_s / best->median_s - 1;
    if (loss <= good_rank) {
      ++good;
    } else {
      bad << "  " << name << ": predicted best is " << chosen->of.options << ", slower by " << percent(loss)
          << " % than " << best->of.options << "\n";
    }
  }
  return "Of " + std::to_string(ranked) + " groups of variants, in " + std::to_string(good) +
         " the one predicted best is measured best, or within 2 % of it.\n" + bad.str();
}

std::string efficiency_lines(results const& found) {
  std::map<std::string, std::vector<double>> errors;
  for (efficiency_comparison const& e : found.efficiencies) {
    for (std::string const& name : {std::string("all"), name_of(e.of)})
      errors[name].push_back(std::abs(e.predicted - e.measured));
  }
  std::ostringstream text;
  for (auto const& [name, of] : errors) {
    text << std::left << std::setw(34) << name << std::right << std::setw(6) << of.size()
         << " iterations, mean absolute error " << percent(base::mean(of), 2) << " points\n";
  }
  return text.str();
}

std::string disturbed_lines(results const& found) {
  std::string text;
  for (comparison const& c : found.times) {
    if (std::string const warning = warning_of(c.waited); !warning.empty())
      text += "  " + c.of.testbed + " " + c.of.application + " " + c.of.options + ": " + warning + "\n";
  }
  return text;
}

results with_stragglers(results const& of) {
  results found;
  std::ranges::copy_if(of.times, std::back_inserter(found.times), &comparison::is_slowed);
  return found;
}

std::string errors_csv(results const& found) {
  base::csv_writer csv(
      "testbed,application,variant,options,kind,nodes,calibrated_nodes,speed_deviation,repetitions,measured_s,spread,"
      "predicted_s,error,unvaried_s,plain_s,plain_error,work_error,communication,waited,"
      "without_straggler_s",
      6);
  for (comparison const& c : found.times) {
    csv.row(c.of.testbed, c.of.application, c.of.variant, c.of.options, c.kind.empty() ? "none" : c.kind, c.nodes,
            c.calibrated_nodes, c.speed_deviation, c.measured_s.size(), c.median_s, c.spread, c.predicted_s, c.error(),
            c.unvaried_s, c.plain_s, c.plain_error(), c.work_error, c.communication(),
            c.waited.cpu_s > 0 ? c.waited.waited_s / c.waited.cpu_s : 0, c.without_straggler_s);
  }
  return csv.text();
}

std::string efficiencies_csv(results const& found) {
  base::csv_writer csv("testbed,application,options,iteration,measured,predicted", 6);
  for (efficiency_comparison const& e : found.efficiencies)
    csv.row(e.of.testbed, e.of.application, e.of.options, e.iteration, e.measured, e.predicted);
  return csv.text();
}

charts::chart scatter(results const& found) {
  auto const [least, most] = std::ranges::minmax(found.times, {}, &comparison::median_s);
  double const from = least.median_s, to = most.median_s;
  auto const times = [&](std::string const& name, double ratio, bool dashed) {
    return charts::series{.name = name,
                          .drawn_as = charts::mark::line,
                          .points = {{from, ratio * from}, {to, ratio * to}},
                          .dashed = dashed};
  };
  charts::chart drawn{.title = "Predicted over measured times",
                      .x = {.label = "measured, median of repetitions [s]", .logarithm = 10},
                      .y = {.label = "predicted [s]", .logarithm = 10},
                      .all = {times("equal", 1, false), times("4 %", 1.04, true), times("", 1 / 1.04, true)},
                      .height = 700};
  std::size_t look = 0;
  for (auto const& [name, part] : parts_of(found)) {
    charts::series of_part{.name = name, .drawn_as = charts::mark::points, .look = look++};
    for (comparison const* c : part) of_part.points.push_back({c->median_s, c->predicted_s});
    drawn.all.push_back(std::move(of_part));
  }
  return drawn;
}

/// Signed errors in steps of 2 %, the ends open, of both models.
charts::chart histogram(results const& found) {
  constexpr std::size_t bins = 15, middle = bins / 2;  // the middle one around 0
  auto const bin_of = [](double error) {
    return static_cast<std::size_t>(std::clamp(std::floor(error / 0.02 + 0.5) + middle, 0.0, bins - 1.0));
  };
  std::array<std::array<double, bins>, 2> counts{};
  for (comparison const& c : found.times) {
    ++counts[0][bin_of(c.error())];
    ++counts[1][bin_of(c.plain_error())];
  }
  charts::chart drawn{.title = "Errors of predictions",
                      .x = {.label = "signed error of the predicted time [%], bins of 2"},
                      .y = {.label = "configurations", .with_zero = true},
                      .all = {{"calibrated", charts::mark::bars, 0}, {"plain", charts::mark::bars, 1}}};
  for (std::size_t b = 0; b < bins; ++b) {
    std::string const open = b == 0 ? "<=" : b == bins - 1 ? ">=" : "";
    drawn.x.names.push_back(open + std::to_string(2 * (static_cast<int>(b) - static_cast<int>(middle))));
    for (std::size_t model : {0U, 1U}) drawn.all[model].points.push_back({static_cast<double>(b), counts[model][b]});
  }
  return drawn;
}

}  // namespace

std::string write_report(grid const& of, results const& found, std::string const& folder) {
  std::ostringstream text;
  auto const section = [&](char const* title, std::string const& lines) { text << "\n" << title << "\n" << lines; };
  text << "Grid '" << of.name << "': " << found.times.size() << " configurations, medians of up to " << of.repetitions
       << " repetitions.\nError: predicted / measured - 1. Spread: (longest - shortest) / median.\n";
  section("Calibrated model", error_table(found, [](comparison const& c) { return c.error(); }));
  results const slowed = with_stragglers(found);
  if (!slowed.times.empty()) {
    section("Runs whose prediction the straggler changes by 3 % or more",
            error_table(slowed, [](comparison const& c) { return c.error(); }));
    section("The same, predicted by what knows nothing of the straggler",
            error_table(slowed, [](comparison const& c) { return c.without_straggler_s / c.median_s - 1; }));
  }
  section("The paper's plain model", error_table(found, [](comparison const& c) { return c.plain_error(); }));
  section("Of the kernels' CPU time, predicted from runs on one node",
          error_table(found, [](comparison const& c) { return c.work_error; }));
  section("Ranking of variants", rank_table(found));
  if (std::string const plans = plan_lines(found); !plans.empty()) section("Plans", plans);
  section("Dynamic efficiency of iterations", efficiency_lines(found));
  section("Share of communication in the predicted time: configurations, least, median and largest share [%]",
          communication_lines(found));
  if (std::string const lines = disturbed_lines(found); !lines.empty())
    section("Measured while others had the processors", lines);
  if (!found.failures.empty()) text << "\nNot compared\n";
  for (std::string const& failure : found.failures) text << "  " << failure << "\n";
  base::write_output(folder + "/errors.csv", errors_csv(found));
  base::write_output(folder + "/efficiencies.csv", efficiencies_csv(found));
  if (std::string const rows = plans_csv(found); !rows.empty()) base::write_output(folder + "/plans.csv", rows);
  base::write_output(folder + "/report.txt", text.str());
  if (!found.times.empty()) {
    charts::draw(scatter(found), folder + "/scatter.svg");
    charts::draw(histogram(found), folder + "/histogram.svg");
  }
  return text.str();
}

}  // namespace ovlp::lab::validate
