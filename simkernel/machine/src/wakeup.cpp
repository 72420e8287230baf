// SPDX-License-Identifier: BSD-3-Clause
#include "effects.hpp"
#include "read_parameters.hpp"

namespace ovlp::machine {
namespace {

/// A message to a node where nothing computes, and that no other message has woken, wakes it, which costs who sends it
/// `send_s` more. In runs of more than `beyond_nodes` nodes: where each node has a core of its own, idle ones poll.
/// Source: measured by `ovlp calibrate`; docs/model.md, "Effects".
class wakeup final : public effect {
 public:
  explicit wakeup(double send_s) : send_s_(send_s) {}

  double sending_s(occasion const& of) override { return of.receiver_asleep ? send_s_ : 0; }

 private:
  double const send_s_;
};

}  // namespace

effect_maker read_wakeup(base::json_object& from) {
  double const send_s = number(from, "send_s");
  std::size_t const beyond_nodes = count(from, "beyond_nodes");
  return [=](std::size_t nodes) { return std::make_unique<wakeup>(nodes > beyond_nodes ? send_s : 0); };
}

}  // namespace ovlp::machine
