// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/threads/topology.hpp>

#include <hwloc.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <string_view>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/json_object.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp::shared_memory {
namespace {

constexpr std::size_t most_units = std::size_t{1} << 20;

std::size_t leaves_of(std::vector<topology::level> const& levels) {
  std::size_t leaves = 1;
  for (topology::level const& l : levels)
    leaves = std::min(leaves * std::min(l.children, most_units + 1), most_units + 1);
  return leaves;
}

/// Numbered from 0, if nothing else is said.
topology with_units(std::vector<topology::level> levels, std::vector<std::size_t> units, std::string const& place) {
  std::size_t const leaves = leaves_of(levels);
  if (levels.empty() || leaves == 0 || leaves > most_units)
    throw config_error(place + ": expected levels of 1 to " + std::to_string(most_units) + " units");
  if (units.empty()) {
    units.resize(leaves);
    std::iota(units.begin(), units.end(), 0);
  }
  std::vector<std::size_t> sorted = units;
  std::ranges::sort(sorted);
  if (units.size() != leaves || std::ranges::adjacent_find(sorted) != sorted.end())
    throw config_error(place + ": expected " + std::to_string(leaves) + " different units");
  return {std::move(levels), std::move(units)};
}

topology read_text(std::string const& text) {
  std::vector<topology::level> levels;
  for (std::string const& word : base::words_of(text)) {
    std::size_t const colon = word.find(':');
    std::size_t children = 0;
    bool const good = colon != std::string::npos && colon > 0 &&
                      base::read_number(std::string_view(word).substr(colon + 1), children) && children > 0;
    if (!good)
      throw config_error("topology: expected levels as 'package:2 core:8 PU:2', or a file, got " + base::quoted(word));
    levels.push_back({word.substr(0, colon), children});
  }
  return with_units(std::move(levels), {}, "topology '" + text + "'");
}

topology read_file(std::string const& file) {
  nlohmann::json const contents = base::read_json(file);
  base::json_object top(contents, file);
  std::vector<topology::level> levels;
  for (base::json_object& level : top.objects("levels")) {
    levels.push_back({level.text("name"), level.count("children", 1)});
    level.end();
  }
  std::vector<std::size_t> units;
  if (top.has("units")) units = top.whole_numbers("units");
  top.end();
  return with_units(std::move(levels), std::move(units), file);
}

struct free_topology {
  void operator()(hwloc_topology* of) const { ::hwloc_topology_destroy(of); }
};

/// As far as this process may use it.
std::unique_ptr<hwloc_topology, free_topology> look_at_machine() {
  hwloc_topology_t made = nullptr;
  if (::hwloc_topology_init(&made) != 0) throw config_error("topology: hwloc cannot begin");
  std::unique_ptr<hwloc_topology, free_topology> owned(made);
  // What has one child says nothing about distances.
  ::hwloc_topology_set_all_types_filter(made, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
  if (::hwloc_topology_load(made) != 0) throw config_error("topology: hwloc cannot look at this machine");
  std::unique_ptr<hwloc_bitmap_s, decltype(&::hwloc_bitmap_free)> const allowed(::hwloc_bitmap_alloc(),
                                                                                ::hwloc_bitmap_free);
  if (::hwloc_get_cpubind(made, allowed.get(), HWLOC_CPUBIND_PROCESS) == 0)
    ::hwloc_topology_restrict(made, allowed.get(), 0);
  return owned;
}

}  // namespace

topology topology::of_this_machine() {
  auto const machine = look_at_machine();
  hwloc_obj_t const root = ::hwloc_get_root_obj(machine.get());
  if (root->symmetric_subtree == 0)
    throw config_error(
        "topology: not all nodes of this machine's tree have equally many children, or this process may use only some "
        "of its units; expected a file, or levels as 'package:2 core:8 PU:2'");
  std::vector<level> levels;
  hwloc_obj_t at = root;
  for (; at->arity > 0; at = at->first_child) {
    char name[64];
    ::hwloc_obj_type_snprintf(name, sizeof name, at->first_child, 0);
    levels.push_back({name, at->arity});
  }
  if (levels.empty()) levels.push_back({"PU", 1});
  std::vector<std::size_t> units;
  for (hwloc_obj_t unit = nullptr; (unit = ::hwloc_get_next_obj_by_type(machine.get(), HWLOC_OBJ_PU, unit)) != nullptr;)
    units.push_back(unit->os_index);
  return with_units(std::move(levels), std::move(units), "this machine's topology");
}

topology topology::find(std::string const& name_or_file) {
  if (name_or_file == "machine") return of_this_machine();
  bool const is_file = std::filesystem::exists(name_or_file);
  if (!is_file && name_or_file.find(':') == std::string::npos)
    throw config_error("topology: expected 'machine', levels as 'package:2 core:8 PU:2', or a file, got " +
                       base::quoted(name_or_file));
  return is_file ? read_file(name_or_file) : read_text(name_or_file);
}

std::size_t topology::distance(std::size_t leaf, std::size_t other) const {
  std::size_t up = 0;
  for (auto l = levels.rbegin(); leaf != other; ++l, ++up) {
    leaf /= l->children;
    other /= l->children;
  }
  return up;
}

std::string text_of(topology const& what) {
  std::string text;
  for (topology::level const& l : what.levels)
    text += (text.empty() ? "" : " ") + l.name + ":" + std::to_string(l.children);
  return text;
}

}  // namespace ovlp::shared_memory
