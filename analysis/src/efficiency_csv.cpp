// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/analysis/efficiency_csv.hpp>

#include <cmath>
#include <iomanip>
#include <string>
#include <variant>

#include <ovlp/base/files.hpp>
#include <ovlp/base/streams.hpp>

namespace ovlp::analysis {
namespace {

/// Comments that tell which run it was.
base::text_writer begin(summary const& figures) {
  base::text_writer csv;
  csv << std::setprecision(17);
  auto const comment = [&](char const* key, auto const& value) { csv << "# " << key << ": " << value << "\n"; };
  comment("application", figures.application);
  comment("backend", figures.backend);
  if (!figures.failure.empty()) comment("failure", figures.failure);
  if (!figures.call.empty()) comment("call", figures.call);
  if (figures.simulation) {
    comment("platform", figures.simulation->platform);
    comment("execution", figures.simulation->execution);
  }
  comment("nodes", figures.nodes);
  for (auto const& [name, figure] : figures.application_figures) {
    std::visit([&, &key = name](auto const& value) { comment(key.c_str(), value); }, figure);
  }
  // What tells measured runs apart that should be alike.
  if (processor_use const& by = figures.host.processors; !warning_of(by).empty())
    comment("waited for processors", std::to_string(std::lround(100 * by.waited_s / by.cpu_s)) + " % of its CPU time");
  return csv;
}

}  // namespace

void write_efficiency_over_time(std::string const& file, summary const& figures) {
  base::text_writer csv = begin(figures);
  csv << "window_start_s,window_end_s,nodes,efficiency\n";
  for (window_summary const& w : figures.over_time) {
    csv << w.start_s << ',' << w.end_s << ',' << w.nodes << ',' << w.efficiency << "\n";
  }
  base::write_output(file, csv.str());
}

void write_efficiency(std::string const& file, summary const& figures) {
  base::text_writer csv = begin(figures);
  csv << "iteration,start_s,end_s,interval_start_s,interval_end_s,work_s,nodes,efficiency,interval_efficiency\n";
  for (iteration_summary const& i : figures.iterations) {
    csv << i.index << ',' << i.start_s << ',' << i.end_s << ',' << i.interval_start_s << ',' << i.interval_end_s << ','
        << i.work_s << ',' << i.nodes << ',';
    if (i.efficiency) csv << *i.efficiency;
    csv << ',';
    if (i.interval_efficiency) csv << *i.interval_efficiency;
    csv << "\n";
  }
  base::write_output(file, csv.str());
}

}  // namespace ovlp::analysis
