// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/options.hpp>

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iomanip>
#include <sstream>
#include <thread>
#include <utility>

#include <CLI/CLI.hpp>

#include <ovlp/flowgraph/version.hpp>

#include "run_options.hpp"

namespace ovlp {

struct options::implementation {
  implementation(std::string name, std::string description) : parser(std::move(description), std::move(name)) {}
  CLI::App parser;
};

options::options(std::string application, std::string description)
    : implementation_(std::make_unique<implementation>(std::move(application), std::move(description))) {}
options::~options() = default;

namespace {

CLI::Option& as_option(void* target) { return *static_cast<CLI::Option*>(target); }

template <class Value>
CLI::Option* add_value(CLI::App& parser, std::string const& name, Value& value, std::string const& meaning) {
  return parser.add_option(name, value, meaning)->capture_default_str();
}

std::string as_text(double number) {
  std::ostringstream text;
  text << std::setprecision(15) << number;
  return text.str();
}

/// `shown` stands in the help.
CLI::Validator number(std::string expected, std::string shown, std::function<bool(double)> good) {
  return CLI::Validator(
      [expected = std::move(expected), good = std::move(good)](std::string& given) {
        char* end = nullptr;
        double const value = std::strtod(given.c_str(), &end);
        bool const is_number = !given.empty() && *end == '\0' && std::isfinite(value);
        return is_number && good(value) ? std::string() : "expected " + expected + ", got '" + given + "'";
      },
      std::move(shown));
}
CLI::Validator finite() {
  return number("a number", "", [](double) { return true; });
}
CLI::Validator at_least_number(double least) {
  return number("at least " + as_text(least), ">= " + as_text(least), [least](double v) { return v >= least; });
}
CLI::Validator between(double least, double most) {
  std::string const range = as_text(least) + " to " + as_text(most);
  return number(range, range, [least, most](double v) { return v >= least && v <= most; });
}

/// What keeps a file from being written, before hours have been spent on what would be written to it.
std::string why_not_writable(std::filesystem::path const& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) return std::strerror(EISDIR);
  bool const there = std::filesystem::exists(file, error);
  std::filesystem::path const folder = file.has_parent_path() ? file.parent_path() : ".";
  return ::access(there ? file.c_str() : folder.c_str(), W_OK) == 0 ? "" : std::strerror(errno);
}

}  // namespace

options::option options::add(std::string const& name, int& value, std::string const& meaning) {
  return option(add_value(implementation_->parser, name, value, meaning));
}
options::option options::add(std::string const& name, std::size_t& value, std::string const& meaning) {
  return option(add_value(implementation_->parser, name, value, meaning)->check(at_least_number(0).description("")));
}
options::option options::add(std::string const& name, double& value, std::string const& meaning) {
  return option(add_value(implementation_->parser, name, value, meaning)->check(finite()));
}
options::option options::add(std::string const& name, std::string& value, std::string const& meaning) {
  return option(add_value(implementation_->parser, name, value, meaning));
}
options::option options::add(std::string const& name, std::vector<std::string>& values, std::string const& meaning) {
  return option(implementation_->parser.add_option(name, values, meaning)->allow_extra_args(false));
}
options::option options::add(std::string const& name, bool& value, std::string const& meaning) {
  return option(implementation_->parser.add_flag(name, value, meaning));
}
options::option options::add_arguments(std::string const& name, std::vector<std::string>& values,
                                       std::string const& meaning) {
  return option(implementation_->parser.add_option(name, values, meaning));
}

options::option& options::option::at_least(double least) {
  as_option(target_).check(at_least_number(least));
  return *this;
}

options::option& options::option::at_most(double most) {
  as_option(target_).check(
      number("at most " + as_text(most), "<= " + as_text(most), [most](double v) { return v <= most; }));
  return *this;
}

options::option& options::option::one_of(std::vector<std::string> choices) {
  std::string all;
  for (std::string const& choice : choices) all += (all.empty() ? "" : ", ") + choice;
  auto const check = [choices = std::move(choices), all](std::string& given) {
    bool const known = std::find(choices.begin(), choices.end(), given) != choices.end();
    return known ? std::string() : "expected one of " + all + ", got '" + given + "'";
  };
  as_option(target_).check(CLI::Validator(check, all));
  return *this;
}

