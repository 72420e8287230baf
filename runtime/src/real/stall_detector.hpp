// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <map>

#include <ovlp/runtime/internal/thread_manager.hpp>

#include "four_counter.hpp"
#include "membership.hpp"
#include "run_state.hpp"
#include "transport.hpp"

namespace ovlp::real {

/// Objects and control messages that this process has sent and received, ever.
struct message_counts {
  std::atomic<std::uint64_t> sent{0};
  std::atomic<std::uint64_t> received{0};
};

/// Ends a run that can never end: the main program waits, no node does anything, and no message is in flight.
/// Thread: the reactor.
class stall_detector {
 public:
  stall_detector(transport& network, membership const& members, run_state const& run, thread_manager& manager,
                 message_counts const& counts)
      : network_(network), members_(members), run_(run), manager_(manager), counts_(counts) {}

  /// Node 0, some times a second. `waits`: the main program does, for calls or changes, and no node is launched.
  void tick(bool waits);

  void handle_probe(probe const& message);
  void handle_probe_answer(node_id from, probe_answer const& message) { waves_.handle_answer(from, message); }
  void handle_waiting_request() { network_.send(0, find_what_waits()); }
  void handle_waiting_answer(node_id from, waiting_answer const& message);
  /// A node that leaves in order: what it has sent and received still counts.
  void handle_goodbye(goodbye const& message);

 private:
  waiting_answer find_what_waits();
  void begin_report();
  void report_when_all_have_answered();

  transport& network_;
  membership const& members_;
  run_state const& run_;
  thread_manager& manager_;
  message_counts const& counts_;

  // On node 0.
  four_counter waves_;
  std::uint64_t departed_sent_ = 0;
  std::uint64_t departed_received_ = 0;
  bool reporting_ = false;
  std::map<node_id, waiting_answer> waiting_;  ///< while reporting
};

}  // namespace ovlp::real
