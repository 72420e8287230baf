// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <ovlp/machine/message.hpp>
#include <ovlp/machine/platform.hpp>

namespace ovlp::base {
class json_object;
}

namespace ovlp::machine {

/// What a message or a kernel costs more, in CPU seconds on the reference core, because of what its node did before.
/// Each effect keeps what it has to know of each node. A new one is a file of its own and a line in effects.cpp.
class effect {
 public:
  effect() = default;
  effect(effect const&) = delete;
  effect& operator=(effect const&) = delete;
  virtual ~effect() = default;

  struct occasion {
    message const& what;
    double now_s;
    bool receiver_asleep;  ///< nothing computes there, and no other message is under way to it
  };
  /// Its sender begins to handle it.
  virtual double sending_s(occasion const&) { return 0; }
  /// It has crossed the network, and its receiver begins to handle it.
  virtual double receiving_s(occasion const&) { return 0; }
  /// A node has handled a message, or a part of it.
  virtual void handled(node_id, double /*now_s*/) {}
  /// A kernel of so long begins.
  virtual double computing_s(node_id, double /*kernel_s*/) { return 0; }
};

/// All effects of a platform.
class effects {
 public:
  effects(std::vector<effect_model> const& models, std::size_t nodes) {
    for (effect_model const& m : models) all_.push_back(m.make(nodes));
  }

  double sending_s(effect::occasion const& of) const {
    double sum_s = 0;
    for (auto const& e : all_) sum_s += e->sending_s(of);
    return sum_s;
  }
  double receiving_s(effect::occasion const& of) const {
    double sum_s = 0;
    for (auto const& e : all_) sum_s += e->receiving_s(of);
    return sum_s;
  }
  void handled(node_id node, double now_s) const {
    for (auto const& e : all_) e->handled(node, now_s);
  }
  double computing_s(node_id node, double kernel_s) const {
    double sum_s = 0;
    for (auto const& e : all_) sum_s += e->computing_s(node, kernel_s);
    return sum_s;
  }

 private:
  std::vector<std::unique_ptr<effect>> all_;
};

/// A platform file's `effects`. Errors: config_error, also for an effect that is listed twice.
std::vector<effect_model> read_effects(std::vector<base::json_object> from);

}  // namespace ovlp::machine
