// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "server/cluster_run.hpp"

namespace ovlp::tools {

/// Two charts for each run: nodes over time, of few jobs those of each; and jobs that wait. All have the same scales.
/// Errors: io_error.
void draw_cluster(std::vector<cluster::cluster_run> const& runs, std::string const& file);

}  // namespace ovlp::tools
