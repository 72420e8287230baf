// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <ovlp/mpi/potential_overlap.hpp>

namespace ovlp::mpi {

/// From JSON: docs/formats/overlap-parameters.md. Errors: config_error, naming the file and the key.
code_parameters read_overlap_parameters(std::string const& file);

/// As such a file. `source`: where the values are from.
std::string overlap_parameters_file_of(code_parameters const& of, std::string const& source);

}  // namespace ovlp::mpi
