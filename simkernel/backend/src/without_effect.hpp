// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <ovlp/machine/platform.hpp>
#include <ovlp/machine/virtual_machine.hpp>

namespace ovlp::sim {

/// The most that came of a node.
enum class node_use : std::uint8_t { none, held, launched };  // launched: while the program ran

/// What has happened in a run, as far as it tells which parts of the platform had anything to do.
struct run_facts {
  machine::virtual_machine::usage used;
  double end_s = 0;
  std::string overhead_from = "platform";        ///< as in simulation_summary
  std::set<std::string, std::less<>> by_models;  ///< kernels of which the platform's model said how long they take
  std::vector<node_use> nodes;                   ///< by number
};

/// Those that the platform's file gives and that changed nothing in this run: "nodes[1]: no node of it was held". Not
/// complete: what is named had no effect for sure. docs/platforms.md lists what is looked for.
std::vector<std::string> settings_without_effect(machine::platform const& on, machine::virtual_machine const& machine,
                                                 run_facts const& facts);

}  // namespace ovlp::sim
