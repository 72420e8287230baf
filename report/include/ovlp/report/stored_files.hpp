// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <ovlp/report/run_figures.hpp>

namespace ovlp::report {

/// Reads a stored run; of a real run, given by node 0's file, also what its other processes have stored beside it.
/// `name`: empty: the file's. Errors: io_error, if it is no record; config_error.
run_figures read_figures(std::string const& file, std::string const& name, double cores_otherwise);

}  // namespace ovlp::report
