// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include "subcommands.hpp"

namespace ovlp::tools {

bool takes_program(int argc, char** argv) {
  constexpr std::array<std::string_view, 4> take_one{"advise", "metrics", "trace", "whatif"};
  bool const takes_one = argc > 1 && std::find(take_one.begin(), take_one.end(), argv[1]) != take_one.end();
  bool const is_graph = argc > 2 && argv[1] == std::string_view("overlap") && argv[2] == std::string_view("graph");
  bool const is_threads = argc > 1 && argv[1] == std::string_view("threads");
  return takes_one || is_graph || is_threads;
}

std::vector<std::string> take_program(int& argc, char** argv) {
  if (!takes_program(argc, argv)) return {};
  char** const end = argv + argc;
  char** const dashes = std::find(argv, end, std::string_view("--"));
  argc = static_cast<int>(dashes - argv);
  return dashes == end ? std::vector<std::string>() : std::vector<std::string>(dashes + 1, end);
}

void warn_if_measured(std::vector<std::string> const& program, std::string const& command) {
  if (std::find(program.begin(), program.end(), "partial") != program.end()) return;
  std::fprintf(stderr,
               "ovlp %s: without --execution partial each run measures its kernels anew: runs differ by that, too, by "
               "how much is not known\n",
               command.c_str());
}

}  // namespace ovlp::tools
