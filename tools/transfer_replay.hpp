// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace ovlp::tools {

struct transfers_options {
  std::string platform;              ///< a platform file
  std::optional<std::size_t> nodes;  ///< instead of the platform's
  std::string input;                 ///< a CSV file; "-" is standard input
  std::string output;                ///< a CSV file; "-" is standard output
};

/// Replays a list of transfers on a platform's network, and writes the list with the time at which each has ended.
/// Format: docs/formats/transfers.md. Cost: O(log n) per transfer, as net::star; all are held in memory.
/// Errors: config_error for wrong input, with file and line; io_error. Nothing is written then.
void replay_transfers(transfers_options const& options);

}  // namespace ovlp::tools
