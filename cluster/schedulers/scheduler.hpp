// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workload/workload.hpp"

namespace ovlp::cluster {

// schedulers/: who gets how many nodes from when on. A scheduler is a function from what is known to orders; it has no
// clock, no nodes and no jobs. The server asks it when something has changed, and carries its orders out. Each is a
// file, and a line of the table in schedulers.cpp.

struct waiting_job {
  job_number number;
  job const* what;
};

struct running_job {
  job_number number;
  job const* what;
  node_count held;               ///< with those that leave, and those that come
  node_count target;             ///< what it holds from its next border on; if it stands at one, from now on
  bool at_border = false;        ///< it waits for an answer
  std::uint32_t iterations = 0;  ///< done
  double start_s = 0;
  double spent_node_s = 0;         ///< up to now
  double measured_efficiency = 1;  ///< of its last iteration

  /// So many it can hold from its next border on. What still leaves it is nobody's yet.
  node_count most(node_count free) const { return target + free; }
  /// When it ends, as it has said when it came.
  double requested_end_s() const { return start_s + what->requested_s; }
};

/// What is known. `waiting`: higher priorities first, then by arrival. `running`: by start.
struct known {
  double now_s;
  node_count nodes;  ///< of the cluster
  node_count free;
  std::span<waiting_job const> waiting;
  std::span<running_job const> running;
};

/// Orders of a moment are carried out in their order.
struct order {
  enum class kind_type : std::uint8_t {
    start,  ///< a job that waits, on so many free nodes
    hold,   ///< a running job holds so many from its next border on; more ones are its own from now on
    end,    ///< a running job
  };
  kind_type kind;
  job_number job;
  node_count nodes = 0;
};

class scheduler {
 public:
  scheduler() = default;
  scheduler(scheduler const&) = delete;
  scheduler& operator=(scheduler const&) = delete;
  virtual ~scheduler() = default;

  /// Adds its orders. Asked again whenever a job has come, stands at a border, has ended, or nodes have become free.
  virtual void decide(known const& now, std::vector<order>& orders) = 0;
};

/// Of this name, one of scheduler_names(); or a program of the user's, if there is a slash in it, which answers within
/// this real time. Errors: config_error.
std::unique_ptr<scheduler> make_scheduler(std::string const& name, double patience_s = 600);
/// Separated by |.
std::string scheduler_names();

std::unique_ptr<scheduler> make_fcfs();
std::unique_ptr<scheduler> make_easy();
std::unique_ptr<scheduler> make_equipartition();
std::unique_ptr<scheduler> make_efficiency();
std::unique_ptr<scheduler> make_gain();
std::unique_ptr<scheduler> make_external(std::string const& file, double patience_s);

}  // namespace ovlp::cluster
