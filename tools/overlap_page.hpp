// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <ovlp/mpi/overlap_study.hpp>
#include <ovlp/mpi/trace.hpp>

namespace ovlp::tools {

/// Script of a picture for gnuplot: by how much the program is faster overlapped, over bandwidth.
std::string speed_ups(mpi::overlap_study const& study, std::string const& file);

/// A page for a browser, with nothing outside of it: the study's tables, speed-ups over bandwidth, when one message is
/// produced and consumed, and what the ranks do, original and overlapped, on one scale.
std::string overlap_page(mpi::trace const& original, mpi::overlap_study const& study,
                         mpi::study_options const& options);

}  // namespace ovlp::tools
