// SPDX-License-Identifier: BSD-3-Clause
#include "measured_errors.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iomanip>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include <ovlp/base/csv.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/statistics.hpp>
#include <ovlp/base/text.hpp>

#include "comparison.hpp"

namespace ovlp::lab::validate {
namespace {

using analysis::predicted;
using others = base::csv_reader::other_columns;
using error_list = std::vector<measured_error>;

constexpr double level = 0.9;

/// Below 0, too.
double signed_number(base::csv_reader const& row, std::size_t column) {
  double value = 0;
  if (!base::read_number(row.text(column), value) || !std::isfinite(value)) row.fail_field(column, "a number");
  return value;
}

struct measured_time {
  measured_error error;
  double predicted_s;
  /// To the prediction.
  double relative() const { return 1 + error.spreads * error.spread; }
};

std::vector<measured_time> times_of(std::string const& folder, std::string const& validation) {
  std::vector<measured_time> found;
  std::string const file = folder + "/errors.csv";
  base::csv_reader row(base::read_file(file), file,
                       {"testbed", "application", "kind", "measured_s", "unvaried_s", "speed_deviation",
                        "without_straggler_s", "predicted_s"},
                       others::skipped);
  while (row.next()) {
    bool const without_effect = row.number(6) > 0 && !straggler_has_effect(row.number(6), row.number(7));
    if (row.text(2) == "none" || without_effect) continue;
    auto const kind = std::ranges::find(analysis::kinds_of_errors(), row.text(2), &analysis::kind_of_error::key);
    if (kind == analysis::kinds_of_errors().end() || kind->what > predicted::time_on_this_machine)
      row.fail_field(2, "a kind of times");
    double const spread = analysis::spread_of_predictions(row.number(5)), predicted_s = row.number(4);
    if (predicted_s == 0) row.fail_field(4, "a number above 0");
    found.push_back(
        {{kind->what, validation, row.text(0), row.text(1), (row.number(3) / predicted_s - 1) / spread, spread},
         predicted_s});
  }
  return found;
}

/// Of any two runs of a program on a testbed: the time of the one that is predicted slower over that of the other.
void add_ratios(std::vector<measured_time> const& times, error_list& to) {
  for (std::size_t i = 0; i < times.size(); ++i) {
    for (std::size_t k = i + 1; k < times.size(); ++k) {
      measured_time const *faster = &times[i], *slower = &times[k];
      bool const comparable = faster->error.what == predicted::time && slower->error.what == predicted::time &&
                              faster->error.testbed == slower->error.testbed &&
                              faster->error.program == slower->error.program;
      if (!comparable) continue;
      if (faster->predicted_s > slower->predicted_s) std::swap(faster, slower);
      measured_error found = slower->error;
      found.what = predicted::ratio_of_times;
      found.spreads = (slower->relative() / faster->relative() - 1) / found.spread;
      to.push_back(found);
    }
  }
}

void add_plans(std::string const& folder, std::string const& validation, error_list& to) {
  std::string const file = folder + "/plans.csv";
  if (!std::filesystem::exists(file)) return;
  base::csv_reader row(base::read_file(file), file,
                       {"testbed", "application", "measured_saving", "unvaried_saving", "measured_loss",
                        "unvaried_loss", "speed_deviation"},
                       others::skipped);
  while (row.next()) {
    double const spread = analysis::spread_of_predictions(row.number(6));
    auto const add = [&](predicted what, std::size_t measured) {
      double const error = signed_number(row, measured) - signed_number(row, measured + 1);
      to.push_back({what, validation, row.text(0), row.text(1), error / spread, spread});
    };
    add(predicted::saved_node_s, 2);
    add(predicted::lost_time, 4);
  }
}

/// What is left out at once.
using group_of = std::function<std::string(measured_error const&)>;

std::string calibration_of(measured_error const& e) { return e.testbed + " " + base::shortest(e.spread); }

error_list of_kind(error_list const& all, predicted what) {
  error_list found;
  std::ranges::copy_if(all, std::back_inserter(found), [&](measured_error const& e) { return e.what == what; });
  return found;
}

/// Nine of ten, and as many of the others on either side.
struct bounds {
  double below, above;
  bool hold(measured_error const& e) const { return -below <= e.spreads && e.spreads <= above; }
};

std::optional<bounds> bounds_of(error_list const& of) {
  std::vector<double> less, more;
  for (measured_error const& e : of) {
    less.push_back(-e.spreads);
    more.push_back(e.spreads);
  }
  auto const below = base::conformal_quantile(std::move(less), (1 + level) / 2);
  auto const above = base::conformal_quantile(std::move(more), (1 + level) / 2);
  return below && above ? std::optional(bounds{*below, *above}) : std::nullopt;
}

std::size_t count_of(error_list const& all, group_of const& group) {
  std::set<std::string> groups;
  for (measured_error const& e : all) groups.insert(group(e));
  return groups.size();
}

/// How likely it is that as few of n, or fewer, are inside, or as many or more, if each is so with the probability
/// `level`.
double likelihood(std::size_t inside, std::size_t n) {
  double few = 0, many = 0;
  for (std::size_t k = 0; k <= n; ++k) {
    auto const of = static_cast<double>(n), in = static_cast<double>(k);
    double const p = std::exp(std::lgamma(of + 1) - std::lgamma(in + 1) - std::lgamma(of - in + 1) +
                              in * std::log(level) + (of - in) * std::log(1 - level));
    if (k <= inside) few += p;
    if (k >= inside) many += p;
  }
  return std::min(1.0, 2 * std::min(few, many));
}

struct held_out {
  std::size_t inside = 0, of = 0;
  double width_sum = 0;
};

void write_row(std::ostringstream& to, std::string const& name, held_out const& found) {
  auto const share = [&](double part) { return base::fixed(100 * part / static_cast<double>(found.of), 1); };
  to << "  " << std::left << std::setw(34) << name << std::right << std::setw(6) << found.of << std::setw(8)
     << found.inside << std::setw(9) << share(static_cast<double>(found.inside)) << std::setw(9)
     << base::fixed(likelihood(found.inside, found.of), 2) << std::setw(9) << share(found.width_sum) << "\n";
}

/// `left_out`: what the interval of a case knows nothing of. `shown`: by what the lines are.
void write_table(std::ostringstream& to, std::string const& title, error_list const& all, group_of const& left_out,
                 group_of const& shown) {
  std::map<std::string, std::optional<bounds>> without;
  for (measured_error const& e : all) without[left_out(e)];
  for (auto& known : without) {
    error_list rest;
    std::ranges::copy_if(all, std::back_inserter(rest),
                         [&](measured_error const& e) { return left_out(e) != known.first; });
    known.second = bounds_of(rest);
  }
  std::map<std::string, held_out> lines;
  held_out sum;
  for (measured_error const& e : all) {
    std::optional<bounds> const known = without.at(left_out(e));
    if (!known) continue;
    for (held_out* line : {&sum, &lines[shown(e)]}) {
      ++line->of;
      if (known->hold(e)) ++line->inside;
      line->width_sum += (known->below + known->above) * e.spread;
    }
  }
  if (sum.of == 0) return;
  to << title << "\n";
  for (auto const& [name, line] : lines) write_row(to, name, line);
  if (lines.size() > 1) write_row(to, "all", sum);
}

}  // namespace

std::vector<measured_error> read_errors(std::vector<std::string> const& folders) {
  error_list all;
  for (std::string const& folder : folders) {
    std::filesystem::path const path = std::filesystem::absolute(folder + "/").lexically_normal().parent_path();
    std::vector<measured_time> const times = times_of(folder, path.filename());
    for (measured_time const& time : times) all.push_back(time.error);
    add_ratios(times, all);
    add_plans(folder, path.filename(), all);
  }
  return all;
}

nlohmann::ordered_json known_errors(std::vector<measured_error> const& all) {
  nlohmann::ordered_json known;
  known["level"] = level;
  for (auto const& [what, key, plural] : analysis::kinds_of_errors()) {
    error_list const of = of_kind(all, what);
    auto const found = bounds_of(of);
    if (!found) continue;
    auto const rounded = [](double bound) { return std::ceil(1e4 * bound) / 1e4; };
    known[key] = {{"below", rounded(found->below)},
                  {"above", rounded(found->above)},
                  {"cases", of.size()},
                  {"calibrations", count_of(of, calibration_of)},
                  {"programs", count_of(of, &measured_error::program)}};
  }
  return known;
}

std::string held_out_table(std::vector<measured_error> const& all) {
  std::ostringstream text;
  for (auto const& [what, key, plural] : analysis::kinds_of_errors()) {
    error_list const of = of_kind(all, what);
    auto const found = bounds_of(of);
    if (!found) continue;
    auto const percent = [](double spreads) {
      return base::fixed(100 * spreads * analysis::spread_of_predictions(0), 1);
    };
    text << (text.str().empty() ? "" : "\n") << key << ": nine of ten are from " << percent(-found->below) << " to +"
         << percent(found->above) << " % of the prediction, where nodes do not differ.\n"
         << "                                     cases  inside  share %    p      width %\n";
    group_of const validation = &measured_error::validation, program = &measured_error::program;
    // A validation by an earlier one's calibration is left out with it.
    std::map<std::string, std::string> first;
    for (measured_error const& e : of) first.try_emplace(calibration_of(e), e.validation);
    group_of const with_others = [&](measured_error const& e) { return first.at(calibration_of(e)); };
    write_table(text, "by calibration, each from all others", of, calibration_of,
                [](measured_error const& e) { return e.validation + ", " + e.testbed; });
    write_table(text, "by validation, each calibration from all others", of, calibration_of, validation);
    write_table(text, "by validation, each from all that share no calibration with it", of, with_others, validation);
    write_table(text, "by program, each from all others", of, program, program);
  }
  return text.str();
}

}  // namespace ovlp::lab::validate
