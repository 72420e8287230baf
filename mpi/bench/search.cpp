// SPDX-License-Identifier: BSD-3-Clause
#include "search.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <ovlp/base/error.hpp>
#include <ovlp/base/expects.hpp>
#include <ovlp/base/statistics.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp::overlap_bench {
namespace {

/// Of a clock's differences, relative: equal times need not be equal numbers, also not simulated ones.
constexpr double rounding = 1e-9;

template <class Element>
std::vector<double> values_of(std::vector<Element> const& all, double Element::*member) {
  std::vector<double> values;
  for (Element const& one : all) values.push_back(one.*member);
  return values;
}
template <class Element>
double median_of(std::vector<Element> const& all, double Element::*member) {
  return base::median(values_of(all, member));
}

std::vector<run_times> runs_of(measurement const& measure, double work_s, std::size_t runs) {
  std::vector<run_times> all = measure(work_s, runs);
  base::require(!all.empty() && all.size() == runs, "a measurement gives the times of as many runs as were asked for");
  return all;
}

/// Runs without work, until their median is known well enough.
std::vector<run_times> reference_of(measurement const& measure, search_options const& options) {
  std::vector<run_times> all = runs_of(measure, 0, options.runs);
  while (all.size() < 10 * options.runs) {
    std::vector<double> const totals = values_of(all, &run_times::total_s);
    if (standard_error_of_median(totals) <= options.resolution * base::median(totals)) break;
    std::vector<run_times> const more = runs_of(measure, 0, options.runs);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace

double standard_error_of_median(std::vector<double> values) {
  constexpr double z = 2.5758;  // 99.5 % of the normal distribution
  std::sort(values.begin(), values.end());
  auto const n = static_cast<double>(values.size());
  auto const low = static_cast<std::size_t>(std::max(1.0, std::round((n + 1) / 2 - z * std::sqrt(n / 4))));
  return (values[values.size() - low] - values[low - 1]) / (2 * z);
}

hidden_work find_hidden_work(measurement const& measure, search_options const& options) {
  if (options.warm_up > 0) runs_of(measure, 0, options.warm_up);
  std::vector<run_times> const reference = reference_of(measure, options);
  std::vector<double> const totals = values_of(reference, &run_times::total_s);
  hidden_work found{base::median(totals), standard_error_of_median(totals), 0, 0, 0, 0};
  if (!(found.reference_s > 0)) throw config_error("the operation takes no time: there is nothing to overlap with");
  double const allowed_s = found.reference_s + std::max(2 * found.reference_error_s,
                                                        std::max(rounding, options.tolerance) * found.reference_s);

  std::vector<run_times> passed = reference;
  auto const passes = [&](double work_s) {
    for (std::size_t tries = 0; tries <= options.validations; ++tries) {
      std::vector<run_times> trial = runs_of(measure, work_s, reference.size());
      if (median_of(trial, &run_times::total_s) > allowed_s) continue;
      passed = std::move(trial);
      return true;
    }
    return false;
  };
  found.too_much_s = found.reference_s;  // more than that has nothing to hide behind
  while (found.too_much_s - found.work_s > options.resolution * found.reference_s) {
    double const middle_s = (found.work_s + found.too_much_s) / 2;
    (passes(middle_s) ? found.work_s : found.too_much_s) = middle_s;
  }
  found.post_s = median_of(passed, &run_times::post_s);
  found.wait_s = median_of(passed, &run_times::wait_s);
  return found;
}

overlap measure_overlap(measurement const& measure, search_options const& options) {
  std::vector<hidden_work> all;
  for (std::size_t i = 0; i < options.searches; ++i) all.push_back(find_hidden_work(measure, options));
  base::require(!all.empty(), "there is a search");
  auto const shares_of = [&](double hidden_work::*member) {
    std::vector<double> shares;
    for (hidden_work const& one : all) shares.push_back(one.*member / one.reference_s);
    return shares;
  };
  std::vector<double> const hidden = shares_of(&hidden_work::work_s);
  auto const [least, most] = std::ranges::minmax(hidden);
  return {median_of(all, &hidden_work::reference_s),
          median_of(all, &hidden_work::reference_error_s),
          median_of(all, &hidden_work::work_s),
          base::median(hidden),
          least,
          all.size() == 1 ? shares_of(&hidden_work::too_much_s).front() : most,
          base::median(shares_of(&hidden_work::post_s)),
          base::median(shares_of(&hidden_work::wait_s))};
}

std::size_t bytes_that_take(double least_s, std::size_t most_bytes,
                            std::function<double(std::size_t bytes)> const& time_s) {
  for (std::size_t bytes = 8; bytes <= most_bytes; bytes *= 2) {
    if (time_s(bytes) >= least_s) return bytes;
  }
  throw config_error("the operation takes less than " + base::fixed(least_s, 6) + " s with up to " +
                     std::to_string(most_bytes) + " bytes");
}

}  // namespace ovlp::overlap_bench
