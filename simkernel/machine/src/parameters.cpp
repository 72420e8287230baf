// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/machine/parameters.hpp>

#include <algorithm>
#include <iterator>
#include <string>

#include <ovlp/base/expects.hpp>

#include "read_parameters.hpp"

namespace ovlp::machine {
namespace {

using enum parameter::range;

constexpr parameter known_parameters[]{
    {.key = "nodes[]", .needs = cause::held_node},
    {.key = "nodes[].count", .least = 1},
    {.key = "nodes[].cores", .least = 1},
    {.key = "nodes[].speed", .allowed = above_least},
    {.key = "nodes[].launch_s", .unit = "s", .neutral = 0, .needs = cause::launch},
    {.key = "nodes[].quota", .needs = cause::throttling, .part = "quota"},
    {.key = "nodes[].quota.share", .least = least_share},
    {.key = "nodes[].quota.period_s", .unit = "s", .least = least_period_s},
    {.key = "nodes[].quota.carry_s", .unit = "s", .neutral = 0, .part = "carry"},
    {.key = "nodes[].speed_deviation", .neutral = 0, .needs = cause::variation, .part = "speed_deviation"},
    {.key = "nodes[].slowdowns", .needs = cause::slowdown, .part = "slowdowns"},
    {.key = "nodes[].slowdowns[].interval_s", .unit = "s", .least = least_period_s},
    {.key = "nodes[].slowdowns[].duration_s", .unit = "s", .least = least_period_s},
    {.key = "nodes[].slowdowns[].factor", .least = 1},
    {.key = "nodes[].speed_over_time", .unit = "s, factor", .needs = cause::change_of_speed, .part = "speed_over_time"},
    {.key = "nodes[].link", .needs = cause::message},
    {.key = "nodes[].link.bandwidth_Bps", .unit = "B/s", .allowed = above_least},
    {.key = "nodes[].link.latency_s", .unit = "s", .neutral = 0},
    {.key = "nodes[].link.bandwidth_over_time",
     .unit = "s, factor",
     .needs = cause::change_of_link,
     .least = least_share},
    {.key = "nodes[].memory_bytes", .unit = "B", .allowed = above_least},

    {.key = "host", .part = "host"},
    {.key = "host.cores", .least = 1},
    {.key = "host.time_slice_s",
     .unit = "s",
     .neutral = 0,
     .part = "time_slice",
     .least = least_period_s,
     .allowed = zero_or_from_least},

    {.key = "network", .needs = cause::message},
    {.key = "network.latency_s", .unit = "s"},
    {.key = "network.bandwidth_Bps", .unit = "B/s", .needs = cause::object, .allowed = above_least},
    {.key = "network.burst_bytes", .unit = "B", .neutral = 0, .part = "burst"},
    {.key = "network.buses", .neutral = 0},
    {.key = "network.output_links", .neutral = 1},
    {.key = "network.input_links", .neutral = 1},
    {.key = "network.reference_flops", .unit = "flop/s", .allowed = above_least},

    {.key = "transport", .needs = cause::message, .part = "stream"},
    {.key = "transport.buffer_bytes", .unit = "B", .allowed = above_least},

    {.key = "comm_cpu", .needs = cause::message},
    {.key = "comm_cpu.incoming", .neutral = 0, .needs = cause::object},
    {.key = "comm_cpu.outgoing", .neutral = 0, .needs = cause::object},
    {.key = "comm_cpu.per_message_s", .unit = "s", .neutral = 0, .part = "per_message"},
    {.key = "comm_cpu.receive_per_message_s", .unit = "s", .neutral = 0, .part = "per_message"},
    {.key = "comm_cpu.per_byte_s", .unit = "s/B", .neutral = 0, .needs = cause::object, .part = "per_byte"},
    {.key = "comm_cpu.receive_per_byte_s", .unit = "s/B", .neutral = 0, .needs = cause::object, .part = "per_byte"},

    {.key = "effects", .needs = cause::message},
    {.key = "effects[].send_s", .unit = "s"},
    {.key = "effects[].receive_s", .unit = "s"},
    {.key = "effects[].pause_s", .unit = "s"},
    {.key = "effects[].computing_s", .unit = "s"},
    {.key = "effects[].beyond_nodes", .neutral = 0},

    {.key = "runtime.concurrent_per_pair", .neutral = 1, .needs = cause::object},
    {.key = "runtime.per_step_s", .unit = "s", .neutral = 0, .needs = cause::unmeasured_step, .part = "per_step"},
    {.key = "runtime.per_object_s", .unit = "s", .neutral = 0, .needs = cause::unmeasured_step},

    {.key = "kernels.*.coefficient_s", .unit = "s"},
    {.key = "kernels.*.exponents"},
    {.key = "kernels.*.offset_s", .unit = "s", .neutral = 0},
    {.key = "kernels.*.half_size", .neutral = 0},
    {.key = "kernels.*.double_size", .neutral = 0},
};

/// "nodes[1].quota" as "nodes[].quota"; names of kernels may have points.
std::string as_key(std::string_view place) {
  constexpr std::string_view kernels = "kernels.";
  if (place.starts_with(kernels) && place.rfind('.') >= kernels.size())
    return std::string(kernels) + "*" + std::string(place.substr(place.rfind('.')));
  std::string key;
  for (bool in_brackets = false; char const c : place) {
    if (c == ']') in_brackets = false;
    if (!in_brackets) key += c;
    if (c == '[') in_brackets = true;
  }
  return key;
}

parameter const& row_of(base::json_object const& in, std::string const& key) {
  parameter const* const row = find_parameter(in.path(key));
  base::expects(row != nullptr, "a parameter has a row in parameters.cpp");
  return *row;
}

}  // namespace

std::span<parameter const> parameters() { return known_parameters; }

parameter const* find_parameter(std::string_view place) {
  std::string const key = as_key(place);
  parameter const* const found = std::ranges::find(known_parameters, key, &parameter::key);
  return found == std::end(known_parameters) ? nullptr : found;
}

std::string_view unit_of(std::string_view place) {
  if (parameter const* const row = find_parameter(place)) return row->unit;
  std::size_t const dot = place.rfind('.');  // "interval_s.mean" is in seconds, too
  return dot == std::string_view::npos ? "" : unit_of(place.substr(0, dot));
}

double least_of(base::json_object const& from, std::string const& key) { return row_of(from, key).least; }

double number(base::json_object& from, std::string const& key, std::optional<double> otherwise) {
  parameter const& row = row_of(from, key);
  if (!otherwise) otherwise = row.neutral;
  switch (row.allowed) {
    case zero_or_from_least: return from.none_or_from(key, row.least);
    case above_least: return from.number_above(key, row.least, otherwise);
    case from_least: break;
  }
  return from.number(key, row.least, otherwise);
}

std::size_t count(base::json_object& from, std::string const& key) {
  parameter const& row = row_of(from, key);
  std::optional<std::size_t> otherwise;
  if (row.neutral) otherwise = static_cast<std::size_t>(*row.neutral);
  return from.count(key, static_cast<std::size_t>(row.least), otherwise);
}

}  // namespace ovlp::machine
