// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/report/stored_files.hpp>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/analysis/critical_path.hpp>
#include <ovlp/analysis/identities.hpp>
#include <ovlp/analysis/path_costs.hpp>
#include <ovlp/analysis/pop_metrics.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/store/open_run.hpp>

namespace ovlp::report {
namespace {

std::vector<path_part> steps_of(analysis::critical_path const& path, run_definitions const& names) {
  std::vector<path_part> steps;
  for (analysis::path_piece const& p : path.pieces) {
    if (p.what != analysis::path_activity::step) continue;
    std::uint32_t const collection = names.graphs[p.at.graph].operations[p.at.operation].collection;
    steps.push_back({p.at.node, collection, p.at.thread, p.start_s, p.end_s});
  }
  return steps;
}

/// Of each kind the dearest, which are enough to see.
std::vector<path_cost> dearest_of(analysis::path_costs const& costs) {
  constexpr std::size_t most = 10;
  std::vector<path_cost> all;
  auto const add = [&](char const* of, std::vector<analysis::path_cost> const& sorted) {
    for (std::size_t i = 0; i < std::min(most, sorted.size()); ++i)
      all.push_back({of, sorted[i].name, sorted[i].seconds});
  };
  add("activity", costs.activities);
  add("operation", costs.operations);
  add("kernel", costs.kernels);
  add("edge", costs.edges);
  add("node", costs.nodes);
  add("link", costs.links);
  return all;
}

void add_analyses(run_figures& figures, analysis::critical_path const& path, analysis::path_costs const& costs,
                  std::vector<analysis::pop_window> const& windows, run_definitions const& names) {
  figures.critical_path = steps_of(path, names);
  figures.path_costs = dearest_of(costs);
  analysis::pop_window const& whole = windows.front();
  for (auto w = windows.begin() + 1; w != windows.end(); ++w)
    figures.iteration_metrics[{w->call, w->iteration}] = {w->load_balance, w->communication};
  std::set<std::string> remarks;
  for (analysis::pop_window const& w : windows) remarks.insert(w.remarks.begin(), w.remarks.end());
  for (std::string const& remark : remarks) figures.notes.push_back("efficiencies: " + remark);
  figures.metrics = {
      {"Critical path", path.length_s(), "s",
       "The longest chain of steps and messages that waited for each other, without what no record tells."},
      {"Parallel efficiency", whole.parallel, "%", "Work by node-seconds: load balance times communication."},
      {"Load balance", whole.load_balance, "%", "Work by that of the busiest node, for the time that each was held."},
      {"Communication efficiency", whole.communication, "%", "Work of the busiest node by its time."}};
}

}  // namespace

run_figures read_figures(std::string const& file, std::string const& name, double cores_otherwise) {
  std::unique_ptr<stored_run> const run = open_run(file);
  std::string const stem = std::filesystem::path(file).stem().string();
  run_collector records;
  std::string const damage = run->read(records);
  run_figures figures{name.empty() ? stem : name, run->about(), records.take(), cores_otherwise};
  if (!figures.run.undefined.empty()) throw io_error(figures.run.undefined);  // before anything is said of it
  figures.reservation = run->reservation();
  figures.failed = run->outcome() == run_outcome::failed;
  if (!figures.reservation.empty()) figures.notes.push_back(figures.reservation);
  if (std::string const waits = warning_of(run->processors()); !waits.empty()) figures.notes.push_back(waits);
  if (!damage.empty()) figures.notes.push_back(damage + "; what is missing is missing here");
  if (auto const left_out = run->about().find("left_out"); left_out != run->about().end())
    figures.notes.push_back("the replayed trace does not have: " + left_out->second);
  if (run->totals_only()) {
    figures.totals = run->totals();
    figures.notes.push_back("sums only (--record-only nodes): no timeline, no critical path, no bytes on edges");
    return figures;
  }
  if (!run->complete() || run->outcome() == run_outcome::running || run->outcome() == run_outcome::failed)
    return figures;
  try {
    recorded_run const& all = figures.run;
    analysis::records_seen const seen = analysis::records_seen::of(run->about());
    analysis::identities const checked(all, seen);
    analysis::critical_path const path = analysis::find_critical_path(all);
    analysis::path_costs const costs = analysis::costs_of(path, all.names);
    std::vector<analysis::pop_window> const windows = analysis::pop_metrics(all, seen.shared_cores > 0).find();
    for (auto const& lines : {checked.broken(), checked.broken(path, costs), checked.broken(windows)}) {
      if (damage.empty() && !lines.empty())
        figures.notes.push_back("an identity of all runs does not hold, so these figures cannot be trusted: " +
                                lines.front());
    }
    add_analyses(figures, path, costs, windows, run->definitions());
  } catch (error const& wrong) {  // of a damaged record
    figures.notes.push_back(wrong.what());
  }
  return figures;
}

}  // namespace ovlp::report
