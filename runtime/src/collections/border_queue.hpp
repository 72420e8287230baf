// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

#include <ovlp/runtime/internal/borders.hpp>
#include <ovlp/runtime/internal/call_work.hpp>
#include <ovlp/runtime/internal/control.hpp>

namespace ovlp {
inline namespace OVLP_CORE {

class thread_manager;

/// The borders that node 0 answers, one after another: each once what the last answer has changed is done. If the
/// policy measures, all nodes that are held tell first what they have done in the call so far.
/// Thread: the coordinator's owner.
class border_queue {
 public:
  /// `held`: the nodes that are held now; kept.
  border_queue(thread_manager& node, std::set<node_id> const& held) : node_(node), held_(held) {}

  void handle_border_request(border_request const& message);
  void handle_border_done();
  void handle_decision(border_decision const& decided);
  void handle_work_answer(node_id from, work_answer const& message);
  /// A node leaves, and has told what it has done.
  void handle_left(node_id from, left const& message);

  /// Whether a node has been asked and has not answered.
  bool awaits(node_id node) const { return awaited_.contains(node); }
  /// Whether a policy has not answered yet.
  bool deciding() const { return phase_ == phase::deciding; }
  /// What does not hold of what must; empty: all does.
  std::string broken_invariant() const;

 private:
  enum class phase : std::uint8_t {
    idle,
    measuring,  ///< of the first one that waits: some nodes have not told
    deciding,   ///< the first one that waits; the policy may take its time
    changing,   ///< what the last answer said is not done
  };
  void next();
  /// The policy, what is held from now on.
  void ask();

  thread_manager& node_;
  std::set<node_id> const& held_;
  phase phase_ = phase::idle;
  std::deque<border_request> waiting_;
  std::set<node_id> awaited_;              ///< nodes that have not told
  std::map<node_id, double> told_work_s_;  ///< in the call of the first one that waits
  call_work left_;                         ///< of nodes that have left
};

}  // namespace OVLP_CORE
}  // namespace ovlp
