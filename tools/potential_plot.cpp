// SPDX-License-Identifier: BSD-3-Clause
#include "potential_plot.hpp"

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <utility>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/gnuplot.hpp>

#include "picture.hpp"

namespace ovlp::tools {
namespace {

/// A line of the picture.
struct curve {
  std::string label;
  std::vector<std::pair<double, double>> points;
  std::size_t look;     // colour and marker
  bool dashed = false;  // what is without overlap
};

std::string number_text(double number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

std::string latency_text(double latency_s) { return number_text(1e6 * latency_s) + " \u00b5s"; }

/// For each code and latency, over bandwidth in MB/s.
template <class Value>
std::vector<curve> over_bandwidth(potential_study const& study, std::string const& label_end, Value const& value) {
  std::vector<curve> all;
  for (mpi::code_parameters const& code : study.codes) {
    for (double const latency_s : study.latencies_s) {
      std::string const latency = study.latencies_s.size() > 1 ? ", " + latency_text(latency_s) : "";
      curve of{code.name + latency + label_end, {}, all.size()};
      for (double const bandwidth : study.bandwidths_Bps) {
        auto const y = value(code, study.network(latency_s, bandwidth));
        if (y && *y > 0)  // both axes are logarithmic
          of.points.emplace_back(1e-6 * bandwidth, *y);
      }
      all.push_back(std::move(of));
    }
  }
  return all;
}

std::vector<curve> overlap_curves(potential_study const& study) {
  return over_bandwidth(study, "", [](mpi::code_parameters const& code, mpi::overlap_network const& on) {
    return mpi::normalized_overlap(code, on);
  });
}

std::vector<curve> time_curves(potential_study const& study) {
  std::vector<curve> all =
      over_bandwidth(study, ", overlap", [](mpi::code_parameters const& code, mpi::overlap_network const& on) {
        return std::optional(mpi::time_of_iteration(code, on).normalized_overlapped());
      });
  for (curve& without :
       over_bandwidth(study, ", none", [](mpi::code_parameters const&code, mpi::overlap_network const&on) {
         return std::optional(mpi::time_of_iteration(code, on).normalized());
       })) {
    without.dashed = true;
    all.push_back(std::move(without));
  }
  return all;
}

std::vector<curve> bandwidth_curves(potential_study const& study) {
  std::vector<curve> all;
  for (mpi::code_parameters const& code : study.codes) {
    curve of{code.name, {}, all.size()};
    for (double const latency_s : study.latencies_s) {
      if (auto const required = mpi::required_bandwidth(code, study.fastest(latency_s)))
        of.points.emplace_back(1e6 * latency_s, 1e-6 * *required);
    }
    all.push_back(std::move(of));
  }
  return all;
}

/// What a figure shows, and its axes.
struct figure {
  std::string title, axes;
  std::vector<curve> (*curves)(potential_study const&);
};

figure figure_of(potential_figure what, potential_study const& study) {
  std::string const over_bandwidth_axes = "set logscale xy\nset xlabel 'bandwidth [MB/s]'\n";
  switch (what) {
    case potential_figure::overlap:
      return {"Potential overlap over delay of messages", over_bandwidth_axes + "set ylabel 'normalized overlap'\n",
              overlap_curves};
    case potential_figure::time:
      return {"Time of an iteration over its computation",
              over_bandwidth_axes + "set ylabel 'normalized execution time'\n", time_curves};
    case potential_figure::bandwidth: break;
  }
  return {"Bandwidth that gives with overlap what " + number_text(1e-6 * study.bandwidths_Bps.back()) +
              " MB/s give without",
          "set logscale x 2\nset yrange [0:*]\nset xlabel 'latency [\u00b5s]'\nset ylabel 'bandwidth [MB/s]'\n",
          bandwidth_curves};
}

}  // namespace

void plot_potential(potential_study const& study, potential_figure what, std::string const& file) {
  figure const shown = figure_of(what, study);
  std::vector<curve> const curves = shown.curves(study);
  if (std::ranges::all_of(curves, [](curve const& of) { return of.points.empty(); }))
    throw config_error("--picture: there is nothing to draw: no value is above 0");
  picture drawn{file, shown.title, {}, {}, 3};
  if (study.latencies_s.size() == 1) drawn.common.emplace_back("latency", latency_text(study.latencies_s.front()));
  for (curve const& of : curves) drawn.legend.push_back(of.label);

  std::ostringstream to;
  to.precision(15);
  to << beginning_of(drawn);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    to << "$points" << i << " << END\n";
    for (auto const& [x, y] : curves[i].points) to << x << ' ' << y << '\n';
    if (curves[i].points.empty()) to << "NaN NaN\n";  // gnuplot takes no empty block
    to << "END\n";
  }
  to << shown.axes << "set xtics nomirror\nset ytics nomirror\nset offsets graph 0.04, graph 0.04, 0, 0\nplot ";
  for (std::size_t i = 0; i < curves.size(); ++i) {
    to << (i == 0 ? "" : ", ") << "$points" << i << " using 1:2 with linespoints lw 2"
       << (curves[i].dashed ? " dt 2" : "") << style(curves[i].look, curves[i].label);
  }
  to << '\n';
  base::write_output(file, base::run_gnuplot(to.str()));
}

}  // namespace ovlp::tools
