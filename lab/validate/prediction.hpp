// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "grid.hpp"
#include "measurements.hpp"
#include "program.hpp"
#include "study/simulated_run.hpp"

namespace ovlp::lab::validate {

/// What simulations say of a configuration.
struct prediction {
  double time_s = 0;
  double work_s = 0;
  double held_node_s = 0;
  std::map<int, double> efficiency;  ///< by iteration
  std::string call = {};             ///< which; empty: not told
  std::size_t nodes = 0;             ///< of the run
  std::string kind = {};             ///< of run: `interval_of` of its summary; empty: of none that is measured
};

/// Kernel durations for a configuration: medians over the runs on one node that recorded them.
/// Format: docs/formats/durations.md.
nlohmann::json durations_of(configuration const& what, measurements const& from);

/// The application of the configuration with these options, which charges these durations.
study::simulated_run simulation_of(grid const& of, configuration const& what, std::string const& options,
                                   nlohmann::json const& platform, nlohmann::json durations, places const& where);

/// Simulates the configuration, several times with different seeds; medians. `without`: parts of the platform's model
/// that are left out. Errors: io_error that says what the program said.
prediction predict(grid const& of, configuration const& what, nlohmann::json const& platform,
                   nlohmann::json const& durations, places const& where, words const& without = {});
/// Simulates it once, and nothing varies. Errors: as predict().
prediction predict_unvaried(grid const& of, configuration const& what, nlohmann::json const& platform,
                            nlohmann::json const& durations, places const& where);

}  // namespace ovlp::lab::validate
