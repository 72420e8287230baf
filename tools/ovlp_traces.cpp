// SPDX-License-Identifier: BSD-3-Clause
// The subcommands of `ovlp` about traces: of MPI programs, of threads, and for other tools.
#include <string>
#include <vector>

#include "command.hpp"
#include "parts.hpp"
#include "subcommands.hpp"

int main(int argc, char** argv) {
  using namespace ovlp::tools;
  return run_command(argc, argv, [](CLI::App& ovlp, std::vector<std::string> const& program) {
    add_trace(ovlp, program);
    CLI::App& threads = add_group(ovlp, "threads", "docs/shared-memory.md");
    add_threads_trace(threads, program);
    add_threads_show(threads);
    add_threads_compare(threads);
    add_threads_map(threads);
    add_threads_run(threads, program);
    add_threads_place(threads, program);
    add_export(ovlp);
    CLI::App& overlap = add_group(ovlp, "overlap", "docs/overlap.md");
    add_overlap_bench(overlap);
    add_overlap_graph(overlap, program);
    add_overlap_potential(overlap);
    add_overlap_study(overlap);
    add_replay(ovlp);
  });
}
