// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace ovlp::cluster {

/// In the environment of all processes of a job on this machine: who has started them, and which job they are of.
inline constexpr char const* job_mark_variable = "OVLP_JOB";

/// Those that live and whose mark begins so, as /proc has them.
std::vector<pid_t> processes_with(std::string const& mark);

}  // namespace ovlp::cluster
