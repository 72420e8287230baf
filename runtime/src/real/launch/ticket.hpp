// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <ovlp/flowgraph/mapping.hpp>

namespace ovlp::real {

/// What node 0 hands to a process that it launches, on its standard input.
struct ticket {
  node_id node = 0;
  std::size_t nodes = 0;
  std::size_t on_machine = 1;  ///< of them on the new one's machine
  std::string driver_host;     ///< empty: it is not reached by TCP
  std::uint16_t driver_port = 0;
  std::string secret;
  std::string host;          ///< of the new node, as others reach it
  std::string listen;        ///< ADDRESS[:FIRST-LAST]
  std::string clock;         ///< node 0's: base::monotonic_clock_name()
  double start_s = 0;        ///< when the run began, by that clock
  bool joins_later = false;  ///< the run goes on already
  bool of_job = false;       ///< of a cluster, whose server node 0 tells how efficient iterations are
  std::size_t launch = 0;    ///< how often this node has been launched before

  std::string json() const;
  /// Errors: config_error, also if node 0 does not speak the protocol of this process (wire.hpp).
  static ticket parse(std::string const& line);
};

}  // namespace ovlp::real
