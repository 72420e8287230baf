// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/machine/parameters.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/json_object.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/machine/platform.hpp>
#include <ovlp/machine/virtual_machine.hpp>

#include "without_effect.hpp"

namespace {

using nlohmann::json;
using ovlp::machine::cause;
using ovlp::machine::find_parameter;
using ovlp::machine::parameter;
using ovlp::machine::parameters;
using ovlp::machine::platform;
using ovlp::machine::setting;

/// Between them they say something of every parameter, and nothing that is neutral; but for those of SimGrid.
json with_network(json network) {
  json all = json::parse(R"({"name": "all", "reference_core": "any",
    "nodes": [{"count": 1, "cores": 1, "speed": 2, "launch_s": 1, "speed_deviation": 0.1, "memory_bytes": 5,
      "quota": {"share": 0.5, "period_s": 1, "carry_s": 0.1}, "speed_over_time": [[100, 2]],
      "slowdowns": [{"interval_s": 100, "duration_s": 1, "factor": 2}],
      "link": {"bandwidth_Bps": 10, "latency_s": 0.5, "bandwidth_over_time": [[100, 2]]}}],
    "host": {"cores": 1, "time_slice_s": 0.5},
    "transport": {"model": "stream", "buffer_bytes": 7},
    "comm_cpu": {"incoming": [0, 0.1], "outgoing": [0.1], "per_message_s": 0.1, "receive_per_message_s": 0.2,
      "per_byte_s": 0.3, "receive_per_byte_s": 0.4},
    "effects": [{"name": "wakeup", "send_s": 0.1, "beyond_nodes": 3},
      {"name": "cache_cooling", "send_s": 0.1, "receive_s": 0.2, "pause_s": 0.3, "computing_s": 0.4}],
    "runtime": {"concurrent_per_pair": 2, "per_step_s": 0.1, "per_object_s": 0.2},
    "kernels": {"a.k": {"coefficient_s": 1, "exponents": [3], "offset_s": 2, "half_size": 4, "double_size": 5}}})");
  all["network"] = std::move(network);
  return all;
}
std::vector<json> const files{
    with_network({{"model", "max-min"}, {"latency_s", 1}, {"bandwidth_Bps", 100}, {"burst_bytes", 7}}),
    with_network({{"model", "bus"},
                  {"latency_s", 1},
                  {"bandwidth_Bps", 100},
                  {"buses", 1},
                  {"output_links", 2},
                  {"input_links", 2}}),
};
bool is_of_simgrid(parameter const& p) { return p.key == "network.reference_flops"; }

platform parsed(json const& file, std::vector<std::string> const& without = {}) {
  return platform::parse(file.dump(), "all.json", without);
}

/// A setting's own parameter, and those that are its sections.
std::set<std::string_view> rows_of(std::string const& key) {
  std::set<std::string_view> rows;
  for (std::size_t end = 0; end != std::string::npos;) {
    end = key.find_first_of(".[", end + 1);
    if (parameter const* const row = find_parameter(key.substr(0, end))) rows.insert(row->key);
  }
  return rows;
}

/// Calls it with each file that says something of the parameter.
template <class Check>
void in_each_file_with(parameter const& p, Check check) {
  for (json file : files) {
    bool const has_it = p.key.starts_with("kernels.") || !ovlp::base::values_at(file, p.key).empty();
    if (has_it) check(std::move(file));
  }
}

std::vector<setting> settings_of(platform const& of, parameter const& p) {
  std::vector<setting> found;
  for (setting const& s : of.settings)
    if (find_parameter(s.key) == &p) found.push_back(s);
  return found;
}

bool is_neutral(setting const& s, parameter const& p) {
  double value = 0;
  return ovlp::base::read_number(s.value, value) && value == *p.neutral;
}

}  // namespace

