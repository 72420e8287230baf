// SPDX-License-Identifier: BSD-3-Clause
#include "networks.hpp"

#include <array>
#include <memory>

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

constexpr std::array known_networks{
    known_model<network_model>{"star", read_star},
    known_model<network_model>{"max-min", read_fair_star},
};

}  // namespace

network_model read_network(support::json_object from) {
  return read_model<network_model>(from, "model", known_networks);
}

}  // namespace ovlp::machine
