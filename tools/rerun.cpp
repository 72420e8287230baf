// SPDX-License-Identifier: BSD-3-Clause
#include "rerun.hpp"

#include <vector>

#include <nlohmann/json.hpp>

#include <ovlp/flowgraph/error.hpp>
#include <ovlp/support/files.hpp>
#include <ovlp/support/json_object.hpp>
#include <ovlp/support/process.hpp>

#include "study/simulated_run.hpp"

namespace ovlp::tools {
namespace {

std::vector<std::string> kept_arguments(run_facts const& about) {
  auto words = lab::study::without_outputs(nlohmann::json::parse(about.at("arguments")));
  lab::study::take_option(words, "--platform");
  return words;
}

}  // namespace

std::string on_ideal_network(std::string const& platform) {
  nlohmann::json changed = support::parse_json(platform, "the record's platform");
  if (!changed.contains("nodes"))
    throw config_error(
        "the platform's network describes its nodes, too: expected --ideal RUN, a record of this run "
        "on a network that takes no time");
  changed["network"] = {{"model", "linear"}, {"latency_s", 0}, {"bandwidth_Bps", 1e15}};
  for (char const* cost : {"comm_cpu", "transport", "effects"}) changed.erase(cost);
  for (nlohmann::json& kind : changed["nodes"]) kind.erase("link");
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
