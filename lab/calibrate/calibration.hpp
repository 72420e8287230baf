// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <nlohmann/json.hpp>
#include <ovlp/base/json_object.hpp>

#include "experiments.hpp"

namespace ovlp::lab::calibrate {

/// Measures what a platform file says, round by round, with all experiments in each: a host that is slower for some
/// seconds then disturbs one value of each figure and not all values of one. A figure is the median of its values.
/// How each is measured: docs/lab/validation.md, and the experiment's own file.
class calibration {
 public:
  explicit calibration(patterns& ask) : nodes_(ask) {}

  /// Before anything else: launches all nodes.
  void launch() { figures_.note("launch_s", nodes_.launch_s()); }
  void round();
  /// Takes the values of an earlier calibration as well: figures::add().
  void add(base::json_object earlier) { figures_.add(std::move(earlier)); }

  nlohmann::ordered_json platform(std::string const& name, nlohmann::ordered_json const& testbed) const;
  /// The model of the paper's section 4: a star with equal shares, and CPU time by the number of transfers.
  nlohmann::ordered_json plain_platform(std::string const& name, nlohmann::ordered_json const& testbed) const;

 private:
  measured_nodes nodes_;
  figures figures_;
};

}  // namespace ovlp::lab::calibrate
