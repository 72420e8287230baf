// SPDX-License-Identifier: BSD-3-Clause
// ovlp threads map
#include <cstdio>
#include <memory>
#include <string>

#include <ovlp/support/files.hpp>
#include <ovlp/threads/communication_file.hpp>
#include <ovlp/threads/mapping.hpp>

#include "checks.hpp"
#include "subcommands.hpp"

namespace ovlp::tools {
namespace {

struct threads_map_options {
  std::string matrix, topology = "machine", output;
};

void map_matrix(threads_map_options const& given) {
  if (!given.output.empty()) expect_another_file(given.output, given.matrix);
  threads::communication_matrix const matrix = threads::read_matrix(given.matrix);
  threads::topology const onto = threads::topology::find(given.topology);
  threads::placement const mapped = threads::map_threads(matrix, onto);
  threads::thread_mapping const made = threads::mapping_of(mapped, onto);
  std::printf("topology   %s, %zu units\nthread     unit\n", text_of(onto).c_str(), onto.units.size());
  for (std::size_t t = 0; t < made.units.size(); ++t) std::printf("%-10zu %zu\n", t, made.units[t]);
  std::printf("average distance of what is communicated, in levels (0 to %zu)\n", onto.levels.size());
  std::printf("  mapped   %.4f\n", mean_distance(matrix, onto, mapped));
  std::printf("  in order %.4f\n", mean_distance(matrix, onto, threads::in_order(matrix.threads(), onto)));
  std::printf("OMP_PLACES=\"%s\" OMP_PROC_BIND=true\n", made.omp_places().c_str());
  if (!given.output.empty()) support::write_file(given.output, json_of(made));
}

}  // namespace

void add_threads_map(CLI::App& threads) {
  auto const given = std::make_shared<threads_map_options>();
  CLI::App& map = *threads.add_subcommand("map", "On which processing units threads that communicate are near");
  map.add_option("matrix", given->matrix, "of ovlp threads trace, or a table of numbers (CSV)")
      ->required()
      ->type_name("MATRIX");
  map.add_option("--topology", given->topology, "levels as 'package:4 core:8 PU:2', or a file (this machine's)")
      ->type_name("TOPOLOGY");
  map.add_option("-o,--output", given->output, "for ovlp threads run (JSON)")->type_name("FILE");
  map.footer(
      "Examples:\n"
      "  ovlp threads map app.json -o mapping.json && ovlp threads run --map mapping.json -- ./app\n"
      "  ovlp threads map app.csv --topology 'package:4 L2:8 PU:2'\n"
      "Formats: docs/formats/communication.md, docs/formats/thread-mapping.md");
  map.callback([given] { map_matrix(*given); });
}

}  // namespace ovlp::tools
