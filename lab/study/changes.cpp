// SPDX-License-Identifier: BSD-3-Clause
#include "changes.hpp"

#include <cmath>
#include <cstdint>
#include <initializer_list>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp::lab::study {
namespace {

using nlohmann::json;

enum class operation : std::uint8_t { times, over, set };

struct amount {
  operation how;
  double number;

  bool is_factor() const { return how != operation::set; }
  double of(double before) const {
    switch (how) {
      case operation::times: return before * number;
      case operation::over: return before / number;
      case operation::set: return number;
    }
    return before;
  }
  /// What the inverse of a value, a time of a speed, becomes by it.
  amount inverse() const { return {how == operation::times ? operation::over : operation::times, number}; }
};

amount read_amount(std::string const& option, std::string const& text, double least_number) {
  amount read{operation::set, 0};
  std::string digits = text;
  if (text.starts_with('x')) read.how = operation::times;
  if (text.starts_with('/')) read.how = operation::over;
  if (read.is_factor()) digits.erase(0, 1);
  bool const good = base::read_number(digits, read.number) && std::isfinite(read.number) &&
                    (read.is_factor() ? read.number > 0 : read.number >= least_number);
  if (!good) throw config_error(option + ": expected xF, /F or a number, such as x2, got " + base::quoted(text));
  return read;
}

/// A number of an object. Errors: config_error if it is not there.
void alter(std::string const& words, json& object, std::string const& key, amount by) {
  if (!object.is_object() || !object.contains(key))
    throw config_error(words + ": the platform file says nothing of " + key);
  object[key] = by.of(object[key].get<double>());
}

/// Numbers of an object that are there.
void alter_if_there(json& object, std::initializer_list<char const*> keys, amount by) {
  for (char const* const key : keys) {
    if (object.contains(key)) object[key] = by.of(object[key].get<double>());
  }
}

/// A value of the links of nodes that say something of it.
void alter_links(simulated_run& of, char const* key, amount by) {
  if (!of.platform.contains("nodes")) return;
  for (json& kind : of.platform["nodes"]) {
    if (kind.contains("link")) alter_if_there(kind["link"], {key}, by);
  }
}

change change_kernel(std::string const& name, amount by, std::string const& words) {
  if (!by.is_factor()) throw config_error(words + ": expected xF or /F for the speed of a kernel");
  auto const apply = [name, by](simulated_run& of) {
    if (of.platform.contains("kernels")) {
      for (auto& [kernel, model] : of.platform["kernels"].items())
        if (names_kernel(name, kernel)) alter_if_there(model, {"coefficient_s", "offset_s"}, by.inverse());
    }
    for (json& file : of.durations) {
      for (auto& [kernel, sizes] : file["kernels"].items()) {
        if (!names_kernel(name, kernel)) continue;
        for (json& one : sizes) alter_if_there(one, {"mean_s", "first_s", "standard_deviation_s"}, by.inverse());
      }
    }
  };
  return {words, apply, name, by.inverse().of(1)};
}

}  // namespace

change change_bandwidth(std::string const& how_much) {
  std::string const words = "--bandwidth " + how_much;
  amount const by = read_amount("--bandwidth", how_much, 1e-15);
  return {words, [words, by](simulated_run& of) {
            alter(words, of.platform["network"], "bandwidth_Bps", by);
            alter_links(of, "bandwidth_Bps", by);
          }};
}

change change_latency(std::string const& how_much) {
  std::string const words = "--latency " + how_much;
  amount const by = read_amount("--latency", how_much, 0);
  return {words, [words, by](simulated_run& of) {
            alter(words, of.platform["network"], "latency_s", by);
            alter_links(of, "latency_s", by.is_factor() ? by : amount{operation::set, 0});
          }};
}

change change_speed(std::string const& how_much) {
  std::string const words = "--speed " + how_much;
  if (std::size_t const equals = how_much.find('='); equals != std::string::npos) {
    std::string const name = how_much.substr(0, equals);
    return change_kernel(name, read_amount("--speed", how_much.substr(equals + 1), 1e-15), words);
  }
  amount const by = read_amount("--speed", how_much, 1e-15);
  return {words, [words, by](simulated_run& of) {
            if (!of.platform.contains("nodes")) throw config_error(words + ": the platform file has no list of nodes");
            for (json& kind : of.platform["nodes"]) alter(words, kind, "speed", by);
          }};
}

change change_nodes(std::string const& how_much) {
  std::string const words = "--nodes " + how_much;
  amount const by = read_amount("--nodes", how_much, 1);
  return {
      words, [words, by](simulated_run& of) {
        double const nodes = by.of(static_cast<double>(of.nodes.value_or(1)));
        if (nodes < 1 || nodes > 1e6 || nodes != std::floor(nodes))
          throw config_error(words + ": expected a whole number of nodes from 1 to 1000000, got " + json(nodes).dump());
        of.nodes = static_cast<std::size_t>(nodes);
      }};
}

bool names_kernel(std::string const& name, std::string const& kernel) {
  return kernel == name || kernel.ends_with("." + name);
}

}  // namespace ovlp::lab::study
