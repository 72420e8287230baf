// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "experiments.hpp"

namespace ovlp::lab::calibrate {

/// The section `network`: a star with max-min fair links that pass bursts.
///   bandwidth_Bps = bytes more / time more, of a longer run; one node to some others, so that no receiver limits
/// Single objects, empty and large, over links that were idle; of all rounds the fastest, since what comes in between
/// makes them slower, and nothing makes them faster. The model charges both ends, and what is left is the network's:
///   latency_s = (time of an empty one - steps - messages - wakeups) / 2, for it is answered
///   burst_bytes = bytes - bandwidth_Bps (time of a large one - time of an empty one - both copies)
/// Source: docs/model.md, "Transfers".
experiment const of_network{
    .measure =
        [](measured_nodes& on, figures& to) {
          constexpr std::uint64_t bytes = 800'000;
          auto const others = std::min<std::uint32_t>(on.count() - 1, 3);
          auto const to_others_s = [&](std::uint32_t count) {
            pattern out;
            for (std::uint32_t n = 1; n <= others; ++n) out.streams.push_back({0, n, bytes, count});
            return on.run(out).time_s;
          };
          constexpr std::uint32_t few = 4, many = 12;
          double const shorter_s = to_others_s(few), longer_s = to_others_s(many);
          // What comes in between may make the shorter run the longer one; but no link is twice as fast as the longer
          // run.
          double const more_s = std::max(longer_s - shorter_s, longer_s * (many - few) / many / 2);
          to.note("bandwidth_Bps", static_cast<double>(bytes * others * (many - few)) / more_s);
          to.note("nothing_s", on.run({{{0, 1, 0, 1}}}).time_s);
          to.note("single_s", on.run({{{0, 1, single_bytes, 1}}}).time_s);
        },
    .describe =
        [](findings const& of, nlohmann::ordered_json& platform) {
          figures const& from = of.measured;
          double const bandwidth = from.middle("bandwidth_Bps");
          double const nothing_s = from.least("nothing_s");
          // Of the whole call: start 2, send 1, take 1, answered 3, finish 3.
          constexpr int steps = 10;
          double const processing_s =
              steps * from.middle("per_step_s") + 4 * from.middle("per_message_s") + 2 * from.middle("send_wake_s");
          double const copied_s = (from.middle("per_byte_s") + from.middle("receive_per_byte_s")) * single_bytes;
          double const after_burst_s = std::max(0.0, from.least("single_s") - nothing_s - copied_s);
          platform["network"] = {{"model", "max-min"},
                                 {"latency_s", std::max(1e-6, (nothing_s - processing_s) / 2)},
                                 {"bandwidth_Bps", bandwidth},
                                 {"burst_bytes", std::max(0.0, single_bytes - bandwidth * after_burst_s)}};
        },
};

}  // namespace ovlp::lab::calibrate
