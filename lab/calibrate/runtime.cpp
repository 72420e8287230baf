// SPDX-License-Identifier: BSD-3-Clause
#include "experiments.hpp"

namespace ovlp::lab::calibrate {

/// The section `runtime`. Many small objects within a node: a post, a leaf with its result and a wait for each.
///   per_step_s = CPU time / objects / 3
/// Source: docs/model.md, "Steps".
experiment const of_runtime{
    .measure =
        [](measured_nodes& on, figures& to) {
          constexpr std::uint32_t count = 4000;
          to.note("per_step_s", on.run({{{1, 1, 0, count}}}).node_cpu_s[1] / count / 3);
        },
    .describe =
        [](findings const& of, nlohmann::ordered_json& platform) {
          platform["runtime"] = {
              {"concurrent_per_pair", 1}, {"per_step_s", of.work_s("per_step_s")}, {"per_object_s", 0}};
        },
};

}  // namespace ovlp::lab::calibrate
