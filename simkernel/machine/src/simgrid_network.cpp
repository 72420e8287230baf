// SPDX-License-Identifier: BSD-3-Clause
#include "simgrid_network.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/streams.hpp>
#include <ovlp/netmodel/network.hpp>
#include <ovlp/netmodel/simgrid.hpp>

#include "read_parameters.hpp"

namespace ovlp::machine {
namespace {

using base::json_object;
using net::simgrid_machine;

/// Transfers take latency + bytes / bandwidth where they are alone, and share links max-min fair. SimGrid solves each
/// event in full: what it has instead loses bytes of some transfers (docs/decisions/0017).
std::map<std::string, std::string> const plain{
    {"network/model", "CM02"}, {"network/crosstraffic", "0"}, {"network/TCP-gamma", "0"}, {"network/optim", "Full"}};

unsigned whole(json_object& from, std::string const& key) { return static_cast<unsigned>(from.count(key, 1)); }

using shape = decltype(simgrid_machine::what);

shape star_shape(json_object& from) { return simgrid_machine::star{from.count("nodes", 1)}; }

shape fat_tree_shape(json_object& from) {
  simgrid_machine::fat_tree read{from.whole_numbers<unsigned>("down", 1), from.whole_numbers<unsigned>("up", 1),
                                 from.whole_numbers<unsigned>("links", 1)};
  for (char const* key : {"up", "links"}) {
    if ((key[0] == 'u' ? read.up : read.links).size() == read.down.size()) continue;
    from.fail(from.path(key), "a number for each level (" + std::to_string(read.down.size()) + " in down)",
              from.at(key));
  }
  return read;
}

shape dragonfly_shape(json_object& from) {
  simgrid_machine::dragonfly const read{
      whole(from, "groups"),      whole(from, "chassis"),       whole(from, "routers"),     whole(from, "nodes"),
      whole(from, "group_links"), whole(from, "chassis_links"), whole(from, "router_links")};
  // Router number g of a group leads to group g.
  if (auto const most = std::uint64_t{read.chassis} * read.routers; read.groups > most) {
    from.fail(from.path("groups"), "at most " + std::to_string(most) + ", as many as a group has routers",
              from.at("groups"));
  }
  return read;
}

shape torus_shape(json_object& from) {
  return simgrid_machine::torus{from.whole_numbers<unsigned long>("dimensions", 1)};
}

using topology = base::named<shape (*)(json_object&)>;

constexpr std::array topologies{
    topology{"star", star_shape},
    topology{"fat-tree", fat_tree_shape},
    topology{"dragonfly", dragonfly_shape},
    topology{"torus", torus_shape},
};

/// Beside the platform file, if its path is relative.
std::string beside(std::string const& platform, std::string const& file) {
  return (std::filesystem::path(platform).parent_path() / file).string();
}

/// `platform`: the file that describes it.
net::simgrid_engine& engine_of(simgrid_machine const& machine, std::string const& platform) try {
  return net::simgrid_engine::load(machine);
} catch (config_error const& wrong) {
  std::string const what = wrong.what();
  throw config_error(what.starts_with("network.") ? platform + ": " + what : what);
}

/// Hosts one after the other that are alike are one kind.
std::vector<node_kind> kinds_of(std::vector<net::simgrid_engine::host> const& hosts, double reference_flops) {
  std::vector<node_kind> kinds;
  for (net::simgrid_engine::host const& host : hosts) {
    double const speed = host.speed_flops / reference_flops;
    if (kinds.empty() || kinds.back().cores != host.cores || kinds.back().speed != speed) {
      node_kind kind;
      kind.count = 0;
      kind.cores = host.cores;
      kind.speed = speed;
      kinds.push_back(kind);
    }
    ++kinds.back().count;
  }
  return kinds;
}

/// Of a file of SimGrid that stands for itself.
std::string assumed(json_object& from, net::simgrid_engine::host const& first) {
  if (from.text("reference_flops") != first_host)
    from.fail(from.path("reference_flops"), "a number, or \"" + std::string(first_host) + "\"",
              from.at("reference_flops"));
  base::text_writer text;
  text << "the reference core is that of its first host, '" << first.name << "', " << first.speed_flops << " flop/s";
  return text.str();
}

}  // namespace

network_section read_simgrid(json_object& from) {
  simgrid_machine machine;
  machine.settings = plain;
  if (from.has("settings")) {
    json_object settings = from.object("settings");
    for (std::string const& key : settings.keys()) machine.settings[key] = settings.text(key);
  }
  network_section section;
  if (from.has("file")) {
    machine.what = simgrid_machine::xml_file{beside(from.file(), from.text("file"))};
    if (from.has("reference_flops")) {
      std::vector<net::simgrid_engine::host> const& hosts = engine_of(machine, from.file()).hosts();
      if (from.at("reference_flops").is_string()) {
        section.nodes = kinds_of(hosts, hosts.front().speed_flops);
        section.assumption = assumed(from, hosts.front());
      } else {
        section.nodes = kinds_of(hosts, number(from, "reference_flops"));
      }
    }
  } else {
    json_object given = from.object("topology");
    machine.what = given.choice("name", topologies).value(given);
    given.end();
    machine.bandwidth = number(from, "bandwidth_Bps");
    machine.latency_s = number(from, "latency_s");
  }
  auto const make = [machine, file = from.file()](std::vector<net::node_link> const& of) {
    std::size_t const count = of.size();
    net::simgrid_engine& engine = engine_of(machine, file);
    if (count > engine.hosts().size())
      throw config_error(file + ": network: it has " + std::to_string(engine.hosts().size()) + " hosts, and the run " +
                         std::to_string(count) + " nodes");
    return engine.make_network(count);
  };
  section.model.make = make;
  section.model.topology = [machine, file = from.file()] { return engine_of(machine, file).find_topology(); };
  return section;
}

}  // namespace ovlp::machine
