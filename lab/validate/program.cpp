// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include <filesystem>

#include <ovlp/base/error.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp::lab::validate {

std::string in_build(places const& where, std::string const& name) { return where.build + "/" + name; }

std::string platform_of(testbed const& t, places const& where) {
  if (!t.platform.empty()) return t.platform;
  std::string const& folder = where.calibrated.empty() ? where.output : where.calibrated;
  return folder + "/platforms/testbed-" + t.name + ".json";
}

std::string plain_platform_of(testbed const& t, places const& where) {
  std::filesystem::path const file = platform_of(t, where);
  return (file.parent_path() / (file.stem().string() + "-plain.json")).string();
}

words command_of(words const& program, std::string const& options, places const& where) {
  words command{in_build(where, program.front())};
  command.insert(command.end(), program.begin() + 1, program.end());
  for (std::string const& word : base::words_of(options)) {
    bool const is_plan = command.back() == "--plan" && std::filesystem::path(word).is_relative();
    command.push_back(is_plan ? where.output + "/" + word : word);
  }
  return command;
}

void check_programs(grid const& of, places const& where, bool real) {
  for (auto const& [name, a] : of.applications) {
    for (words const* command : {&a.simulated, &a.real}) {
      if (command == &a.real && !real) continue;
      std::string const program = in_build(where, command->front());
      if (!base::find_program(program).empty()) continue;
      throw config_error("application '" + name + "': expected a program '" + program +
                         "'; --build names the folder of a build");
    }
  }
}

void check_scripts(places const& where) {
  for (char const* script : {"up", "down", "run", "calibrate"}) {
    std::string const file = where.testbeds + "/" + script;
    if (base::find_program(file).empty())
      throw config_error("--testbeds: expected a folder with up, down, run and calibrate; there is no script '" + file +
                         "'");
  }
}

void append(words& to, words const& more) { to.insert(to.end(), more.begin(), more.end()); }

}  // namespace ovlp::lab::validate
