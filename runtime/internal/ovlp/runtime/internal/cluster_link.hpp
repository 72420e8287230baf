// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <ovlp/records/sink.hpp>
#include <ovlp/runtime/policy.hpp>

namespace ovlp {

/// A run that is a job of a cluster: it tells the cluster's server what happens, and asks it at borders how many nodes
/// to hold. Lines on a descriptor that both write and read; docs/formats/job.md has them. In the process of node 0.
///
/// A simulated run stands still until the server has answered: its time stands, too. A real run goes on with everything
/// else.
/// Thread: as policy and record_sink.
class cluster_link final : public policy, public record_sink {
 public:
  /// As the environment's OVLP_CLUSTER says, once in a process; nullptr: it says nothing. `first`: what is held at
  /// first. Errors: config_error.
  static std::shared_ptr<cluster_link> find(plan first, bool simulated);

  /// `link` is closed at the end.
  cluster_link(int link, plan first, bool simulated) : link_(link), first_(std::move(first)), simulated_(simulated) {}
  ~cluster_link() override;

  /// The nodes of the start are at work. Times from now on are told as seconds after `begin_s`.
  void started(double begin_s, double now_s);

  held_nodes at_start(std::size_t nodes) const override { return first_.held_in(1, nodes); }
  /// Errors: error, when the server has gone or does not answer as it should.
  std::optional<ovlp::decision> decide(border const& at) override;
  void ask(border const& at, answer const& then) override;

  void node(node_record const& change) override;
  void end(end_record const& how) override;

 private:
  /// `more`: further keys and their values, as JSON.
  void tell(std::string_view report, double at_s, std::string_view more = {});
  /// Waits for a line. Errors: as decide().
  std::string hear();
  std::optional<ovlp::decision> hear_decision(border const& asked);
  void answer_all(std::stop_token const& stop);

  int const link_;
  plan const first_;
  bool const simulated_;
  std::string heard_;                               ///< and not used yet
  std::mutex mutex_;                                ///< for what follows
  std::optional<double> begin_s_;                   ///< none: it has not started
  std::set<std::uint32_t> nodes_;                   ///< that have joined before it starts
  std::optional<std::pair<border, answer>> asked_;  ///< of a real run, until its thread takes it
  std::condition_variable_any woken_;
  std::jthread waits_;  ///< for answers at borders
};

}  // namespace ovlp
