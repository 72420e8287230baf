// SPDX-License-Identifier: BSD-3-Clause
#include "plan_judge.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <ovlp/analysis/known_errors.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/text.hpp>

#include "simulated_run.hpp"

namespace ovlp::lab::study {
namespace {

using nlohmann::ordered_json;

judged read(ordered_json const& summary) {
  judged run{{summary.at("time_s"), summary.at("held_node_s"), summary.at("efficiency")}, {}};
  for (ordered_json const& i : summary.at("iterations")) {
    analysis::iteration_forecast seen{
        std::max(0.0, i.at("interval_end_s").get<double>() - i.at("interval_start_s").get<double>())};
    if (ordered_json const& efficiency = i.at("interval_efficiency"); !efficiency.is_null()) {
      seen.efficiency = efficiency.get<double>();
      run.costs.least_efficiency = std::min(run.costs.least_efficiency, *seen.efficiency);
    }
    run.iterations.push_back(seen);
  }
  return run;
}

std::vector<std::string> without_plan(std::vector<std::string> words) {
  words = without_outputs(std::move(words));
  for (char const* option : {"--plan", "--policy", "--control"}) {
    if (!take_option(words, option).empty())
      throw config_error(std::string("PROGRAM: expected none of ") + option + ": which nodes it holds is advised");
  }
  return words;
}

}  // namespace

plan_judge::plan_judge(std::vector<std::string> words, std::size_t jobs)
    : words_(without_plan(std::move(words))), simulate_(jobs) {
  expect_program(words_.front(), "PROGRAM");
  ordered_json const summary = simulate_.run(words_).expect();
  simulations_ = 1;
  as_it_is_ = read(summary);
  program_ = summary.at("application");
  nodes_ = summary.at("nodes");
  find_backing(summary);
  if (as_it_is_.iterations.size() < 2)
    throw config_error("PROGRAM: expected two iterations or more (here.iteration), between which nodes can change");
  if (summary.at("iterations").back().at("index") != as_it_is_.iterations.size())
    throw config_error("PROGRAM: expected iterations without gaps, from 1");
  if (nodes_ < 2) throw config_error("PROGRAM: expected --nodes 2 or more, of which some can be given back");
  // A search of five minutes at most on two cores, which simulate some two million events a second.
  constexpr double events = 6e8;
  double const of_one = summary.at("atomic_steps").get<double>() + summary.at("transfers").get<double>();
  most_simulations_ = static_cast<std::size_t>(std::clamp(events / std::max(1.0, of_one), 50.0, 1500.0));
  progress_.emplace("ovlp advise", most_simulations_, "simulations at most", 1);
}

void plan_judge::find_backing(ordered_json const& summary) {
  auto const spread = summary.find("prediction_spread");
  auto const kind = summary.find("interval_of");
  if (spread == summary.end() || kind == summary.end()) {
    not_backed_ = "the program was built with an older ovlp";
  } else if (spread->is_null()) {
    not_backed_ = summary.at("interval_from");
  } else if (*kind != analysis::key_of(analysis::predicted::time)) {
    not_backed_ = "no plans of such runs were measured";
  } else {
    prediction_spread_ = *spread;
  }
}

void plan_judge::simulate(std::vector<allocation> const& all) {
  std::vector<allocation> news;
  for (allocation const& held : all) {
    bool const is_new = !known_.contains(held) && std::ranges::find(news, held) == news.end();
    if (is_new && simulations_ + news.size() < most_simulations_) news.push_back(held);
  }
  simulate_.run_all(
      news.size(),
      [&](std::size_t i, std::string const& folder) {
        std::string const file = folder + "/plan.json";
        base::write_file(file, plan_of(news[i]).json());
        std::vector<std::string> words = words_;
        words.insert(words.begin() + 1, {"--plan", file});
        return words;
      },
      [&](std::size_t i, simulated const& ran) {
        known_.emplace(news[i], read(ran.expect("with plan " + base::one_line(plan_of(news[i]).json()))));
        ++simulations_;
        progress_->advance();
      });
}

judged const* plan_judge::find(allocation const& held) const {
  auto const found = known_.find(held);
  return found == known_.end() ? nullptr : &found->second;
}

std::vector<judged_allocation> plan_judge::all() const {
  std::vector<judged_allocation> all;
  for (auto const& [held, run] : known_) all.emplace_back(&held, &run);
  return all;
}

plan plan_judge::plan_of(allocation const& held) const {
  ovlp::plan made;
  made.program = program_;
  std::size_t before = nodes_;
  for (std::size_t k = 0; k < held.size(); ++k) {
    if (held[k] != before) made.changes[static_cast<int>(k)] = {held[k]};
    before = held[k];
  }
  return made;
}

}  // namespace ovlp::lab::study
