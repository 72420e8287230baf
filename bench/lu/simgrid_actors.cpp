// SPDX-License-Identifier: BSD-3-Clause
// The task flow of a simulated LU factorization in SimGrid S4U with actors and mailboxes.
//
//   lu_simulated ... --platform lan.json --flow lu.flow
//   lu_simgrid_actors --platform lan.json --flow lu.flow
#include <optional>
#include <unordered_map>
#include <vector>

#include "simgrid.hpp"

namespace {

using bench::action;
using bench::flow;
using bench::flow_item;
namespace sg = bench::sg;

/// An actor for each place does what stands in the flow. An actor for each pair of nodes sends from one to the other,
/// one message after another in the order of the flow, as a TCP connection does. A mailbox for each node and place to
/// which that sends: messages come in order there, and receivers are permanent ones, so that messages set out before
/// they are asked for.
class actors {
 public:
  actors(const bench::simgrid_star& machine, const flow& what)
      : flow_(what),
        items_(what.about.places),
        places_(what.about.places),
        ready_(what.about.messages),
        come_(what.about.messages) {
    for (const flow_item& item : what.items) {
      items_[item.place].push_back(&item);
      if (item.what == action::send) courier_of(item).items.push_back(&item);
    }
    for (std::uint32_t place = 0; place < what.about.places; ++place) {
      if (items_[place].empty()) continue;
      const sg::ActorPtr actor =
          sg::Actor::create("place", machine.host(what.node_of(place)), [this, place] { act(place); });
      for (const flow_item* item : items_[place]) {
        if (item->what == action::receive) box(what.node_of(item->peer), place)->set_receiver(actor);
        if (item->what == action::receive_credit) box(what.node_of(item->peer), place, true)->set_receiver(actor);
      }
    }
    for (auto& [pair, by] : couriers_) {
      sg::Host* const host = machine.host(what.node_of(by.items.front()->place));
      sg::Actor::create("courier", host, [this, &by = by] { deliver(by); });
    }
  }
  bench::replayed done() const { return done_; }

 private:
  /// Sleeps until something is so. Only one thing at a time is waited for, by its number.
  class sleeper {
   public:
    void sleep_until(const std::vector<bool>& so, std::uint32_t number) {
      if (so[number]) return;
      until_ = number;
      woken_->acquire();
    }
    void is_so(std::uint32_t number) {
      if (until_ != number) return;
      until_.reset();
      woken_->release();
    }

   private:
    std::optional<std::uint32_t> until_{};
    sg::SemaphorePtr woken_ = sg::Semaphore::create(0);
  };
  /// Sends from one node to another.
  struct courier {
    std::vector<const flow_item*> items{};
    sleeper rest{};
  };

  void act(std::uint32_t place) {
    for (const flow_item* item : items_[place]) switch (item->what) {
        case action::compute:
          sg::this_actor::execute(item->amount * bench::simgrid_star::speed);
          ++done_.tasks;
          break;
        case action::send:
          ready_[item->message] = true;
          courier_of(*item).rest.is_so(item->message);
          break;
        case action::receive:
        case action::receive_credit: receive(*item); break;
        case action::credit:
          box(flow_.node_of(place), item->peer, true)->put_init(const_cast<flow_item*>(item), 0)->detach();
          break;
        case action::signal:
          come_[item->message] = true;
          places_[item->peer].is_so(item->message);
          break;
        case action::await: places_[place].sleep_until(come_, item->message); break;
      }
  }
  void deliver(courier& by) {
    for (const flow_item* item : by.items) {
      by.rest.sleep_until(ready_, item->message);
      box(flow_.node_of(item->place), item->peer)
          ->put(const_cast<flow_item*>(item), static_cast<std::uint64_t>(item->amount));
    }
  }
  /// What has come before it, and is not asked for yet, is kept.
  void receive(const flow_item& item) {
    const bool credit = item.what == action::receive_credit;
    sg::Mailbox* const from = box(flow_.node_of(item.peer), item.place, credit);
    while (!come_[item.message]) {
      come_[from->get<flow_item>()->message] = true;
      if (!credit) ++done_.transfers;
    }
  }
  courier& courier_of(const flow_item& item) {
    return couriers_[std::uint64_t{flow_.node_of(item.place)} << 32 | flow_.node_of(item.peer)];
  }
  sg::Mailbox* box(std::uint32_t from, std::uint32_t to, bool credits = false) {
    sg::Mailbox*& known = boxes_[std::uint64_t{from} << 33 | std::uint64_t{to} << 1 | (credits ? 1 : 0)];
    if (known == nullptr) known = sg::Mailbox::by_name(std::to_string(boxes_.size()));
    return known;
  }

  const flow& flow_;
  std::vector<std::vector<const flow_item*>> items_;  ///< by place
  std::vector<sleeper> places_;
  std::vector<bool> ready_;  ///< messages that may be sent
  std::vector<bool> come_;   ///< messages and signals
  std::unordered_map<std::uint64_t, courier> couriers_;
  std::unordered_map<std::uint64_t, sg::Mailbox*> boxes_;
  bench::replayed done_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::compete<actors>(
      argc, argv, "simgrid-actors", 2e-3,
      {"contexts/factory:raw", "contexts/nthreads:1", "contexts/stack-size:16", "contexts/guard-size:0"});
}
