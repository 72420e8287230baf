// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <ovlp/runtime/options.hpp>

namespace ovlp {

/// What the command line says about the run itself; the same options in both backends.
struct run_options {
  std::string application;
  std::size_t nodes = 1;
  std::size_t execution_threads = 0;  ///< 0: per collection
  std::size_t stack_kib = 256;
  std::string summary_file;
  std::string durations_file;

  // Of the real backend.
  std::optional<std::size_t> poll_us;  ///< unset: as the machine suggests
  std::string hosts_file;
  std::string launch_template;
  std::string listen;
  double launch_timeout_s = 30;
  double peer_timeout_s = 4;
  bool worker = false;  ///< launched by node 0; the rest comes on standard input

  std::vector<std::string> arguments;  ///< as given, without the program's name
};

/// Reads the command line into `application` and the run's own options.
/// Ends the program on --help (status 0) and on wrong options (one line, status 2).
run_options read_command_line(int argc, char const* const* argv, options& application);

/// The name of the program that runs, without its folder.
std::string program_name(int argc, char const* const* argv);

/// Cores that this process may use.
std::size_t available_cores();
/// Whether a control group limits the CPU time of this process.
bool under_cpu_quota();

}  // namespace ovlp
