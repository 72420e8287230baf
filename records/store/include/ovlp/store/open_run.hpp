// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <ovlp/store/stored_run.hpp>

namespace ovlp {

/// The files that other processes of a real run have written beside that of node 0: RUN.node3, RUN.node3.1. Files that
/// are called so and are no records, nor empty ones, are somebody's.
std::vector<std::filesystem::path> parts_of(std::string const& run);

/// Whether a file begins as a record of a run does, of any version. False for one that cannot be read.
bool is_record(std::string const& file);

/// A stored run. Parts that node 0 could not join, because they came from other machines or it was killed, are joined
/// first (join_run_records). Errors: as that, and those of stored_run.
std::unique_ptr<stored_run> open_run(std::string const& file);

}  // namespace ovlp
