// SPDX-License-Identifier: BSD-3-Clause
#include "effects.hpp"

namespace ovlp::machine {
namespace {

/// A message to a node where nothing computes, and that no other message has woken, wakes it, which costs who sends it
/// `send_s` more.
/// Source: measured by `ovlp calibrate`; docs/model.md, "Effects".
class wakeup final : public effect {
 public:
  explicit wakeup(double send_s) : send_s_(send_s) {}

  double sending_s(occasion const& of) override { return of.receiver_asleep ? send_s_ : 0; }

 private:
  double const send_s_;
};

}  // namespace

effect_maker read_wakeup(support::json_object& from) {
  double const send_s = from.number("send_s", 0);
  return [send_s](std::size_t) { return std::make_unique<wakeup>(send_s); };
}

}  // namespace ovlp::machine
