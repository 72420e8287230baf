// SPDX-License-Identifier: BSD-3-Clause
// ovlp platform
#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <ovlp/base/files.hpp>
#include <ovlp/machine/platform.hpp>

#include "options.hpp"
#include "subcommands.hpp"
#include "text_table.hpp"

namespace ovlp::tools {
namespace {

struct show_options {
  std::string platform;
  std::vector<std::string> without;
  std::string topology;
};

/// Every value that holds, and where it is from.
std::string settings_of(machine::platform const& on, show_options const& options) {
  std::map<std::string, std::string> in_file;
  for (machine::setting const& s : machine::platform::find(options.platform).settings) {
    if (s.given) in_file[s.key] = s.value;
  }
  text_table table(4);
  table.add({"value of", "", "unit", "from"});
  for (machine::setting const& s : on.settings) {
    auto const original = in_file.find(s.key);
    bool const changed = original != in_file.end() && (!s.given || original->second != s.value);
    table.add({s.key, s.value, std::string(s.unit()), changed ? "--without" : s.given ? "file" : "default"});
  }
  return table.text();
}

using net::topology;

/// "1.17 GB/s": in the largest unit of which it is 1 at least, else in the smallest. Each is a thousandth of the one
/// before.
std::string in_units(double value, double largest, std::array<char const*, 4> const& units) {
  std::size_t i = 0;
  for (; i + 1 < units.size() && value < largest; ++i) largest /= 1000;
  return short_number(value / largest) + ' ' + units[i];
}

/// As Graphviz reads it.
std::string quoted(std::string const& text) {
  std::string inside;
  for (char const c : text)
    inside += c == '\n' ? "\\n" : c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return '"' + inside + '"';
}

std::string words_of(topology::link_cost const& cost) {
  std::string text = in_units(cost.bandwidth_Bps, 1e9, {"GB/s", "MB/s", "KB/s", "B/s"});
  if (cost.latency_s > 0) text += "\n" + in_units(cost.latency_s, 1, {"s", "ms", "us", "ns"});
  return text;
}

std::string shape_of(topology::vertex const& v) {
  if (v.is_node) return "label=" + quoted(v.name) + ", shape=box";
  if (v.name.empty()) return "label=\"\", shape=point, width=0.1";
  std::string const text = v.name + (v.cost ? "\n" + words_of(*v.cost) : "");
  return "label=" + quoted(text) + ", shape=" + (v.cost ? "plaintext" : "ellipse");
}

/// What joins the nodes.
std::string graphviz_of(machine::platform const& on) {
  topology const drawn = on.topology();
  std::ostringstream text;
  text << "digraph " << quoted(on.name) << " {\n  edge [dir=none];\n";
  for (std::size_t v = 0; v < drawn.vertices.size(); ++v) {
    text << "  " << v << " [" << shape_of(drawn.vertices[v]) << "];\n";
  }
  for (topology::connection const& c : drawn.connections) {
    std::string const count = c.parallel > 1 ? std::to_string(c.parallel) + " x " : "";
    text << "  " << c.from << " -> " << c.to << " [";
    if (c.cost) text << "label=" << quoted(count + words_of(*c.cost));
    text << (c.both_ways ? "" : " dir=forward") << "];\n";
  }
  text << "}\n";
  return text.str();
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
  add_required(command, "platform", options->platform, "PLATFORM", "gigabit and the like, or a file");
  add_option(command, "--without", options->without, "PART",
             "leave a part of the model out, as simulations do; may be repeated");
  add_option(command, "--topology", options->topology, "FILE", "write what joins the nodes, for Graphviz");
  command.footer(
      "Examples:\n"
      "  ovlp platform show gigabit\n"
      "  ovlp platform show ./cluster.json --topology cluster.dot && neato -Tsvg -O cluster.dot\n"
      "Format: docs/formats/platform.md");
  command.callback([options] { show(*options); });
}

}  // namespace ovlp::tools
