// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace ovlp::tools {

/// How fast the cores of a testbed's machine were, as its metronome has heard it (testbed/metronome.cpp): the mean CPU
/// time of a small product on each core, in the order of cores, in seconds. Between two times of the monotonic clock;
/// empty if nothing was heard, or if there is no log.
std::vector<double> machine_s(std::string const& log, double from_s, double to_s);

}  // namespace ovlp::tools
