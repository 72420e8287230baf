// SPDX-License-Identifier: BSD-3-Clause
// ovlp calibrate: a program of its own beside this one, since every process of a real run is one.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include <ovlp/flowgraph/error.hpp>

#include "subcommands.hpp"

namespace ovlp::tools {

void add_calibrate(CLI::App& ovlp) {
  ovlp.add_subcommand("calibrate", "Measure a platform, with the real runtime between real nodes, and describe it");
}

void become_calibrate(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "calibrate") return;
  std::filesystem::path const self = std::filesystem::read_symlink("/proc/self/exe");
  std::string const program = self.parent_path() / "ovlp-calibrate";
  ::execv(program.c_str(), argv + 1);
  throw io_error(program + ": cannot be started: " + std::strerror(errno));
}

}  // namespace ovlp::tools
