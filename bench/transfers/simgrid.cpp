// SPDX-License-Identifier: BSD-3-Clause
// The same transfers by SimGrid alone: communications between hosts, each started when one has ended.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <ovlp/base/json_object.hpp>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "../contestant.hpp"
#include "pattern.hpp"

namespace {

namespace sg = simgrid::s4u;

std::vector<sg::Host*> hosts;

/// What `network` of a platform of ovlp describes: a star or a fat tree.
void make_hosts(const bench::json& network) {
  const double bandwidth = network.at("bandwidth_Bps"), latency_s = network.at("latency_s");
  const auto& topology = network.at("topology");
  if (topology.at("name") == "star") {
    sg::NetZone* const star = sg::create_star_zone("star");
    for (std::size_t i = 0; i < topology.at("nodes").get<std::size_t>(); ++i) {
      hosts.push_back(star->create_host(std::to_string(i), 1e9));
      const auto* const link =
          star->create_split_duplex_link("link " + std::to_string(i), bandwidth)->set_latency(latency_s);
      star->add_route(hosts.back()->get_netpoint(), nullptr, nullptr, nullptr,
                      {{link, sg::LinkInRoute::Direction::UP}});
    }
    star->seal();
    return;
  }
  const std::vector<unsigned> down = topology.at("down"), up = topology.at("up"), links = topology.at("links");
  const sg::ClusterCallbacks callbacks([](sg::NetZone* zone, const std::vector<unsigned long>&, unsigned long number) {
    hosts.push_back(zone->create_host(std::to_string(number), 1e9));
    return std::pair<simgrid::kernel::routing::NetPoint*, simgrid::kernel::routing::NetPoint*>{
        hosts.back()->get_netpoint(), nullptr};
  });
  sg::create_fatTree_zone("tree", nullptr, {static_cast<unsigned>(down.size()), down, up, links}, callbacks, bandwidth,
                          latency_s, sg::Link::SharingPolicy::SPLITDUPLEX)
      ->seal();
}

struct flight {
  std::uint32_t source;
  sg::CommPtr what;
};

}  // namespace

int main(int argc, char** argv) try {
  std::uint32_t nodes = 64;
  std::uint64_t each = 1000, at_once = 4;
  std::string platform;
  CLI::App app("transfers by SimGrid");
  app.add_option("--nodes", nodes)->check(CLI::Range(2, 1'000'000));
  app.add_option("--each", each, "transfers of a node");
  app.add_option("--at-once", at_once, "transfers of a node under way");
  app.add_option("--platform", platform)->required();
  CLI11_PARSE(app, argc, argv);

  std::string name = "transfers", quiet = "--log=root.thresh:error";
  char* arguments[] = {name.data(), quiet.data(), nullptr};
  int count = 2;
  sg::Engine engine(&count, arguments);
  for (const char* setting :
       {"network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0", "network/optim:Full"})
    sg::Engine::set_config(setting);
  make_hosts(ovlp::base::read_json(platform).at("network"));

  bench::pattern all(nodes, each);
  const double start_cpu_s = bench::process_cpu_s();
  std::uint64_t ended = 0;
  std::vector<flight> flights(nodes * at_once);
  const auto start = [&](flight& f) {
    f.what = nullptr;
    if (!all.has_next(f.source)) return;
    const auto [destination, bytes] = all.next(f.source);
    f.what = sg::Comm::sendto_init(hosts[f.source], hosts[destination]);
    f.what->set_payload_size(bytes);
    f.what->set_data(&f);
    f.what->start();
  };
  std::vector<sg::CommPtr> kept;  // one lives beyond its own callback
  sg::Activity::on_completion_cb([&](const sg::Activity& done) {
    ++ended;
    flight& f = *static_cast<const sg::Comm&>(done).get_data<flight>();
    kept.clear();
    kept.push_back(f.what);
    start(f);
  });
  for (std::size_t i = 0; i < flights.size(); ++i) {
    flights[i].source = static_cast<std::uint32_t>(i % nodes);
    start(flights[i]);
  }
  engine.run();
  const double cpu_s = bench::process_cpu_s() - start_cpu_s;
  bench::report({{"contestant", "simgrid"},
                 {"transfers", ended},
                 {"simulated_s", sg::Engine::get_clock()},
                 {"cpu_s", cpu_s},
                 {"transfers_per_cpu_s", static_cast<double>(ended) / cpu_s}});
} catch (const std::exception& wrong) {
  std::fprintf(stderr, "%s\n", wrong.what());
  return 1;
}
