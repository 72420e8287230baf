// SPDX-License-Identifier: BSD-3-Clause
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "run_on.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include <ovlp/analysis/identities.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/runtime/real.hpp>
#include <ovlp/simkernel/simulated.hpp>
#include <ovlp/store/open_run.hpp>

namespace ovlp::testing {
namespace {

// Of a process that a run launched: the case, and which of its runs. A program that is no worker has neither.
struct command_line {
  std::string program;
  bool worker = false;
  std::string test_case;
  std::size_t run = 0;
  std::string record;  ///< for the checks
} given;

/// How doctest's filter names the case: a comma would separate two patterns, and '?' stands for any character.
std::string as_pattern(std::string name) {
  std::replace(name.begin(), name.end(), ',', '?');
  return name;
}

void read(int argc, char** argv) {
  given.program = argv[0];
  for (int i = 1; i < argc; ++i) {
    std::string_view const argument = argv[i];
    if (argument == "--worker") given.worker = true;
    if (argument.starts_with("--test-case=")) given.test_case = argument.substr(12);
    if (argument.starts_with("--run=")) given.run = std::strtoul(argv[i] + 6, nullptr, 10);
    if (argument.starts_with("--record=")) given.record = argument.substr(9);
  }
}

bool expect_none(std::vector<std::string> const& broken) {
  for (std::string const& line : broken) FAIL_CHECK(line);
  return broken.empty();
}

/// On the platform that the options name.
analysis::records_seen seen_on(std::vector<std::string> const& options) {
  run_facts about{{"complete", "yes"}};
  auto const named = std::ranges::find(options, "--platform");
  if (named != options.end() && std::filesystem::exists(*(named + 1)))
    about["platform"] = base::read_file(*(named + 1));
  return analysis::records_seen::of(about);
}

/// `records`: takes its records; may be null. Returns its figures, if it takes them, and the body has asked for any.
template <class Engine>
std::optional<summary> run(std::vector<std::string> words, run_body const& body,
                           std::shared_ptr<run_collector> const& records) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  std::string ignored_case;
  std::string ignored_run;
  ovlp::options known{"test", "A run in a test"};
  known.add("--test-case", ignored_case, "the doctest case");
  known.add("--run", ignored_run, "the number of the run in it");
  Engine engine(static_cast<int>(argv.size()), argv.data(), known);
  if (records) engine.attach(records);
  body(engine);
  if (!records) return std::nullopt;
  try {
    return engine.summary();
  } catch (error const&) {  // it failed, or the body has not asked for figures
    return std::nullopt;
  }
}

bool check(recorded_run const& run, analysis::records_seen const& seen, std::optional<summary> const& figures) {
  analysis::identities const checked(run, seen);
  bool const holds = expect_none(checked.broken_anywhere());
  return (!figures || expect_none(checked.broken(*figures))) && holds;
}

/// Of a run whose processes have stored it. A real run is not repeated by its seed: a record that breaks is kept.
void check_record(std::string const& file) {
  if (!std::filesystem::exists(file)) return;  // it did not come to a call
  auto const stored = open_run(file);
  if (check(stored->load(), analysis::records_seen::of(stored->about()), std::nullopt)) return;
  std::string const kept = "broken-" + std::to_string(::getpid()) + ".sqlite";
  std::filesystem::copy_file(file, kept, std::filesystem::copy_options::overwrite_existing);
  MESSAGE("its record is kept: " << kept);
}

}  // namespace

void run_on(std::size_t nodes, std::vector<std::string> const& options, run_body const& body, checks what) {
  really_run_on(nodes, options, body, what);
  if (!given.worker) simulate_on(nodes, options, body, what);
}

void really_run_on(std::size_t nodes, std::vector<std::string> const& options, run_body const& body, checks what) {
  static std::map<std::string, std::size_t> runs;  // of each case, so far
  std::string const test_case = as_pattern(doctest::getContextOptions()->currentTest->m_name);
  std::size_t const number = runs[test_case]++;
  if (given.worker && number != given.run) return;

  std::vector<std::string> words{given.program, "--test-case=" + test_case, "--run=" + std::to_string(number),
                                 "--nodes", std::to_string(nodes)};
  words.insert(words.end(), options.begin(), options.end());
  std::optional<base::temporary_folder> folder;
  bool const stores = what == checks::stored && nodes > 1;
  if (stores && !given.worker) given.record = folder.emplace().path() / "run.sqlite";
  if (stores) words.push_back("--record=" + given.record);
  if (given.worker) words.emplace_back("--worker");
  bool const attaches = what != checks::none && !stores && !given.worker;
  auto const records = attaches ? std::make_shared<run_collector>() : nullptr;
  auto const figures = run<ovlp::real::engine>(words, body, records);
  if (given.worker) {
    std::fprintf(stderr, "'%s', run %zu: a worker came to the end of the run's body\n", test_case.c_str(), number);
    std::exit(3);
  }
  if (records) check(records->take(), {.of_all_nodes = nodes == 1}, figures);
  if (stores) check_record(given.record);
}

void simulate_on(std::size_t nodes, std::vector<std::string> const& options, run_body const& body, checks what) {
  std::vector<std::string> words{given.program, "--nodes", std::to_string(nodes)};
  words.insert(words.end(), options.begin(), options.end());
  INFO("simulated, nodes: " << nodes);
  auto const records = what == checks::none ? nullptr : std::make_shared<run_collector>();
  auto const figures = run<ovlp::sim::engine>(words, body, records);
  if (records) check(records->take(), seen_on(options), figures);
}

}  // namespace ovlp::testing

int main(int argc, char** argv) {
  setenv("OVLP_PLATFORM", PLATFORMS "/local.json", 1);
  ovlp::testing::read(argc, argv);
  doctest::Context context;
  if (ovlp::testing::given.worker) {
    context.addFilter("test-case", ovlp::testing::given.test_case.c_str());
    context.setOption("no-version", true);
    context.setOption("no-intro", true);
  } else {
    context.applyCommandLine(argc, argv);
  }
  return context.run();
}
