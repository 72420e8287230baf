// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "experiments.hpp"

namespace ovlp::lab::calibrate {
namespace {

/// The effect `wakeup`. Of small objects to nodes that sleep, of which cache_cooling.cpp measures what each further one
/// costs its sender:
///   send_s = next_message_s - per_message_s - per_step_s
/// Source: docs/model.md, "Effects"; simkernel/machine/src/wakeup.cpp computes with it.
class wakeup final : public experiment {
 public:
  void measure(measured_nodes&, figures& to) const override {
    to.note("send_wake_s", std::max(0.0, to.last("next_message_s") - to.last("per_message_s") - to.last("per_step_s")));
  }

  void describe(findings const& of, nlohmann::ordered_json& platform) const override {
    platform["effects"].push_back({{"name", "wakeup"}, {"send_s", of.work_s("send_wake_s")}});
  }
};

}  // namespace

experiment_ptr measure_wakeup() { return std::make_unique<wakeup>(); }

}  // namespace ovlp::lab::calibrate
