// SPDX-License-Identifier: BSD-3-Clause
#include "fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <map>
#include <sstream>
#include <utility>

#include <lapacke.h>
#include <nlohmann/json.hpp>
#include <ovlp/flowgraph/error.hpp>
#include <ovlp/simkernel/platform.hpp>

#include "output.hpp"
#include "simkernel/src/json_object.hpp"
#include "simkernel/src/kernel_times.hpp"

namespace ovlp::tools {
namespace {

using json = nlohmann::ordered_json;
using sizes_type = std::vector<std::int64_t>;

/// Mean durations by sizes.
using durations = std::map<sizes_type, double>;

struct kernel_fit {
  sim::kernel_model model;
  double rms = 0;    ///< of the relative errors
  double worst = 0;  ///< the largest
};

std::map<std::string, durations> read_all(std::vector<std::string> const& files) {
  struct sum {
    double seconds = 0;
    double count = 0;
  };
  std::map<std::string, std::map<sizes_type, sum>> sums;
  for (std::string const& file : files) {
    for (sim::kernel_duration const& one : sim::read_durations(file)) {
      bool const usable = one.mean_s > 0 && std::ranges::all_of(one.sizes, [](std::int64_t s) { return s > 0; });
      sum& to = sums[one.kernel][one.sizes];
      if (!usable) continue;
      to.seconds += one.count * one.mean_s;
      to.count += one.count;
    }
  }
  std::map<std::string, durations> means;
  for (auto const& [kernel, by_sizes] : sums) {
    durations& of = means[kernel];
    for (auto const& [sizes, total] : by_sizes) {
      if (total.count > 0) of[sizes] = total.seconds / total.count;
    }
  }
  return means;
}

/// log(duration / (1 + half_size / s)) = log(coefficient) + sum of exponent_i * log(size_i), by least squares. Where
/// sizes do not tell exponents apart, the smallest that fit: so a kernel of three equal sizes gets three equal ones.
sim::kernel_model solve(durations const& of, double half_size) {
  std::size_t const unknowns = 1 + of.begin()->first.size();
  std::vector<double> a, b;
  for (auto const& [sizes, mean_s] : of) {
    a.push_back(1);
    for (std::int64_t size : sizes) a.push_back(std::log(static_cast<double>(size)));
    b.push_back(std::log(mean_s / (1 + half_size / static_cast<double>(std::ranges::min(sizes)))));
  }
  auto const rows = static_cast<lapack_int>(of.size()), columns = static_cast<lapack_int>(unknowns);
  b.resize(std::max(of.size(), unknowns));
  std::vector<double> singular(unknowns);
  lapack_int rank = 0;
  constexpr double least_singular = 1e-9;
  lapack_int const failed = LAPACKE_dgelsd(LAPACK_ROW_MAJOR, rows, columns, 1, a.data(), columns, b.data(), 1,
                                           singular.data(), least_singular, &rank);
  if (failed != 0) throw io_error("LAPACKE_dgelsd: " + std::to_string(failed));
  sim::kernel_model found;
  found.coefficient_s = std::exp(b[0]);
  found.exponents.assign(b.begin() + 1, b.begin() + static_cast<std::ptrdiff_t>(unknowns));
  found.half_size = half_size;
  return found;
}

kernel_fit with_half_size(durations const& of, double half_size) {
  kernel_fit found{solve(of, half_size)};
  double squares = 0;
  for (auto const& [sizes, mean_s] : of) {
    double const error = found.model(sizes) / mean_s - 1;
    squares += error * error;
    found.worst = std::max(found.worst, std::abs(error));
  }
  found.rms = std::sqrt(squares / static_cast<double>(of.size()));
  return found;
}

/// A size at which half of the speed is reached is worth its place if there are enough sizes to tell, and it makes the
/// error a good deal smaller.
kernel_fit fit(durations const& of) {
  constexpr double worth = 0.8;
  constexpr int steps = 60;
  kernel_fit best = with_half_size(of, 0);
  std::size_t const unknowns = 2 + of.begin()->first.size();
  if (of.size() <= unknowns) return best;
  double least = 1, most = 1;
  for (auto const& [sizes, mean_s] : of) {
    least = std::min(least, static_cast<double>(std::ranges::min(sizes)));
    most = std::max(most, static_cast<double>(std::ranges::min(sizes)));
  }
  double const enough = worth * best.rms;
  for (int i = 0; i <= steps; ++i) {
    kernel_fit const tried = with_half_size(of, least / 10 * std::pow(100 * most / least, double{1} * i / steps));
    if (tried.rms < std::min(best.rms, enough)) best = tried;
  }
  return best;
}

json described(sim::kernel_model const& model) {
  return {{"coefficient_s", model.coefficient_s}, {"exponents", model.exponents}, {"half_size", model.half_size}};
}

}  // namespace

std::string fit_kernels(fit_options const& options) {
  json made = json::object();
  if (!options.platform.empty()) {
    sim::platform::read(options.platform);  // complains of what is wrong with it
    made = json::parse(sim::read_file(options.platform));
  }
  std::ostringstream table;
  table << std::left << std::setw(20) << "kernel" << std::right << std::setw(7) << "sizes" << std::setw(10) << "rms %"
        << std::setw(10) << "worst %"
        << "  model\n"
        << std::fixed;
  for (auto const& [kernel, of] : read_all(options.inputs)) {
    table << std::left << std::setw(20) << kernel << std::right << std::setw(7) << of.size();
    if (of.empty() || of.begin()->first.empty()) {
      table << "  none: " << (of.empty() ? "no durations and sizes above 0" : "it has no sizes") << "\n";
      continue;
    }
    for (auto const& [sizes, mean_s] : of) {
      if (sizes.size() == of.begin()->first.size()) continue;
      throw config_error("kernel '" + kernel + "': expected as many sizes each time, got " +
                         std::to_string(of.begin()->first.size()) + " and " + std::to_string(sizes.size()));
    }
    kernel_fit const found = fit(of);
    made["kernels"][kernel] = described(found.model);
    made["fit"][kernel] = {{"sizes", of.size()}, {"rms_error", found.rms}, {"worst_error", found.worst}};
    table << std::setw(10) << std::setprecision(2) << 100 * found.rms << std::setw(10) << 100 * found.worst << "  "
          << std::defaultfloat << std::setprecision(3) << found.model.coefficient_s << " s";
    for (double exponent : found.model.exponents) table << " * size^" << exponent;
    if (found.model.half_size > 0) table << ", half speed at " << found.model.half_size;
    table << std::fixed << "\n";
  }
  write_output(options.output, made.dump(2) + "\n");
  return table.str();
}

}  // namespace ovlp::tools
