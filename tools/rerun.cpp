// SPDX-License-Identifier: BSD-3-Clause
#include "rerun.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <ovlp/flowgraph/error.hpp>
#include <ovlp/support/files.hpp>
#include <ovlp/support/json_object.hpp>
#include <ovlp/support/process.hpp>

namespace ovlp::tools {
namespace {

using nlohmann::json;

/// Options with a value: the run's own, of which it has others now, or which it need not write again.
constexpr std::array<std::string_view, 8> replaced{"--platform",   "--record",  "--record-durations",     "--trace",
                                                   "--efficiency", "--summary", "--efficiency-over-time", "--window"};

std::vector<std::string> kept_arguments(run_facts const& about) {
  std::vector<std::string> kept;
  json const arguments = json::parse(about.at("arguments"));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    auto const word = arguments[i].get<std::string>();
    bool const is_replaced = std::ranges::find(replaced, word.substr(0, word.find('='))) != replaced.end();
    if (!is_replaced) {
      kept.push_back(word);
    } else if (word.find('=') == std::string::npos) {
      ++i;
    }
  }
  return kept;
}

}  // namespace

std::string on_ideal_network(std::string const& platform) {
  json changed = support::parse_json(platform, "the record's platform");
  if (!changed.contains("nodes"))
    throw config_error(
        "the platform's network describes its nodes, too: expected --ideal RUN, a record of this run "
        "on a network that takes no time");
  changed["network"] = {{"model", "linear"}, {"latency_s", 0}, {"bandwidth_Bps", 1e15}};
  for (char const* cost : {"comm_cpu", "transport", "effects"}) changed.erase(cost);
  for (json& kind : changed["nodes"]) kind.erase("link");
  return changed.dump();
}

void simulate_again(run_facts const& about, std::string const& platform, std::string const& record) {
  if (!about.contains("platform"))
    throw config_error("expected a record of a simulation, for only that can be repeated");
  support::temporary_folder const folder;
  std::string const platform_file = folder.path() / "platform.json";
  support::write_file(platform_file, platform);
  support::command what{{"/usr/bin/env", "-C", about.at("folder"), about.at("program")}};
  for (std::string const& word : kept_arguments(about)) what.words.push_back(word);
  for (std::string const& word : {std::string("--platform"), platform_file, std::string("--record"), record})
    what.words.push_back(word);
  support::outcome const ended = support::run(what);
  if (!ended.good()) throw config_error("'" + about.at("program") + "' run again: " + ended.complaint());
}

}  // namespace ovlp::tools
