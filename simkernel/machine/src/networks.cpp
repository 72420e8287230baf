// SPDX-License-Identifier: BSD-3-Clause
#include "networks.hpp"

#include <array>
#include <memory>

#include <ovlp/netmodel/bus.hpp>
#include <ovlp/netmodel/fair_star.hpp>
#include <ovlp/netmodel/star.hpp>

#include "model_table.hpp"

namespace ovlp::machine {
namespace {

using network_maker = decltype(network_model::make);

network_maker read_star(support::json_object& from) {
  double const latency_s = from.number("latency_s", 0);
  double const bandwidth = from.number_above("bandwidth_Bps", 0);
  return [=, link = net::star_link{bandwidth, bandwidth}](std::size_t nodes) {
    return std::make_unique<net::star>(nodes, link, latency_s);
  };
}

network_maker read_fair_star(support::json_object& from) {
  double const latency_s = from.number("latency_s", 0);
  net::fair_link const link{from.number_above("bandwidth_Bps", 0), from.number("burst_bytes", 0, 0)};
  return [=](std::size_t nodes) { return std::make_unique<net::fair_star>(nodes, link, latency_s); };
}

std::size_t limit(support::json_object& from, std::string const& key, std::size_t otherwise) {
  return from.has(key) ? from.count(key, 0) : otherwise;
}

network_maker read_in_turns(support::json_object& from, net::bus_limits limits) {
  double const latency_s = from.number("latency_s", 0);
  double const bandwidth = from.number_above("bandwidth_Bps", 0);
  return [=](std::size_t nodes) { return std::make_unique<net::bus>(nodes, latency_s, bandwidth, limits); };
}

network_maker read_bus(support::json_object& from) {
  return read_in_turns(from, {limit(from, "buses", 0), limit(from, "output_links", 1), limit(from, "input_links", 1)});
}

network_maker read_linear(support::json_object& from) { return read_in_turns(from, {0, 0, 0}); }

constexpr std::array known_networks{
    known_model<network_model>{"star", read_star},
    known_model<network_model>{"max-min", read_fair_star},
    known_model<network_model>{"bus", read_bus},
    known_model<network_model>{"linear", read_linear},
};

}  // namespace

network_model read_network(support::json_object from) {
  return read_model<network_model>(from, "model", known_networks);
}

}  // namespace ovlp::machine
