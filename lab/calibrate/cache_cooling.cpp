// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "experiments.hpp"

namespace ovlp::lab::calibrate {
namespace {

constexpr std::uint32_t pauses_ratio = 4;

/// Within a node, a usual and a short kernel for each object: what a kernel costs more, beyond itself, the thread
/// that looks for messages meanwhile, and the three steps.
///   per_kernel_s = (CPU time - work / speed) / kernels - 3 per_step_s
void measure_kernels(measured_nodes& on, figures& to) {
  auto const measure = [&](std::string const& name, std::uint32_t count, std::uint32_t rounds) {
    measured const found = on.run({{{1, 1, 0, count, rounds}}});
    double const more_s = (found.node_cpu_s[1] - found.work_s / to.last("speed")) / count;
    to.note("per_" + name + "_s", std::max(0.0, more_s - 3 * to.last("per_step_s")));
    to.note(name + "_s", found.work_s / count);
  };
  measure("kernel", 80, usual_kernel);
  measure("short_kernel", 400, short_kernel);
}

/// That overhead grows with a kernel's length until the caches are cold: computing_s is where the line through the
/// short kernel's reaches the usual one's.
double computing_s(figures const& from) {
  double const cold_s = from.middle("per_kernel_s"), somewhat_s = from.middle("per_short_kernel_s");
  double const longest_s = from.middle("kernel_s"), shortest_s = from.middle("short_kernel_s");
  if (somewhat_s <= 0 || cold_s <= 0) return longest_s;
  return std::clamp(shortest_s * cold_s / somewhat_s, shortest_s, longest_s);
}

/// After a kernel that goes through more memory than caches hold, small objects to nodes that sleep:
///   next_message_s = CPU time of each further one
///   send_s = cold_s = CPU time of the first one - next_message_s
void measure_first_messages(measured_nodes& on, figures& to) {
  double const first_s = on.posting_s(1, true);
  std::uint32_t const others = on.count() - 1;
  double const next_s = others > 1 ? (on.posting_s(others, true) - first_s) / (others - 1) : on.posting_s(1, false);
  to.note("next_message_s", next_s);
  to.note("cold_s", std::max(0.0, first_s - next_s));
}

/// What each one takes beyond the first.
measured each_awaited(measured_nodes& on, std::uint32_t count, std::uint32_t rounds) {
  measured const many = on.run({{{0, 1, 0, count, rounds}}, true}), one = on.run({{{0, 1, 0, 1, rounds}}, true});
  auto const each = [count](double all, double first) { return (all - first) / (count - 1); };
  measured further{each(many.time_s, one.time_s), each(many.work_s, one.work_s), many.node_cpu_s};
  for (std::size_t n = 0; n < on.count(); ++n) further.node_cpu_s[n] = each(many.node_cpu_s[n], one.node_cpu_s[n]);
  return further;
}

/// To another node and back, one at a time: at once, when each finds threads that sleep, and with pauses in which the
/// other node computes. What the node that waits spends more on a message then.
void measure_pauses(measured_nodes& on, figures& to) {
  double const at_once_s = each_awaited(on, 100, 0).node_cpu_s[0];
  to.note("awaited_s", at_once_s);
  auto const measure = [&](std::string const& name, std::uint32_t count, std::uint32_t rounds) {
    measured const each = each_awaited(on, count, rounds);
    to.note(name + "_pause_s", each.time_s);
    to.note(name + "_pause_more_s", std::max(0.0, each.node_cpu_s[0] - at_once_s));
  };
  measure("short", 40, usual_kernel);
  measure("long", 40 / pauses_ratio, usual_kernel * pauses_ratio);
}

}  // namespace

/// Of two pauses, each beyond what is spent at once, which is after a round trip:
///   more = more_s(pause) - more_s(round trip)
cooling cooling_of(figures const& from) {
  double const at_once_s = from.least("nothing_s");
  double const short_s = from.middle("short_pause_s"), long_s = from.middle("long_pause_s");
  double const short_more_s = from.middle("short_pause_more_s"), long_more_s = from.middle("long_pause_more_s");
  auto const share = [&](double pause, double time_constant_s) {
    return std::exp(-at_once_s / time_constant_s) - std::exp(-pause / time_constant_s);
  };
  // The slower caches cool, the more the longer pause costs beside the shorter one.
  double least_s = short_s / 100, most_s = 10 * long_s;
  auto const is_slower = [&](double time_constant_s) {
    return long_more_s * share(short_s, time_constant_s) > short_more_s * share(long_s, time_constant_s);
  };
  if (!is_slower(least_s)) return {std::max(short_more_s, long_more_s), 0};
  while (most_s - least_s > 1e-4 * least_s) {
    double const middle_s = (least_s + most_s) / 2;
    (is_slower(middle_s) ? least_s : most_s) = middle_s;
  }
  return {long_more_s / share(long_s, least_s), least_s};
}

/// The effect `cache_cooling`.
/// Source: docs/model.md, "Effects"; simkernel/machine/src/cache_cooling.cpp computes with these figures.
experiment const of_cooling{
    .measure =
        [](measured_nodes& on, figures& to) {
          measure_kernels(on, to);
          measure_first_messages(on, to);
          measure_pauses(on, to);
        },
    .describe =
        [](findings const& of, nlohmann::ordered_json& platform) {
          cooling const found = cooling_of(of.measured);
          double const asleep_s = std::max(0.0, found.all_s - of.measured.middle("cold_s"));
          platform["effects"].push_back({{"name", "cache_cooling"},
                                         {"send_s", of.work_s("cold_s")},
                                         {"receive_s", asleep_s * of.measured.middle("speed")},
                                         {"pause_s", found.pause_s},
                                         {"computing_s", computing_s(of.measured)}});
        },
};

}  // namespace ovlp::lab::calibrate
