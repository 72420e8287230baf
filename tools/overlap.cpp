// SPDX-License-Identifier: BSD-3-Clause
// ovlp overlap
#include "parts.hpp"
#include "subcommands.hpp"

namespace ovlp::tools {

void add_overlap(CLI::App& ovlp, std::vector<std::string> const& program) {
  CLI::App& overlap = add_part(ovlp, "overlap");
  overlap.require_subcommand(1);
  overlap.footer("More: docs/overlap.md");
  add_overlap_bench(overlap);
  add_overlap_graph(overlap, program);
  add_overlap_potential(overlap);
  add_overlap_study(overlap);
}

}  // namespace ovlp::tools
