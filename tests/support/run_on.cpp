// SPDX-License-Identifier: BSD-3-Clause
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "run_on.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string_view>

#include <ovlp/runtime/real.hpp>
#include <ovlp/simkernel/simulated.hpp>

namespace ovlp::testing {
namespace {

// Of a process that a run launched: the case, and which of its runs. A program that is no worker has neither.
struct command_line {
  std::string program;
  bool worker = false;
  std::string test_case;
  std::size_t run = 0;
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
  }
}

template <class Engine>
void run(std::vector<std::string> words, run_body const& body) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  std::string ignored_case;
  std::string ignored_run;
  ovlp::options known{"test", "A run in a test"};
  known.add("--test-case", ignored_case, "the doctest case");
  known.add("--run", ignored_run, "the number of the run in it");
  Engine engine(static_cast<int>(argv.size()), argv.data(), known);
  body(engine);
}

}  // namespace

void run_on(std::size_t nodes, std::vector<std::string> const& options, run_body const& body) {
  really_run_on(nodes, options, body);
  if (!given.worker) simulate_on(nodes, options, body);
}

void really_run_on(std::size_t nodes, std::vector<std::string> const& options, run_body const& body) {
  static std::map<std::string, std::size_t> runs;  // of each case, so far
  std::string const test_case = as_pattern(doctest::getContextOptions()->currentTest->m_name);
  std::size_t const number = runs[test_case]++;
  if (given.worker && number != given.run) return;

  std::vector<std::string> words{given.program, "--test-case=" + test_case, "--run=" + std::to_string(number),
                                 "--nodes", std::to_string(nodes)};
  words.insert(words.end(), options.begin(), options.end());
  if (given.worker) words.emplace_back("--worker");
  run<ovlp::real::engine>(words, body);
  if (given.worker) {
    std::fprintf(stderr, "'%s', run %zu: a worker came to the end of the run's body\n", test_case.c_str(), number);
    std::exit(3);
  }
}

void simulate_on(std::size_t nodes, std::vector<std::string> const& options, run_body const& body) {
  std::vector<std::string> words{given.program, "--nodes", std::to_string(nodes)};
  words.insert(words.end(), options.begin(), options.end());
  INFO("simulated, nodes: " << nodes);
  run<ovlp::sim::engine>(words, body);
}

}  // namespace ovlp::testing

int main(int argc, char** argv) {
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
