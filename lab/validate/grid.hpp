// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/records/plan.hpp>

#include "straggler.hpp"

namespace ovlp::lab::validate {

using words = std::vector<std::string>;

/// Real nodes on which everything is measured, and the platform file that describes them.
struct testbed {
  std::string name;
  words up;                                                      ///< options of lab/testbed/up
  std::vector<std::pair<std::string, std::string>> environment;  ///< of the programs that run there
  std::string platform;                                          ///< file; empty: to be calibrated
  std::optional<std::size_t> calibrated_nodes;                   ///< on so many of its nodes; none: all
  std::optional<straggler> slow;                                 ///< in runs, not when it is calibrated
};

struct application {
  std::string name;
  words real;                     ///< program, relative to the build, and options of every run
  words simulated;                ///< the same
  std::vector<std::string> same;  ///< options in which variants that are ranked agree
};

/// A plan that a configuration is to follow: which nodes it holds after which iteration.
struct wanted_plan {
  std::string name;
  std::string goal;       ///< of `ovlp advise`, which makes the plan
  ovlp::plan given = {};  ///< without a goal
};

/// Something to be run: an application with options.
struct configuration {
  std::string testbed;
  std::string application;
  std::string variant;
  std::string options;    ///< separated by blanks; with testbed and application they identify it
  std::string durations;  ///< options of the run on one node that its kernel durations come from
  std::string rank;       ///< those with the same one are ranked among themselves
  std::string base = {};  ///< options without a plan, where plans are compared; else empty
  std::optional<wanted_plan> plan = {};
};

/// What is to be measured and predicted. Format: docs/formats/grid.md.
struct grid {
  std::string file;  ///< that it was read from
  std::string name;
  std::size_t repetitions = 3;
  std::size_t simulations = 9;  ///< of each configuration, with different seeds; their median is the prediction
  std::chrono::seconds time_limit{120};  ///< with one run
  std::vector<testbed> testbeds;
  std::map<std::string, application> applications;
  std::vector<configuration> configurations;

  testbed const& testbed_of(configuration const& c) const;

  /// Errors: config_error that names file, key and what was expected.
  static grid read(std::string const& file);
};

}  // namespace ovlp::lab::validate
