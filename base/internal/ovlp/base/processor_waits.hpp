// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace ovlp::base {

/// For how long threads of this process have something to do and no processor, since others have it: other processes on
/// the processors that it may use, or the host of a virtual machine (steal, of which this process is counted its
/// share). Threads also wait for each other: where a node shares its cores among more operations that is by design. So
/// it is the time that all threads were in the kernel's run queue, but no more than the others' CPU time meanwhile.
/// Thread: one at a time.
class processor_waits {
 public:
  struct figures {
    double cpu_s;     ///< CPU time that the process used
    double waited_s;  ///< of a thread that has ended, what was known when it was last asked for
  };

  /// From now on. `own_quota`: the limit of the process's control group is what its node is to have: that it is reached
  /// is no wait. As such waits cannot be told from others exactly, each thread then waits at most so much less.
  explicit processor_waits(bool own_quota);

  /// Since the last call, or the construction. None if this system does not tell.
  std::optional<figures> take();

 private:
  struct state {
    std::map<int, double> delays_s;  ///< of threads, since they began
    double cpu_s = 0;
    double stolen_s = 0, busy_s = 0;  ///< of the processors that it may use
    double throttled_s = 0;           ///< of the process's control groups
  };
  static state read();

  bool const own_quota_;
  state before_;
};

}  // namespace ovlp::base
