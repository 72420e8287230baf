// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <ovlp/analysis/forecast.hpp>
#include <ovlp/analysis/goal.hpp>
#include <ovlp/base/progress.hpp>
#include <ovlp/records/plan.hpp>

#include "simulator.hpp"

namespace ovlp::lab::study {

/// How many nodes each iteration holds, from the first.
using allocation = std::vector<std::size_t>;

/// What a simulation says of an allocation.
struct judged {
  analysis::run_costs costs;
  std::vector<analysis::iteration_forecast> iterations;
};

using judged_allocation = std::pair<allocation const*, judged const*>;

/// Simulates a program that follows plans, with each allocation once.
class plan_judge {
 public:
  /// `words`: the program and its arguments, which runs without a plan first. Errors: as simulate(); config_error.
  plan_judge(std::vector<std::string> words, std::size_t jobs);

  std::string const& program() const { return program_; }
  std::size_t nodes() const { return nodes_; }
  std::size_t iterations() const { return as_it_is_.iterations.size(); }
  /// Without a plan.
  judged const& as_it_is() const { return as_it_is_; }

  /// Why no measurements say how far predictions of this run may be wrong; empty: there are some.
  std::string const& not_backed() const { return not_backed_; }
  /// Else by what it may, up to a factor: analysis::spread_of_predictions().
  double prediction_spread() const { return prediction_spread_; }

  /// Those that are not known yet, in this order, as many as still may be. Errors: io_error that says what failed;
  /// base::interrupted.
  void simulate(std::vector<allocation> const& all);
  /// So many may be, by what the first one takes: some minutes together, for large runs.
  bool may_go_on() const { return simulations_ < most_simulations_; }
  std::size_t simulations() const { return simulations_; }
  /// nullptr: not simulated.
  judged const* find(allocation const& held) const;
  /// All that were simulated.
  std::vector<judged_allocation> all() const;

  ovlp::plan plan_of(allocation const& held) const;

 private:
  void find_backing(nlohmann::ordered_json const& summary);

  std::vector<std::string> const words_;
  simulator const simulate_;
  std::optional<base::progress> progress_;
  std::string program_, not_backed_;
  double prediction_spread_ = 0;
  std::size_t nodes_ = 0, simulations_ = 0, most_simulations_ = 1;
  judged as_it_is_;
  std::map<allocation, judged> known_;
};

}  // namespace ovlp::lab::study
