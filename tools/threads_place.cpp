// SPDX-License-Identifier: BSD-3-Clause
// ovlp threads place: DPS threads.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/text.hpp>

#include "options.hpp"
#include "study/place_threads.hpp"
#include "subcommands.hpp"
#include "text_table.hpp"

namespace ovlp::tools {
namespace {

void print(lab::study::thread_placement const& found) {
  text_table table;
  table.add({"", "time [s]", "", "bytes between nodes"});
  auto const row = [&](std::string const& name, double time_s, double bytes) {
    table.add({name, base::fixed(time_s, 6), base::relative_change(time_s, found.time_s), base::fixed(bytes, 0)});
  };
  row("as it is", found.time_s, found.bytes);
  if (!found.candidates.empty()) row("mapped", found.candidates.front().time_s, found.candidates.front().bytes);
  std::fputs(table.text().c_str(), stdout);
  if (found.failed > 0) std::printf("with %zu mappings the program cannot run\n", found.failed);
  if (!found.gains()) {
    std::printf("%zu mappings with fewer bytes between nodes were simulated: none is faster\n",
                found.candidates.size());
    return;
  }
  std::printf("the best of %zu mappings:\n", found.candidates.size());
  for (lab::study::proposed_mapping const& m : found.candidates.front().mappings)
    std::printf("--mapping '%s=%s'\n", m.collection.c_str(), m.nodes.c_str());
}

}  // namespace

void add_threads_place(CLI::App& threads, std::vector<std::string> const& program) {
  auto const jobs = std::make_shared<std::size_t>();
  CLI::App& place = *threads.add_subcommand(
      "place", "On which nodes the DPS threads of the program after -- exchange less, if that makes it faster");
  add_jobs(place, *jobs);
  place.footer(
      "Example:\n"
      "  ovlp threads place -- lu_sim --nodes 4 --n 864 --block 108 --platform fast-ethernet-ultrasparc --execution "
      "partial --no-alloc\n"
      "Method: docs/shared-memory.md");
  place.callback([jobs, program] {
    if (program.empty()) throw config_error("threads place: expected --, and then a program with its arguments");
    base::notice_interrupts();
    print(lab::study::place_threads(program, *jobs));
  });
}

}  // namespace ovlp::tools
