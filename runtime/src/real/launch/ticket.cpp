// SPDX-License-Identifier: BSD-3-Clause
#include "ticket.hpp"

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>

#include "../wire.hpp"

namespace ovlp::real {

std::string ticket::json() const {
  return nlohmann::json{{"node", node},
                        {"nodes", nodes},
                        {"on_machine", on_machine},
                        {"driver_host", driver_host},
                        {"driver_port", driver_port},
                        {"secret", secret},
                        {"host", host},
                        {"listen", listen},
                        {"clock", clock},
                        {"start_s", start_s},
                        {"joins_later", joins_later},
                        {"of_job", of_job},
                        {"launch", launch},
                        {"protocol", protocol()}}
      .dump();
}

ticket ticket::parse(std::string const& line) {
  try {
    auto const read = nlohmann::json::parse(line);
    auto number = [&read](char const* key, std::int64_t least, std::int64_t most) {
      auto const& value = read.at(key);
      // Compared before it is made an integer: 1e99 cannot be one.
      if (!(value.get<double>() >= static_cast<double>(least) && value.get<double>() <= static_cast<double>(most)))
        throw config_error(std::string("ticket of node 0: '") + key + "' is out of range");
      return value.get<std::int64_t>();
    };
    if (std::string const spoken = read.value("protocol", ""); spoken != protocol()) {
      throw config_error("expected the same build of ovlp in all processes: this one has " + protocol() +
                         "; node0 has " + (spoken.empty() ? "another version" : spoken));
    }
    ticket parsed;
    parsed.nodes = static_cast<std::size_t>(number("nodes", 1, mapping::most_nodes));
    parsed.node = static_cast<node_id>(number("node", 1, static_cast<std::int64_t>(parsed.nodes) - 1));
    parsed.on_machine = static_cast<std::size_t>(number("on_machine", 1, static_cast<std::int64_t>(parsed.nodes)));
    parsed.driver_host = read.at("driver_host");
    bool const by_tcp = !parsed.driver_host.empty();
    parsed.driver_port = static_cast<std::uint16_t>(number("driver_port", by_tcp ? 1 : 0, 65535));
    parsed.secret = read.at("secret");
    parsed.host = read.at("host");
    parsed.listen = read.at("listen");
    parsed.clock = read.at("clock");
    parsed.start_s = read.at("start_s");
    parsed.joins_later = read.at("joins_later");
    parsed.of_job = read.at("of_job");
    parsed.launch = static_cast<std::size_t>(number("launch", 0, std::int64_t{1} << 53));
    return parsed;
  } catch (nlohmann::json::exception const&) {
    throw config_error("--worker is for processes that node 0 launches: expected a ticket on standard input");
  }
}

}  // namespace ovlp::real
