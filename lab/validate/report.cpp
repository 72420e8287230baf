// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iomanip>
#include <map>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>
#include <vector>

#include <ovlp/base/files.hpp>
#include <ovlp/base/gnuplot.hpp>
#include <ovlp/base/statistics.hpp>
#include <ovlp/base/text.hpp>

#include "plans.hpp"

namespace ovlp::lab::validate {
namespace {

constexpr std::array limits{0.02, 0.04, 0.06, 0.12};
constexpr double repeatable = 0.04;  // spread up to which a configuration counts as repeatable
constexpr double good_rank = 0.02;   // by which the best predicted may be slower than the best measured

using error_of = std::function<double(comparison const&)>;

std::string percent(double ratio, int digits = 1) { return base::fixed(100 * ratio, digits); }

/// What a line of a table is about: an application on a testbed.
struct part {
  std::string application;
  std::string testbed;
  std::string name() const { return application + " on " + testbed; }
  bool has(comparison const& c) const { return c.of.application == application && c.of.testbed == testbed; }
  friend bool operator<(part const& a, part const& b) {
    return std::tie(a.application, a.testbed) < std::tie(b.application, b.testbed);
  }
};

std::set<part> parts_of(results const& found) {
  std::set<part> parts;
  for (comparison const& c : found.times) parts.insert({c.of.application, c.of.testbed});
  return parts;
}

std::string error_table(results const& found, error_of const& error) {
  std::ostringstream text;
  text << "                                    runs   <=2 %   <=4 %   <=6 %  <=12 %   mean %  mean|%|   worst %\n";
  auto const line = [&](std::string const& label, std::function<bool(comparison const&)> const& wanted) {
    std::vector<double> errors;
    for (comparison const& c : found.times)
      if (wanted(c)) errors.push_back(error(c));
    text << std::left << std::setw(34) << label << std::right << error_columns(errors, limits);
    if (!errors.empty()) {
      auto const [least, most] = std::ranges::minmax(errors);
      text << std::setw(9) << percent(std::max(-least, most));
    }
    text << "\n";
  };
  auto const is_repeatable = [](comparison const& c) { return c.measured_s.size() > 1 && c.spread <= repeatable; };
  line("all", [](comparison const&) { return true; });
  line("repetitions within 4 %", is_repeatable);
  line("repetitions spread over 4 %, or one only", [&](comparison const& c) { return !is_repeatable(c); });
  for (part const& p : parts_of(found)) {
    line(p.name(), [&](comparison const& c) { return p.has(c); });
    line("  repetitions within 4 %", [&](comparison const& c) { return p.has(c) && is_repeatable(c); });
  }
  return text.str();
}

std::string communication_lines(results const& found) {
  std::ostringstream text;
  for (part const& p : parts_of(found)) {
    std::vector<double> shares;
    for (comparison const& c : found.times) {
      if (p.has(c)) shares.push_back(c.communication());
    }
    auto const [least, most] = std::minmax_element(shares.begin(), shares.end());
    text << std::left << std::setw(34) << p.name() << std::right << std::setw(5) << shares.size() << std::setw(8)
         << percent(*least) << std::setw(8) << percent(base::median(shares)) << std::setw(8) << percent(*most) << "\n";
  }
  return text.str();
}

/// For each group of variants: is the one predicted best measured best, or nearly so?
std::string rank_table(results const& found) {
  std::map<std::string, std::vector<comparison const*>> groups;
  for (comparison const& c : found.times) groups[c.of.testbed + " " + c.of.application + " " + c.of.rank].push_back(&c);
  std::ostringstream bad;
  std::size_t ranked = 0, good = 0;
  for (auto const& [name, group] : groups) {
    if (group.size() < 2) continue;
    ++ranked;
    auto const chosen =
        *std::min_element(group.begin(), group.end(), [](auto a, auto b) { return a->predicted_s < b->predicted_s; });
    auto const best =
        *std::min_element(group.begin(), group.end(), [](auto a, auto b) { return a->median_s < b->median_s; });
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
  std::map<std::string, std::pair<double, std::size_t>> sums;
  for (efficiency_comparison const& e : found.efficiencies) {
    for (std::string const& name : {std::string("all"), part{e.of.application, e.of.testbed}.name()}) {
      auto& [sum, count] = sums[name];
      sum += std::abs(e.predicted - e.measured);
      ++count;
    }
  }
  std::ostringstream text;
  for (auto const& [name, sum] : sums) {
    text << std::left << std::setw(34) << name << std::right << std::setw(6) << sum.second
         << " iterations, mean absolute error " << percent(sum.first / static_cast<double>(sum.second), 2)
         << " points\n";
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

std::string errors_csv(results const& found) {
  std::ostringstream csv;
  csv << std::setprecision(6)
      << "testbed,application,variant,options,repetitions,measured_s,spread,predicted_s,error,plain_s,plain_error,"
         "work_error,communication,waited\n";
  for (comparison const& c : found.times) {
    csv << c.of.testbed << ',' << c.of.application << ',' << c.of.variant << ',' << c.of.options << ','
        << c.measured_s.size() << ',' << c.median_s << ',' << c.spread << ',' << c.predicted_s << ',' << c.error()
        << ',' << c.plain_s << ',' << c.plain_error() << ',' << c.work_error << ',' << c.communication() << ','
        << (c.waited.cpu_s > 0 ? c.waited.waited_s / c.waited.cpu_s : 0) << "\n";
  }
  return csv.str();
}

std::string efficiencies_csv(results const& found) {
  std::ostringstream csv;
  csv << std::setprecision(6) << "testbed,application,options,iteration,measured,predicted\n";
  for (efficiency_comparison const& e : found.efficiencies) {
    csv << e.of.testbed << ',' << e.of.application << ',' << e.of.options << ',' << e.iteration << ',' << e.measured
        << ',' << e.predicted << "\n";
  }
  return csv.str();
}

std::string scatter(results const& found) {
  std::ostringstream script;
  script << "set terminal svg size 700,600 noenhanced font 'sans,13' background 'white'\nset logscale xy\nset grid\n"
         << "set xlabel 'measured, median of repetitions [s]'\nset ylabel 'predicted [s]'\nset key left top\n";
  std::size_t number = 0;
  std::string plots =
      "x with lines dashtype 2 linecolor 'gray' title 'equal', x*1.04 with lines dashtype 3 linecolor "
      "'gray' title '4 %', x/1.04 with lines dashtype 3 linecolor 'gray' notitle";
  for (part const& p : parts_of(found)) {
    script << "$part" << number << " << EOD\n";
    for (comparison const& c : found.times) {
      if (p.has(c)) script << c.median_s << " " << c.predicted_s << "\n";
    }
    script << "EOD\n";
    plots += ", $part" + std::to_string(number) + " with points pointtype " + std::to_string(number + 4) + " title " +
             base::gnuplot_text(p.name());
    ++number;
  }
  script << "plot " << plots << "\n";
  return script.str();
}

/// Signed errors in steps of 2 %, the ends open, of both models.
std::string histogram(results const& found) {
  constexpr int bins = 15;  // the middle one around 0
  auto const bin_of = [](double error) {
    return std::clamp(static_cast<int>(std::floor(error / 0.02 + 0.5)) + bins / 2, 0, bins - 1);
  };
  std::array<int, bins> calibrated{}, plain{};
  for (comparison const& c : found.times) {
    ++calibrated[static_cast<std::size_t>(bin_of(c.error()))];
    ++plain[static_cast<std::size_t>(bin_of(c.plain_error()))];
  }
  std::ostringstream script;
  script
      << "set terminal svg size 700,400 noenhanced font 'sans,13' background 'white'\nset grid ytics\n"
      << "set style data histograms\nset style fill solid 0.8\nset boxwidth 0.9\n"
      << "set xlabel 'signed error of the predicted time [%], bins of 2'\nset ylabel 'configurations'\n$bins << EOD\n";
  for (int b = 0; b < bins; ++b) {
    int const middle = 2 * (b - bins / 2);
    std::string const open = b == 0 ? "<=" : b == bins - 1 ? ">=" : "";
    script << "\"" << open << middle << "\" " << calibrated[static_cast<std::size_t>(b)] << " "
           << plain[static_cast<std::size_t>(b)] << "\n";
  }
  script << "EOD\nplot $bins using 2:xtic(1) title 'calibrated', $bins using 3 title 'plain'\n";
  return script.str();
}

}  // namespace

std::string write_report(grid const& of, results const& found, std::string const& folder) {
  std::ostringstream text;
  auto const section = [&](char const* title, std::string const& lines) { text << "\n" << title << "\n" << lines; };
  text << "Grid '" << of.name << "': " << found.times.size() << " configurations, medians of up to " << of.repetitions
       << " repetitions.\nError: predicted / measured - 1. Spread: (longest - shortest) / median.\n";
  section("Calibrated model", error_table(found, [](comparison const& c) { return c.error(); }));
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
    base::write_output(folder + "/scatter.svg", base::run_gnuplot(scatter(found)));
    base::write_output(folder + "/histogram.svg", base::run_gnuplot(histogram(found)));
  }
  return text.str();
}

}  // namespace ovlp::lab::validate
