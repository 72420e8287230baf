// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <ovlp/threads/communication.hpp>

namespace ovlp::shared_memory {

/// Of what two threads communicate: 0, or between these, so that sums and quotients are finite.
inline constexpr double least_events = 1e-100, most_events = 1e100;
inline bool is_number_of_events(double events) {
  return events == 0 || (events >= least_events && events <= most_events);
}

/// As docs/formats/communication.md says.
std::string json_of(communication const& what);
/// Errors: config_error "FILE: KEY: expected ..., got ...".
communication read_communication(std::string const& file);

/// What a person, or another program, reads: a row for each thread.
std::string csv_of(communication_matrix const& what);
/// The same with the last thread first, as numalize writes it.
std::string numalize_csv_of(communication_matrix const& what);

/// Whose row is the first one of a table.
enum class row_order : std::uint8_t {
  unknown,
  first,  ///< that of the first thread
  last,   ///< that of the last thread, as numalize writes it
};

/// Of any of these three; of a run, what counts as communication. A table that is symmetric only from its first row on,
/// or only from its last one, tells its order; that of another one is `order`. Errors: config_error "FILE: ..." or
/// "FILE:LINE: ...", for one that is not square, not symmetric, or both ways while the order is not known, has less
/// than two threads, or numbers out of the range above.
communication_matrix read_matrix(std::string const& file, row_order order = row_order::unknown);

}  // namespace ovlp::shared_memory
