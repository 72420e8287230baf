// SPDX-License-Identifier: BSD-3-Clause
// ovlp overlap graph
#include <memory>
#include <string>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/text.hpp>

#include "options.hpp"
#include "study/graph_overlap.hpp"
#include "subcommands.hpp"
#include "text_table.hpp"

namespace ovlp::tools {
namespace {

std::string table_of(lab::study::graph_overlap const& found) {
  text_table table;
  table.add({"", "time [s]", "", "efficiency"});
  auto const row = [&](char const* name, lab::study::overlap_run const& run) {
    table.add({name, base::fixed(run.time_s, 6), base::relative_change(run.time_s, found.as_it_is.time_s),
               base::fixed(100 * run.efficiency, 1) + " %"});
  };
  row("with barriers", found.with_barriers);
  row("as it is", found.as_it_is);
  row("ideal overlap", found.ideal);
  return table.text();
}

}  // namespace

void add_overlap_graph(CLI::App& overlap, std::vector<std::string> const& program) {
  auto const jobs = std::make_shared<std::size_t>();
  CLI::App& graph = *overlap.add_subcommand(
      "graph", "Simulate the flow graph after -- as it is, with a barrier in each stream, and on a network for free");
  add_jobs(graph, *jobs);
  graph.footer(
      "Example:\n"
      "  ovlp overlap graph -- lu_sim --n 2592 --block 216 --nodes 8 --graph pipelined --platform gigabit --execution "
      "partial --no-alloc\n"
      "Method: docs/overlap.md");
  graph.callback([jobs, program] {
    if (program.empty()) throw config_error("overlap graph: expected --, and then a program with its arguments");
    base::notice_interrupts();
    std::string const table = table_of(lab::study::overlap_of_graph(program, *jobs));
    warn_if_measured(program, "overlap graph");
    base::write_output("-", table);
  });
}

}  // namespace ovlp::tools
