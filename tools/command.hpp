// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace ovlp::tools {

/// `program`: what stands after -- on the command line of a subcommand that runs one.
using add_subcommands = std::function<void(CLI::App& ovlp, std::vector<std::string> const& program)>;

/// main() of a program that holds subcommands of `ovlp`: parses, runs, says in a line what was wrong. Returns the
/// status.
int run_command(int argc, char** argv, add_subcommands const& add);

}  // namespace ovlp::tools
