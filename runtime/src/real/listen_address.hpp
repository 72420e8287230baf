// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace ovlp::real {

/// Where a process accepts others. Port 0: any that is free.
struct listen_address {
  std::string address;
  std::uint16_t first_port = 0;
  std::uint16_t last_port = 0;

  /// "ADDRESS", "ADDRESS:PORT" or "ADDRESS:FIRST-LAST". Errors: config_error.
  static listen_address parse(std::string const& text);
};

}  // namespace ovlp::real
