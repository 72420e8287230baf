// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

namespace ovlp::base {

// Of values, of which there is at least one.

double mean(std::vector<double> const& values);
/// Of the sample: divided by one less than there are. At least two values.
double standard_deviation(std::vector<double> const& values);
double root_mean_square(std::vector<double> const& values);
/// The value below which this fraction of all lies, 0 to 1; between two of them it is interpolated linearly.
double quantile(std::vector<double> values, double fraction);
double median(std::vector<double> values);
/// The value that one more of the same kind does not exceed with this probability, whatever their distribution: the
/// k-th smallest of n, k = probability (n + 1), rounded up. None: n is too small to say. Source: Vovk, Gammerman,
/// Shafer, Algorithmic Learning in a Random World, 2005, chapter 2.
std::optional<double> conformal_quantile(std::vector<double> values, double probability);

}  // namespace ovlp::base
