// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "experiments.hpp"

namespace ovlp::lab::calibrate {

/// The effect `wakeup`. Of small objects to nodes that sleep, of which cache_cooling.cpp measures what each further one
/// costs its sender:
///   send_s = next_message_s - per_message_s - per_step_s
/// Source: docs/model.md, "Effects"; simkernel/machine/src/wakeup.cpp computes with it.
experiment const of_wakeup{
    .measure =
        [](measured_nodes&, figures& to) {
          to.note("send_wake_s",
                  std::max(0.0, to.last("next_message_s") - to.last("per_message_s") - to.last("per_step_s")));
        },
    .describe =
        [](findings const& of, nlohmann::ordered_json& platform) {
          platform["effects"].push_back({{"name", "wakeup"}, {"send_s", of.work_s("send_wake_s")}});
        },
};

}  // namespace ovlp::lab::calibrate
