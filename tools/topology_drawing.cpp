// SPDX-License-Identifier: BSD-3-Clause
#include "topology_drawing.hpp"

#include <array>
#include <cstddef>
#include <sstream>

namespace ovlp::tools {
namespace {

using net::topology;

/// "1.17 GB/s": in the largest unit of which it is 1 at least, else in the smallest.
template <class Units>
std::string in_units(double value, Units const& units) {
  auto const* chosen = &units.back();
  for (auto const& unit : units) {
    if (value < unit.size) continue;
    chosen = &unit;
    break;
  }
  std::ostringstream text;
  text.precision(4);
  text << value / chosen->size << ' ' << chosen->name;
  return text.str();
}

/// As Graphviz reads it.
std::string quoted(std::string const& text) {
  std::string inside;
  for (char const c : text)
    inside += c == '\n' ? "\\n" : c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return '"' + inside + '"';
}

struct unit {
  double size;
  char const* name;
};

std::string words_of(topology::link_cost const& cost) {
  constexpr std::array rates{unit{1e9, "GB/s"}, unit{1e6, "MB/s"}, unit{1e3, "KB/s"}, unit{1, "B/s"}};
  constexpr std::array times{unit{1, "s"}, unit{1e-3, "ms"}, unit{1e-6, "us"}, unit{1e-9, "ns"}};
  std::string text = in_units(cost.bandwidth_Bps, rates);
  if (cost.latency_s > 0) text += "\n" + in_units(cost.latency_s, times);
  return text;
}

std::string shape_of(topology::vertex const& v) {
  if (v.is_node) return "label=" + quoted(v.name) + ", shape=box";
  if (v.name.empty()) return "label=\"\", shape=point, width=0.1";
  std::string const text = v.name + (v.cost ? "\n" + words_of(*v.cost) : "");
  return "label=" + quoted(text) + ", shape=" + (v.cost ? "plaintext" : "ellipse");
}

}  // namespace

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

}  // namespace ovlp::tools