options::option& options::option::required() {
  as_option(target_).required();
  return *this;
}

std::string program_name(int argc, char const* const* argv) {
  std::string const path = argc > 0 ? argv[0] : "ovlp";
  return path.substr(path.find_last_of('/') + 1);
}

run_options read_command_line(int argc, char const* const* argv, options& application) {
  CLI::App& parser = application.internals().parser;
  run_options read;
  read.application = parser.get_name();
  for (int i = 1; i < argc; ++i) read.arguments.emplace_back(argv[i]);

  std::string threads = "collections";
  parser.set_version_flag("--version", "ovlp " + std::string(version()));
  auto group = [&](CLI::Option* option) { return option->group("Run"); };
  group(add_value(parser, "--nodes", read.nodes, "nodes of the run"))->check(between(1, 65535));
  group(add_value(parser, "--execution-threads", threads,
                  "operations that run at once on a node: 'collections' (for each collection as many as it has threads "
                  "there, at most one a core), 'cores', or a number"));
  group(parser.add_option("--summary", read.summary_file, "write the figures of the run to this JSON file"));
  group(parser.add_option("--record-durations", read.durations_file,
                          "write the durations of all kernels to this JSON file"));
  group(add_value(parser, "--stack-kib", read.stack_kib, "stack of an operation that waits"))
      ->check(between(64, 1 << 20));
  auto real = [&](CLI::Option* option) { return option->group("Run (real backend)"); };
  real(parser.add_option("--poll-us", read.poll_us,
                         "how long an idle execution thread polls before it sleeps (default 50; 0 under a CPU quota or "
                         "with more processes than cores)"))
      ->check(between(0, 1'000'000));
  real(parser.add_option("--hosts", read.hosts_file,
                         "file with the host of each node, one a line; the first is this one"));
  real(parser.add_option("--launch", read.launch_template,
                         "command that starts a node, with {host}, {node}, {program} and {arguments} (with --hosts: "
                         "'ssh {host} {program} {arguments}')"));
  real(parser.add_option("--listen", read.listen, "ADDRESS[:FIRST-LAST] on which this run accepts its nodes"));
  real(add_value(parser, "--launch-timeout", read.launch_timeout_s, "seconds for a launched node to report"))
      ->check(number("a number above 0", "> 0", [](double v) { return v > 0; }));
  real(add_value(parser, "--peer-timeout", read.peer_timeout_s,
                 "seconds of silence after which a node is lost; 0: never"))
      ->check(at_least_number(0));
  parser.add_flag("--worker", read.worker)->group("");

  try {
    parser.parse(argc, argv);
    for (auto const& [option, file] :
         {std::pair("--summary", read.summary_file), std::pair("--record-durations", read.durations_file)}) {
      if (read.worker || file.empty()) continue;
      if (auto const why = why_not_writable(file); !why.empty()) {
        throw CLI::ValidationError(option, "expected a file that can be written, got '" + file + "': " + why);
      }
    }
    if (threads == "cores") {
      read.execution_threads = available_cores();
    } else if (threads != "collections") {
      std::size_t used = 0;
      try {
        read.execution_threads = std::stoul(threads, &used);
      } catch (std::exception const&) {
      }
      if (used != threads.size() || read.execution_threads == 0 || read.execution_threads > 4096) {
        throw CLI::ValidationError("--execution-threads",
                                   "expected 'collections', 'cores' or a number from 1 to 4096, got '" + threads + "'");
      }
    }
  } catch (CLI::Success const& asked) {
    std::exit(parser.exit(asked));
  } catch (CLI::ParseError const& wrong) {
    std::fprintf(stderr, "%s: %s\n", read.application.c_str(), wrong.what());
    std::exit(2);
  }
  return read;
}

std::size_t available_cores() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<std::size_t>(CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

bool under_cpu_quota() {
  std::string first;
  // The group's own file for version 2, and version 1's, where this process sees its group as the root.
  if (std::ifstream("/sys/fs/cgroup/cpu.max") >> first) return first != "max";
  long quota = -1;
  if (std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") >> quota) return quota > 0;
  return false;
}

}  // namespace ovlp
