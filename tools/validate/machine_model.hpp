// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "../statistics.hpp"
#include "measurements.hpp"

namespace ovlp::tools::validate {

/// What the machine under a testbed, which others use too, does to times there, by what the metronome hears
/// (../machine.hpp): CPU time of kernels grows with that of its products, costs of messages with how far apart the
/// cores are. Source: docs/validation.md.
struct machine_model {
  std::map<std::string, growth_fit> kernels_growth;   ///< by application
  std::map<std::string, growth_fit> messages_growth;  ///< by figure of the platform's comm_cpu
  bool is_known = false;                              ///< somebody listened while the testbed was calibrated

  /// How much longer kernels take than they did when the testbed was calibrated, where a product takes so long.
  double kernels_factor(std::string const& application, double product_s) const;
  /// How much more a figure of comm_cpu is than it was then.
  double messages_factor(std::string const& figure, double apart_s) const;
};

/// Growth of kernels from runs that recorded durations, that of messages from the rounds of calibration.
machine_model learn_machine(std::string const& testbed, nlohmann::json const& platform, measurements const& from);

/// The platform while the machine was so; node n lives on core n mod cores.
nlohmann::json platform_at(machine_state const& state, machine_model const& machine, std::string const& application,
                           nlohmann::json platform);

}  // namespace ovlp::tools::validate
