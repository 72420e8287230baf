// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "simulated_run.hpp"

namespace ovlp::lab::study {

/// A change of a simulated run.
struct change {
  std::string words;                          ///< as it was asked for: "--bandwidth x2"
  std::function<void(simulated_run&)> apply;  ///< errors: config_error, if the run has nothing to be changed so
  std::string kernel = {};                    ///< whose time it changes, as it was asked for; empty: no kernel's
  double kernel_time = 1;                     ///< what that time is multiplied by
};

// How much: xF (times F), /F, or a number: what is to be, in the platform file's unit.
// Errors: config_error that says what was expected.

/// Of the network, and of links that have one of their own.
change change_bandwidth(std::string const& how_much);
/// The same. A number holds for each transfer as a whole: links of nodes add nothing to it then.
change change_latency(std::string const& how_much);
/// "xF": of all nodes; "NAME=xF": of a kernel, whose time in the platform's models and in durations it divides. A
/// number, the speed relative to the reference core, only of nodes. NAME may lack the program's: "gemm" for "lu.gemm".
change change_speed(std::string const& how_much);
change change_nodes(std::string const& how_much);

/// Whether `name`, as a user says it, is that of a kernel, with or without the program's name before it.
bool names_kernel(std::string const& name, std::string const& kernel);

}  // namespace ovlp::lab::study
