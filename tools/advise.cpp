// SPDX-License-Identifier: BSD-3-Clause
// ovlp advise
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/process.hpp>

#include "advice_plot.hpp"
#include "checks.hpp"
#include "picture.hpp"
#include "study/advice_files.hpp"
#include "study/advise.hpp"
#include "subcommands.hpp"

namespace ovlp::tools {
namespace {

struct options {
  std::string goal, plan, csv, picture;
  std::size_t jobs = 1;
};

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
  if (!given.picture.empty()) plot_advice(found, wanted.goal, given.picture);
  if (given.plan != "-" && given.csv != "-") base::write_output("-", lab::study::text_of(found, wanted.goal));
}

}  // namespace

void add_advise(CLI::App& ovlp, std::vector<std::string> const& program) {
  auto const given = std::make_shared<options>();
  CLI::App& advise = *ovlp.add_subcommand(
      "advise", "Find how many nodes the run after -- should hold in each iteration, by simulating it with many plans");
  advise
      .add_option("--goal", given->goal,
                  "time<=+P% (least node-seconds with so much more time), node-seconds<=N (least time), "
                  "efficiency>=E (least time), or cost=A/node-second+B/second")
      ->required()
      ->type_name("GOAL");
  advise.add_option("-o,--output", given->plan, "the plan, for --plan of the program (JSON)")->type_name("FILE");
  advise.add_option("--csv", given->csv, "alternatives, a row a plan")->type_name("FILE");
  advise.add_option("--picture", given->picture, "alternatives, time over node-seconds (.svg, .png)")
      ->type_name("FILE");
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
