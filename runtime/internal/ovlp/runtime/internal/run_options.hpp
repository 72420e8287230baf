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
  bool execution_thread_per_core = false;
  std::size_t stack_kib = 256;
  std::string summary_file;
  std::string trace_file;
  std::string durations_file;
  bool iterations = false;  ///< print a table of them

  // Of the real backend.
  std::optional<std::size_t> poll_us;  ///< unset: as the machine suggests
  std::string hosts_file;
  std::string launch_template;
  std::string listen;
  double launch_timeout_s = 30;
  double peer_timeout_s = 4;
  bool worker = false;  ///< launched by node 0; the rest comes on standard input

  // Of the simulated backend.
  std::string platform = "local";    ///< a known one's name, or a file
  std::vector<std::string> without;  ///< parts of its model
  std::string execution = "direct";
  std::vector<std::string> durations;  ///< files with estimates
  std::optional<std::string> sample;
  bool no_alloc = false;
  double host_speed = 1;
  std::optional<std::size_t> shuffle;
  std::optional<std::size_t> vary;
  double window_s = 0;  ///< of the efficiency over time; 0: a 25th of the call
  std::string over_time_file;
  std::string efficiency_file;

  /// Whether figures of a call are to be written or printed.
  bool ask_for_figures() const {
    return iterations || !summary_file.empty() || !efficiency_file.empty() || !over_time_file.empty();
  }

  std::vector<std::string> arguments;  ///< as given, without the program's name
};

enum class backend_kind : std::uint8_t { real, simulated };

/// Reads the command line into `application` and the run's own options. An option that means nothing to this backend is
/// noted on stderr.
/// Ends the program on --help (status 0) and on wrong options (one line, status 2). Errors: config_error if the
/// application has an option of a name that is ovlp's.
run_options read_command_line(int argc, char const* const* argv, options& application, backend_kind backend);

/// The name of the program that runs, without its folder.
std::string program_name(int argc, char const* const* argv);

}  // namespace ovlp
