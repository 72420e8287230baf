// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "results/stored_cluster.hpp"

namespace ovlp::tools {

/// Runs of a cluster, side by side with the same scales, on a page for a browser, in one file without scripts.
/// `name`: its heading; empty: the workload's.
std::string cluster_page(cluster::stored_cluster const& of, std::string const& name);

}  // namespace ovlp::tools
