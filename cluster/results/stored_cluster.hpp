// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/cluster_run.hpp"

namespace ovlp::cluster {

/// Runs of one workload, as they are read back: of its jobs what they ask for, not how long they take.
struct stored_cluster {
  std::unique_ptr<workload> of;   ///< of all runs
  std::vector<cluster_run> runs;  ///< whose accounts have been checked
};

/// Writes runs of one workload to a file of SQLite (docs/formats/cluster.md); one of its kind is replaced.
/// Errors: io_error; config_error for a file of another kind.
void store_cluster(std::string const& file, std::vector<cluster_run> const& runs);
/// Before long work: whether store_cluster() can. Errors: as that.
void expect_storable(std::string const& file);
/// Whether it is such a file, by what stands at its begin.
bool is_stored_cluster(std::string const& file);
/// Errors: io_error "FILE: ..." for what is none, and for rows that cannot be, or do not fit each other.
stored_cluster read_cluster(std::string const& file);
/// Of several files, side by side. Errors: as above; config_error if they are not of the same jobs.
stored_cluster read_clusters(std::vector<std::string> const& files);

}  // namespace ovlp::cluster
