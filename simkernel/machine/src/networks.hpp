// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <ovlp/base/json_object.hpp>
#include <ovlp/machine/platform.hpp>

namespace ovlp::machine {

/// A platform file's `network`.
struct network_section {
  network_model model;
  /// Of the link of each node that says nothing else; none: its links are not the nodes'.
  std::optional<double> bandwidth_Bps;
  /// As its own description of a machine says; empty: it says nothing.
  std::vector<node_kind> nodes;
  std::string assumption{};  ///< of this description; empty: none
};

/// In the place of `reference_flops`: the speed of the first one is that of the reference core.
constexpr char const* first_host = "first host";

/// Errors: config_error.
network_section read_network(base::json_object from);

}  // namespace ovlp::machine
