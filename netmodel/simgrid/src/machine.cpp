// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include <exception>
#include <filesystem>
#include <regex>
#include <string>
#include <utility>

#include <simgrid/Exception.hpp>
#include <simgrid/kernel/routing/NetPoint.hpp>

#include <ovlp/base/streams.hpp>

#include "calls.hpp"

namespace ovlp::net {
namespace {

namespace sg = ::simgrid::s4u;

constexpr auto full_duplex = sg::Link::SharingPolicy::SPLITDUPLEX;
constexpr double any_speed = 1;
/// As in files of ovlp: beyond any machine, and far from where sums and products overflow.
constexpr double most = 1e15, fastest_flops = 1e18;

/// Profiles change SimGrid's links at times that it does not tell beforehand.
void refuse_profiles(std::string const& path) {
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
    throw config_error(path + ": cannot be read: it is no file");
  base::file_reader file(path);
  if (!file) throw config_error(path + ": cannot be read");
  std::string line;
  std::regex const profile("\\b(bandwidth|latency|state|availability|speed)_file\\s*=|<trace(_connect)?\\b");
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (std::smatch found; std::regex_search(line, found, profile)) {
      throw config_error(path + ":" + std::to_string(number) + ": expected no profiles (" + found.str(0) +
                         "): ovlp has its own");
    }
  }
}

void load(sg::Engine const& engine, std::string const& path) {
  refuse_profiles(path);
  try {
    engine.load_platform(path);
  } catch (::simgrid::ParseError const& wrong) {
    throw config_error(wrong.what());
  }
}

/// Makes what a file of SimGrid would describe.
struct maker {
  sg::Engine const& engine;
  simgrid_machine const& described;
  std::vector<sg::Host*> hosts{};

  sg::Host* make_host(sg::NetZone* zone) {
    return hosts.emplace_back(zone->create_host("node" + std::to_string(hosts.size()), any_speed));
  }

  /// SimGrid asks for them in their order.
  sg::ClusterCallbacks one_host_each() {
    using net_point = ::simgrid::kernel::routing::NetPoint*;
    return sg::ClusterCallbacks([this](sg::NetZone* zone, std::vector<unsigned long> const&, unsigned long) {
      return std::pair<net_point, net_point>{make_host(zone)->get_netpoint(), nullptr};
    });
  }

  void operator()(simgrid_machine::xml_file const& file) {
    static std::vector<sg::Host*>* made = nullptr;
    made = &hosts;
    sg::Host::on_creation_cb([](sg::Host& host) {
      if (made != nullptr) made->push_back(&host);
    });
    load(engine, file.path);
    made = nullptr;
  }

  void operator()(simgrid_machine::star const& star) {
    sg::NetZone* const zone = sg::create_star_zone("star");
    for (unsigned long i = 0; i < star.nodes; ++i) {
      sg::Host const* const host = make_host(zone);
      auto const* const link = zone->create_split_duplex_link("link of " + host->get_name(), described.bandwidth)
                                   ->set_latency(described.latency_s);
      zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {{link, sg::LinkInRoute::Direction::UP}});
    }
    zone->seal();
  }

  void operator()(simgrid_machine::fat_tree const& tree) {
    sg::FatTreeParams const shape(static_cast<unsigned>(tree.down.size()), tree.down, tree.up, tree.links);
    sg::create_fatTree_zone("fat-tree", nullptr, shape, one_host_each(), described.bandwidth, described.latency_s,
                            full_duplex)
        ->seal();
  }

  void operator()(simgrid_machine::dragonfly const& fly) {
    sg::DragonflyParams const shape({fly.groups, fly.group_links}, {fly.chassis, fly.chassis_links},
                                    {fly.routers, fly.router_links}, fly.nodes);
    sg::create_dragonfly_zone("dragonfly", nullptr, shape, one_host_each(), described.bandwidth, described.latency_s,
                              full_duplex)
        ->seal();
  }

  void operator()(simgrid_machine::torus const& torus) {
    sg::create_torus_zone("torus", nullptr, torus.dimensions, one_host_each(), described.bandwidth, described.latency_s,
                          full_duplex)
        ->seal();
  }
};

}  // namespace

namespace {

/// Not all that SimGrid complains of tells where it is.
std::string in_file(simgrid_machine const& described, std::string const& what) {
  auto const* const file = std::get_if<simgrid_machine::xml_file>(&described.what);
  return file == nullptr || what.find(file->path) != std::string::npos ? what : file->path + ": " + what;
}

}  // namespace

std::vector<sg::Host*> make_hosts(sg::Engine& engine, simgrid_machine const& described) try {
  base::c_locale const for_its_files;
  maker make{engine, described};
  crash_guard const guard;
  call([&] {
    std::visit(make, described.what);
    engine.seal_platform();
  });
  for (sg::Link const* const link : engine.get_all_links()) {
    if (!(link->get_latency() >= 0 && link->get_latency() <= most) ||
        !(link->get_bandwidth() >= 1 / most && link->get_bandwidth() <= most)) {
      base::text_writer is;
      is << link->get_latency() << " s and " << link->get_bandwidth() << " B/s";
      throw config_error("SimGrid: link '" + link->get_name() +
                         "': expected a latency of at least 0 and a bandwidth above 0, each up to 1e15, got " +
                         is.str());
    }
  }
  for (sg::Host const* const host : make.hosts) {
    if (host->get_speed() > 0 && host->get_speed() <= fastest_flops) continue;
    base::text_writer is;
    is << host->get_speed();
    throw config_error("SimGrid: host '" + host->get_name() + "': expected a speed above 0, up to 1e18 flop/s, got " +
                       is.str());
  }
  return std::move(make.hosts);
} catch (std::exception const& wrong) {  // SimGrid's own, too
  throw config_error(in_file(described, wrong.what()));
}

}  // namespace ovlp::net
