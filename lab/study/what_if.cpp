// SPDX-License-Identifier: BSD-3-Clause
#include "what_if.hpp"

#include <algorithm>
#include <iomanip>
#include <optional>
#include <sstream>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/host.hpp>
#include <ovlp/base/progress.hpp>
#include <ovlp/base/text.hpp>

#include "bound.hpp"
#include "simulated_run.hpp"
#include "simulator.hpp"

namespace ovlp::lab::study {
namespace {

using nlohmann::ordered_json;

/// One run of the table below the first.
struct scenario {
  std::string label;
  std::vector<change> changes;
  double time_s = 0;
  std::optional<double> bound_s = {};
};

std::vector<scenario> scenarios_of(std::vector<change> const& changes) {
  std::vector<scenario> all;
  for (change const& one : changes) all.push_back({one.words, {one}});
  if (changes.size() > 1) all.push_back({"all of these", changes});
  return all;
}

/// A kernel's time can be changed where it comes from a file. Errors: config_error.
void expect_kernels_from_files(std::vector<change> const& changes, ordered_json const& summary) {
  ordered_json const estimates = summary.value("estimates", ordered_json::object());
  for (change const& one : changes) {
    if (one.kernel.empty()) continue;
    if (estimates.empty()) throw config_error(one.words + ": expected --execution partial: this run measures kernels");
    std::vector<std::string> known;
    bool found = false;
    for (auto const& [kernel, sources] : estimates.items()) {
      known.push_back(kernel);
      if (!names_kernel(one.kernel, kernel)) continue;
      found = true;
      for (auto const& [source, count] : sources.items()) {
        if (source == "platform" || source == "durations" || source == "interpolated") continue;
        throw config_error(one.words + ": expected a kernel whose time the platform or --durations says; that of " +
                           kernel + " comes from elsewhere (" + source + ")");
      }
    }
    if (!found)
      throw config_error(one.words + ": expected a kernel of the run, of " + base::joined(known) + ", got " +
                         base::quoted(one.kernel));
  }
}

/// Errors: io_error "WHAT: ...".
double time_of(simulated run, std::string const& what = {}) {
  double const time_s = run.expect(what).at("time_s");
  if (!(time_s > 0)) run.failure = "the run takes no time";
  run.expect(what);
  return time_s;
}

std::string table_of(double before_s, std::vector<scenario> const& all) {
  std::size_t widest = 0;
  for (scenario const& s : all) widest = std::max(widest, s.label.size());
  auto const label_width = static_cast<int>(widest + 2);
  std::ostringstream text;
  text << std::left << std::setw(label_width) << "" << std::right << std::setw(14) << "before [s]" << std::setw(14)
       << "after [s]" << std::setw(10) << "gain" << std::setw(12) << "speedup" << std::setw(14) << "bound [s]" << '\n';
  for (scenario const& s : all) {
    text << std::left << std::setw(label_width) << s.label << std::right << std::setw(14) << base::fixed(before_s, 6)
         << std::setw(14) << base::fixed(s.time_s, 6) << std::setw(8) << base::fixed(100 * (1 - s.time_s / before_s), 1)
         << " %" << std::setw(12) << base::fixed(before_s / s.time_s, 3);
    text << std::setw(14) << (s.bound_s ? base::fixed(*s.bound_s, 6) : "-") << '\n';
  }
  return text.str();
}

}  // namespace

std::string what_if(std::vector<std::string> const& words, std::vector<change> const& changes) {
  simulated_run const as_it_is = simulated_run::read(words);
  std::vector<scenario> all = scenarios_of(changes);
  std::vector<simulated_run> runs(all.size(), as_it_is);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (change const& one : all[i].changes) one.apply(runs[i]);
    runs[i].platform.erase("calibration");  // it is of another machine
  }

  simulator const simulate(base::available_cores());
  base::progress progress("ovlp whatif", all.size() + 1, "runs");
  std::string const record = simulate.file("record.sqlite");
  std::vector<std::string> first = without_outputs(words);
  first.insert(first.begin() + 1, {"--record", record});
  simulated const before = simulate.run(first);
  expect_kernels_from_files(changes, before.expect());
  progress.advance();

  simulate.run_all(
      all.size(), [&](std::size_t i, std::string const& folder) { return runs[i].command_with_files_in(folder); },
      [&](std::size_t i, simulated const& ran) {
        all[i].time_s = time_of(ran, "with " + all[i].label);
        progress.advance();
      });
  double const before_s = time_of(before);
  time_bound const bound(stored_run(record), before_s);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].bound_s = bound.with(all[i].changes, as_it_is, runs[i]);
  return table_of(before_s, all);
}

}  // namespace ovlp::lab::study
