// SPDX-License-Identifier: BSD-3-Clause
#include "rerun.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/json_object.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/text.hpp>

#include "study/simulated_run.hpp"

namespace ovlp::tools {
namespace {

/// What kernels and steps took, as simkernel/backend/src/charged_run.hpp wants it.
class durations_of_run final : public record_sink {
 public:
  void begin(run_definitions const& names) override { names_ = names; }
  void step(step_record const& r) override {
    remainder_s_[{r.at.graph, r.at.operation, r.at.thread}].push_back(std::max(0.0, r.computed_s - r.work_s));
  }
  void kernel(kernel_record const& r) override {
    std::uint32_t const collection = names_.graphs.at(r.at.graph).operations.at(r.at.operation).collection;
    work_s_[{collection, r.at.thread, std::string(r.name), {r.sizes.begin(), r.sizes.end()}}].push_back(r.work_s);
  }
  std::string json() const {
    nlohmann::json kernels = nlohmann::json::array(), steps = nlohmann::json::array();
    for (auto const& [of, work_s] : work_s_) {
      auto const& [collection, thread, name, sizes] = of;
      kernels.push_back(
          {{"collection", collection}, {"thread", thread}, {"name", name}, {"sizes", sizes}, {"work_s", work_s}});
    }
    for (auto const& [of, remainder_s] : remainder_s_) {
      auto const& [graph, operation, thread] = of;
      steps.push_back({{"graph", graph}, {"operation", operation}, {"thread", thread}, {"remainder_s", remainder_s}});
    }
    nlohmann::json const all{{"kernels", std::move(kernels)}, {"steps", std::move(steps)}};
    return all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

 private:
  run_definitions names_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::vector<double>> remainder_s_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::string, std::vector<std::int64_t>>, std::vector<double>>
      work_s_;
};

}  // namespace

std::vector<std::string> command_of(run_facts const& about) {
  auto const fact = [&](char const* name) {
    auto const found = about.find(name);
    if (found == about.end())
      throw config_error("expected a record of a simulation, for only that can be repeated; it has no fact '" +
                         std::string(name) + "'");
    return found->second;
  };
  nlohmann::json const arguments = base::parse_json(fact("arguments"), "the record's arguments");
  std::vector<std::string> words;
  for (nlohmann::json const& word : arguments) {
    if (!word.is_string()) throw config_error("the record's arguments: expected a list of texts");
    words.push_back(word);
  }
  words = without_platform(std::move(words));
  words.insert(words.begin(), {"/usr/bin/env", "-C", fact("folder"), "--", fact("program")});
  return words;
}

std::vector<std::string> without_platform(std::vector<std::string> command) {
  command = lab::study::without_outputs(std::move(command));
  lab::study::take_option(command, "--platform");
  return command;
}

std::string shown(std::vector<std::string> const& command) {
  std::string line;
  for (std::string const& word : command) line += (line.empty() ? "" : " ") + base::shell_word(word);
  std::ranges::replace_if(
      line, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '?');
  return line;
}

void simulate_again(stored_run const& run, std::vector<std::string> command, std::string const& platform,
                    std::string const& record) {
  base::temporary_folder const folder;
  std::string const platform_file = folder.path() / "platform.json";
  base::write_file(platform_file, platform);
  std::string const durations_file = folder.path() / "durations.json";
  durations_of_run durations;
  run.read(durations);
  base::write_file(durations_file, durations.json());
  std::string const line = shown(command);
  command.insert(command.end(), {"--platform", platform_file, "--record", record, "--charge-as", durations_file});
  base::outcome const ended = base::run({std::move(command)});
  if (!ended.good()) throw config_error("'" + line + "' run again: " + ended.complaint());
}

}  // namespace ovlp::tools
