// SPDX-License-Identifier: BSD-3-Clause
#include "ablation.hpp"

#include <algorithm>
#include <array>

#include <ovlp/base/error.hpp>
#include <ovlp/base/json_object.hpp>
#include <ovlp/machine/platform.hpp>

namespace ovlp::machine {
namespace {

using nlohmann::json;

bool erase(json& from, char const* section, char const* key) {
  return from.contains(section) && from[section].is_object() && from[section].erase(key) > 0;
}

bool erase_of_kinds(json& from, char const* key) {
  bool any = false;
  if (!from.contains("nodes") || !from["nodes"].is_array()) return false;
  for (json& kind : from["nodes"]) any = (kind.is_object() && kind.erase(key) > 0) || any;
  return any;
}

/// All of the node kinds' quotas, or a part of each.
template <class Change>
bool change_quotas(json& in, Change change) {
  bool any = false;
  if (!in.contains("nodes") || !in["nodes"].is_array()) return false;
  for (json& kind : in["nodes"]) {
    if (kind.is_object() && kind.contains("quota") && kind["quota"].is_object()) any = change(kind) || any;
  }
  return any;
}

/// A part of a model, and how a platform file looks without it. Returns whether it had it.
struct part {
  char const* name;
  bool (*leave_out)(json& from);
};
constexpr std::array parts{
    part{"burst", [](json& from) { return erase(from, "network", "burst_bytes"); }},
    part{"carry",
         [](json& from) { return change_quotas(from, [](json& kind) { return kind["quota"].erase("carry_s") > 0; }); }},
    part{"host", [](json& from) { return from.erase("host") > 0; }},
    part{"per_byte",
         [](json& from) {
           bool const receive = erase(from, "comm_cpu", "receive_per_byte_s");
           return erase(from, "comm_cpu", "per_byte_s") || receive;
         }},
    part{"per_message",
         [](json& from) {
           bool const receive = erase(from, "comm_cpu", "receive_per_message_s");
           return erase(from, "comm_cpu", "per_message_s") || receive;
         }},
    part{"per_step", [](json& from) { return erase(from, "runtime", "per_step_s"); }},
    // A node without a quota, as slow as the quota makes it in the long run.
    part{"quota",
         [](json& from) {
           from.erase("host");
           return change_quotas(from, [](json& kind) {
             kind["speed"] = kind.value("speed", 1.0) * kind["quota"].value("share", 1.0);
             return kind.erase("quota") > 0;
           });
         }},
    part{"slowdowns", [](json& from) { return erase_of_kinds(from, "slowdowns"); }},
    part{"speed_deviation", [](json& from) { return erase_of_kinds(from, "speed_deviation"); }},
    part{"speed_over_time", [](json& from) { return erase_of_kinds(from, "speed_over_time"); }},
    part{"stream", [](json& from) { return from.erase("transport") > 0; }},
    part{"time_slice", [](json& from) { return erase(from, "host", "time_slice_s"); }},
};

bool leave_out_effect(json& from, std::string const& name) {
  if (!from.contains("effects") || !from["effects"].is_array()) return false;
  json& list = from["effects"];
  std::size_t const before = list.size();
  list.erase(std::remove_if(list.begin(), list.end(),
                            [&](json const& one) { return one.is_object() && one.value("name", json()) == name; }),
             list.end());
  bool const any = list.size() < before;
  if (list.empty()) from.erase("effects");
  return any;
}

bool leave_out_part(json& from, std::string const& name) {
  auto const* const found = std::ranges::find(parts, name, &part::name);
  return found != parts.end() ? found->leave_out(from) : leave_out_effect(from, name);
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
  for (part const& p : parts) {
    json copy = platform;
    if (p.leave_out(copy)) names.emplace_back(p.name);
  }
  return names;
}

std::string with_ideal_network(std::string const& text, std::string const& name, costs_of_messages costs) {
  json platform = base::parse_json(text, name);
  if (!platform.contains("nodes"))
    throw config_error(name + ": its network describes its nodes, too: expected a platform with a list of them");
  platform["network"] = {{"model", "linear"}, {"latency_s", 0}, {"bandwidth_Bps", 1e15}};
  platform.erase("transport");
  for (json& kind : platform["nodes"]) kind.erase("link");
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
    std::string expected;
    for (std::string const& known : all) expected += (expected.empty() ? "" : ", ") + known;
    throw config_error("--without " + name + ": " + file + " has " +
                       (expected.empty() ? "nothing to leave out" : "no such part: expected one of " + expected));
  }
}

}  // namespace ovlp::machine
