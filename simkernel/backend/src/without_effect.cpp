// SPDX-License-Identifier: BSD-3-Clause
#include "without_effect.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <string_view>

#include <ovlp/base/text.hpp>
#include <ovlp/machine/parameters.hpp>
#include <ovlp/netmodel/factor_over_time.hpp>

namespace ovlp::sim {
namespace {

using machine::cause;

constexpr double ever = -std::numeric_limits<double>::infinity();

/// A kind of nodes, as it took part in the run.
struct group {
  machine::node_kind const& kind;
  std::vector<machine::node_id> held = {};
  bool any_launched = false;
};

class search {
 public:
  search(machine::platform const& on, machine::virtual_machine const& machine, run_facts const& facts)
      : on_(on), machine_(machine), facts_(facts), groups_(groups()) {}

  std::vector<std::string> all() {
    for (bool const nodes_first : {true, false}) {
      for (machine::setting const& s : on_.settings)
        if (s.is_meant() && s.key.starts_with(of_nodes) == nodes_first) look_at(s.key);
    }
    look_at_kernels();
    return found_;
  }

 private:
  static constexpr std::string_view of_nodes = "nodes[";

  std::vector<group> groups() const {
    std::vector<group> made;
    machine::node_id n = 0;
    for (machine::node_kind const& kind : on_.nodes) {
      group& g = made.emplace_back(group{kind});
      bool const is_last = made.size() == on_.nodes.size();
      std::size_t const end = is_last ? facts_.nodes.size() : std::min(n + kind.count, facts_.nodes.size());
      for (; n < end; ++n) {
        if (facts_.nodes[n] != node_use::none) g.held.push_back(n);
        if (facts_.nodes[n] == node_use::launched) g.any_launched = true;
      }
    }
    return made;
  }

  /// Says the outermost section of a setting of which nothing came, once: "nodes[1]", "nodes[1].quota", ...
  void look_at(std::string const& key) {
    for (std::size_t end = 0; end != std::string::npos;) {
      end = key.find_first_of(".[", end + 1);
      std::string const section = key.substr(0, end);
      machine::parameter const* const row = machine::find_parameter(section);
      if (row == nullptr) continue;
      std::string const why = why_not(row->needs, section);
      if (why.empty()) continue;
      if (told_.insert(section).second) found_.push_back(section + ": " + why);
      return;
    }
  }

  /// "": something may have come of it.
  std::string why_not(cause needed, std::string const& key) const {
    group const* const of = key.starts_with(of_nodes) ? &groups_[std::stoul(key.substr(of_nodes.size()))] : nullptr;
    auto const none = [&](auto const& holds) { return std::ranges::none_of(of->held, holds); };
    auto const is_late = [&](std::shared_ptr<net::factor_over_time const> const& changes) {
      return changes->next_change_s(ever) >= facts_.end_s;
    };
    switch (needed) {
      case cause::none: break;
      case cause::held_node: return of->held.empty() ? "no node of it was held" : "";
      case cause::launch: return of->any_launched ? "" : "no node of it was launched while the program ran";
      case cause::throttling:
        return none([&](auto n) { return machine_.throttled(n); }) ? "no node of it was throttled" : "";
      case cause::variation: return machine_.varies() ? "" : "expected with --vary";
      case cause::slowdown:
        return none([&](auto n) { return machine_.first_slowdown_s(n) < facts_.end_s; }) ? "none came before the end"
                                                                                         : "";
      case cause::change_of_speed: return is_late(of->kind.speed_over_time) ? "it begins after the end" : "";
      case cause::change_of_link: return is_late(of->kind.link.over_time) ? "it begins after the end" : "";
      case cause::object:
        if (facts_.used.messages > 0) return facts_.used.objects > 0 ? "" : "no object went from node to node";
        [[fallthrough]];
      case cause::message: return facts_.used.messages > 0 ? "" : "no message went from node to node";
      case cause::unmeasured_step: return facts_.overhead_from == "durations" ? "--durations says what they take" : "";
    }
    return "";
  }

  void look_at_kernels() {
    std::vector<std::string> unused;
    for (auto const& [name, model] : on_.kernels) {
      if (!facts_.by_models.contains(name)) unused.push_back(name);
    }
    if (!unused.empty()) found_.push_back("kernels: none was charged by the model of " + base::joined(unused));
  }

  machine::platform const& on_;
  machine::virtual_machine const& machine_;
  run_facts const& facts_;
  std::vector<group> const groups_;
  std::set<std::string> told_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> settings_without_effect(machine::platform const& on, machine::virtual_machine const& machine,
                                                 run_facts const& facts) {
  return search(on, machine, facts).all();
}

}  // namespace ovlp::sim
