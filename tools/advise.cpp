// SPDX-License-Identifier: BSD-3-Clause
// ovlp advise
#include <memory>
#include <string>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/charts/chart.hpp>

#include "options.hpp"
#include "study/advice_files.hpp"
#include "study/advise.hpp"
#include "subcommands.hpp"

namespace ovlp::tools {
namespace {

struct options {
  std::string goal, plan, csv, picture;
  std::size_t jobs = 1;
};

/// The plans that no other beats, the advised one and the run as it is: time over node-seconds.
charts::chart chart_of(lab::study::advice const& found, analysis::goal const& wanted) {
  auto const at = [](analysis::run_costs const& costs) { return charts::point{costs.node_s, costs.time_s}; };
  using enum charts::mark;
  charts::chart drawn{.title = found.program + " on up to " + std::to_string(found.nodes) + " nodes",
                      .facts = {{"goal", wanted.text()}},
                      .x = {"node-seconds"},
                      .y = {"time [s]"},
                      .all = {{"plans that no other beats", line_and_points, 0},
                              {"as it is", points, 1, {at(found.as_it_is.costs)}, false, false, 2},
                              {"advised", points, 2, {at(found.advised.run.costs)}, false, false, 2}}};
  for (auto const& plan : found.front) drawn.all.front().points.push_back(at(plan.run.costs));
  return drawn;
}

void run_advise(options const& given, std::vector<std::string> const& program) {
  if (program.empty()) throw config_error("advise: expected --, and then a program with its arguments");
  expect_picture(given.picture);
  base::expect_outputs(
      {{given.plan, "{\"program\""}, {given.csv, "time_s,"}, {given.picture, base::picture_begins(given.picture)}});
  lab::study::advise_options const wanted{program, analysis::goal::read(given.goal), given.jobs};
  base::notice_interrupts();
  lab::study::advice const found = lab::study::advise(wanted);
  warn_if_measured(program, "advise");
  if (!given.plan.empty()) base::write_output(given.plan, lab::study::plan_file_of(found, wanted));
  if (!given.csv.empty()) base::write_output(given.csv, lab::study::csv_of(found));
  if (!given.picture.empty()) charts::draw(chart_of(found, wanted.goal), given.picture);
  if (given.plan != "-" && given.csv != "-") base::write_output("-", lab::study::text_of(found, wanted.goal));
}

}  // namespace

void add_advise(CLI::App& ovlp, std::vector<std::string> const& program) {
  auto const given = std::make_shared<options>();
  CLI::App& advise = *ovlp.add_subcommand(
      "advise", "Find how many nodes the run after -- should hold in each iteration, by simulating it with many plans");
  add_required(advise, "--goal", given->goal, "GOAL",
               "time<=+P% (least node-seconds with so much more time), node-seconds<=N (least time), "
               "efficiency>=E (least time), or cost=A/node-second+B/second");
  add_option(advise, "-o,--output", given->plan, "FILE", "the plan, for --plan of the program (JSON)");
  add_option(advise, "--csv", given->csv, "FILE", "alternatives, a row a plan");
  add_option(advise, "--picture", given->picture, "FILE", "alternatives, time over node-seconds (.svg, .png)");
  add_jobs(advise, given->jobs);
  advise.footer(
      "Examples:\n"
      "  ovlp advise --goal 'time<=+5%' -o plan.json -- lu_sim --nodes 8 --platform gigabit --execution partial "
      "--no-alloc\n"
      "  lu_real --nodes 8 --plan plan.json\n"
      "Method: docs/advice.md");
  advise.callback([given, program] { run_advise(*given, program); });
}

}  // namespace ovlp::tools
