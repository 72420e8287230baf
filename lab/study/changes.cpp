// SPDX-License-Identifier: BSD-3-Clause
#include "changes.hpp"

#include <cmath>
#include <cstdint>
#include <initializer_list>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/json_object.hpp>
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

/// All that stands at these places. Returns whether any is there.
bool alter(json& in, std::initializer_list<char const*> places, amount by) {
  bool any = false;
  for (char const* const place : places) {
    for (json* const value : base::values_at(in, place)) {
      *value = by.of(value->get<double>());
      any = true;
    }
  }
  return any;
}

/// A value of the network, which must be there, and that of links that have one. Errors: config_error.
void alter_network(std::string const& words, simulated_run& of, std::string const& key, amount by, amount of_links) {
  if (!alter(of.platform, {("network." + key).c_str()}, by))
    throw config_error(words + ": the platform file says nothing of " + key);
  alter(of.platform, {("nodes[].link." + key).c_str()}, of_links);
}

change change_kernel(std::string const& name, amount by, std::string const& words) {
  if (!by.is_factor()) throw config_error(words + ": expected xF or /F for the speed of a kernel");
  auto const apply = [name, by](simulated_run& of) {
    if (of.platform.contains("kernels")) {
      for (auto& [kernel, model] : of.platform["kernels"].items())
        if (names_kernel(name, kernel)) alter(model, {"coefficient_s", "offset_s"}, by.inverse());
    }
    for (json& file : of.durations) {
      for (auto& [kernel, sizes] : file["kernels"].items()) {
        if (!names_kernel(name, kernel)) continue;
        for (json& one : sizes) alter(one, {"mean_s", "first_s", "standard_deviation_s"}, by.inverse());
      }
    }
  };
  return {words, apply, name, by.inverse().of(1)};
}

}  // namespace

change change_bandwidth(std::string const& how_much) {
  std::string const words = "--bandwidth " + how_much;
  amount const by = read_amount("--bandwidth", how_much, 1e-15);
  return {words, [words, by](simulated_run& of) { alter_network(words, of, "bandwidth_Bps", by, by); }};
}

change change_latency(std::string const& how_much) {
  std::string const words = "--latency " + how_much;
  amount const by = read_amount("--latency", how_much, 0);
  amount const of_links = by.is_factor() ? by : amount{operation::set, 0};
  return {words, [=](simulated_run& of) { alter_network(words, of, "latency_s", by, of_links); }};
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
            alter(of.platform, {"nodes[].speed"}, by);
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
