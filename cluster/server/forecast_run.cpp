// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "server/running_program.hpp"

namespace ovlp::cluster {
namespace {

/// A change takes change_s: nodes that leave are free after it, those that come are launched before it. The next
/// iteration follows.
class forecast_run final : public running_program {
 public:
  forecast_run(job const& of, double start_s, node_count nodes, cluster_description const& on)
      : expected_(of.expected),
        launch_s_(on.launch_s),
        held_(nodes),
        next_{report::kind_type::started, start_s + on.launch_s} {}

  report const* next() override { return &next_; }

  void go_on(hosts_of_job hosts) override {
    auto const nodes = static_cast<node_count>(hosts.size());
    double const now_s = next_.at_s;
    if (next_.kind != report::kind_type::border || nodes == held_) {
      iterate(now_s);
    } else if (node_count const before = std::exchange(held_, nodes); nodes < before) {
      next_ = {report::kind_type::released, now_s + expected_.change_s(), nodes, before};
    } else {
      next_ = {report::kind_type::joined, now_s + launch_s_ + expected_.change_s(), before, nodes};
    }
  }

 private:
  void iterate(double now_s) {
    std::size_t const place = *expected_.place_of(held_);
    ++done_;
    bool const last = done_ == expected_.iterations();
    next_ = {last ? report::kind_type::ended : report::kind_type::border,
             now_s + expected_.time_s(place, done_),
             0,
             0,
             done_,
             expected_.efficiency(place, done_)};
  }

  forecast const& expected_;
  double const launch_s_;
  node_count held_;
  std::uint32_t done_ = 0;
  report next_;
};

}  // namespace

std::unique_ptr<running_program> run_forecast(job const& of, double start_s, node_count nodes,
                                              cluster_description const& on) {
  return std::make_unique<forecast_run>(of, start_s, nodes, on);
}

}  // namespace ovlp::cluster
