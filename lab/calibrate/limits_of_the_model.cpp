// SPDX-License-Identifier: BSD-3-Clause
#include <numeric>

#include "experiments.hpp"

namespace ovlp::lab::calibrate {
namespace {

/// No figure of the model comes from these: they show where it ends. Simulations can run the same.
class limits_of_the_model final : public experiment {
 public:
  void measure(measured_nodes& on, figures& to) const override {
    messages_amid_kernels(on, to);
    all_at_once(on, to);
  }

 private:
  /// Whether a node that computes pays like one that waits. All nodes run long kernels, and pairs of them send each
  /// other small objects: CPU time, beside kernels, of each and its answer.
  static void messages_amid_kernels(measured_nodes& on, figures& to) {
    constexpr std::uint32_t count = 24, objects = count / 3;
    pattern alone = kernels_on_all(on.count(), count);
    alone.one_at_a_time = true;
    pattern amid = alone;
    std::uint32_t sent = 0;
    for (std::uint32_t n = 0; n + 1 < on.count(); n += 2, sent += objects) {
      amid.streams.push_back({n, n + 1, 0, objects});
    }
    auto const beside_kernels_s = [&](pattern const& what) {
      measured const found = on.run(what);
      return std::accumulate(found.node_cpu_s.begin(), found.node_cpu_s.end(), 0.0) - found.work_s;
    };
    double const alone_s = beside_kernels_s(alone), amid_s = beside_kernels_s(amid);
    to.note("amid_kernels_s", (amid_s - alone_s) / sent);
  }

  static void all_at_once(measured_nodes& on, figures& to) {
    constexpr std::uint64_t bytes = 200'000;
    pattern in, out, all;
    for (std::uint32_t n = 0; n < on.count(); ++n) {
      if (n > 0) in.streams.push_back({n, 0, bytes, 8});
      if (n > 0) out.streams.push_back({0, n, bytes, 8});
      for (std::uint32_t other = 0; other < on.count(); ++other) {
        if (other != n) all.streams.push_back({n, other, bytes, 8});
      }
    }
    to.note("all_to_one_s", on.run(in).time_s);
    to.note("one_to_all_s", on.run(out).time_s);
    to.note("all_to_all_s", on.run(all).time_s);
  }
};

}  // namespace

experiment_ptr measure_limits_of_the_model() { return std::make_unique<limits_of_the_model>(); }

}  // namespace ovlp::lab::calibrate
