// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/scheduler.hpp"

namespace ovlp::cluster {
namespace {

/// First come, first served: each job on the nodes that it asks for, none before those that came before it.
class fcfs final : public scheduler {
 public:
  void decide(known const& now, std::vector<order>& orders) override {
    node_count free = now.free;
    for (waiting_job const& next : now.waiting) {
      if (next.what->requested > free) return;
      orders.push_back({order::kind_type::start, next.number, next.what->requested});
      free -= next.what->requested;
    }
  }
};

}  // namespace

std::unique_ptr<scheduler> make_fcfs() { return std::make_unique<fcfs>(); }

}  // namespace ovlp::cluster
