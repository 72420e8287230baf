// SPDX-License-Identifier: BSD-3-Clause
#include "ablation.hpp"

#include <algorithm>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/json_object.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/machine/parameters.hpp>
#include <ovlp/machine/platform.hpp>

namespace ovlp::machine {
namespace {

using nlohmann::json;

void leave_out_effect(json& from, std::string const& name) {
  auto const is_it = [&](json const& one) { return one.is_object() && one.value("name", json()) == name; };
  if (!from.contains("effects") || !from["effects"].is_array()) return;
  std::erase_if(from["effects"].get_ref<json::array_t&>(), is_it);
  if (from["effects"].empty()) from.erase("effects");
}

/// A node without a quota is as slow as the quota makes it in the long run, and shares no host by it.
void slow_down_by_quotas(json& from) {
  for (json* const kind : base::values_at(from, "nodes[]")) {
    if (!kind->is_object() || !kind->contains("quota") || !(*kind)["quota"].is_object()) continue;
    (*kind)["speed"] = kind->value("speed", 1.0) * (*kind)["quota"].value("share", 1.0);
    from.erase("host");
  }
}

void leave_out_part(json& from, std::string const& name) {
  if (name == "quota") slow_down_by_quotas(from);
  leave_out_effect(from, name);
  for (parameter const& p : parameters())
    if (p.part == name) base::erase_at(from, p.key);
}

}  // namespace

std::vector<std::string> parts_to_leave_out(json const& platform) {
  std::vector<std::string> names;
  if (!platform.is_object()) return names;  // whoever reads the platform says so
  if (platform.contains("effects") && platform["effects"].is_array()) {
    for (json const& one : platform["effects"]) {
      if (one.is_object() && one.contains("name") && one["name"].is_string()) names.push_back(one["name"]);
    }
  }
  json searched = platform;
  for (parameter const& p : parameters()) {
    bool const is_new = !p.part.empty() && std::ranges::find(names, p.part) == names.end();
    if (is_new && !base::values_at(searched, p.key).empty()) names.emplace_back(p.part);
  }
  return names;
}

std::string with_ideal_network(std::string const& text, std::string const& name, costs_of_messages costs) {
  json platform = base::parse_json(text, name);
  if (!platform.contains("nodes"))
    throw config_error(name + ": its network describes its nodes, too: expected a platform with a list of them");
  platform["network"] = {{"model", "linear"}, {"latency_s", 0}, {"bandwidth_Bps", 1e15}};
  platform.erase("transport");
  base::erase_at(platform, "nodes[].link");
  if (costs == costs_of_messages::go) {
    platform.erase("comm_cpu");
    platform.erase("effects");
  }
  return platform.dump();
}

void leave_out(json& platform, std::string const& file, std::vector<std::string> const& left_out) {
  std::vector<std::string> const all = parts_to_leave_out(platform);
  for (std::string const& name : left_out) {
    if (std::ranges::find(all, name) != all.end()) {
      leave_out_part(platform, name);  // or it has gone with another one
      continue;
    }
    throw config_error("--without " + name + ": " + file + " has " +
                       (all.empty() ? "nothing to leave out" : "no such part: expected one of " + base::joined(all)));
  }
}

}  // namespace ovlp::machine
