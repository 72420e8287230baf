// SPDX-License-Identifier: BSD-3-Clause
#include "listen_address.hpp"

#include <charconv>

#include <ovlp/base/error.hpp>

namespace ovlp::real {

listen_address listen_address::parse(std::string const& text) {
  auto const wrong = [&text] { return config_error("--listen: expected ADDRESS[:FIRST-LAST], got '" + text + "'"); };
  listen_address parsed{text, 0, 0};
  std::string ports;
  if (text.starts_with('[')) {  // an address of IPv6, as it is written where ports may follow
    std::size_t const close = text.find(']');
    if (close == std::string::npos) throw wrong();
    parsed.address = text.substr(1, close - 1);
    ports = text.substr(close + 1);
  } else if (std::size_t const colon = text.find(':'); colon != std::string::npos && colon == text.rfind(':')) {
    parsed.address = text.substr(0, colon);
    ports = text.substr(colon);
  }
  if (parsed.address.empty()) throw wrong();  // all addresses of the machine: nobody's wish by accident
  if (ports.empty()) return parsed;
  char const* const end = ports.data() + ports.size();
  auto read = std::from_chars(ports.data() + 1, end, parsed.first_port);
  parsed.last_port = parsed.first_port;
  if (read.ec == std::errc{} && read.ptr != end && *read.ptr == '-')
    read = std::from_chars(read.ptr + 1, end, parsed.last_port);
  bool const whole = ports.front() == ':' && read.ec == std::errc{} && read.ptr == end;
  if (!whole || parsed.first_port == 0 || parsed.last_port < parsed.first_port) throw wrong();
  return parsed;
}

}  // namespace ovlp::real
