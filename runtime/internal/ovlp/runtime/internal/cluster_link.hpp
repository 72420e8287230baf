// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <ovlp/base/hosts.hpp>
#include <ovlp/records/sink.hpp>
#include <ovlp/runtime/policy.hpp>

namespace ovlp {

/// A run that is a job of a cluster: it tells the cluster's server what happens, and asks it at borders how many nodes
/// to hold. Lines on a descriptor that both write and read; docs/formats/job.md has them. In the process of node 0.
///
/// A simulated run stands still until the server has answered: its time stands, too. A real run goes on with everything
/// else, and ends when the server has gone.
/// Thread: as policy and record_sink, except where said.
class cluster_link final : public policy, public record_sink {
 public:
  /// As the environment's OVLP_CLUSTER says, once in a process; nullptr: it says nothing. `first`: what is held at
  /// first. Errors: config_error, io_error if the server cannot be reached.
  static std::shared_ptr<cluster_link> find(plan first, bool simulated);

  /// `link` is closed at the end. `hosts`: where the first nodes live.
  cluster_link(int link, plan first, bool simulated, std::vector<base::host> hosts)
      : link_(link), first_(std::move(first)), simulated_(simulated), hosts_(std::move(hosts)) {}
  ~cluster_link() override;

  /// By node, of those that are held; none: the cluster leaves that to the run. Thread: any.
  std::vector<base::host> hosts() const;

  /// The nodes of the start are at work. Times from now on are told as seconds after `begin_s`. `lost`: of a real run,
  /// is told why the server says no more, on a thread of ours.
  void started(double begin_s, double now_s, std::function<void(std::string const&)> lost);

  held_nodes at_start(std::size_t nodes) const override { return first_.held_in(1, nodes); }
  /// Errors: error, when the server has gone or does not answer as it should.
  std::optional<ovlp::decision> decide(border const& at) override;
  void ask(border const& at, answer const& then) override;

  void node(node_record const& change) override;
  /// Of a real run: the processes of these nodes, which were released, have ended.
  void gone(std::set<std::uint32_t> const& nodes, double now_s);
  /// Before the run is taken apart: waits until what an answer brings about has been done, and asks no more.
  void stop_asking();
  void end(end_record const& how) override;

 private:
  /// `more`: further keys and their values, as JSON.
  void tell(std::string_view report, double at_s, std::string_view more = {});
  void tell_border(border const& at);
  /// Waits for a line. Errors: as decide().
  std::string hear();
  std::optional<ovlp::decision> hear_decision(std::string const& line, border const& asked);
  template <class Call>
  bool call_out(Call const& call);
  void hear_all(std::function<void(std::string const&)> const& lost);

  int const link_;
  plan const first_;
  bool const simulated_;
  std::string heard_;         ///< and not used yet
  mutable std::mutex mutex_;  ///< for what follows
  std::vector<base::host> hosts_;
  std::optional<double> begin_s_;    ///< none: it has not started
  std::set<std::uint32_t> nodes_;    ///< that have joined before it starts
  std::set<std::uint32_t> leaving_;  ///< of a real run: released, and their processes go on
  bool over_ = false;                ///< it needs the server no more
  bool calls_out_ = false;           ///< an answer is acted upon
  std::condition_variable called_;
  std::optional<std::pair<border, answer>> asked_;  ///< of a real run, and not answered yet
  std::jthread hears_;                              ///< of a real run, what the server says
};

}  // namespace ovlp
