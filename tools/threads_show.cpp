// SPDX-License-Identifier: BSD-3-Clause
// ovlp threads show: what ovlp threads trace has found, or what the DPS threads of a recorded run have exchanged, as
// text, tables and pictures.
#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/base/database.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/charts/chart.hpp>
#include <ovlp/store/open_run.hpp>
#include <ovlp/threads/communication_file.hpp>

#include "html_page.hpp"
#include "options.hpp"
#include "study/exchanged.hpp"
#include "subcommands.hpp"

namespace ovlp::tools {
namespace {

using shared_memory::communication;
using shared_memory::communication_matrix;
using shared_memory::communication_phase;

struct threads_show_options {
  std::string run, kind, csv, numalize, picture, page;
  std::size_t phase = 0;
  bool normalized = false;
};

double sum(std::vector<double> const& numbers) { return std::accumulate(numbers.begin(), numbers.end(), 0.0); }

std::string padded(std::string const& text, std::size_t width) {
  return text + std::string(width - std::min(width, text.size()), ' ');
}
std::string number(double value, std::size_t width, int digits = 0) {
  std::string const text = base::fixed(value, digits);
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

/// Which pairs communicate most. `names`: of threads, if they have others than their numbers.
std::string text_of_pairs(communication_matrix const& of, std::vector<std::string> const& names = {}) {
  struct pair {
    std::size_t a, b;
    double events;
  };
  std::vector<pair> pairs;
  for (std::size_t a = 0; a < of.threads(); ++a)
    for (std::size_t b = a + 1; b < of.threads(); ++b)
      if (of(a, b) > 0) pairs.push_back({a, b, of(a, b)});
  std::ranges::stable_sort(pairs, std::greater(), &pair::events);
  constexpr std::size_t shown = 8;
  std::string text = "most between threads\n";
  if (pairs.empty()) text += "  none\n";
  for (std::size_t i = 0; i < std::min(shown, pairs.size()); ++i) {
    pair const& p = pairs[i];
    text += names.empty() ? number(static_cast<double>(p.a), 7) + number(static_cast<double>(p.b), 6)
                          : "  " + padded(names[p.a], 19) + " " + padded(names[p.b], 19);
    text += number(p.events, 17) + number(100 * p.events / of.sum(), 8, 1) + " %\n";
  }
  return text;
}

std::string text_of_sources(communication_phase const& of) {
  double const all = sum({of.found.begin(), of.found.end()});
  std::string text;
  for (std::size_t s = 0; s < shared_memory::line_sources; ++s)
    text += padded("  found in " + std::string(shared_memory::source_names[s]), 24) + number(of.found[s], 16) +
            number(all > 0 ? 100 * of.found[s] / all : 0, 8, 2) + " %\n";
  return text;
}

std::string text_of(communication const& run, communication_phase const& phase) {
  bool const accurate = run.how == shared_memory::definition::accurate;
  std::string text = run.program + ", " + std::to_string(run.threads()) + " threads, " +
                     (accurate ? "simulated caches" : "blocks of " + std::to_string(run.block_bytes) + " bytes") +
                     ", " + base::fixed(phase.begin_s, 3) + " s to " + base::fixed(phase.end_s, 3) + " s\n" +
                     padded("accesses", 24) + number(sum(phase.accesses), 16) + "\n";
  if (accurate) text += padded("  to private lines", 24) + number(sum(phase.private_accesses), 16) + "\n";
  if (accurate) text += text_of_sources(phase);
  char const* const names[] = {accurate ? "true communication" : "communication", "spatially false",
                               "temporally false"};
  for (std::size_t k = 0; k < phase.of_kind.size(); ++k)
    text += padded(names[k], 24) + number(phase.of_kind[k].sum(), 16) + " events\n";
  text += text_of_pairs(phase.relevant());
  if (run.phases.size() == 1) return text;
  text += "phases                       begin [s]      end [s]       events\n";
  for (std::size_t i = 0; i < run.phases.size(); ++i) {
    communication_phase const& one = run.phases[i];
    text += padded("  " + padded(std::to_string(i + 1), 5) + base::one_line(one.name), 27) +
            number(one.begin_s, 11, 3) + number(one.end_s, 13, 3) + number(one.relevant().sum(), 13) + "\n";
  }
  return text;
}

/// The same, of groups of threads with neighbouring numbers: averages of their pairs.
communication_matrix coarsened(communication_matrix const& of, std::size_t group) {
  std::size_t const groups = (of.threads() + group - 1) / group;
  auto const size = [&](std::size_t g) { return static_cast<double>(std::min(group, of.threads() - g * group)); };
  communication_matrix made(groups);
  for (std::size_t a = 0; a < of.threads(); ++a) {
    for (std::size_t b = a + 1; b < of.threads(); ++b) {
      if (of(a, b) == 0) continue;
      std::size_t const i = a / group, j = b / group;
      made.add(i, j, i == j ? of(a, b) / (size(i) * (size(i) - 1) / 2) : of(a, b) / (size(i) * size(j)));
    }
  }
  return made;
}

/// The darker, the more two threads communicate.
charts::chart heat_map(communication_matrix const& of, std::string const& title) {
  constexpr std::size_t most_cells = 256;  // in a row: more are no longer told apart
  std::size_t const group = (of.threads() + most_cells - 1) / most_cells;
  charts::axis const threads{.label = "thread", .from = -0.5, .to = static_cast<double>(of.threads()) - 0.5};
  charts::chart drawn{
      .title = title, .x = threads, .y = threads, .all = {{"communication [% of the most]", charts::mark::cells}}};
  if (group > 1)
    drawn.facts = {
        {"each cell", "the average of " + std::to_string(group) + " by " + std::to_string(group) + " threads"}};
  communication_matrix const cells = (group > 1 ? coarsened(of, group) : of).normalized();
  auto const middle = [&](std::size_t cell) { return static_cast<double>(group * (2 * cell + 1) - 1) / 2; };
  for (std::size_t a = 0; a < cells.threads(); ++a) {
    for (std::size_t b = 0; b < cells.threads(); ++b)
      drawn.all.front().points.push_back({.x = middle(a), .y = middle(b), .shade = cells(a, b)});
  }
  return drawn;
}

charts::chart events_over_time(communication const& run) {
  charts::series rates{.drawn_as = charts::mark::line, .look = 0};
  for (communication_phase const& p : run.phases) {
    double const rate = p.end_s > p.begin_s ? p.relevant().sum() / (p.end_s - p.begin_s) : 0;
    rates.points.insert(rates.points.end(), {{p.begin_s, rate}, {p.end_s, rate}});
  }
  return {.title = "Communication over time",
          .x = {.label = "time [s]"},
          .y = {.label = "events a second", .with_zero = true},
          .all = {std::move(rates)}};
}

std::vector<figure> figures_of(communication const& run, communication_phase const& shown, charts::chart whole) {
  constexpr std::size_t most_phases = 12;
  std::vector<figure> all{{{std::move(whole)}, "How much threads communicate"}};
  for (std::size_t k = 0; k < shown.of_kind.size() && shown.of_kind.size() > 1; ++k) {
    std::string const kind(shared_memory::kind_names[k]);
    all.push_back({{heat_map(shown.of_kind[k], kind)}, "Of one kind: " + kind});
  }
  if (run.phases.size() > 1) all.push_back({{events_over_time(run)}, "From phase to phase"});
  for (std::size_t i = 0; i < run.phases.size() && i < most_phases && run.phases.size() > 1; ++i) {
    std::string const name =
        "phase " + std::to_string(i + 1) + (run.phases[i].name.empty() ? "" : ", ") + run.phases[i].name;
    all.push_back({{heat_map(run.phases[i].relevant(), name)}, name});
  }
  return all;
}

communication_matrix chosen(communication_phase const& phase, threads_show_options const& given) {
  if (given.kind.empty()) return phase.relevant();
  auto const k = static_cast<std::size_t>(std::ranges::find(shared_memory::kind_names, given.kind) -
                                          shared_memory::kind_names.begin());
  if (k >= phase.of_kind.size())
    throw config_error("--kind " + given.kind + ": expected what was traced with --definition accurate");
  return phase.of_kind[k];
}

struct findings {
  std::string title, text;
  communication_matrix matrix;                   ///< in tables and pictures
  std::function<std::vector<figure>()> figures;  ///< of the page for a browser
};

findings of_trace(threads_show_options const& given) {
  auto const run = std::make_shared<communication>(shared_memory::read_communication(given.run));
  if (given.phase > run->phases.size())
    throw config_error("--phase: expected 1 to " + std::to_string(run->phases.size()) + ", got " +
                       std::to_string(given.phase));
  communication_phase const phase = given.phase == 0 ? run->whole() : run->phases[given.phase - 1];
  communication_matrix const matrix = chosen(phase, given);
  std::string const title = "Communication of " + run->program;
  return {title, text_of(*run, phase), matrix, [=] { return figures_of(*run, phase, heat_map(matrix, title)); }};
}

findings of_record(threads_show_options const& given) {
  if (given.phase != 0 || !given.kind.empty())
    throw config_error("--phase, --kind: expected what ovlp threads trace has written, got the record of a run");
  std::unique_ptr<stored_run> const run = open_run(given.run);
  run->expect_records();
  std::string lost;
  recorded_run const all = run->load(&lost);
  lab::study::exchanged const seen(all);
  if (seen.count() == 0) throw config_error("'" + given.run + "': expected a run that has mapped threads");
  communication_matrix const bytes = seen.problem().bytes;
  std::string const title = "Bytes between DPS threads of " + given.run;
  std::string const text =
      given.run + ", " + std::to_string(seen.count()) + " DPS threads\n" + (lost.empty() ? "" : lost + "\n") +
      (run->reservation().empty() ? "" : run->reservation() + "\n") + padded("between threads", 24) +
      number(bytes.sum(), 16) + " bytes\n" + text_of_pairs(bytes, seen.names());
  return {title, text, bytes, [=] {
            return std::vector<figure>{{{heat_map(bytes, title)}, "How much threads exchange"}};
          }};
}

void show(threads_show_options const& given) {
  expect_picture(given.picture);
  std::vector<std::string> const outputs{given.csv, given.numalize, given.picture, given.page};
  for (std::string const& output : outputs) expect_another_file(output, given.run);
  base::expect_outputs({{given.csv, "0,"},
                        {given.numalize, "0,"},
                        {given.picture, base::picture_begins(given.picture)},
                        {given.page, "<!DOCTYPE html>"}});
  findings const found = base::is_database(given.run) ? of_record(given) : of_trace(given);
  communication_matrix const matrix = given.normalized ? found.matrix.normalized() : found.matrix;
  if (!given.csv.empty()) base::write_output(given.csv, csv_of(matrix));
  if (!given.numalize.empty()) base::write_output(given.numalize, numalize_csv_of(matrix));
  if (!given.picture.empty()) charts::draw(heat_map(matrix, found.title), given.picture);
  if (!given.page.empty()) base::write_output(given.page, html_page(found.title, found.text, found.figures()));
  if (std::ranges::find(outputs, "-") == outputs.end()) base::write_output("-", found.text);
}

}  // namespace

void add_threads_show(CLI::App& threads) {
  auto const given = std::make_shared<threads_show_options>();
  CLI::App& show_command = *threads.add_subcommand(
      "show", "What ovlp threads trace has found, or what the DPS threads of a recorded run have exchanged");
  add_required(show_command, "run", given->run, "RUN", "of ovlp threads trace, or a record (--record)");
  add_option(show_command, "--phase", given->phase, "N", "only this one (all)", whole_number(1, 1 << 20));
  add_choice(show_command, "--kind", given->kind, "communication|spatial_false|temporal_false",
             "what goes into tables and pictures (all that is not temporally false)");
  show_command.add_flag("--normalized", given->normalized, "tables with the largest number at 100");
  add_option(show_command, "--csv", given->csv, "FILE", "the matrix, a row a thread; - is standard output");
  add_option(show_command, "--numalize", given->numalize, "FILE",
             "the same, the last thread first, as numalize writes it");
  add_option(show_command, "--picture", given->picture, "FILE", "a heat map (.svg, .png)");
  add_option(show_command, "-o,--output", given->page, "FILE.html",
             "page for a browser, with heat maps of kinds and phases");
  show_command.footer(
      "Examples:\n"
      "  ovlp threads show app.json --picture app.svg -o app.html\n"
      "  ovlp threads show app.json --phase 2 --csv -\n"
      "  ovlp threads show run.sqlite --csv matrix.csv");
  show_command.callback([given] { show(*given); });
}

}  // namespace ovlp::tools
