// SPDX-License-Identifier: BSD-3-Clause
// ovlp threads
#include "parts.hpp"
#include "subcommands.hpp"

namespace ovlp::tools {

void add_threads(CLI::App& ovlp, std::vector<std::string> const& program) {
  CLI::App& threads = add_part(ovlp, "threads");
  threads.require_subcommand(1);
  threads.footer("More: docs/shared-memory.md");
  add_threads_trace(threads, program);
  add_threads_show(threads);
  add_threads_compare(threads);
  add_threads_map(threads);
  add_threads_run(threads, program);
  add_threads_place(threads, program);
}

}  // namespace ovlp::tools
