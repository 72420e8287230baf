// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "figures.hpp"
#include "measured_nodes.hpp"

namespace ovlp::lab::calibrate {

struct findings {
  measured_nodes const& nodes;
  figures const& measured;
  nlohmann::ordered_json const& testbed;  ///< its description; null: there is none

  /// A figure in CPU time of a node as work of the reference core, in which platform files count.
  double work_s(std::string const& figure) const { return measured.middle(figure) * measured.middle("speed"); }
};

/// Measures a part of the model: a section of the platform file, a part of one, or an effect. The counterpart of what
/// the simulator has for it. Each is in a file of its own; the table of them is in experiments.cpp.
struct experiment {
  /// Runs its patterns, and notes one value of each of its figures. Those of experiments before it in the table have
  /// been noted in this round.
  void (*measure)(measured_nodes& on, figures& to) = [](measured_nodes&, figures&) {};
  /// Writes what follows from the figures of all rounds into the platform file.
  void (*describe)(findings const& of, nlohmann::ordered_json& platform) = [](findings const&,
                                                                              nlohmann::ordered_json&) {};
};

extern experiment const of_nodes, of_host, of_runtime, of_messages, of_cooling, of_wakeup, of_bytes, of_network,
    of_transport, of_plain_model;

/// All of them, in the order in which they are run: some take figures of those before them.
std::span<experiment const* const> all_experiments();

/// What a message costs a node more that has waited for it, and answers: caches have cooled meanwhile, and it wakes up.
///   more_s(pause) = all_s (1 - exp(-pause / pause_s)), where all_s is send_s + receive_s of the effect
struct cooling {
  double all_s;
  double pause_s;  ///< time constant; 0: all at once
  double more_s(double pause) const { return pause_s > 0 ? all_s * -std::expm1(-pause / pause_s) : all_s; }
};
/// From figures of `of_cooling` and `of_network`, in CPU time of a node.
cooling cooling_of(figures const& measured);

/// The `comm_cpu` of the paper's plain model: figures of `of_plain_model`.
nlohmann::ordered_json plain_communication(findings const& of, double cores, double share);

}  // namespace ovlp::lab::calibrate
