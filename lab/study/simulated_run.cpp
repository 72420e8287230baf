// SPDX-License-Identifier: BSD-3-Clause
#include "simulated_run.hpp"

#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/json_object.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/machine/platform.hpp>

#include "simulator.hpp"

namespace ovlp::lab::study {
namespace {

using nlohmann::json;

json read_platform(std::string const& name) {
  machine::platform::find(name);  // says what is wrong
  json read = base::parse_json(machine::platform::text_of(name), name);
  if (json& network = read["network"]; network.contains("file")) {
    std::filesystem::path const file = network["file"].get<std::string>();
    network["file"] = std::filesystem::absolute(std::filesystem::path(name).parent_path() / file).string();
  }
  return read;
}

std::size_t read_nodes(std::string const& text) {
  std::size_t nodes = 0;
  if (!base::read_number(text, nodes) || nodes == 0)
    throw config_error("--nodes: expected a whole number from 1, got " + base::quoted(text));
  return nodes;
}

}  // namespace

std::vector<std::string> take_option(std::vector<std::string>& words, std::string const& option) {
  std::vector<std::string> values, others;
  bool arguments_only = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    arguments_only |= words[i] == "--";
    if (!arguments_only && words[i] == option && i + 1 < words.size()) values.push_back(words[++i]);
    else if (!arguments_only && words[i].starts_with(option + "="))
      values.push_back(words[i].substr(option.size() + 1));
    else others.push_back(words[i]);
  }
  words = std::move(others);
  return values;
}

std::vector<std::string> without_outputs(std::vector<std::string> words) {
  for (char const* const option : {"--record", "--record-only", "--record-durations", "--trace", "--efficiency",
                                   "--efficiency-over-time", "--summary"}) {
    take_option(words, option);
  }
  return words;
}

simulated_run simulated_run::read(std::vector<std::string> const& words) {
  expect_program(words.front(), "PROGRAM");
  simulated_run run;
  run.program = words.front();
  run.other_words = without_outputs({words.begin() + 1, words.end()});
  std::vector<std::string> const platforms = take_option(run.other_words, "--platform");
  run.platform = read_platform(platforms.empty() ? machine::platform::default_name() : platforms.back());
  for (std::string const& file : take_option(run.other_words, "--durations"))
    run.durations.push_back(base::read_json(file));
  std::vector<std::string> const nodes = take_option(run.other_words, "--nodes");
  if (!nodes.empty()) run.nodes = read_nodes(nodes.back());
  return run;
}

std::vector<std::string> simulated_run::command_with_files_in(std::filesystem::path const& folder) const {
  base::make_folder(folder);
  std::vector<std::string> words{program, "--platform", folder / "platform.json"};
  base::write_file(words.back(), platform.dump());
  for (std::size_t i = 0; i < durations.size(); ++i) {
    words.insert(words.end(), {"--durations", folder / ("durations-" + std::to_string(i) + ".json")});
    base::write_file(words.back(), durations[i].dump());
  }
  if (nodes) words.insert(words.end(), {"--nodes", std::to_string(*nodes)});
  words.insert(words.end(), other_words.begin(), other_words.end());
  return words;
}

}  // namespace ovlp::lab::study