TEST_CASE("each parameter of a platform is read, documented, and has its unit") {
  std::string const page = ovlp::base::read_file(PLATFORM_PAGE);
  std::set<std::string_view> read;
  for (json const& file : files) {
    for (setting const& s : parsed(file).settings) {
      if (!s.given) continue;
      CAPTURE(s.key);
      CHECK(s.is_meant());
      for (std::string_view row : rows_of(s.key)) read.insert(row);
      if (parameter const* const row = find_parameter(s.key)) CHECK(s.unit() == row->unit);
    }
  }
  for (parameter const& p : parameters()) {
    CAPTURE(p.key);
    CHECK((read.contains(p.key) || is_of_simgrid(p)));
    std::string_view const name = p.key.substr(p.key.rfind('.') + 1);
    CHECK(page.find(name.substr(0, name.find('['))) != std::string::npos);
  }
}

TEST_CASE("without a parameter what its row says holds, and that is not meant") {
  for (parameter const& p : parameters()) {
    if (!p.neutral || p.key.starts_with("kernels.")) continue;
    bool const is_list = p.key == "comm_cpu.incoming" || p.key == "comm_cpu.outgoing";  // must be there
    CAPTURE(p.key);
    in_each_file_with(p, [&](json file) {
      json without = file;
      // What a receiver does is by default what a sender does.
      std::string sender(p.key);
      if (std::size_t const at = sender.find("receive_per"); at != std::string::npos) sender.erase(at, 8);
      for (std::string const& key : std::set<std::string>{std::string(p.key), sender})
        REQUIRE(ovlp::base::erase_at(without, key));
      for (setting const& s : is_list ? std::vector<setting>{} : settings_of(parsed(without), p)) {
        CHECK(!s.given);
        CHECK(!s.is_meant());
        CHECK(is_neutral(s, p));
      }
      for (json* const value : ovlp::base::values_at(file, p.key)) {
        *value = static_cast<int>(*p.neutral);
        if (is_list) *value = json::array({*value});
      }
      for (setting const& s : settings_of(parsed(file), p)) CHECK(!s.is_meant());
    });
  }
}

TEST_CASE("a parameter goes by the name of its part") {
  for (parameter const& p : parameters()) {
    if (p.part.empty()) continue;
    CAPTURE(p.key);
    in_each_file_with(p, [&](json const& file) {
      platform const left = parsed(file, {std::string(p.part)});
      for (setting const& s : settings_of(left, p)) {
        CHECK(!s.given);
        if (p.neutral) CHECK(is_neutral(s, p));
      }
      for (setting const& s : left.settings) {
        if (s.given) CHECK(!rows_of(s.key).contains(p.key));
      }
    });
  }
}

TEST_CASE("a number below a parameter's least is an error that names its place") {
  for (parameter const& p : parameters()) {
    in_each_file_with(p, [&](json file) {
      for (json* const value : ovlp::base::values_at(file, p.key)) {
        if (!value->is_number()) continue;
        CAPTURE(p.key);
        *value = -1;
        std::string const name(p.key.substr(p.key.rfind('.') + 1));
        std::string told;
        try {
          parsed(file);
        } catch (ovlp::config_error const& wrong) {
          told = wrong.what();
        }
        CHECK(told.find("all.json: ") == 0);
        CHECK(told.find(name + ": expected ") != std::string::npos);
      }
    });
  }
}

TEST_CASE("a parameter that needs something is named when it does not happen") {
  for (json const& file : files) {
    platform const on = parsed(file);
    ovlp::machine::virtual_machine const machine(on, 1);
    auto const told = [&](ovlp::sim::run_facts facts) {
      std::set<std::string_view> rows;
      for (std::string const& line : ovlp::sim::settings_without_effect(on, machine, facts))
        if (parameter const* const row = find_parameter(line.substr(0, line.find(": ")))) rows.insert(row->key);
      return rows;
    };
    ovlp::sim::run_facts facts{};
    facts.end_s = 10;
    facts.overhead_from = "durations";
    facts.nodes = {ovlp::sim::node_use::none};
    CHECK(told(facts).contains("nodes[]"));
    facts.nodes = {ovlp::sim::node_use::held};
    std::set<std::string_view> rows = told(facts);
    facts.used.messages = 1;
    rows.merge(told(facts));
    for (parameter const& p : parameters()) {
      if (p.needs == cause::none || p.needs == cause::held_node) continue;
      CAPTURE(p.key);
      in_each_file_with(p, [&](json const&) { CHECK(rows.contains(p.key)); });
    }
  }
}
