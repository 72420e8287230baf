// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <tuple>

#include <ovlp/analysis/forecast.hpp>

namespace ovlp::analysis {

/// What a run costs.
struct run_costs {
  double time_s = 0;
  double node_s = 0;            ///< seconds for which nodes were held, added up over nodes
  double efficiency = 0;        ///< of the whole run
  double least_efficiency = 1;  ///< of an iteration's interval
};

/// What a plan is to reach:
///
///     time<=+5%                           least node-seconds, with at most so much more time than as it is
///     node-seconds<=500                   least time within such a budget
///     efficiency>=0.5                     least time, with each iteration's efficiency at least so high
///     cost=0.01/node-second+2/second      least cost, given the price of both
///
/// A value.
class goal {
 public:
  /// Errors: config_error.
  static goal read(std::string const& text);
  std::string const& text() const { return text_; }

  /// A run with less is better: first it has to keep within the bound. `as_it_is`: the run without a plan.
  struct rank {
    double excess;  ///< over the bound, relative to it; 0: within
    double value;   ///< what is to be small
    double other;   ///< between equals
    friend bool operator<(rank const& a, rank const& b) {
      return std::tie(a.excess, a.value, a.other) < std::tie(b.excess, b.value, b.other);
    }
  };
  rank of(run_costs const& run, run_costs const& as_it_is) const;
  double value(run_costs const& run) const;
  /// How far a run is from the bound on time or node-seconds, relative to it, on either side; nothing: of another kind.
  std::optional<double> distance(run_costs const& run, run_costs const& as_it_is) const;

  double least_efficiency() const { return kind_ == kind::efficiency ? bound_ : 0; }
  /// Those of the cost, if the goal says them.
  std::optional<analysis::weights> weights() const;

 private:
  enum class kind { node_s, time, efficiency, cost };
  std::string text_;
  kind kind_ = kind::node_s;
  double bound_ = 0;
  analysis::weights prices_;
};

}  // namespace ovlp::analysis
