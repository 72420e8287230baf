// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <ovlp/analysis/forecast.hpp>
#include <ovlp/analysis/goal.hpp>
#include <ovlp/records/plan.hpp>

#include "plan_judge.hpp"

namespace ovlp::lab::study {

struct advise_options {
  std::vector<std::string> words;  ///< the program and its arguments
  analysis::goal goal;
  std::size_t jobs = 1;  ///< programs that run at once
};

struct advice {
  struct alternative {
    ovlp::plan plan;
    judged run;
  };
  std::string program;
  std::size_t nodes = 0;  ///< of the run
  judged as_it_is;        ///< without a plan: holds them all
  alternative advised;
  bool reaches_goal = false;       ///< else it is as near as the search came
  std::vector<alternative> front;  ///< of all plans that were simulated those that no other beats in both, by time
  analysis::forecast expected;     ///< of runs that hold a number of nodes from start to end
  double change_s = 0;             ///< that a change takes, beyond that
  std::size_t simulations = 0;
  std::string not_backed;        ///< why nothing was measured that is like these runs; empty: something was
  double prediction_spread = 0;  ///< by what they miss, up to a factor
};

/// Finds the plan for a program that reaches the goal best, by simulations: some that hold a number of nodes
/// throughout say what each iteration takes; dynamic programming makes plans of that, and a local search goes on from
/// the best of them, with simulation as judge. What is found does not depend on `jobs`. Method: docs/advice.md.
/// Errors: config_error, also for a program that follows no plans; io_error that says which run failed;
///         base::interrupted.
advice advise(advise_options const& options);

}  // namespace ovlp::lab::study
