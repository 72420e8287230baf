// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "experiments.hpp"

namespace ovlp::lab::calibrate {

/// The section `host`, of nodes that are a testbed: nothing is measured. `cores` is what its description says, and
/// the time slice that of the Linux kernel (since 6.13; 0.75 ms on one core before):
///   time_slice_s = 0.7 ms (1 + floor(log2(cores))), of 8 cores at most
/// Source: docs/model.md, "Processors"; Linux, kernel/sched/fair.c, sysctl_sched_base_slice.
experiment const of_host{
    .describe =
        [](findings const& of, nlohmann::ordered_json& platform) {
          if (!of.testbed.contains("cores")) return;
          double const cores = of.testbed["cores"];
          double const slice_s = 0.7e-3 * (1 + std::floor(std::log2(std::clamp(cores, 1.0, 8.0))));
          platform["host"] = {{"cores", of.testbed["cores"]}, {"time_slice_s", slice_s}};
        },
};

}  // namespace ovlp::lab::calibrate
