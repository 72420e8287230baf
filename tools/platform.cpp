// SPDX-License-Identifier: BSD-3-Clause
// ovlp platform
#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <ovlp/base/files.hpp>
#include <ovlp/machine/platform.hpp>

#include "subcommands.hpp"
#include "topology_drawing.hpp"

namespace ovlp::tools {
namespace {

struct show_options {
  std::string platform;
  std::vector<std::string> without;
  std::string topology;
};

/// Lines of aligned columns.
std::string table(std::vector<std::array<std::string, 4>> const& rows) {
  std::array<std::size_t, 3> widths{};
  for (auto const& row : rows) {
    for (std::size_t c = 0; c < widths.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (auto const& row : rows) {
    for (std::size_t c = 0; c < widths.size(); ++c) text += row[c] + std::string(widths[c] - row[c].size() + 2, ' ');
    text += row.back() + "\n";
  }
  return text;
}

/// Every value that holds, and where it is from.
std::string settings_of(machine::platform const& on, show_options const& options) {
  std::map<std::string, std::string> in_file;
  for (machine::setting const& s : machine::platform::find(options.platform).settings) {
    if (s.given) in_file[s.key] = s.value;
  }
  std::vector<std::array<std::string, 4>> rows{{"value of", "", "unit", "from"}};
  for (machine::setting const& s : on.settings) {
    auto const original = in_file.find(s.key);
    bool const changed = original != in_file.end() && (!s.given || original->second != s.value);
    rows.push_back({s.key, s.value, std::string(s.unit()), changed ? "--without" : s.given ? "file" : "default"});
  }
  return table(rows);
}

void show(show_options const& options) {
  auto const platform = machine::platform::find(options.platform, options.without);
  std::string const figures = platform.figures_from.empty() ? "" : "figures: " + platform.figures_from + "\n";
  base::write_output("-", settings_of(platform, options) + figures);
  if (!options.topology.empty()) base::write_output(options.topology, graphviz_of(platform));
}

}  // namespace

void add_platform(CLI::App& ovlp) {
  CLI::App& platform = *ovlp.add_subcommand("platform", "What a platform file says");
  platform.require_subcommand(1);
  auto const options = std::make_shared<show_options>();
  CLI::App& command = *platform.add_subcommand(
      "show", "Print every value in effect, with its unit and its origin: the file, a default, an option");
  command.add_option("platform", options->platform, "gigabit and the like, or a file")
      ->required()
      ->type_name("PLATFORM");
  command
      .add_option("--without", options->without, "leave a part of the model out, as simulations do; may be repeated")
      ->type_name("PART");
  command.add_option("--topology", options->topology, "write what joins the nodes, for Graphviz")->type_name("FILE");
  command.footer(
      "Examples:\n"
      "  ovlp platform show gigabit\n"
      "  ovlp platform show ./cluster.json --topology cluster.dot && neato -Tsvg -O cluster.dot\n"
      "Format: docs/formats/platform.md");
  command.callback([options] { show(*options); });
}

}  // namespace ovlp::tools
