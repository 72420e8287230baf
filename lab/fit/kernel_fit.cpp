// SPDX-License-Identifier: BSD-3-Clause
#include "kernel_fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <sstream>
#include <utility>

#include <lapacke.h>
#include <nlohmann/json.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/json_object.hpp>
#include <ovlp/base/progress.hpp>
#include <ovlp/base/statistics.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/machine/platform.hpp>
#include <ovlp/simkernel/durations.hpp>
#include <ovlp/simkernel/interpolation.hpp>

namespace ovlp::lab {
namespace {

using json = nlohmann::ordered_json;
using sizes_type = std::vector<std::int64_t>;
using base::root_mean_square;

/// A kernel's mean duration at some sizes.
struct measured {
  sizes_type sizes;
  double mean_s;
};

/// By kernel, in the order of their sizes. Errors: config_error.
std::map<std::string, std::vector<measured>> read_all(std::vector<std::string> const& files,
                                                      std::set<std::string>& cores) {
  struct sum {
    double seconds = 0;
    double count = 0;
  };
  constexpr double shortest_s = 1e-12;  // less is no duration that was measured
  std::map<std::string, std::map<sizes_type, sum>> sums;
  for (std::string const& file : files) {
    sim::recorded_durations const recorded = sim::read_durations(file);
    cores.insert(recorded.reference_core);
    for (sim::kernel_duration const& one : recorded.kernels) {
      bool const usable =
          one.mean_s >= shortest_s && std::ranges::all_of(one.sizes, [](std::int64_t s) { return s > 0; });
      sum& to = sums[one.kernel][one.sizes];
      if (!usable) continue;
      to.seconds += one.count * one.mean_s;
      to.count += one.count;
    }
  }
  std::map<std::string, std::vector<measured>> means;
  for (auto const& [kernel, by_sizes] : sums) {
    std::vector<measured>& of = means[kernel];
    for (auto const& [sizes, total] : by_sizes) {
      if (sizes.size() != by_sizes.begin()->first.size()) {
        throw config_error("kernel '" + kernel + "': expected as many sizes each time, got " +
                           std::to_string(by_sizes.begin()->first.size()) + " and " + std::to_string(sizes.size()));
      }
      if (total.count > 0) of.push_back({sizes, total.seconds / total.count});
    }
  }
  return means;
}

/// Sizes whose exponents the measurements cannot distinguish have one in common: their places, in order.
using size_group = std::vector<std::size_t>;

/// The logarithm of the product of a group's sizes, for each measurement, less its mean.
std::vector<double> centred_logarithms(std::vector<measured> const& of, size_group const& group) {
  std::vector<double> values;
  for (measured const& m : of) {
    double sum = 0;
    for (std::size_t const i : group) sum += std::log(static_cast<double>(m.sizes[i]));
    values.push_back(sum);
  }
  double const mean = base::mean(values);
  for (double& value : values) value -= mean;
  return values;
}

/// Least squares: weights w with a * w near b. `a`: columns.
std::vector<double> least_squares(std::vector<std::vector<double>> const& columns, std::vector<double> b) {
  if (columns.empty()) return {};
  std::vector<double> a;
  for (auto const& column : columns) a.insert(a.end(), column.begin(), column.end());
  auto const rows = static_cast<lapack_int>(b.size()), unknowns = static_cast<lapack_int>(columns.size());
  b.resize(std::max(b.size(), columns.size()));
  std::vector<double> singular(columns.size());
  lapack_int rank = 0;
  constexpr double least_singular = 1e-9;
  lapack_int const failed = LAPACKE_dgelsd(LAPACK_COL_MAJOR, rows, unknowns, 1, a.data(), rows, b.data(),
                                           static_cast<lapack_int>(b.size()), singular.data(), least_singular, &rank);
  if (failed != 0) throw io_error("LAPACKE_dgelsd: " + std::to_string(failed));
  b.resize(columns.size());
  return b;
}

/// How far a group varies by itself: in logarithms, after what the other groups explain.
double own_variation(std::vector<measured> const& of, std::vector<size_group> const& by, size_group const& group) {
  std::vector<std::vector<double>> others;
  for (size_group const& other : by) {
    if (&other != &group) others.push_back(centred_logarithms(of, other));
  }
  std::vector<double> rest = centred_logarithms(of, group);
  std::vector<double> const weights = least_squares(others, rest);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    for (std::size_t o = 0; o < others.size(); ++o) rest[i] -= weights[o] * others[o][i];
  }
  return root_mean_square(rest);
}

/// So many groups as the measurements can distinguish: each varies independently, and there are more measurements than
/// exponents. Else the two that are most alike become one.
std::vector<size_group> group_sizes(std::vector<measured> const& of) {
  constexpr double enough = 0.1;  // a tenth up and down, where noise of a per cent makes a tenth of an exponent
  std::vector<size_group> by;
  for (std::size_t i = 0; i < of.front().sizes.size(); ++i) by.push_back({i});
  while (by.size() > 1) {
    std::vector<double> variations;
    for (size_group const& group : by) variations.push_back(own_variation(of, by, group));
    auto const lowest = std::ranges::min_element(variations);
    if (*lowest >= enough && of.size() > by.size()) break;
    auto const least = static_cast<std::size_t>(lowest - variations.begin());
    std::vector<double> const mine = centred_logarithms(of, by[least]);
    auto const likeness = [&](size_group const& other) {
      if (&other == &by[least]) return -2.0;
      std::vector<double> const its = centred_logarithms(of, other);
      double const lengths = root_mean_square(mine) * root_mean_square(its);
      return lengths > 0 ? std::inner_product(mine.begin(), mine.end(), its.begin(), 0.0) / lengths : -1.0;
    };
    auto const nearest = static_cast<std::size_t>(std::ranges::max_element(by, {}, likeness) - by.begin());
    size_group& both = by[std::min(least, nearest)];
    size_group& other = by[std::max(least, nearest)];
    both.insert(both.end(), other.begin(), other.end());
    std::ranges::sort(both);
    std::swap(other, by.back());
    by.pop_back();
  }
  return by;
}

/// Why there can be no model; empty if there can be one.
std::string objection(std::vector<measured> const& of) {
  constexpr double least_ratio = 1.5;
  if (of.empty()) return "no durations and sizes above 0";
  std::size_t const count = of.front().sizes.size();
  if (count == 0) return "it has no sizes: --durations says all";
  if (of.size() < 2) return "measured at one size only; measure at least two";
  for (std::size_t i = 0; i < count; ++i) {
    auto const [least, most] = std::ranges::minmax(of, {}, [i](measured const& m) { return m.sizes[i]; });
    if (static_cast<double>(most.sizes[i]) >= least_ratio * static_cast<double>(least.sizes[i])) continue;
    return "size " + std::to_string(i + 1) + " was " + std::to_string(least.sizes[i]) +
           (least.sizes[i] == most.sizes[i] ? " each time" : " to " + std::to_string(most.sizes[i])) +
           "; measure some 1.5 times as large, too";
  }
  return "";
}

/// log(duration / (1 + half_size / s)) = log(coefficient) + sum of exponents * log(sizes), by least squares, without
/// exponents below 0.
machine::kernel_model solve(std::vector<measured> const& of, std::vector<size_group> const& by, double half_size) {
  std::vector<double> b;
  for (measured const& m : of) {
    b.push_back(std::log(m.mean_s / (1 + half_size / static_cast<double>(std::ranges::min(m.sizes)))));
  }
  std::vector<std::size_t> free(by.size());
  std::iota(free.begin(), free.end(), 0);
  std::vector<double> found;
  for (;;) {
    std::vector<std::vector<double>> columns;
    for (std::size_t group : free) columns.push_back(centred_logarithms(of, by[group]));
    found = least_squares(columns, b);
    auto const lowest = std::ranges::min_element(found);
    if (lowest == found.end() || *lowest >= 0) break;
    free.erase(free.begin() + (lowest - found.begin()));
  }
  machine::kernel_model model;
  model.exponents.assign(of.front().sizes.size(), 0.0);
  for (std::size_t f = 0; f < free.size(); ++f) {
    for (std::size_t const i : by[free[f]]) model.exponents[i] = found[f];
  }
  for (std::size_t row = 0; row < of.size(); ++row) {
    for (std::size_t i = 0; i < model.exponents.size(); ++i)
      b[row] -= model.exponents[i] * std::log(static_cast<double>(of[row].sizes[i]));
  }
  model.coefficient_s = std::exp(base::mean(b));
  model.half_size = half_size;
  return model;
}

std::vector<double> relative_errors(machine::kernel_model const& model, std::vector<measured> const& of) {
  std::vector<double> errors;
  for (measured const& m : of) errors.push_back(model(m.sizes) / m.mean_s - 1);
  return errors;
}

/// A size at which half of the speed is reached is worth its place if there are enough sizes to show it, and it makes
/// the error a good deal smaller. It is sought among them: one far beyond is an exponent by another name.
machine::kernel_model best_model(std::vector<measured> const& of) {
  constexpr double worth = 0.8;
  constexpr int steps = 60;
  std::vector<size_group> const by = group_sizes(of);
  machine::kernel_model best = solve(of, by, 0);
  if (of.size() <= 2 + by.size()) return best;
  auto const smallest_size = [](measured const& m) { return std::ranges::min(m.sizes); };
  auto const [first, last] = std::ranges::minmax(of, {}, smallest_size);
  auto const least = static_cast<double>(smallest_size(first)), most = static_cast<double>(smallest_size(last));
  double least_error = worth * root_mean_square(relative_errors(best, of));
  for (int i = 0; i <= steps; ++i) {
    machine::kernel_model const tried = solve(of, by, least / 10 * std::pow(10 * most / least, double{1} * i / steps));
    double const error = root_mean_square(relative_errors(tried, of));
    if (error >= least_error) continue;
    best = tried;
    least_error = error;
  }
  return best;
}

/// Relative errors at sizes that a model was not fitted to: each is left out once, with others if they are many.
std::vector<double> errors_of_others(std::vector<measured> const& of) {
  constexpr std::size_t most_parts = 20;
  std::size_t const parts = std::min(of.size(), most_parts);
  std::vector<double> errors;
  for (std::size_t part = 0; part < parts; ++part) {
    std::vector<measured> kept, left_out;
    for (std::size_t i = 0; i < of.size(); ++i) (i % parts == part ? left_out : kept).push_back(of[i]);
    if (!objection(kept).empty()) continue;
    std::vector<double> const more = relative_errors(best_model(kept), left_out);
    errors.insert(errors.end(), more.begin(), more.end());
  }
  return errors;
}

/// Relative errors at sizes that are interpolated between the others, as partial execution does. Each is left out once,
/// or some 200 of them.
std::vector<double> errors_between(std::vector<measured> const& of) {
  constexpr std::size_t most = 200;
  std::vector<double> errors;
  for (std::size_t i = 0; i < of.size(); i += 1 + of.size() / most) {
    std::vector<std::span<std::int64_t const>> others;
    std::vector<double> logarithms;
    for (std::size_t j = 0; j < of.size(); ++j) {
      if (j == i) continue;
      others.emplace_back(of[j].sizes);
      logarithms.push_back(std::log(of[j].mean_s));
    }
    auto const corners = sim::measured_sizes(others).around(of[i].sizes);
    if (corners.empty()) continue;
    double logarithm = 0;
    for (auto const& [point, weight] : corners) logarithm += weight * logarithms[point];
    errors.push_back(std::exp(logarithm) / of[i].mean_s - 1);
  }
  return errors;
}

json described(machine::kernel_model const& model) {
  return {{"coefficient_s", model.coefficient_s}, {"exponents", model.exponents}, {"half_size", model.half_size}};
}

std::string in_words(machine::kernel_model const& model) {
  std::ostringstream text;
  text << std::setprecision(3) << model.coefficient_s << " s";
  for (double exponent : model.exponents) text << " * size^" << exponent;
  if (model.half_size > 0) text << ", half speed at " << model.half_size;
  return text.str();
}

/// "sizes 1 and 2"; empty if each has an exponent of its own.
std::string in_common(std::vector<measured> const& of) {
  std::vector<std::string> all;
  for (size_group const& group : group_sizes(of)) {
    std::vector<std::string> sizes;
    for (std::size_t const i : group) sizes.push_back(std::to_string(i + 1));
    if (sizes.size() > 1) all.push_back(base::joined(sizes, " and "));
  }
  return base::joined(all);
}

/// A percentage, or a dash without values.
std::string percent(std::vector<double> const& errors, double figure) {
  return errors.empty() ? "-" : base::fixed(100 * figure, 2);
}

/// Models that a platform known by name has of programs of which nothing is fitted: its user did not ask for them.
void leave_out_other_programs(json& kernels, json const& fitted) {
  auto const program_of = [](std::string const& kernel) { return kernel.substr(0, kernel.find('.')); };
  std::set<std::string> programs;
  for (auto const& [kernel, fit] : fitted.items()) programs.insert(program_of(kernel));
  json kept = json::object();
  for (auto const& [kernel, model] : kernels.items()) {
    if (programs.contains(program_of(kernel))) kept[kernel] = model;
  }
  kernels = std::move(kept);
}

}  // namespace

