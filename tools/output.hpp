// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace ovlp::tools {

/// Makes a file with these contents; "-" is standard output.
/// Errors: io_error that names the file and what the system said.
void write_output(std::string const& file, std::string_view contents);

}  // namespace ovlp::tools
