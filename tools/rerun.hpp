// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <ovlp/records/run_recorder.hpp>

namespace ovlp::tools {

/// A platform whose network takes no time and costs no processor; all else is as it was. Errors: config_error if what
/// joins the nodes also describes them (files of SimGrid).
std::string on_ideal_network(std::string const& platform);

/// Runs a simulation again, with the command that its record tells, on another platform, and stores it in `record`.
/// Files of figures that the command asks for are not written again. Errors: config_error if the record is not one of a
/// simulation, or the program does not end well; io_error if it cannot be started.
void simulate_again(run_facts const& about, std::string const& platform, std::string const& record);

}  // namespace ovlp::tools
