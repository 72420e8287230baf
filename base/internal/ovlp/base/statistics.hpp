// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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

}  // namespace ovlp::base
