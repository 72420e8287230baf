// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "experiments.hpp"

namespace ovlp::lab::calibrate {

/// Of the section `comm_cpu` what a message costs, alike at both ends. Many small objects one way, and their answers:
/// two messages are sent and two received for each, beside three steps.
///   per_message_s = (CPU time of both / objects - 3 per_step_s) / 4
/// Source: docs/model.md, "Messages".
experiment const of_messages{
    .measure =
        [](measured_nodes& on, figures& to) {
          constexpr std::uint32_t count = 400;
          measured const one_way = on.run({{{0, 1, 0, count}}});
          double const each_s = (one_way.node_cpu_s[0] + one_way.node_cpu_s[1]) / count;
          to.note("per_message_s", std::max(0.0, each_s - 3 * to.last("per_step_s")) / 4);
        },
    .describe =
        [](findings const& of, nlohmann::ordered_json& platform) {
          auto& section = platform["comm_cpu"];
          for (char const* direction : {"incoming", "outgoing"})
            section[direction] = nlohmann::ordered_json::array({0});
          for (char const* key : {"per_message_s", "receive_per_message_s"}) section[key] = of.work_s("per_message_s");
        },
};

}  // namespace ovlp::lab::calibrate
