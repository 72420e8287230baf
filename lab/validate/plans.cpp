// SPDX-License-Identifier: BSD-3-Clause
#include "plans.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iomanip>
#include <limits>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include <ovlp/analysis/goal.hpp>
#include <ovlp/base/csv.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/json_object.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/statistics.hpp>
#include <ovlp/base/text.hpp>

#include "prediction.hpp"

namespace ovlp::lab::validate {
namespace {

constexpr double points = 0.03;   // within which savings and costs should be predicted
constexpr double as_good = 0.02;  // within which a plan counts as good as the best, and a bound as kept

std::string file_of(configuration const& what, places const& where) {
  return where.output + "/" + base::words_of(what.options).back();
}

void advise(grid const& of, configuration const& what, places const& where, measurements const& from,
            std::string const& file) {
  base::temporary_folder const folder;
  std::string const platform = platform_of(of.testbed_of(what), where);
  words command{in_build(where, "tools/ovlp"), "advise", "--goal", what.plan->goal, "-o", file, "--"};
  append(command, simulation_of(of, what, what.base, base::read_json(platform), durations_of(what, from), where)
                      .command_with_files_in(folder.path()));
  base::outcome const done = base::run({std::move(command)});
  if (!done.good()) throw io_error("advising '" + what.application + " " + what.base + "': " + done.complaint());
}

/// Runs of the same options, with plans and without.
struct compared_plans {
  comparison const* as_it_is = nullptr;
  std::vector<comparison const*> planned;
};

/// Those of which all was measured.
std::map<std::string, compared_plans> groups_of(results const& found) {
  std::map<std::string, compared_plans> groups;
  for (comparison const& c : found.times) {
    if (c.of.base.empty() || c.node_s == 0) continue;
    compared_plans& group = groups[c.of.testbed + " " + c.of.application + " " + c.of.base];
    if (c.of.plan) group.planned.push_back(&c);
    else group.as_it_is = &c;
  }
  std::erase_if(groups, [](auto const& group) { return group.second.as_it_is == nullptr; });
  return groups;
}

/// What a plan brings, relative to the run without.
struct difference {
  double saved_node_s, lost_time;
};
struct differences {
  difference measured, predicted, unvaried;
};
/// Measured: medians over repetitions of what each one says: its runs came one after another, and what the host does
/// meanwhile lasts longer.
differences differences_of(comparison const& with, comparison const& without) {
  std::vector<double> saved, lost;
  for (std::size_t i = 0; i < std::min(with.measured_s.size(), without.measured_s.size()); ++i) {
    saved.push_back(1 - with.measured_node_s[i] / without.measured_node_s[i]);
    lost.push_back(with.measured_s[i] / without.measured_s[i] - 1);
  }
  return {{base::median(saved), base::median(lost)},
          {1 - with.predicted_node_s / without.predicted_node_s, with.predicted_s / without.predicted_s - 1},
          {1 - with.unvaried_node_s / without.unvaried_node_s, with.unvaried_s / without.unvaried_s - 1}};
}

/// How much worse the advised run was than the best of its group, by its goal; infinite: it missed the goal's bound,
/// and others did not.
double loss_of(comparison const& advised, compared_plans const& among) {
  analysis::goal const goal = analysis::goal::read(advised.of.plan->goal);
  analysis::run_costs const as_it_is{among.as_it_is->median_s, among.as_it_is->node_s};
  auto const rank = [&](comparison const& c) {
    analysis::goal::rank of = goal.of({c.median_s, c.node_s}, as_it_is);
    if (of.excess <= as_good) of.excess = 0;
    return of;
  };
  analysis::goal::rank best = rank(*among.as_it_is);
  for (comparison const* c : among.planned) best = std::min(best, rank(*c));
  analysis::goal::rank const own = rank(advised);
  return own.excess > best.excess ? std::numeric_limits<double>::infinity() : own.value / best.value - 1;
}

std::string in_percent(double ratio) { return base::fixed(100 * ratio, 1); }

std::string share(std::size_t good, std::size_t of) {
  return std::to_string(good) + " of " + std::to_string(of) + " (" +
         base::fixed(100 * static_cast<double>(good) / static_cast<double>(of), 0) + " %)";
}

}  // namespace

void make_plan(grid const& of, configuration const& what, places const& where, measurements const& from,
               base::progress& progress) {
  std::string const file = file_of(what, where);
  if (std::filesystem::exists(file)) return;
  base::make_folder(std::filesystem::path(file).parent_path());
  if (what.plan->goal.empty()) return base::write_file(file, what.plan->given.json());
  progress.say(what.testbed + " " + what.application + " " + what.base + ": advising, " + what.plan->goal);
  advise(of, what, where, from, file);
}

std::string plan_lines(results const& found) {
  std::map<std::string, compared_plans> const groups = groups_of(found);
  if (groups.empty()) return "";
  std::ostringstream text;
  text << "                              saved node-seconds [%]       lost time [%]\n"
          "plan                          measured  predicted     measured  predicted\n";
  std::size_t plans = 0, saved = 0, lost = 0, advised = 0, best = 0;
  for (auto const& [name, group] : groups) {
    text << name << "\n";
    for (comparison const* c : group.planned) {
      differences const of = differences_of(*c, *group.as_it_is);
      difference const &seen = of.measured, &said = of.predicted;
      ++plans;
      if (std::abs(said.saved_node_s - seen.saved_node_s) <= points) ++saved;
      if (std::abs(said.lost_time - seen.lost_time) <= points) ++lost;
      text << "  " << std::left << std::setw(26) << c->of.plan->name << std::right << std::setw(10)
           << in_percent(seen.saved_node_s) << std::setw(11) << in_percent(said.saved_node_s) << std::setw(13)
           << in_percent(seen.lost_time) << std::setw(11) << in_percent(said.lost_time);
      if (!c->of.plan->goal.empty()) {
        double const loss = loss_of(*c, group);
        ++advised;
        if (loss <= as_good) ++best;
        text << "   " << c->of.plan->goal
             << (loss <= 0          ? ": the best"
                 : std::isinf(loss) ? ": missed, not by all"
                                    : ": " + in_percent(loss) + " % behind the best");
      }
      text << "\n";
    }
  }
  text << "Within 3 points: saved node-seconds in " << share(saved, plans) << " runs with a plan, lost time in "
       << share(lost, plans) << ".\n";
  if (advised > 0)
    text << "The advised plan is the best measured one, or within 2 % of it, in " << share(best, advised) << ".\n";
  return text.str();
}

std::string plans_csv(results const& found) {
  bool any = false;
  base::csv_writer csv(
      "testbed,application,options,plan,goal,speed_deviation,measured_saving,predicted_saving,unvaried_saving,"
      "measured_loss,predicted_loss,unvaried_loss",
      6);
  for (auto const& [name, group] : groups_of(found)) {
    for (comparison const* c : group.planned) {
      auto const [seen, said, once] = differences_of(*c, *group.as_it_is);
      csv.row(c->of.testbed, c->of.application, c->of.base, c->of.plan->name, c->of.plan->goal, c->speed_deviation,
              seen.saved_node_s, said.saved_node_s, once.saved_node_s, seen.lost_time, said.lost_time, once.lost_time);
      any = true;
    }
  }
  return any ? csv.text() : "";
}

}  // namespace ovlp::lab::validate
