// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/reservation.hpp"
#include "schedulers/scheduler.hpp"

namespace ovlp::cluster {
namespace {

/// First come, first served, with backfilling: later jobs go ahead where that does not delay the first one that cannot
/// start, if all take as long as they have said.
/// Source: Lifka, The ANL/IBM SP scheduling system (1995): the EASY scheduler.
class easy final : public scheduler {
 public:
  void decide(known const& now, std::vector<order>& orders) override {
    node_count free = now.free;
    reservations_.begin(now, [](running_job const& one, double) { return one.requested_end_s(); });
    auto next = now.waiting.begin();
    for (; next != now.waiting.end() && next->what->requested <= free; ++next) start(*next, now, free, orders);
    if (next == now.waiting.end() || free == 0) return;
    reservation first = reservations_.of(next->what->requested, free);
    for (++next; next != now.waiting.end() && free > 0; ++next) {
      node_count const nodes = next->what->requested;
      if (nodes <= free && first.lets_ahead(now.now_s + next->what->requested_s, nodes))
        start(*next, now, free, orders);
    }
  }

 private:
  void start(waiting_job const& one, known const& now, node_count& free, std::vector<order>& orders) {
    orders.push_back({order::kind_type::start, one.number, one.what->requested});
    free -= one.what->requested;
    reservations_.add({now.now_s + one.what->requested_s, one.what->requested});
  }

  reservations reservations_;
};

}  // namespace

std::unique_ptr<scheduler> make_easy() { return std::make_unique<easy>(); }

}  // namespace ovlp::cluster
