// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ovlp::overlap_bench {

/// The work that is injected: computes, in few registers, until the calling OS thread has used so many seconds of CPU
/// time. So what others take from its core meanwhile, also those who make progress with the operation, makes it take
/// longer, and does not count as work.
void compute_for(double cpu_s);

/// Returns at that time of base::monotonic_s(), or at once if it is over. Most of the time the OS thread sleeps.
void start_at(double time_s);

}  // namespace ovlp::overlap_bench
