// SPDX-License-Identifier: BSD-3-Clause
#include "advice_plot.hpp"

#include <sstream>

#include <ovlp/base/gnuplot.hpp>

#include "picture.hpp"

namespace ovlp::tools {

void plot_advice(lab::study::advice const& found, analysis::goal const& wanted, std::string const& file) {
  picture const drawn{file,
                      found.program + " on up to " + std::to_string(found.nodes) + " nodes",
                      {{"goal", wanted.text()}},
                      {"plans that no other beats", "as it is", "advised"},
                      3};
  std::ostringstream to;
  to.precision(15);
  to << beginning_of(drawn);
  auto const point = [&](analysis::run_costs const& costs) { to << costs.node_s << ' ' << costs.time_s << '\n'; };
  to << "$points0 << END\n";
  for (auto const& a : found.front) point(a.run.costs);
  to << "END\n$points1 << END\n";
  point(found.as_it_is.costs);
  to << "END\n$points2 << END\n";
  point(found.advised.run.costs);
  to << "END\n"
     << "set xlabel 'node-seconds'\nset ylabel 'time [s]'\nset xtics nomirror\nset ytics nomirror\n"
     << "set offsets graph 0.04, graph 0.04, graph 0.04, graph 0.04\n"
     << "plot $points0 using 1:2 with linespoints lw 2" << style(0, drawn.legend[0])
     << ", $points1 using 1:2 with points ps 2" << style(1, drawn.legend[1]) << ", $points2 using 1:2 with points ps 2"
     << style(2, drawn.legend[2]) << '\n';
  base::write_output(file, base::run_gnuplot(to.str()));
}

}  // namespace ovlp::tools
