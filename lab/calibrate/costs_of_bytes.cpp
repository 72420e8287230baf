// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "experiments.hpp"

namespace ovlp::lab::calibrate {

/// Of the section `comm_cpu` what a byte costs, at either end. Large objects one way, and their answers:
///   per_byte_s = (CPU time of the node / objects - 2 per_message_s - wakeup - 1.5 per_step_s) / bytes
/// where each node sends one message and gets one, wakes the other, and does half of three steps.
/// Source: docs/model.md, "Messages".
experiment const of_bytes{
    .measure =
        [](measured_nodes& on, figures& to) {
          constexpr std::uint32_t count = 10;
          measured const one_way = on.run({{{0, 1, single_bytes, count}}});
          double const beside_bytes_s =
              2 * to.last("per_message_s") + to.last("send_wake_s") + 1.5 * to.last("per_step_s");
          auto const per_byte_s = [&](std::size_t node) {
            return std::max(0.0, one_way.node_cpu_s[node] / count - beside_bytes_s) / single_bytes;
          };
          to.note("per_byte_s", per_byte_s(0));
          to.note("receive_per_byte_s", per_byte_s(1));
        },
    .describe =
        [](findings const& of, nlohmann::ordered_json& platform) {
          figures const& from = of.measured;
          // Each object comes after a pause, in which it was on its way.
          double const cooled_s = cooling_of(from).more_s(single_bytes / from.middle("bandwidth_Bps"));
          auto& section = platform["comm_cpu"];
          section["per_byte_s"] = of.work_s("per_byte_s");
          section["receive_per_byte_s"] =
              std::max(0.0, of.work_s("receive_per_byte_s") - cooled_s * from.middle("speed") / single_bytes);
        },
};

}  // namespace ovlp::lab::calibrate
