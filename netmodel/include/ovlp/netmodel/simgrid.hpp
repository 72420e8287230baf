// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <ovlp/netmodel/network.hpp>
#include <ovlp/netmodel/topology.hpp>

namespace ovlp::net {

/// What SimGrid is to simulate: its own platform file, or one of the topologies that it knows how to make. Numbers of
/// links below the first level, as in its documentation of fat trees and dragonflies, are parallel links.
struct simgrid_machine {
  struct xml_file {
    std::string path;
    bool operator==(xml_file const&) const = default;
  };
  /// Each node has a link to a crossbar.
  struct star {
    unsigned long nodes;
    bool operator==(star const&) const = default;
  };
  /// From the nodes upwards. Nodes: product of `down`.
  struct fat_tree {
    std::vector<unsigned> down;   ///< nodes or switches below each switch of a level
    std::vector<unsigned> up;     ///< switches above each node or switch of the level below
    std::vector<unsigned> links;  ///< parallel ones of each connection
    bool operator==(fat_tree const&) const = default;
  };
  /// Nodes: groups x chassis x routers x nodes.
  struct dragonfly {
    unsigned groups, chassis, routers, nodes;           ///< in all; of a group; of a chassis; of a router
    unsigned group_links, chassis_links, router_links;  ///< parallel ones between two of them
    bool operator==(dragonfly const&) const = default;
  };
  /// Nodes: product of the dimensions.
  struct torus {
    std::vector<unsigned long> dimensions;
    bool operator==(torus const&) const = default;
  };

  std::variant<xml_file, star, fat_tree, dragonfly, torus> what;
  double bandwidth = 0;  ///< of each direction of a link, bytes per second; not of an xml_file
  double latency_s = 0;  ///< of a link
  /// SimGrid's own settings, such as {"network/model", "CM02"}, in its own words.
  std::map<std::string, std::string> settings;

  bool operator==(simgrid_machine const&) const = default;
};

/// SimGrid, with its platform loaded. A process has one machine: SimGrid knows no second engine.
class simgrid_engine {
 public:
  struct host {
    std::string name;
    double speed_flops;  ///< of a core, per second; 1 in a topology
    std::size_t cores;
  };

  simgrid_engine() = default;
  simgrid_engine(simgrid_engine const&) = delete;
  simgrid_engine& operator=(simgrid_engine const&) = delete;
  virtual ~simgrid_engine() = default;

  /// In the order of the file, or of the topology's own numbers: host i is node i.
  virtual std::vector<host> const& hosts() const = 0;

  /// What joins them, as its routes tell. Cost: that of all routes. Errors: config_error if one is missing.
  virtual topology find_topology() const = 0;

  /// Its network between the first `nodes` hosts; one at a time. Errors: config_error; std::logic_error for a second
  /// one.
  virtual std::unique_ptr<network> make_network(std::size_t nodes) = 0;

  /// SimGrid is heavy, so it stands in a module that is loaded by the first call; calls with the same machine return
  /// the same object, which lives as long as the process.
  /// Errors: config_error if the module or SimGrid is not installed, for an error in the platform file, and for a
  /// second machine.
  static simgrid_engine& load(simgrid_machine const& machine);
};

}  // namespace ovlp::net
