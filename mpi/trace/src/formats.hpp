// SPDX-License-Identifier: BSD-3-Clause
// A file a format; the table of them is in trace_file.cpp. docs/formats/mpi-trace.md says what each holds.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <ovlp/mpi/trace.hpp>

namespace ovlp::mpi {

/// What a reader gets.
struct trace_source {
  std::string_view contents;
  std::string const& file;
  double flops;  ///< of the reference core, a second
};

/// Whether a file that begins so is one. Where it says yes and the rest is wrong, reading says what.
using recognizer = bool(std::string_view contents);
/// Errors: config_error "FILE:LINE: ...".
using reader = trace(trace_source const& from);
using writer = std::string(trace const& what);

recognizer is_own_format, is_dimemas, is_goal, is_time_independent;
reader read_own_format, read_dimemas, read_goal, read_otf2, read_time_independent;
writer own_format_of, dimemas_of;

/// The communicator of so many.
std::vector<rank_id> all_ranks(std::size_t count);
/// For traces that have no name in them: that of the file, without folder and extension.
std::string name_of_file(std::string const& file);

}  // namespace ovlp::mpi
