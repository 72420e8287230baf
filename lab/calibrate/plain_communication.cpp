// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>
#include <vector>

#include "experiments.hpp"

namespace ovlp::lab::calibrate {
namespace {

std::string numbered(char const* name, std::uint32_t number) {
  return std::string(name) + " " + std::to_string(number);
}

}  // namespace

/// The section `comm_cpu` of the plain model: cores that a node spends while 1, 2, ... transfers enter or leave it.
///   incoming[n], outgoing[n] = CPU time of the node / time
/// Source: the paper, section 4; docs/model.md, "Processors".
experiment const of_plain_model{
    .measure =
        [](measured_nodes& on, figures& to) {
          constexpr std::uint64_t bytes = 200'000;
          for (std::uint32_t others = 1; others < on.count(); ++others) {
            pattern in, out;
            for (std::uint32_t n = 1; n <= others; ++n) {
              in.streams.push_back({n, 0, bytes, 24 / others + 1});
              out.streams.push_back({0, n, bytes, 24 / others + 1});
            }
            measured const entering = on.run(in), leaving = on.run(out);
            to.note(numbered("incoming", others), entering.node_cpu_s[0] / entering.time_s);
            to.note(numbered("outgoing", others), leaving.node_cpu_s[0] / leaving.time_s);
          }
        },
};

nlohmann::ordered_json plain_communication(findings const& of, double cores, double share) {
  auto const taken = [&](char const* figure) {
    std::vector<double> all{0};
    for (std::uint32_t n = 1; n < of.nodes.count(); ++n) all.push_back(of.measured.middle(numbered(figure, n)) / share);
    return all;
  };
  std::vector<double> incoming = taken("incoming"), outgoing = taken("outgoing");
  // Together they must leave something to compute with.
  double const most = *std::ranges::max_element(incoming) + *std::ranges::max_element(outgoing);
  double const scale = most < 0.9 * cores ? 1 : 0.9 * cores / most;
  for (auto* table : {&incoming, &outgoing}) {
    for (double& entry : *table) entry *= scale;
  }
  return {{"incoming", incoming}, {"outgoing", outgoing}};
}

}  // namespace ovlp::lab::calibrate
