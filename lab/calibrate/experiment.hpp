// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "figures.hpp"
#include "measured_nodes.hpp"

namespace ovlp::lab::calibrate {

/// Measures a part of the model: a section of the platform file, a part of one, or an effect. The counterpart of what
/// the simulator has for it. A new one is a file of its own and a line in experiments.cpp.
class experiment {
 public:
  experiment() = default;
  experiment(experiment const&) = delete;
  experiment& operator=(experiment const&) = delete;
  virtual ~experiment() = default;

  /// Runs its patterns, and notes one value of each of its figures. Those of experiments before it in the table have
  /// been noted in this round.
  virtual void measure(measured_nodes&, figures&) const {}

  struct findings {
    measured_nodes const& nodes;
    figures const& measured;
    nlohmann::ordered_json const& testbed;  ///< its description; null: there is none

    /// A figure in CPU time of a node as work of the reference core, in which platform files count.
    double work_s(std::string const& figure) const { return measured.middle(figure) * measured.middle("speed"); }
  };
  /// Writes what follows from the figures of all rounds into the platform file.
  virtual void describe(findings const&, nlohmann::ordered_json& /*platform*/) const {}
};

}  // namespace ovlp::lab::calibrate
