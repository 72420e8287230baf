// SPDX-License-Identifier: BSD-3-Clause
#include "node_kinds.hpp"

#include <memory>
#include <utility>

#include <nlohmann/json.hpp>

#include "distributions.hpp"
#include "read_parameters.hpp"

namespace ovlp::machine {
namespace {

using base::json_object;

cpu_quota read_quota(json_object from) {
  cpu_quota const read{number(from, "share"), number(from, "period_s"), number(from, "carry_s")};
  if (read.share > 1) from.fail(from.path("share"), "at most 1", from.at("share"));
  from.end();
  return read;
}

/// A list of pairs: from when on, which factor.
std::shared_ptr<net::factor_over_time const> read_over_time(json_object& from, std::string const& key) {
  if (!from.has(key)) return nullptr;
  std::vector<net::factor_over_time::step> steps;
  for (auto const& [from_s, factor] : from.pairs(key, 0, least_of(from, key))) {
    if (!steps.empty() && from_s <= steps.back().from_s) {
      from.fail(from.path(key), "times that grow from step to step", from.at(key));
    }
    steps.push_back({from_s, factor});
  }
  return std::make_shared<net::factor_over_time const>(std::move(steps));
}

net::node_link read_link(json_object from, double otherwise) {
  double const bandwidth = number(from, "bandwidth_Bps", otherwise);
  net::node_link read{bandwidth, bandwidth};
  read.latency_s = number(from, "latency_s");
  read.over_time = read_over_time(from, "bandwidth_over_time");
  from.end();
  return read;
}

slowdown read_slowdown(json_object from) {
  slowdown read{read_distribution(from, "interval_s"), read_distribution(from, "duration_s"),
                read_distribution(from, "factor")};
  from.end();
  return read;
}

node_kind read_kind(json_object from, std::optional<double> bandwidth) {
  node_kind read;
  read.count = count(from, "count");
  read.cores = count(from, "cores");
  read.speed = number(from, "speed");
  read.launch_s = number(from, "launch_s");
  if (from.has("quota")) read.quota = read_quota(from.object("quota"));
  read.speed_deviation = number(from, "speed_deviation");
  if (from.has("slowdowns")) {
    for (json_object const& s : from.objects("slowdowns")) read.slowdowns.push_back(read_slowdown(s));
  }
  read.speed_over_time = read_over_time(from, "speed_over_time");
  if (bandwidth) {
    read.link = {*bandwidth, *bandwidth};
    if (from.has("link")) read.link = read_link(from.object("link"), *bandwidth);
  } else if (from.has("link")) {
    from.fail(from.path("link"), "none where the network describes all links", from.at("link"));
  }
  if (from.has("memory_bytes")) read.memory_bytes = static_cast<std::size_t>(number(from, "memory_bytes"));
  from.end();
  return read;
}

}  // namespace

std::vector<node_kind> read_node_kinds(std::vector<json_object> const& from, std::optional<double> bandwidth) {
  std::vector<node_kind> kinds;
  for (json_object const& kind : from) kinds.push_back(read_kind(kind, bandwidth));
  return kinds;
}

}  // namespace ovlp::machine