std::string fit_kernels(fit_options const& options) {
  json made = json::object();
  std::set<std::string> cores;
  auto const all = read_all(options.inputs, cores);
  std::ostringstream table;
  std::string reference_core = cores.empty() ? "unknown" : *cores.begin();
  if (options.platform.empty()) {
    made["reference_core"] = reference_core;
  } else {
    reference_core = machine::platform::find(options.platform).reference_core;  // complains of what is wrong with it
    made = json::parse(machine::platform::text_of(options.platform));
  }
  for (std::string const& core : cores) {
    if (sim::same_core(core, reference_core)) continue;
    table << "warning: durations of '" << core << "', "
          << (options.platform.empty() ? "and of '" : "but the platform's reference core is '") << reference_core
          << "': they are taken as " << (options.platform.empty() ? "one\n" : "they are\n");
  }
  table << std::left << std::setw(20) << "kernel" << std::right << std::setw(7) << "sizes" << std::setw(10) << "rms %"
        << std::setw(10) << "worst %" << std::setw(10) << "others %" << std::setw(11) << "between %"
        << "  model\n";
  std::string refused;
  bool any = false;
  base::progress progress("ovlp fit", all.size(), "kernels");
  for (auto const& [kernel, of] : all) {
    table << std::left << std::setw(20) << kernel << std::right << std::setw(7) << of.size();
    std::string why = objection(of);
    machine::kernel_model const model = why.empty() ? best_model(of) : machine::kernel_model();
    if (why.empty() && !std::isnormal(model.coefficient_s)) why = "its durations grow beyond what a model can say";
    if (!why.empty()) {
      table << "  none: " << why << "\n";
      refused += (refused.empty() ? "" : "; ") + ("'" + kernel + "': " + why);
      progress.advance();
      continue;
    }
    any = true;
    std::vector<double> const errors = relative_errors(model, of), others = errors_of_others(of),
                              between = errors_between(of);
    double const worst = std::abs(*std::ranges::max_element(errors, {}, [](double e) { return std::abs(e); }));
    made["kernels"][kernel] = described(model);
    json& fit = made["fit"][kernel];
    fit = {{"sizes", of.size()}, {"rms_error", root_mean_square(errors)}, {"worst_error", worst}};
    if (!others.empty()) fit["rms_error_of_others"] = root_mean_square(others);
    std::string const common = in_common(of);
    if (!common.empty()) fit["one_exponent_for_sizes"] = common;
    table << std::setw(10) << percent(errors, root_mean_square(errors)) << std::setw(10) << percent(errors, worst)
          << std::setw(10) << percent(others, root_mean_square(others)) << std::setw(11)
          << percent(between, root_mean_square(between)) << "  " << in_words(model)
          << (common.empty() ? "" : " (one exponent for sizes " + common + ", which did not vary independently)")
          << "\n";
    progress.advance();
  }
  if (machine::platform::is_known(options.platform)) leave_out_other_programs(made["kernels"], made["fit"]);
  if (!any) throw config_error("no kernel can be fitted: " + (refused.empty() ? "there is none" : refused));
  base::write_output(options.output, base::json_text(made) + "\n");
  return table.str();
}

}  // namespace ovlp::lab
