// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/records/plan.hpp>

#include <iterator>
#include <limits>
#include <vector>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/json_object.hpp>

namespace ovlp {
namespace {

constexpr int last_possible = std::numeric_limits<int>::max();

/// A whole number of a file, as a type that may be smaller.
std::size_t count_up_to(base::json_object& of, std::string const& key, std::size_t least, std::size_t most) {
  std::size_t const count = of.count(key, least);
  if (count > most) of.fail(of.path(key), "at most " + std::to_string(most), of.at(key));
  return count;
}

[[noreturn]] void refuse(plan const& of, std::string const& where, std::string const& why) {
  throw config_error((of.file.empty() ? "plan" : "--plan " + of.file) + ": " + where + ": " + why);
}

std::string after(int iteration) {
  return iteration == 0 ? "from the start" : "after iteration " + std::to_string(iteration);
}

}  // namespace

plan plan::read(std::string const& file) {
  nlohmann::json const content = base::read_json(file);
  base::json_object top(content, file);
  plan made;
  made.file = file;
  made.program = top.text("program");
  if (top.has("advice")) made.advice = top.at("advice").dump();
  bool const none = top.at("changes") == nlohmann::json::array();
  std::vector<base::json_object> changes;
  if (!none) changes = top.objects("changes");
  for (base::json_object& change : changes) {
    auto const iteration = static_cast<int>(count_up_to(change, "after", 0, last_possible));
    held_nodes hold{count_up_to(change, "nodes", 1, held_nodes::most)};
    base::json_object collections = change.object_or_empty("collections");
    for (std::string const& name : collections.keys())
      hold.collections[name] = count_up_to(collections, name, 1, hold.nodes);
    collections.end();
    change.end();
    if (!made.changes.empty() && iteration <= made.changes.rbegin()->first)
      change.fail(change.path("after"), "iterations in ascending order", change.at("after"));
    made.changes.emplace(iteration, std::move(hold));
  }
  top.end();
  return made;
}

std::string plan::json() const {
  nlohmann::ordered_json all{{"program", program}, {"changes", nlohmann::ordered_json::array()}};
  for (auto const& [iteration, hold] : changes) {
    nlohmann::ordered_json change{{"after", iteration}, {"nodes", hold.nodes}};
    for (auto const& [name, nodes] : hold.collections) change["collections"][name] = nodes;
    all["changes"].push_back(std::move(change));
  }
  return base::json_text(all);
}

held_nodes plan::held_in(int iteration, std::size_t nodes) const {
  auto const next = changes.lower_bound(iteration);
  return next == changes.begin() ? held_nodes{nodes} : std::prev(next)->second;
}

void plan::expect(std::string const& application, std::size_t nodes) const {
  bool const short_form = file.empty() && program.empty();
  if (!short_form && program != application)
    refuse(*this, "program", "expected '" + application + "', got '" + program + "'");
  for (auto const& [iteration, hold] : changes) {
    if (hold.nodes >= 1 && hold.nodes <= nodes) continue;
    refuse(*this, after(iteration),
           "expected 1 to " + std::to_string(nodes) + " nodes (--nodes), got " + std::to_string(hold.nodes));
  }
}

void plan::expect_borders_to(int last_iteration) const {
  if (changes.empty() || changes.rbegin()->first <= last_iteration) return;
  refuse(*this, after(changes.rbegin()->first),
         "expected changes after iterations up to " + std::to_string(last_iteration));
}

}  // namespace ovlp
