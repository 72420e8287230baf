// SPDX-License-Identifier: BSD-3-Clause
#include "networks.hpp"

#include <array>
#include <memory>
#include <vector>

#include <ovlp/netmodel/bus.hpp>
#include <ovlp/netmodel/fair_star.hpp>
#include <ovlp/netmodel/star.hpp>

#include "read_parameters.hpp"
#include "simgrid_network.hpp"

namespace ovlp::machine {
namespace {

using network_maker = decltype(network_model::make);
using links = std::vector<net::node_link>;

network_maker read_star(base::json_object& from) {
  double const latency_s = number(from, "latency_s");
  return [=](links const& of) { return net::make_star(of, latency_s); };
}

network_maker read_fair_star(base::json_object& from) {
  double const latency_s = number(from, "latency_s");
  net::link_burst const burst{number(from, "burst_bytes")};
  return [=](links const& of) { return net::make_fair_star(of, latency_s, burst); };
}

network_maker read_in_turns(base::json_object& from, net::bus_limits limits) {
  double const latency_s = number(from, "latency_s");
  return [=](links const& of) { return net::make_bus(of, latency_s, limits); };
}

network_maker read_bus(base::json_object& from) {
  return read_in_turns(from, {count(from, "buses"), count(from, "output_links"), count(from, "input_links")});
}

network_maker read_linear(base::json_object& from) { return read_in_turns(from, {0, 0, 0}); }

/// A network of the nodes' links, which says nothing else of nodes.
template <network_maker (*Read)(base::json_object&)>
network_section read_alone(base::json_object& from) {
  network_section section;
  section.bandwidth_Bps = number(from, "bandwidth_Bps");
  section.model.make = Read(from);
  return section;
}

using known_network = base::named<network_section (*)(base::json_object&)>;

constexpr std::array known_networks{
    known_network{"star", read_alone<read_star>}, known_network{"max-min", read_alone<read_fair_star>},
    known_network{"bus", read_alone<read_bus>},   known_network{"linear", read_alone<read_linear>},
    known_network{"simgrid", read_simgrid},
};

}  // namespace

network_section read_network(base::json_object from) {
  known_network const& chosen = from.choice("model", known_networks);
  network_section read = chosen.value(from);
  read.model.name = chosen.name;
  from.end();
  return read;
}

}  // namespace ovlp::machine
