// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/report/stored_files.hpp>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include <ovlp/flowgraph/error.hpp>
#include <ovlp/store/stored_run.hpp>

namespace ovlp::report {
namespace {

namespace fs = std::filesystem;

/// RUN.node3, RUN.node3.1 beside RUN.
std::vector<std::string> files_of_other_processes(fs::path const& run) {
  std::string const start = run.filename().string() + ".node";
  fs::path const folder = run.has_parent_path() ? run.parent_path() : ".";
  std::vector<std::string> found;
  std::error_code ignored;
  for (auto const& entry : fs::directory_iterator(folder, ignored)) {
    std::string const name = entry.path().filename().string();
    if (name.starts_with(start) && name.find_first_not_of("0123456789.", start.size()) == std::string::npos)
      found.push_back(entry.path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool same_run(run_definitions const& a, run_definitions const& b) {
  return a.application == b.application && a.backend == b.backend && a.nodes == b.nodes &&
         a.collections == b.collections && a.graphs.size() == b.graphs.size();
}

}  // namespace

std::unique_ptr<run_figures> read_figures(std::string const& file, std::string const& name, double cores_otherwise) {
  stored_run const first(file);
  run_definitions const& is = first.definitions();
  auto figures = std::make_unique<run_figures>(name.empty() ? fs::path(file).stem().string() : name, first.about(),
                                               cores_otherwise);
  auto const read = [&](stored_run const& run, std::string const& from) {
    if (std::string const damage = run.read(*figures); !damage.empty()) {
      figures->note(damage + "; what is missing is missing here");
    } else if (!run.complete()) {
      figures->note("'" + fs::path(from).filename().string() + "': the run has not ended; this is what it did so far");
    }
  };
  read(first, file);
  if (is.backend != "real" || is.node != 0) return figures;
  std::vector<bool> has(is.nodes, false);
  if (is.nodes > 0) has[0] = true;
  for (std::string const& other : files_of_other_processes(file)) {
    stored_run const run(other);
    run_definitions const& its = run.definitions();
    if (!same_run(is, its) || its.node >= is.nodes) continue;  // left from another run
    has[its.node] = true;
    read(run, other);
  }
  auto const missing = static_cast<std::size_t>(std::count(has.begin(), has.end(), false));
  if (missing > 0) {
    figures->note("of " + std::to_string(missing) + " of " + std::to_string(is.nodes) +
                  " nodes there is no record beside '" + fs::path(file).filename().string() + "'");
  }
  return figures;
}

}  // namespace ovlp::report
