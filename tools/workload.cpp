// SPDX-License-Identifier: BSD-3-Clause
// ovlp workload
#include <memory>
#include <string>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>

#include "cluster_platform.hpp"
#include "options.hpp"
#include "server/foresee.hpp"
#include "subcommands.hpp"
#include "workload/profiles.hpp"

namespace ovlp::tools {
namespace {

struct workload_options {
  std::string log, output, like;
  cluster::synthetic_choice synthetic;
  cluster::profile_choice profiles;
  double load = 0, malleable = 0;
  bool foresee = false;
  cluster_platform on;
};

void run_workload(workload_options given) {
  base::expect_outputs({{given.output, "{\"workload\""}});
  cluster::workload made;
  if (given.log.empty()) {
    if (given.load > 0) given.synthetic.load = given.load;
    made = make_synthetic(given.synthetic);
  } else {
    made = cluster::read_workload(given.log);
    for (std::string const& note : made.notes) say("workload", "note: " + note);
    if (made.nodes == 0) made.nodes = given.synthetic.nodes;
    if (given.load > 0) scale_to_load(made, made.nodes, given.load);
  }
  if (!given.like.empty()) {
    for (cluster::job& one : cluster::read_workload(given.like).jobs)
      if (one.foreseen() && one.time_s() > 0) given.profiles.like.push_back(std::move(one));
    if (given.profiles.like.empty())
      throw config_error("--like: expected malleable jobs with forecasts, '" + given.like + "' has none");
  }
  make_malleable(made, given.malleable, given.profiles, given.synthetic.seed);
  if (given.foresee) foresee_all(made, given.on.description(made, made.nodes));
  base::write_output(given.output, workload_text(made));
}

}  // namespace

void add_workload(CLI::App& ovlp) {
  auto const given = std::make_shared<workload_options>();
  CLI::App& workload = *ovlp.add_subcommand(
      "workload", "Make a workload: of a log of a cluster, or of jobs that come at random (Poisson)");
  add_option(workload, "LOG", given->log, "FILE",
             "Standard Workload Format (.swf, .swf.gz), output of sacct (.csv, .txt), or a workload; none: at random");
  add_required(workload, "-o,--output", given->output, "FILE", "the workload (JSON)");
  add_option(workload, "--jobs", given->synthetic.jobs, "N", "how many come at random", whole_number(1, 10'000'000));
  add_option(workload, "--nodes", given->synthetic.nodes, "N", "of the cluster, if the log does not say",
             whole_number(1, 10'000'000));
  add_option(workload, "--load", given->load, "L",
             "node-seconds asked for over those there are while jobs come; of a log: times between arrivals are "
             "stretched (default 0.9; of a log: as it is)",
             quantity(0.01, 100));
  add_option(workload, "--malleable", given->malleable, "SHARE",
             "of jobs that get a profile, and so a forecast for other numbers of nodes", quantity(0, 1));
  add_option(workload, "--like", given->like, "WORKLOAD",
             "profiles are the forecasts of its malleable jobs, drawn, in place of Amdahl's and Downey's formulas");
  add_option(workload, "--iterations", given->profiles.iterations, "N", "of jobs with a profile: borders between them",
             whole_number(1, 1'000'000));
  add_option(workload, "--change-time", given->profiles.change_s, "S", "seconds that a change of nodes takes",
             quantity(0, 1e6));
  add_option(workload, "--seed", given->synthetic.seed, "N", "of all that is drawn", whole_number(0, 1ULL << 53));
  workload.add_flag("--foresee", given->foresee,
                    "forecasts of jobs that are programs, by running them with each number of nodes");
  given->on.add_to(workload);
  workload.footer(
      "Examples:\n"
      "  ovlp workload --jobs 1000 --nodes 256 --load 0.9 --malleable 0.25 -o workload.json\n"
      "  ovlp workload log.swf.gz --malleable 1 --load 0.9 -o workload.json\n"
      "  ovlp workload programs.json --foresee --platform gigabit -o foreseen.json\n"
      "More: docs/cluster.md");
  workload.callback([given] { run_workload(*given); });
}

}  // namespace ovlp::tools
