// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "reactor.hpp"

#include <cstdint>
#include <map>
#include <set>

#include <ovlp/base/processor_waits.hpp>
#include <ovlp/runtime/internal/statistics.hpp>
#include <ovlp/runtime/internal/synchronization.hpp>

#include "membership.hpp"
#include "run_state.hpp"
#include "transport.hpp"
#include "world.hpp"

namespace ovlp::real {

/// The statistics of a call, from all nodes.
/// Thread: the reactor, except where said.
class statistics_collector {
 public:
  /// `own_quota`: as in base::processor_waits.
  statistics_collector(reactor& reactor, transport& network, membership const& members, run_state const& run,
                       world& world, statistics_sink& own, bool own_quota)
      : reactor_(reactor),
        network_(network),
        members_(members),
        run_(run),
        world_(world),
        own_(own),
        waits_(own_quota) {}

  /// Node 0: asks all and waits. What comes of a run that fails meanwhile is of no use. Thread: the main thread.
  call_statistics collect(std::uint64_t call);

  /// What this process has not told. It will not be asked again.
  std::map<std::uint64_t, call_statistics> take_all();

  void handle_request(statistics_request const& message);
  void handle_answer(node_id from, statistics_answer message);
  /// The node is told to leave: what it has not been asked for, it brings with its goodbye, for which collect() waits.
  void expect_goodbye(node_id from);
  /// Whether the node is to leave, and has not said goodbye.
  bool awaits_goodbye(node_id from) const;
  void handle_goodbye(node_id from, goodbye const& message);
  /// Its process has gone, with a goodbye or without.
  void handle_gone(node_id node);

 private:
  call_statistics take_own(std::uint64_t call);
  processor_use take_waits();

  reactor& reactor_;
  transport& network_;
  membership const& members_;
  run_state const& run_;
  world& world_;
  statistics_sink& own_;
  base::processor_waits waits_;
  mutable mutex mutex_;
  std::map<node_id, call_statistics> answers_ OVLP_GUARDED_BY(mutex_);  ///< to the last request
  std::set<node_id> to_say_goodbye_ OVLP_GUARDED_BY(mutex_);
  /// Of nodes that have left, by call: like a sink's own, until somebody asks for that call. However many nodes leave,
  /// it is one a call.
  std::map<std::uint64_t, call_statistics> departed_ OVLP_GUARDED_BY(mutex_);
  processor_use departed_processors_ OVLP_GUARDED_BY(mutex_);
};

}  // namespace ovlp::real
