// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <ovlp/machine/platform.hpp>
#include <ovlp/runtime/execution_mode.hpp>
#include <ovlp/runtime/internal/run_options.hpp>

#include "world/explored_run.hpp"

namespace ovlp::sim {

/// What the command line says about a simulated run.
class simulation_options final : public run_options {
 public:
  std::string platform = machine::platform::default_name();  ///< a known one's name, or a file
  std::vector<std::string> without;                          ///< parts of its model
  std::string execution = "direct";
  std::vector<std::string> durations;  ///< files with estimates
  std::optional<std::string> sample;
  bool no_alloc = false;
  double host_speed = 1;
  std::optional<std::size_t> shuffle;
  std::optional<std::size_t> vary;
  std::string charge_as;  ///< a file of what another run took: charged_run
  explore::exploring exploring;

  /// As run_options::read.
  simulation_options(int argc, char const* const* argv, options& program_options) { read(argc, argv, program_options); }

  char const* backend() const override { return "simulated"; }
  execution_mode mode() const;

 private:
  void add_own(options& to) override;
  std::vector<foreign_option> foreign_options() const override;
  void check_own() override;
};

}  // namespace ovlp::sim
