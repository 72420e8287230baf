// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/threads/mapping.hpp>

#include <algorithm>
#include <numeric>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/json_object.hpp>

namespace ovlp::shared_memory {
namespace {

constexpr char const* mapping_format = "ovlp thread mapping 1";

/// What is placed together, by its numbers on the level below.
using group = std::vector<std::size_t>;

/// Of `left`, which is in order, what communicates most with the group; removed there.
std::size_t take_nearest(std::vector<std::size_t>& left, std::vector<double> const& to_group) {
  auto const most = std::ranges::max_element(left, {}, [&](std::size_t one) { return to_group[one]; });
  std::size_t const taken = *most;
  left.erase(most);
  return taken;
}

/// As many groups, or one of each, if there are less.
std::vector<group> grouped(communication_matrix const& of, std::size_t count) {
  std::vector<std::size_t> left(of.threads());
  std::iota(left.begin(), left.end(), 0);
  std::vector<group> groups(std::min(count, of.threads()));
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::size_t const size = of.threads() / groups.size() + (g < of.threads() % groups.size() ? 1 : 0);
    std::vector<double> to_group(of.threads());
    while (groups[g].size() < size) {
      std::size_t const next = take_nearest(left, to_group);
      for (std::size_t const other : left) to_group[other] += of(next, other);
      groups[g].push_back(next);
    }
  }
  return groups;
}

/// What groups communicate with each other.
communication_matrix between(std::vector<group> const& groups, communication_matrix const& of) {
  std::vector<std::size_t> group_of(of.threads());
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::size_t const member : groups[g]) group_of[member] = g;
  communication_matrix made(groups.size());
  for (std::size_t a = 0; a < of.threads(); ++a)
    for (std::size_t b = a + 1; b < of.threads(); ++b)
      if (of(a, b) != 0 && group_of[a] != group_of[b]) made.add(group_of[a], group_of[b], of(a, b));
  return made;
}

/// Groups of each level, on the way back down: the members of a group are the children of its node.
struct group_tree {
  std::vector<std::vector<group>> levels;    ///< from the leaves' on, whose members are threads
  std::vector<std::size_t> leaves_of_child;  ///< of a node on the same level; of a leaf, none

  void place(std::size_t level, std::size_t which, std::size_t first_leaf, placement& to) const {
    group const& members = levels[level][which];
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (level == 0) to[members[i]] = first_leaf;
      else place(level - 1, members[i], first_leaf + i * leaves_of_child[level], to);
    }
  }
};

}  // namespace

placement map_threads(communication_matrix const& communication, topology const& onto) {
  group_tree tree;
  communication_matrix left = communication;
  std::size_t nodes = onto.units.size();
  auto const group_for = [&](std::size_t leaves_of_child) {
    tree.levels.push_back(grouped(left, nodes));
    tree.leaves_of_child.push_back(leaves_of_child);
    left = between(tree.levels.back(), left);
  };
  group_for(0);
  std::size_t leaves_of_child = 1;
  for (auto l = onto.levels.rbegin(); l != onto.levels.rend(); ++l) {
    nodes /= l->children;
    group_for(leaves_of_child);
    leaves_of_child *= l->children;
  }
  placement where(communication.threads());
  tree.place(tree.levels.size() - 1, 0, 0, where);
  return where;
}

placement in_order(std::size_t threads, topology const& onto) {
  placement where(threads);
  for (std::size_t t = 0; t < threads; ++t) where[t] = t % onto.units.size();
  return where;
}

double mean_distance(communication_matrix const& communication, topology const& onto, placement const& where) {
  double weighted = 0, all = 0;
  for (std::size_t a = 0; a < communication.threads(); ++a) {
    for (std::size_t b = a + 1; b < communication.threads(); ++b) {
      if (communication(a, b) == 0) continue;
      weighted += communication(a, b) * static_cast<double>(onto.distance(where[a], where[b]));
      all += communication(a, b);
    }
  }
  return all > 0 ? weighted / all : 0;
}

double mean_distance_by_chance(topology const& onto) {
  double sum = 0;
  auto const units = static_cast<double>(onto.units.size());
  for (std::size_t other = 1; other < onto.units.size(); ++other)
    sum += static_cast<double>(onto.distance(0, other));  // alike for all leaves
  return units > 1 ? sum / (units - 1) : 0;
}

std::string thread_mapping::omp_places() const {
  std::string places;
  for (std::size_t const unit : units) places += (places.empty() ? "{" : ",{") + std::to_string(unit) + "}";
  return places;
}

thread_mapping mapping_of(placement const& where, topology const& onto) {
  thread_mapping made;
  for (std::size_t const leaf : where) made.units.push_back(onto.units[leaf]);
  return made;
}

std::string json_of(thread_mapping const& what) {
  return base::json_text({{"format", mapping_format}, {"units", what.units}}) + "\n";
}

thread_mapping read_mapping(std::string const& file) {
  nlohmann::json const contents = base::read_json(file);
  base::json_object top(contents, file);
  if (std::string const format = top.text("format"); format != mapping_format)
    top.fail("format", "\"" + std::string(mapping_format) + "\"", format);
  thread_mapping made{top.whole_numbers("units")};
  top.end();
  return made;
}

}  // namespace ovlp::shared_memory
