// SPDX-License-Identifier: BSD-3-Clause
// ovlp threads map
#include <iomanip>
#include <memory>
#include <sstream>
#include <string>

#include <ovlp/base/files.hpp>
#include <ovlp/threads/communication_file.hpp>
#include <ovlp/threads/mapping.hpp>

#include "options.hpp"
#include "row_order.hpp"
#include "subcommands.hpp"

namespace ovlp::tools {
namespace {

struct threads_map_options {
  std::string matrix, topology = "machine", output;
  shared_memory::row_order order = shared_memory::row_order::unknown;
};

void map_matrix(threads_map_options const& given) {
  for (std::string const& input : {given.matrix, given.topology}) expect_another_file(given.output, input);
  shared_memory::communication_matrix const matrix = shared_memory::read_matrix(given.matrix, given.order);
  shared_memory::topology const onto = shared_memory::topology::find(given.topology);
  shared_memory::placement const grouped = shared_memory::map_threads(matrix, onto);
  shared_memory::placement const ordered = shared_memory::in_order(matrix.threads(), onto);
  double const distance_grouped = mean_distance(matrix, onto, grouped);
  double const distance_ordered = mean_distance(matrix, onto, ordered);
  bool const keeps_order = distance_ordered <= distance_grouped &&
                           matrix.threads() >= onto.units.size();  // fewer are not to share what is free
  shared_memory::placement const& mapped = keeps_order ? ordered : grouped;
  shared_memory::thread_mapping const made = shared_memory::mapping_of(mapped, onto);
  std::ostringstream text;
  text << std::fixed << std::setprecision(4) << "topology   " << text_of(onto) << ", " << onto.units.size()
       << " units\nthread     unit\n"
       << std::left;
  for (std::size_t t = 0; t < made.units.size(); ++t) text << std::setw(11) << t << made.units[t] << '\n';
  text << "average distance of what is communicated, in levels (0 to " << onto.levels.size() << ")"
       << (matrix.threads() < onto.units.size() ? "; threads are spread, no cache is shared while one is idle\n" : "\n")
       << "  mapped    " << (keeps_order ? distance_ordered : distance_grouped)
       << (keeps_order ? ": in order, which grouping does not improve\n" : "\n") << "  in order  " << distance_ordered
       << "\n  by chance " << mean_distance_by_chance(onto) << '\n'
       << "OMP_PLACES=\"" << made.omp_places() << "\" OMP_PROC_BIND=true\n";
  if (given.output != "-") base::write_output("-", text.str());
  if (!given.output.empty()) base::write_output(given.output, json_of(made));
}

}  // namespace

void add_threads_map(CLI::App& threads) {
  auto const given = std::make_shared<threads_map_options>();
  CLI::App& map = *threads.add_subcommand("map", "On which processing units threads that communicate are near");
  add_required(map, "matrix", given->matrix, "MATRIX", "of ovlp threads trace, or a table of numbers (CSV)");
  add_option(map, "--topology", given->topology, "TOPOLOGY",
             "levels as 'package:4 core:8 PU:2', or a file (this machine's)");
  add_option(map, "-o,--output", given->output, "FILE", "for ovlp threads run (JSON)");
  add_row_order(map, given->order);
  map.footer(
      "Examples:\n"
      "  ovlp threads map app.json -o mapping.json && ovlp threads run --map mapping.json -- ./app\n"
      "  ovlp threads map app.csv --topology 'package:4 L2:8 PU:2'\n"
      "Formats: docs/formats/communication.md, docs/formats/thread-mapping.md");
  map.callback([given] { map_matrix(*given); });
}

}  // namespace ovlp::tools
