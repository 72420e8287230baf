// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

namespace ovlp::tools {

// Subcommands of `ovlp` that are in programs of their own beside it: who does not want them need not build them.

/// Adds one of them, with the sentence that says what it is for. In `ovlp` itself it has no options: become_part().
CLI::App& add_part(CLI::App& ovlp, std::string_view command);
/// The same for one that has subcommands. `page`: where more is said.
CLI::App& add_group(CLI::App& ovlp, std::string_view command, std::string const& page);
/// Becomes the program of such a subcommand, if the command line asks for one. Errors: io_error.
void become_part(int argc, char** argv);

}  // namespace ovlp::tools
