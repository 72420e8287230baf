// SPDX-License-Identifier: BSD-3-Clause
// ovlp overlap
#include "subcommands.hpp"

namespace ovlp::tools {

void add_overlap(CLI::App& ovlp) {
  CLI::App& overlap = *ovlp.add_subcommand("overlap", "What overlapping communication with computation would bring");
  overlap.require_subcommand(1);
  add_overlap_potential(overlap);
}

}  // namespace ovlp::tools
