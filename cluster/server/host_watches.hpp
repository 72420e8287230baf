// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <ovlp/base/hosts.hpp>
#include <ovlp/base/process.hpp>

#include "server/running_program.hpp"

namespace ovlp::cluster {

/// A process of ours on each machine of a cluster (ovlp-host, host/main.cpp) while its server runs, and on the server's
/// own. It keeps a host from other servers, and finds and kills what jobs have left on its machine. A host is lost when
/// that has ended or does not answer. Thread: one at a time.
class host_watches {
 public:
  /// Starts them, and waits until each is ready or lost. Without hosts all nodes are on this machine. `server`: with
  /// which the marks of all its jobs begin. Errors: config_error if another server uses a host, or there is no
  /// ovlp-host; io_error, here and below, if that of this machine is lost; `interrupted`.
  host_watches(std::vector<base::host> const& hosts, std::string const& launch_template, std::string const& server);
  host_watches(host_watches const&) = delete;
  host_watches& operator=(host_watches const&) = delete;
  /// No job of the server goes on there afterwards.
  ~host_watches();

  /// To be called now and then: hears what they say.
  void listen();
  /// Those that have been lost since this was asked.
  std::vector<lost_host> newly_lost();
  bool is_lost(node_count host) const { return !of(host).lost.empty(); }

  /// How many processes with this mark were on this machine and these hosts, when they had been asked; with `kill` they
  /// have been killed. nullopt: not all have answered yet; to be called again. Those that are lost do not count.
  std::optional<std::size_t> processes(std::string const& mark, std::set<node_count> const& on, bool kill);

 private:
  using steady = std::chrono::steady_clock;
  struct watch {
    std::string name;  ///< empty: this machine
    std::vector<node_count> hosts = {};
    std::unique_ptr<base::process> process = {};
    bool ready = false;
    std::string lost = {};  ///< why it is
    bool told = false;      ///< that it is
    std::deque<std::string> asked = {};
    std::map<std::string, std::optional<std::size_t>> answers = {};
    steady::time_point since = {};  ///< it was started, or it last spoke or was asked after it had answered all
  };

  watch const& of(node_count host) const { return watches_[of_host_.empty() ? 0 : of_host_[host]]; }
  void start(watch& one, std::string const& launch_template);
  void hear(watch& one);
  void ask(watch& one, std::string const& what, std::string const& mark);
  void lose(watch& one, std::string why);

  std::string const server_;
  std::vector<watch> watches_;  ///< the first: of this machine
  std::vector<std::size_t> of_host_;
  steady::time_point next_look_{};  ///< at those of which nothing is expected
};

}  // namespace ovlp::cluster
