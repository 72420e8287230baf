// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/internal/runtime_costs.hpp>

namespace ovlp::OVLP_INLINE_CORE {

void runtime_costs::add(runtime_costs const& more) {
  steps += more.steps;
  objects += more.objects;
  computed_s += more.computed_s;
  objects2 += more.objects2;
  computed_so += more.computed_so;
  wakes += more.wakes;
  waking_s += more.waking_s;
}

void runtime_costs::add_burst(double burst_steps, double burst_objects, double burst_s) {
  double const ratio = burst_objects / burst_steps;
  add({burst_steps, burst_objects, burst_s, burst_objects * ratio, burst_s * ratio, 0, 0});
}

std::optional<runtime_costs::estimate> runtime_costs::estimated() const {
  if (steps == 0 || computed_s <= 0) return std::nullopt;
  double const per_wake_s = wakes > 0 ? waking_s / wakes : 0;
  double const mean_s = computed_s / steps, ratio = objects / steps;
  // Where the objects a step hardly differ, nothing tells the two apart.
  constexpr double least_variance = 0.01;
  double const variance = objects2 / steps - ratio * ratio;
  if (variance < least_variance) return estimate{mean_s, 0, per_wake_s};
  double const per_object_s = (computed_so / steps - mean_s * ratio) / variance;
  double const per_step_s = mean_s - per_object_s * ratio;
  if (per_object_s < 0) return estimate{mean_s, 0, per_wake_s};
  if (per_step_s < 0) return estimate{0, computed_s / objects, per_wake_s};
  return estimate{per_step_s, per_object_s, per_wake_s};
}

void runtime_cost_meter::tell(double computed_s, double aside_s) {
  double const counts_s = (computed_s - computed_s_) - (aside_s - aside_s_) - std::exchange(left_out_s_, 0);
  if (steps_ > 0) to_->add_burst(steps_, objects_, counts_s);
  steps_ = objects_ = 0;
  computed_s_ = computed_s;
  aside_s_ = aside_s;
}

}  // namespace ovlp::OVLP_INLINE_CORE
