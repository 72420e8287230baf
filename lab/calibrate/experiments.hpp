// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "experiment.hpp"

// Each experiment is in a file of its own; the table of them is in experiments.cpp.
namespace ovlp::lab::calibrate {

using experiment_ptr = std::unique_ptr<experiment>;

experiment_ptr measure_nodes();
experiment_ptr measure_host();
experiment_ptr measure_runtime();
experiment_ptr measure_costs_of_messages();
experiment_ptr measure_cache_cooling();
experiment_ptr measure_wakeup();
experiment_ptr measure_costs_of_bytes();
experiment_ptr measure_network();
experiment_ptr measure_transport();
experiment_ptr measure_plain_communication();

/// All of them, in the order in which they are run: some take figures of those before them.
std::vector<experiment_ptr> all_experiments();

/// What a message costs a node more that has waited for it, and answers: caches have cooled meanwhile, and it wakes up.
///   more_s(pause) = all_s (1 - exp(-pause / pause_s)), where all_s is send_s + receive_s of the effect
struct cooling {
  double all_s;
  double pause_s;  ///< time constant; 0: all at once
  double more_s(double pause) const { return pause_s > 0 ? all_s * -std::expm1(-pause / pause_s) : all_s; }
};
/// From figures of measure_cache_cooling() and measure_network(), in CPU time of a node.
cooling cooling_of(figures const& measured);

/// The `comm_cpu` of the paper's plain model: figures of measure_plain_communication().
nlohmann::ordered_json plain_communication(experiment::findings const& of, double cores, double share);

}  // namespace ovlp::lab::calibrate
