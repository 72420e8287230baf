// SPDX-License-Identifier: BSD-3-Clause
// ovlp explore
#include <chrono>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/progress.hpp>
#include <ovlp/base/text.hpp>

#include "options.hpp"
#include "search/exploration.hpp"
#include "search/interleaving_file.hpp"
#include "subcommands.hpp"

namespace ovlp::tools {
namespace {

using namespace explore;

struct explore_options {
  std::string strategy = "mixed";
  std::size_t runs = 0;
  double seconds = 0;
  std::size_t seed = 0;
  std::size_t jobs = 0;
  std::size_t choices = 100'000;
  double run_seconds = 10;
  double tolerance = 0;
  std::string output = "interleaving.json";
};

/// A process of the program that forks one for each run.
runner served_by(std::vector<std::string> const& program) {
  constexpr int talks_on = 3;
  // What each run's process would else resolve anew; and libraries start no threads, which a forked process has not.
  base::command what{.words = program,
                     .environment = {{"LD_BIND_NOW", "1"}, {"OPENBLAS_NUM_THREADS", "1"}, {"OMP_NUM_THREADS", "1"}},
                     .talks_on = talks_on};
  what.words.insert(what.words.end(), {"--explore-server", std::to_string(talks_on)});
  auto const server = std::make_shared<base::process>(what);
  std::string const& name = program.front();
  auto const answered = std::make_shared<bool>(false);
  return [server, name, answered](request const& asked) {
    constexpr std::chrono::seconds patience{60};  // beyond what the run may take
    std::string line;
    bool const told = server->say(text_of(asked), patience);
    auto const heard = told ? server->hear(line, patience + std::chrono::duration<double>(asked.most_s))
                            : base::process::heard::nothing;
    if (heard == base::process::heard::line) {
      *answered = true;
      return read_answer(line);
    }
    if (heard == base::process::heard::nothing) throw io_error(name + ": does not answer");
    std::string said = base::one_line(base::last_line(server->err()));
    if (!said.empty()) said = "it says: " + said;
    if (*answered)
      throw io_error(name + ": the process that makes its runs has ended" + (said.empty() ? "" : "; " + said));
    constexpr char const* expected = "expected a program that is linked with ovlp::sim and makes a call";
    bool const knows_option = !said.empty() && said.find("--explore-server") == std::string::npos;
    throw config_error(name + ": " + said + (knows_option ? "" : (said.empty() ? "" : "; ") + std::string(expected)));
  };
}

std::string summary_of(exploration const& all) {
  double const rate = all.seconds > 0 ? static_cast<double>(all.runs) / all.seconds : 0;
  return std::to_string(all.runs) + " runs, " + std::to_string(all.interleavings) + " different interleavings, " +
         base::fixed(rate, 0) + " a second; " + std::to_string(all.both_orders) + " of " + std::to_string(all.pairs) +
         " pairs of operations of one thread in both orders";
}

[[noreturn]] void report(finding const& found, exploration const& all, explore_options const& given,
                         std::vector<std::string> const& program, std::string const& seed) {
  std::string text;
  if (found.plain) {
    text = "FAILURE in the plain order already: " + found.failure + "\n";
  } else {
    text = summary_of(all) + "\n" + seed + std::to_string(all.plain_choices) + " choices a run\nFAILURE in run " +
           std::to_string(found.run) + ", after " + base::fixed(found.after_s, 1) + " s: " + found.failure + "\n";
    if (!found.again) {
      text += "the same order did not fail again: something else than the order decides\n";
    } else {
      text += "with " + std::to_string(found.differs.size()) + " of " + std::to_string(found.held_back) +
              " changes of the plain order left:\n";
    }
    for (std::string const& line : found.story) text += "  " + line + "\n";
    if (!found.first_other.empty())
      text += "the first object that is another one than in the plain order: what " + found.first_other + "\n";
  }
  base::write_output("-", text);
  if (found.again) {
    write_interleaving_file(given.output,
                            {program, found.failure, found.differs, found.story, given.choices, all.plain_results});
    std::string repeat = "repeat it:";
    for (std::string const& word : program) repeat += " " + base::shell_word(word);
    base::write_output("-", repeat + " --interleaving " + base::shell_word(given.output) + "\n");
  }
  throw program_failed("the program fails in an interleaving", 1);
}

void run_explore(explore_options const& given, std::vector<std::string> const& program) {
  if (program.empty()) throw config_error("expected a program after --, such as -- lu_sim --nodes 3");
  base::notice_interrupts();
  exploration_options how;
  how.strategy = given.strategy == "random"       ? exploration_options::strategy_type::random
                 : given.strategy == "priorities" ? exploration_options::strategy_type::priorities
                 : given.strategy == "exhaustive" ? exploration_options::strategy_type::exhaustive
                                                  : exploration_options::strategy_type::mixed;
  how.runs = given.runs;
  how.seconds = given.seconds == 0 && given.runs == 0 ? 60 : given.seconds;
  if (how.strategy == exploration_options::strategy_type::exhaustive && given.seconds == 0) how.seconds = 0;
  how.seed = given.seed != 0 ? given.seed : std::random_device{}();
  how.most_choices = given.choices;
  how.most_s = given.run_seconds;
  how.tolerance = given.tolerance;

  base::expect_outputs({{given.output, "{\"format\""}});
  std::vector<runner> runners;
  std::size_t const jobs = how.strategy == exploration_options::strategy_type::exhaustive ? 1 : given.jobs;
  for (std::size_t i = 0; i < jobs; ++i) runners.push_back(served_by(program));
  std::string const seed =
      how.strategy == exploration_options::strategy_type::exhaustive ? "" : "seed " + std::to_string(how.seed) + ", ";
  exploration all;
  try {
    base::terminal_line progress;
    all = explore::explore(how, runners, [&](exploration const& now) {
      all = now;
      base::end_if_interrupted();
      if (progress.is_seen()) progress.show("ovlp explore: " + summary_of(now));
    });
  } catch (base::interrupted const&) {
    base::write_output(
        "-", summary_of(all) + "\n" + seed + std::to_string(all.plain_choices) + " choices a run; no failure so far\n");
    throw;
  }
  if (all.found) report(*all.found, all, given, program, seed);
  std::string text = summary_of(all) + "\n" + seed + std::to_string(all.plain_choices) + " choices a run";
  if (all.one_order) text = "there is one order only, of " + std::to_string(all.plain_choices) + " choices";
  else if (all.all) text += "; these are all interleavings that differ by more than the order of independent choices";
  base::write_output("-", text + "\nno failure\n");
}

}  // namespace

void add_explore(CLI::App& ovlp, std::vector<std::string> const& program) {
  auto const given = std::make_shared<explore_options>();
  CLI::App& command = *ovlp.add_subcommand(
      "explore",
      "Run a simulated program in many orders of its steps and arrivals, and look for one in which it fails");
  add_choice(command, "--strategy", given->strategy, "mixed|random|priorities|exhaustive",
             "how orders are chosen (default mixed: random and priorities in turn)");
  add_option(command, "--runs", given->runs, "N", "end after so many", whole_number(1, 1'000'000'000));
  add_option(command, "--seconds", given->seconds, "S", "end after so long (default 60, unless --runs is given)",
             quantity(0.1, 1e6));
  add_option(command, "--seed", given->seed, "N", "of what is drawn (default: another one each time, printed)",
             whole_number(1, 4294967295));
  add_option(command, "--choices", given->choices, "N", "most choices of a run (default 100000)",
             whole_number(1, 1'000'000'000));
  add_option(command, "--run-seconds", given->run_seconds, "S", "most real time of a run (default 10)",
             quantity(0.1, 1e6));
  add_option(command, "--tolerance", given->tolerance, "R",
             "floating-point numbers of results may differ by this part of their value (default 0)", quantity(0, 1));
  add_jobs(command, given->jobs);
  add_option(command, "-o,--output", given->output, "FILE", "where an interleaving that fails is kept");
  command.footer(
      "Examples:\n"
      "  ovlp explore --seconds 60 -- heat_sim --nodes 3 --rows 60 --sweeps 3\n"
      "  heat_sim --nodes 3 --rows 60 --sweeps 3 --interleaving interleaving.json\n"
      "More: docs/explore.md");
  command.callback([given, &program] { run_explore(*given, program); });
}

}  // namespace ovlp::tools
