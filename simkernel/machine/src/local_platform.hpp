// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace ovlp::machine {

/// The platform `local`: this machine, whose cores all nodes share.
struct local_platform {
  std::string text;   ///< as of a platform's file
  std::string about;  ///< where its figures are from: "measured 2026-11-27 07:30 UTC on ..., kept in FILE"
};

/// What messages and steps cost here is measured when it is asked for first, in a second or two, and kept in
/// $XDG_CACHE_HOME/ovlp or ~/.cache/ovlp, for each machine, processor, number of cores and version of ovlp. A line on
/// standard error says so. Where it cannot be measured the figures are those of platforms/local.json, and a line says
/// why; where it cannot be kept, too.
/// Blocks: for as long, also while another process measures. Thread: any; it is found once in a process.
local_platform const& find_local_platform();

}  // namespace ovlp::machine
