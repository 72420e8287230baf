// SPDX-License-Identifier: BSD-3-Clause
#include "parts.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>

#include <ovlp/base/error.hpp>

namespace ovlp::tools {
namespace {

struct part {
  std::string_view command;
  char const* program;
  int words_before;  ///< of the command line, before those that are the program's
  char const* what;
};

constexpr std::array parts{
    part{"calibrate", "ovlp-calibrate", 1,
         "Measure a platform, with the real runtime between real nodes, and describe it"},
    part{"cluster", "ovlp-cluster", 0, "Simulate a cluster whose nodes many programs share"},
    part{"export", "ovlp-traces", 0,
         "Write what a run has stored (--record), or the trace of an MPI program, for other tools"},
    part{"fit", "ovlp-laboratory", 0,
         "Fit models over sizes to durations of kernels, for sizes that have not been measured"},
    part{"intervals", "ovlp-laboratory", 0, "Say how far predictions were from measurements, and how intervals hold"},
    part{"overlap", "ovlp-traces", 0, "Communication beside computation: how much there is, and what it would bring"},
    part{"replay", "ovlp-traces", 0, "Replay the trace of an MPI program on a platform's virtual nodes"},
    part{"threads", "ovlp-traces", 0, "Which threads of a program communicate through memory, and where to put them"},
    part{"trace", "ovlp-traces", 0,
         "trace an MPI program: its bursts, its messages, and when their bytes are stored and loaded"},
    part{"validate", "ovlp-laboratory", 0,
         "Run a grid of configurations for real and in simulation, and compare; goes on where it stopped"},
    part{"workload", "ovlp-cluster", 0, "Make a workload for a cluster, or make one of a cluster's log"},
};

part const* find(std::string_view command) {
  auto const found = std::ranges::find(parts, command, &part::command);
  return found == parts.end() ? nullptr : &*found;
}

}  // namespace

CLI::App& add_part(CLI::App& ovlp, std::string_view command) {
  return *ovlp.add_subcommand(std::string(command), find(command)->what);
}

CLI::App& add_group(CLI::App& ovlp, std::string_view command, std::string const& page) {
  CLI::App& group = add_part(ovlp, command);
  group.require_subcommand(1);
  group.footer("More: " + page);
  return group;
}

void become_part(int argc, char** argv) {
  part const* const asked = argc < 2 ? nullptr : find(argv[1]);
  if (asked == nullptr) return;
  std::string const program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / asked->program;
  ::execv(program.c_str(), argv + asked->words_before);
  throw io_error(program + ": cannot be started: " + std::strerror(errno) +
                 (errno == ENOENT ? "; the target ovlp_command builds it" : ""));
}

}  // namespace ovlp::tools
