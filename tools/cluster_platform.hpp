// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "server/running_program.hpp"
#include "workload/workload.hpp"

namespace ovlp::tools {

/// What the commands say of the cluster's nodes.
struct cluster_platform {
  std::string platform;
  std::optional<double> launch_s;
  std::optional<double> patience_s;

  void add_to(CLI::App& app);
  /// Errors: config_error, if a job is a program and no platform is given, or it is none on which jobs cannot disturb
  /// each other.
  cluster::cluster_description description(cluster::workload const& of, cluster::node_count nodes) const;
};

}  // namespace ovlp::tools
