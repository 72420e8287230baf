// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <ovlp/base/held_nodes.hpp>
#include <ovlp/records/plan.hpp>

namespace ovlp {

/// Where a run stands when an iteration has ended.
struct border {
  int iteration;
  std::size_t nodes;  ///< of the run: so many can be held
  held_nodes held;    ///< by what was decided last

  double at_s;  ///< when, on the run's clock

  // For policies that measure. Times since the call of the main program began to which the border belongs.
  double time_s = 0;
  double held_node_s = 0;  ///< seconds for which nodes were held, added up over nodes
  /// Work since the border before, or since the call began, over what the held nodes could have done; none: no time
  /// has passed.
  std::optional<double> efficiency = {};
};

/// What is to be held from now on, and why.
struct decision {
  held_nodes hold;
  std::string reason;
};

/// Decides at the borders of iterations which nodes the run holds from then on: follow_plan, or a class of the user's.
/// Thread: one at a time, on node 0. Errors: an exception ends the run.
class policy {
 public:
  policy() = default;
  policy(policy const&) = delete;
  policy& operator=(policy const&) = delete;
  virtual ~policy() = default;

  /// What a run of so many nodes holds from the start. Asked in every process; gives the same in all.
  virtual held_nodes at_start(std::size_t nodes) const { return {nodes}; }
  /// Whether a change after this iteration is possible. Programs build graphs by it; so it gives the same in all
  /// processes.
  virtual bool may_change_after(int /*iteration*/) const { return true; }
  /// Whether it looks at what is measured. To measure costs a message to each node and back at each border.
  virtual bool measures() const { return true; }
  /// Nothing: as before.
  virtual std::optional<decision> decide(border const& at) = 0;

  /// What has been decided, or why that was not possible (`error`, else empty).
  using answer = std::function<void(std::optional<decision> made, std::string const& error)>;
  /// Decides, and hands that to `then`, once: here at once. A policy that asks somebody else may override it and answer
  /// later, on any thread; the run goes on meanwhile, but for who waits at the border.
  virtual void ask(border const& at, answer const& then);
};

/// Does what a plan says; what it says of an iteration at whose end nobody asked, at the next one.
class follow_plan final : public policy {
 public:
  explicit follow_plan(ovlp::plan followed) : plan_(std::move(followed)) {}

  held_nodes at_start(std::size_t nodes) const override { return plan_.held_in(1, nodes); }
  bool may_change_after(int iteration) const override { return plan_.changes.contains(iteration); }
  bool measures() const override { return false; }
  std::optional<decision> decide(border const& at) override {
    return decision{plan_.held_in(at.iteration + 1, at.nodes), "plan"};
  }

 private:
  ovlp::plan const plan_;
};

}  // namespace ovlp
