// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <ovlp/store/stored_run.hpp>

namespace ovlp::tools {

/// The command that a record of a simulation tells, without what it writes and its platform. It is the record's, and
/// may be anything: who runs it without being asked runs what a stranger has written. Errors: config_error if the
/// record tells none.
std::vector<std::string> command_of(run_facts const& about);
/// The same of one that the user has given.
std::vector<std::string> without_platform(std::vector<std::string> command);
/// As a line for a shell.
std::string shown(std::vector<std::string> const& command);

/// Runs such a command on another platform, and stores its record in `record`. Kernels take as long as in `run`, each
/// in its DPS thread, and are not measured anew. Errors: config_error if the program does not end well; io_error if it
/// cannot be started.
void simulate_again(stored_run const& run, std::vector<std::string> command, std::string const& platform,
                    std::string const& record);

}  // namespace ovlp::tools
