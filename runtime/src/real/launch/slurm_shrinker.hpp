// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <ovlp/base/files.hpp>
#include <ovlp/base/hosts.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/flowgraph/mapping.hpp>

namespace ovlp::real {

/// Gives machines of a job back to Slurm, by an scontrol that runs beside us. Those that leave together are given back
/// together: Slurm 22.05 lets a job shrink only once where no slurmdbd keeps its accounts. What Slurm refuses to take
/// stays with the job until others are given back.
/// Thread: one at a time.
class slurm_shrinker {
 public:
  /// `hosts`: of the job, by node. `complain`: is given a line for people when Slurm refuses.
  slurm_shrinker(std::string job, std::vector<base::host> const& hosts,
                 std::function<void(std::string const&)> complain);

  /// The node's machine is needed. Errors: config_error if it has been given back, or will be.
  void use(node_id node);
  /// The node's machine is to be given back when its process has ended.
  void release(node_id node);
  /// To be called now and then. `gone`: nodes whose processes have ended since. `more_leave`: others will soon be
  /// released.
  void tick(std::set<node_id> const& gone, bool more_leave);
  /// Waits for what has begun.
  void finish();

 private:
  enum class stage : std::uint8_t { held, leaving, left, asked, given_back, refused };
  struct machine {
    std::string name;
    stage at = stage::held;
  };

  bool any(stage at) const;
  std::vector<node_id> move_all(stage from, stage to);
  void start();
  void note_end();

  std::string const job_;
  std::vector<machine> machines_;  ///< by node
  std::function<void(std::string const&)> const complain_;
  std::optional<base::temporary_folder> folder_;
  std::optional<base::process> scontrol_;
};

}  // namespace ovlp::real
