// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "potential_tables.hpp"

namespace ovlp::tools {

enum class potential_figure {
  overlap,    ///< normalized overlap over bandwidth, a line for each code and latency: the paper's figure 6
  time,       ///< normalized time of an iteration over bandwidth, with and without overlap: figure 8
  bandwidth,  ///< bandwidth needed with overlap for the time without, over latency, a line for each code: figure 9
};

/// Draws one of the figures of J. C. Sancho et al., SC 2006. Errors: io_error.
void plot_potential(potential_study const& study, potential_figure what, std::string const& file);

}  // namespace ovlp::tools
