// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <numeric>

#include <ovlp/base/statistics.hpp>

#include "experiments.hpp"

namespace ovlp::lab::calibrate {
namespace {

/// Of an unspent budget, as Linux keeps it for each core: docs/model.md, "Processors".
constexpr double carry_s = 1e-3;

}  // namespace

/// The section `nodes`. Long kernels on all nodes at once: what the runtime, which must look for messages meanwhile,
/// leaves of a processor. For as long as a short run: nodes differ more for a moment than for a run.
///   speed = work in kernels / CPU time of the processes
///   speed_deviation = standard deviation / mean of the nodes' CPU time, for equal work
/// `quota` is what the nodes report of their control groups, `launch_s` how long it took to launch the last one.
/// Source: docs/model.md, "Processors" and "Nodes".
experiment const of_nodes{
    .measure =
        [](measured_nodes& on, figures& to) {
          constexpr std::uint32_t count = 48;
          pattern all;
          for (std::uint32_t n = 0; n < on.count(); ++n) all.streams.push_back({n, n, 0, count, large_kernel});
          measured const together = on.run(all);
          std::vector<double> const& cpu_s = together.node_cpu_s;
          to.note("speed", together.work_s / std::accumulate(cpu_s.begin(), cpu_s.end(), 0.0));
          to.note("speed_deviation", base::standard_deviation(cpu_s) / base::mean(cpu_s));
        },
    .describe =
        [](findings const& of, nlohmann::ordered_json& platform) {
          node_limits const& limits = of.nodes.limits();
          double const cores = std::max(1.0, std::ceil(limits.cores));
          nlohmann::ordered_json node{{"count", of.nodes.count()},
                                      {"cores", static_cast<std::size_t>(cores)},
                                      {"speed", of.measured.middle("speed")},
                                      {"speed_deviation", of.measured.middle("speed_deviation")},
                                      {"launch_s", of.measured.middle("launch_s")}};
          if (limits.period_s > 0) {
            node["quota"] = {{"share", limits.cores / cores}, {"period_s", limits.period_s}, {"carry_s", carry_s}};
          }
          platform["nodes"] =
              nlohmann::ordered_json::array({node});  // {node} alone is a copy to Clang and a list to GCC
        },
};

}  // namespace ovlp::lab::calibrate
