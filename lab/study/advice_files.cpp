// SPDX-License-Identifier: BSD-3-Clause
#include "advice_files.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

#include <nlohmann/json.hpp>

#include <ovlp/analysis/known_errors.hpp>
#include <ovlp/base/csv.hpp>
#include <ovlp/base/json_object.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp::lab::study {
namespace {

using base::fixed;
using nlohmann::ordered_json;

std::string percent(std::optional<double> efficiency) { return efficiency ? fixed(100 * *efficiency, 1) + " %" : "-"; }

ordered_json json_of(analysis::run_costs const& costs) {
  return {{"time_s", costs.time_s}, {"held_node_s", costs.node_s}, {"efficiency", costs.efficiency}};
}

/// "8 nodes, 6 after 2"
std::string words_of(plan const& of, std::size_t nodes) {
  std::size_t const first = of.held_in(1, nodes).nodes;
  std::string words = std::to_string(first) + (first == 1 ? " node" : " nodes");
  for (auto const& [iteration, hold] : of.changes) {
    if (iteration > 0) words += ", " + std::to_string(hold.nodes) + " after " + std::to_string(iteration);
  }
  return words;
}

/// In a sentence.
std::string gain_of(advice const& found, analysis::goal const& wanted) {
  if (found.advised.plan.changes.empty()) return "No plan is better than none.\n";
  analysis::run_costs const &before = found.as_it_is.costs, &after = found.advised.run.costs;
  double const saved_node_s = 1 - after.node_s / before.node_s, lost_time = after.time_s / before.time_s - 1;
  auto const of_saving = analysis::known_error_of(analysis::predicted::saved_node_s);
  auto const of_loss = analysis::known_error_of(analysis::predicted::lost_time);
  if (!of_saving || !of_loss || !found.not_backed.empty()) {
    double const gain = std::abs(1 - wanted.value(after) / wanted.value(before));
    return "It gains " + fixed(100 * std::max(gain, std::abs(saved_node_s)), 1) +
           " %. How far that may be wrong is not backed by measurements" +
           (found.not_backed.empty() ? "" : ": " + found.not_backed) + ".\n";
  }
  auto const saving = of_saving->around(saved_node_s, found.prediction_spread);
  auto const loss = of_loss->around(lost_time, found.prediction_spread);
  /// How much more, or less where that is below 0.
  auto const text = [](double low, double high, std::string const& less) {
    if (high < 0) return fixed(-100 * high, 1) + " to " + fixed(-100 * low, 1) + " % " + less;
    std::string const from = low < 0 ? fixed(-100 * low, 1) + " % " + less + " to " : fixed(100 * low, 1) + " to ";
    return from + fixed(100 * high, 1) + " % more";
  };
  analysis::run_costs const worst{(1 + loss.high) * before.time_s, (1 - saving.low) * before.node_s};
  bool const sure = wanted.value(worst) < wanted.value(before);
  return "It takes " + text(-saving.high, -saving.low, "fewer") + " node-seconds and " +
         text(loss.low, loss.high, "less") + " time" + (sure ? "" : ", so it is not sure that it gains") +
         ". The first " + of_saving->text(analysis::predicted::saved_node_s, 0) + ", the second of " +
         std::to_string(of_loss->cases) + " losses of time.\n";
}

}  // namespace

std::string text_of(advice const& found, analysis::goal const& wanted) {
  analysis::run_costs const &before = found.as_it_is.costs, &after = found.advised.run.costs;
  std::ostringstream text;
  text << "program     " << found.program << ", " << found.nodes << " nodes, " << found.as_it_is.iterations.size()
       << " iterations\n"
       << "goal        " << wanted.text() << (found.reaches_goal ? "" : ": not reached; the nearest plan found") << '\n'
       << "plan        " << words_of(found.advised.plan, found.nodes) << '\n'
       << "simulated   " << found.simulations << " runs\n\n";
  auto const row = [&](std::string const& name, analysis::run_costs const& costs, bool with_change) {
    text << std::left << std::setw(12) << name << std::right << std::setw(14) << fixed(costs.time_s, 6) << std::setw(10)
         << (with_change ? base::relative_change(costs.time_s, before.time_s) : "") << std::setw(16)
         << fixed(costs.node_s, 4) << std::setw(10)
         << (with_change ? base::relative_change(costs.node_s, before.node_s) : "") << std::setw(12)
         << percent(costs.efficiency) << '\n';
  };
  text << std::setw(26) << "time [s]" << std::setw(26) << "node-seconds" << std::setw(22) << "efficiency" << '\n';
  row("as it is", before, false);
  row("plan", after, true);

  text << '\n' << gain_of(found, wanted);

  text << "\niteration  nodes  efficiency  as it is\n";
  for (std::size_t k = 1; k <= found.as_it_is.iterations.size(); ++k) {
    text << std::setw(9) << k << std::setw(7) << found.advised.plan.held_in(static_cast<int>(k), found.nodes).nodes
         << std::setw(12) << percent(found.advised.run.iterations[k - 1].efficiency) << std::setw(10)
         << percent(found.as_it_is.iterations[k - 1].efficiency) << '\n';
  }

  text << "\nNo other plan that was simulated takes both less time and fewer node-seconds than one of these:\n"
       << "      time [s]            node-seconds            plan\n";
  constexpr std::size_t most_rows = 20;
  std::size_t const step = (found.front.size() + most_rows - 1) / most_rows;
  for (std::size_t i = 0; i < found.front.size(); i += step) {
    analysis::run_costs const& costs = found.front[i].run.costs;
    text << std::setw(14) << fixed(costs.time_s, 6) << std::setw(10)
         << base::relative_change(costs.time_s, before.time_s) << std::setw(14) << fixed(costs.node_s, 4)
         << std::setw(10) << base::relative_change(costs.node_s, before.node_s) << "  "
         << words_of(found.front[i].plan, found.nodes) << '\n';
  }
  return text.str();
}

std::string csv_of(advice const& found) {
  base::csv_writer csv("time_s,held_node_s,efficiency,least_efficiency,plan", 15);
  for (auto const& [plan, run] : found.front) {
    csv.row(run.costs.time_s, run.costs.node_s, run.costs.efficiency, run.costs.least_efficiency,
            "\"" + words_of(plan, found.nodes) + "\"");
  }
  return csv.text();
}

std::string plan_file_of(advice const& found, advise_options const& options) {
  ordered_json all = ordered_json::parse(found.advised.plan.json());
  ordered_json& says = all["advice"];
  says["goal"] = options.goal.text();
  says["command"] = options.words;
  says["nodes"] = found.nodes;
  says["as_it_is"] = json_of(found.as_it_is.costs);
  says["predicted"] = json_of(found.advised.run.costs);
  says["change_s"] = found.change_s;
  for (std::size_t i = 0; i < found.expected.nodes().size(); ++i) {
    ordered_json held{{"nodes", found.expected.nodes()[i]}};
    for (std::size_t k = 1; k <= found.expected.iterations(); ++k) {
      analysis::iteration_forecast const& of = found.expected.of(i, k);
      held["time_s"].push_back(of.time_s);
      held["efficiency"].push_back(of.efficiency.value_or(1));  // of an empty interval nothing is wanted
    }
    says["forecast"].push_back(std::move(held));
  }
  return base::json_text(all) + "\n";
}

}  // namespace ovlp::lab::study
