// SPDX-License-Identifier: BSD-3-Clause
// ovlp threads trace: runs a program, and says which of its threads communicated.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/threads/caches.hpp>
#include <ovlp/threads/communication_file.hpp>
#include <ovlp/threads/mapping.hpp>
#include <ovlp/threads/shared_counters.hpp>

#include "options.hpp"
#include "subcommands.hpp"

namespace ovlp::tools {
namespace {

struct threads_trace_options {
  std::string output, definition = "relaxed", mapping;
  std::optional<std::string> caches;
  shared_memory::counting_options counting;
  double interval_s = 0;
  bool relaxed_only = false;  ///< an option was given that means something only then
};

/// "32K:8:2,256K:8:2,18M:24:16": size, ways, and units that share it, of each level.
std::array<shared_memory::cache_level, shared_memory::cache_levels> read_caches(std::string const& text) {
  std::array<shared_memory::cache_level, shared_memory::cache_levels> levels{};
  std::size_t count = 0;
  std::string left = text;
  while (!left.empty() && count < levels.size()) {
    std::size_t const end = std::min(left.find(','), left.size());
    unsigned long long size = 0;  // NOLINT(google-runtime-int): as sscanf() has it
    unsigned ways = 0, shared_by = 0;
    char unit = 0;
    int read = 0;
    // NOLINTNEXTLINE(cert-err34-c): what it read is checked
    bool const whole =
        std::sscanf(left.substr(0, end).c_str(), "%12llu%c:%9u:%9u%n", &size, &unit, &ways, &shared_by, &read) == 4 &&
        static_cast<std::size_t>(read) == end && (unit == 'K' || unit == 'M');
    if (!whole) break;
    levels[count++] = {size << (unit == 'K' ? 10 : 20), ways, shared_by};
    left.erase(0, end + 1);
  }
  if (count != levels.size() || !left.empty() || text.ends_with(','))
    throw config_error(
        "--caches: expected three levels as SIZE:WAYS:SHARED-BY, as in 32K:8:2,256K:8:2,18M:24:16, got " +
        base::quoted(text));
  return levels;
}

/// In memory, if there is room for all of them; else among temporary files.
std::filesystem::path folder_for_counters() {
  for (std::filesystem::path const& folder :
       {std::filesystem::path("/dev/shm"), std::filesystem::temp_directory_path()}) {
    std::error_code none_there;
    bool const has_room = std::filesystem::space(folder, none_there).available > sizeof(shared_memory::counters);
    if (!none_there && has_room && ::access(folder.c_str(), W_OK) == 0) return folder;
  }
  throw io_error("expected room for 400 MB of counters in /dev/shm or TMPDIR, of which what is used is taken");
}

/// Runs it with the counters, which are marked each `interval_s`. Its exit status. An interruption is the program's: it
/// ends as it wants.
int run_counted(std::vector<std::string> const& words, shared_memory::shared_counters& counters, double interval_s) {
  base::command what{words, "", {{shared_memory::counters_variable, counters.file()}}};
  what.shares_streams = true;
  base::process program(what);
  constexpr double look_up_s = 0.1;
  auto const begin = std::chrono::steady_clock::now();
  std::optional<int> status;
  int passed_on = 0;
  for (std::size_t marks = 1; !status;) {
    double const passed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    double const next_s = interval_s > 0 ? static_cast<double>(marks) * interval_s : passed_s + look_up_s;
    status = program.wait(std::chrono::duration<double>(std::min(look_up_s, std::max(0.0, next_s - passed_s))));
    if (int const signal = base::noticed_interrupt(); signal != passed_on) {
      if (signal != SIGINT) program.kill(signal);  // that one goes to all who share the terminal
      passed_on = signal;
    }
    if (status || interval_s == 0 || passed_s < next_s) continue;
    ++marks;
    if (counters.mark()) continue;
    say("threads trace",
        "there is no more memory for phases: what follows " + base::fixed(passed_s, 1) + " s is one phase");
    interval_s = 0;
  }
  return *status;
}

void say_what_is_missing(shared_memory::shared_counters const& counters, shared_memory::communication const& found) {
  if (counters.unobserved_threads() > 0)
    say("threads trace", std::to_string(counters.unobserved_threads()) + " threads beyond the first " +
                             std::to_string(shared_memory::most_threads) + " were not observed");
  if (counters.forks() > 0)
    say("threads trace",
        "the program forked " + std::to_string(counters.forks()) + " times: what its children did is not counted");
  if (counters.other_programs() > 0)
    say("threads trace", "only the first traced program of the command was counted, not " +
                             std::to_string(counters.other_programs()) + " that came later");
  std::size_t const units = shared_memory::units_of(found.caches);
  if (found.how == shared_memory::definition::accurate && found.threads() > units)
    say("threads trace", std::to_string(found.threads()) + " threads shared the " + std::to_string(units) +
                             " units of simulated caches: thread t ran on unit t mod " + std::to_string(units));
}

void run_threads_trace(threads_trace_options given, std::vector<std::string> const& program) {
  if (program.empty()) throw config_error("threads trace: expected -- and a program, as in: -- ./program");
  expect_another_file(given.output, program.front());
  if (given.relaxed_only && given.definition == "accurate")
    throw config_error("--block, --clear-freed: expected with --definition relaxed");
  if (given.caches && given.definition != "accurate")
    throw config_error("--caches: expected with --definition accurate");
  if (given.definition == "accurate") given.counting.how = shared_memory::definition::accurate;
  if (given.caches) given.counting.caches = read_caches(*given.caches);
  if (!given.mapping.empty() && given.definition != "accurate")
    throw config_error("--map: expected with --definition accurate; ovlp threads run puts threads on real units");
  if (!given.mapping.empty()) given.counting.units = shared_memory::read_mapping(given.mapping).units;
  if (given.output == "-") throw config_error("-o -: expected a file: standard output is the program's");
  base::expect_outputs({{given.output, "{\"format\""}});
  base::notice_interrupts();
  base::temporary_folder const folder(folder_for_counters());
  shared_memory::shared_counters counters(folder.path(), given.counting);
  int const status = run_counted(program, counters, given.interval_s);
  shared_memory::communication const found = counters.read(std::filesystem::path(program.front()).filename());
  base::write_output(given.output, json_of(found));
  say_what_is_missing(counters, found);
  if (status != 0)
    throw program_failed("'" + program.front() + "' ended with status " + std::to_string(status) +
                             "; what it counted is in '" + given.output + "'",
                         status);
}

}  // namespace

void add_threads_trace(CLI::App& threads, std::vector<std::string> const& program) {
  auto const given = std::make_shared<threads_trace_options>();
  CLI::App& trace =
      *threads.add_subcommand("trace", "Run the program after --, and count which of its threads communicate");
  add_required(trace, "-o,--output", given->output, "FILE", "what was found (JSON)");
  add_choice(trace, "--definition", given->definition, "relaxed|accurate",
             "of communication: by the last two threads of each block, or by simulated caches");
  add_option(trace, "--block", given->counting.block_bytes, "N",
             "bytes of a block (64), relaxed: a power of two up to 1048576", whole_number(64, 1 << 20));
  add_option(trace, "--caches", given->caches, "LEVELS",
             "accurate: SIZE:WAYS:SHARED-BY of three levels (32K:8:2,256K:8:2,18M:24:16, the paper's)");
  add_option(trace, "--map", given->mapping, "MAPPING",
             "accurate: on which units of the caches threads run (thread t on unit t)");
  trace.add_flag("--clear-freed", given->counting.clear_freed,
                 "relaxed: nobody has accessed memory that was freed since");
  add_option(trace, "--interval", given->interval_s, "S",
             "seconds of a phase; without it the program says when one begins", quantity(1e-3, 1e9));
  trace.footer(
      "Example: ovlp-cc -O2 -fopenmp -o app app.c\n"
      "         ovlp threads trace -o app.json -- ./app && ovlp threads show app.json\n"
      "Method: docs/shared-memory.md");
  trace.callback([given, program, &trace] {
    given->relaxed_only = trace.count("--block") + trace.count("--clear-freed") > 0;
    run_threads_trace(*given, program);
  });
}

}  // namespace ovlp::tools
