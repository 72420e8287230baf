// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>

#include <ovlp/threads/communication_file.hpp>

namespace ovlp::tools {

/// --row-order: of tables of numbers that can be read both ways.
void add_row_order(CLI::App& to, shared_memory::row_order& order);

}  // namespace ovlp::tools
