// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "../statistics.hpp"
#include "measurements.hpp"

namespace ovlp::tools::validate {

/// What the machine under a testbed, which others use too, does to times there: CPU time is by 1 + growth * (now / then
/// - 1) longer when the metronome hears `now` than it was when it heard `then` (../machine.hpp). Source:
/// docs/validation.md.
struct machine_model {
  double calibrated_s = 0;  ///< heard while the testbed was calibrated, median; 0: nobody listened
  std::map<std::string, growth_fit> kernels_growth;  ///< by application
  growth_fit messages_growth;

  /// How much longer kernels take than they did when the testbed was calibrated.
  double kernels_factor(std::string const& application, double machine_s) const;
  double messages_factor(double machine_s) const;

 private:
  double factor(double growth, double machine_s) const;
};

/// Growth of kernels from runs that recorded durations, that of messages from the rounds of calibration.
machine_model learn_machine(std::string const& testbed, nlohmann::json const& platform, measurements const& from);

/// The platform while the machine was so fast, core by core; node n lives on core n mod cores.
nlohmann::json platform_at(std::vector<double> const& machine_s, machine_model const& machine,
                           std::string const& application, nlohmann::json platform);

}  // namespace ovlp::tools::validate
