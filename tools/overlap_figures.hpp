// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <ovlp/charts/chart.hpp>
#include <ovlp/mpi/overlap_study.hpp>
#include <ovlp/mpi/trace.hpp>

#include "html_page.hpp"

namespace ovlp::tools {

/// By how much the program is faster overlapped, over bandwidth.
charts::chart speed_ups(mpi::overlap_study const& study);

/// Speed-ups over bandwidth, when one message is produced and consumed, and what the ranks do, original and overlapped,
/// on one scale.
std::vector<figure> overlap_figures(mpi::trace const& original, mpi::overlap_study const& study,
                                    mpi::study_options const& options);

}  // namespace ovlp::tools
