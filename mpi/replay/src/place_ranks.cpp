// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <ovlp/base/error.hpp>
#include <ovlp/flowgraph/mapping.hpp>
#include <ovlp/mpi/replay.hpp>

namespace ovlp::mpi {

std::vector<std::uint32_t> place_ranks(std::size_t ranks, machine::platform const& on, std::string const& text) {
  std::size_t const nodes = on.node_count();
  if (!text.empty()) {
    std::vector<std::uint32_t> placed = mapping(text).resolve(nodes, "ranks");
    if (placed.size() != ranks)
      throw config_error("map: expected a node for each of " + std::to_string(ranks) + " ranks, got " +
                         std::to_string(placed.size()));
    return placed;
  }
  std::size_t const used = std::min(ranks, nodes);
  std::vector<std::uint32_t> placed;
  for (std::size_t r = 0; r < ranks; ++r) placed.push_back(static_cast<std::uint32_t>(r * used / ranks));
  return placed;
}

}  // namespace ovlp::mpi
