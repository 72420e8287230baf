// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include <ovlp/threads/communication_file.hpp>

#include "options.hpp"

namespace ovlp::tools {

/// --row-order: of tables of numbers that can be read both ways.
inline void add_row_order(CLI::App& to, shared_memory::row_order& order) {
  to.add_option_function<std::string>(
        "--row-order",
        [&order](std::string const& given) {
          order = given == "first" ? shared_memory::row_order::first : shared_memory::row_order::last;
        },
        "of a table that is symmetric both ways: whether its first row is that of the first or of the last thread "
        "(numalize)")
      ->type_name("first|last")
      ->check(among("first|last"));
}

}  // namespace ovlp::tools
