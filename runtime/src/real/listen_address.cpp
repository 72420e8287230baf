// SPDX-License-Identifier: BSD-3-Clause
#include "listen_address.hpp"

#include <charconv>

#include <ovlp/flowgraph/error.hpp>

namespace ovlp::real {

listen_address listen_address::parse(std::string const& text) {
  listen_address parsed{text, 0, 0};
  std::size_t const colon = text.rfind(':');
  if (colon == std::string::npos || text.find(':') != colon) return parsed;  // no port, or a bare IPv6 address
  parsed.address = text.substr(0, colon);  // empty would be all addresses of the machine: nobody's wish by accident
  char const* at = text.data() + colon + 1;
  char const* const end = text.data() + text.size();
  auto first = std::from_chars(at, end, parsed.first_port);
  parsed.last_port = parsed.first_port;
  if (first.ec == std::errc{} && first.ptr != end && *first.ptr == '-')
    first = std::from_chars(first.ptr + 1, end, parsed.last_port);
  if (parsed.address.empty() || first.ec != std::errc{} || first.ptr != end || parsed.first_port == 0 ||
      parsed.last_port < parsed.first_port) {
    throw config_error("--listen: expected ADDRESS[:FIRST-LAST], got '" + text + "'");
  }
  return parsed;
}

}  // namespace ovlp::real
