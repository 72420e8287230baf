// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace ovlp::base {

/// Sends a line to whoever listens on a local socket, and gives the line that comes back. Waits for ten seconds at
/// most. Errors: io_error.
std::string ask_local_socket(std::string const& path, std::string const& line);

/// A connection by TCP, as a descriptor that is ours to close. Errors: io_error.
int connect_to(std::string const& address, std::uint16_t port);

}  // namespace ovlp::base
