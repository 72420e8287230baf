// SPDX-License-Identifier: BSD-3-Clause
#include "unsteady_speed.hpp"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "read_parameters.hpp"

namespace ovlp::machine {
namespace {

/// Slow-downs of one kind at one node.
class slow_phases {
 public:
  slow_phases(slowdown const& drawn, std::seed_seq& seed) : drawn_(drawn), random_(seed) { wait(0); }

  double factor() const { return factor_; }
  double next_change_s() const { return next_change_s_; }
  void change() {
    if (slow_) {
      wait(next_change_s_);
      return;
    }
    slow_ = true;
    factor_ = std::max(1.0, drawn_.factor(random_));
    next_change_s_ += std::max(least_period_s, drawn_.duration_s(random_));
  }

 private:
  void wait(double from_s) {
    slow_ = false;
    factor_ = 1;
    next_change_s_ = from_s + std::max(least_period_s, drawn_.interval_s(random_));
  }

  slowdown drawn_;
  std::mt19937_64 random_;
  bool slow_ = false;
  double factor_ = 1;
  double next_change_s_ = 0;
};

}  // namespace

struct unsteady_speed::changes {
  double speed;
  std::shared_ptr<net::factor_over_time const> over_time;
  std::vector<slow_phases> phases;
};

unsteady_speed::unsteady_speed(double speed) : now_(speed) {}

unsteady_speed::unsteady_speed(node_kind const& kind, double speed, std::uint64_t seed, std::size_t node)
    : now_(speed) {
  if (kind.speed_over_time == nullptr && kind.slowdowns.empty()) return;
  changes_ = std::make_unique<changes>(changes{speed, kind.speed_over_time, {}});
  for (std::size_t i = 0; i < kind.slowdowns.size(); ++i) {
    std::seed_seq of_this{seed & 0xffffffff, seed >> 32, std::uint64_t{node}, std::uint64_t{i}};
    changes_->phases.emplace_back(kind.slowdowns[i], of_this);
  }
  go_to(0);
}

unsteady_speed::unsteady_speed(unsteady_speed&&) noexcept = default;
unsteady_speed::~unsteady_speed() = default;

void unsteady_speed::go_to(double now_s) {
  auto& [speed, over_time, phases] = *changes_;
  now_ = over_time == nullptr ? speed : speed * over_time->at(now_s);
  next_change_s_ = over_time == nullptr ? never : over_time->next_change_s(now_s);
  for (slow_phases& p : phases) {
    while (p.next_change_s() <= now_s) p.change();
    now_ /= p.factor();
    next_change_s_ = std::min(next_change_s_, p.next_change_s());
  }
}

}  // namespace ovlp::machine
