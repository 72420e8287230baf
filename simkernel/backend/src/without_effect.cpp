// SPDX-License-Identifier: BSD-3-Clause
#include "without_effect.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

#include <ovlp/base/text.hpp>
#include <ovlp/netmodel/factor_over_time.hpp>

namespace ovlp::sim {
namespace {

constexpr double ever = -std::numeric_limits<double>::infinity();

/// A kind of nodes, as it took part in the run.
struct group {
  std::string key;  ///< "nodes[0]"
  machine::node_kind const& kind;
  std::vector<machine::node_id> held;
  bool any_launched = false;
};

class search {
 public:
  search(machine::platform const& on, machine::virtual_machine const& machine, run_facts const& facts)
      : on_(on), machine_(machine), facts_(facts) {}

  std::vector<std::string> all() {
    for (group const& g : groups()) look_at(g);
    look_at_messages();
    if (facts_.overhead_from == "durations") {
      for (char const* key : {"runtime.per_step_s", "runtime.per_object_s"})
        tell(key, "--durations says what they take");
    }
    look_at_kernels();
    return found_;
  }

 private:
  std::vector<group> groups() const {
    std::vector<group> made;
    machine::node_id n = 0;
    for (std::size_t i = 0; i < on_.nodes.size(); ++i) {
      group& g = made.emplace_back(group{"nodes[" + std::to_string(i) + "]", on_.nodes[i], {}, false});
      bool const is_last = i + 1 == on_.nodes.size();
      std::size_t const end = is_last ? facts_.nodes.size() : std::min(n + g.kind.count, facts_.nodes.size());
      for (; n < end; ++n) {
        if (facts_.nodes[n] != node_use::none) g.held.push_back(n);
        if (facts_.nodes[n] == node_use::launched) g.any_launched = true;
      }
    }
    return made;
  }

  void look_at(group const& g) {
    if (g.held.empty()) {
      tell(g.key, "no node of it was held");
      return;
    }
    auto const none = [&](auto const& holds) { return std::ranges::none_of(g.held, holds); };
    if (!g.any_launched) tell(g.key + ".launch_s", "no node of it was launched while the program ran");
    if (none([&](machine::node_id n) { return machine_.throttled(n); }))
      tell(g.key + ".quota", "no node of it was throttled");
    if (!machine_.varies()) tell(g.key + ".speed_deviation", "expected with --vary");
    if (none([&](machine::node_id n) { return machine_.first_slowdown_s(n) < facts_.end_s; }))
      tell(g.key + ".slowdowns", "none came before the end");
    look_at(g.kind.speed_over_time, g.key + ".speed_over_time");
    look_at(g.kind.link.over_time, g.key + ".link.bandwidth_over_time");
    if (facts_.used.messages == 0) tell(g.key + ".link", "no message went from node to node");
  }

  void look_at(std::shared_ptr<net::factor_over_time const> const& changes, std::string const& key) {
    if (changes != nullptr && changes->next_change_s(ever) >= facts_.end_s) tell(key, "it begins after the end");
  }

  void look_at_messages() {
    if (facts_.used.messages == 0) {
      for (char const* key : {"network", "transport", "comm_cpu", "effects", "runtime.concurrent_per_pair"})
        tell(key, "no message went from node to node");
    } else if (facts_.used.objects == 0) {
      for (char const* key : {"network.bandwidth_Bps", "comm_cpu.incoming", "comm_cpu.outgoing", "comm_cpu.per_byte_s",
                              "comm_cpu.receive_per_byte_s", "runtime.concurrent_per_pair"})
        tell(key, "no object went from node to node");
    }
  }

  void look_at_kernels() {
    std::vector<std::string> unused;
    for (auto const& [name, model] : on_.kernels) {
      if (!facts_.by_models.contains(name)) unused.push_back(name);
    }
    if (!unused.empty()) found_.push_back("kernels: none was charged by the model of " + base::joined(unused));
  }

  /// If the file gives the setting, or one within it, and it is not nothing.
  void tell(std::string const& key, std::string const& why) {
    auto const is_meant = [&](machine::setting const& s) {
      bool const there = s.key == key || s.key.starts_with(key + ".") || s.key.starts_with(key + "[");
      return there && s.given && s.value != "0" && s.value != "0.0" && s.value != "[0]";
    };
    if (std::ranges::any_of(on_.settings, is_meant)) found_.push_back(key + ": " + why);
  }

  machine::platform const& on_;
  machine::virtual_machine const& machine_;
  run_facts const& facts_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> settings_without_effect(machine::platform const& on, machine::virtual_machine const& machine,
                                                 run_facts const& facts) {
  return search(on, machine, facts).all();
}

}  // namespace ovlp::sim
