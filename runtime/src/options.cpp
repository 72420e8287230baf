// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/options.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iomanip>
#include <limits>
#include <optional>
#include <sstream>
#include <type_traits>
#include <utility>

#include <CLI/CLI.hpp>

#include <ovlp/flowgraph/error.hpp>
#include <ovlp/flowgraph/version.hpp>
#include <ovlp/runtime/internal/process_exit.hpp>
#include <ovlp/runtime/internal/run_options.hpp>

#include "listen_address.hpp"

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

/// As std::from_chars reads it, and no other way: 010 is ten.
template <class Whole>
CLI::Validator whole_number() {
  return CLI::Validator(
      [](std::string& given) {
        Whole value{};
        auto const read = std::from_chars(given.data(), given.data() + given.size(), value);
        if (read.ec == std::errc{} && read.ptr == given.data() + given.size()) {
          given = std::to_string(value);  // so is it read on
          return std::string();
        }
        using limits = std::numeric_limits<Whole>;
        std::string const bounds = " from " + std::to_string(limits::min()) + " to " + std::to_string(limits::max());
        return "expected a whole number" +
               (read.ec == std::errc::result_out_of_range ? bounds
                : std::is_unsigned_v<Whole>               ? std::string(" of at least 0")
                                                          : std::string()) +
               ", got '" + given + "'";
      },
      "");
}

constexpr char const* taken_by_run = " is an option of ovlp: expected another name for the program's own";
constexpr char const* taken_by_program = " was added before";

/// Adds an option, or a flag. Errors: config_error if there is one of that name, which `taken` explains.
template <class Value>
CLI::Option* add_to(CLI::App& parser, std::string const& names, Value& value, std::string const& meaning,
                    char const* taken = taken_by_run) {
  try {
    if constexpr (std::is_same_v<Value, bool>) return parser.add_flag(names, value, meaning);
    else {
      CLI::Option* const added = parser.add_option(names, value, meaning);
      if constexpr (std::is_integral_v<Value>) added->transform(whole_number<Value>());
      if constexpr (std::is_same_v<Value, std::optional<std::size_t>>) added->transform(whole_number<std::size_t>());
      return added;
    }
  } catch (CLI::OptionAlreadyAdded const&) {
    throw config_error(names + taken);
  }
}
template <class Value>
CLI::Option* add_value(CLI::App& parser, std::string const& names, Value& value, std::string const& meaning,
                       char const* taken = taken_by_run) {
  return add_to(parser, names, value, meaning, taken)->capture_default_str();
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
        double value = 0;
        auto const read = std::from_chars(given.data(), given.data() + given.size(), value);
        bool const whole = read.ec == std::errc{} && read.ptr == given.data() + given.size() && std::isfinite(value);
        return whole && good(value) ? std::string() : "expected " + expected + ", got '" + given + "'";
      },
      std::move(shown));
}
CLI::Validator finite() {
  return number("a number", "", [](double) { return true; });
}
CLI::Validator at_least_number(double least) {
  return number("at least " + as_text(least), ">= " + as_text(least), [least](double v) { return v >= least; });
}
CLI::Validator above_zero() {
  return number("a number above 0", "> 0", [](double v) { return v > 0; });
}
CLI::Validator between(double least, double most) {
  std::string const range = as_text(least) + " to " + as_text(most);
  return number(range, range, [least, most](double v) { return v >= least && v <= most; });
}

CLI::Validator among(std::vector<std::string> choices) {
  std::string all;
  for (std::string const& choice : choices) all += (all.empty() ? "" : ", ") + choice;
  auto const check = [choices = std::move(choices), all](std::string& given) {
    bool const known = std::find(choices.begin(), choices.end(), given) != choices.end();
    return known ? std::string() : "expected one of " + all + ", got '" + given + "'";
  };
  return CLI::Validator(check, all);
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
  return option(add_value(implementation_->parser, name, value, meaning, taken_by_program));
}
options::option options::add(std::string const& name, std::size_t& value, std::string const& meaning) {
  return option(add_value(implementation_->parser, name, value, meaning, taken_by_program));
}
options::option options::add(std::string const& name, double& value, std::string const& meaning) {
  return option(add_value(implementation_->parser, name, value, meaning, taken_by_program)->check(finite()));
}
options::option options::add(std::string const& name, std::string& value, std::string const& meaning) {
  return option(add_value(implementation_->parser, name, value, meaning, taken_by_program));
}
options::option options::add(std::string const& name, std::vector<std::string>& values, std::string const& meaning) {
  return option(add_to(implementation_->parser, name, values, meaning, taken_by_program)->allow_extra_args(false));
}
options::option options::add(std::string const& name, bool& value, std::string const& meaning) {
  return option(add_to(implementation_->parser, name, value, meaning, taken_by_program));
}
options::option options::add_arguments(std::string const& name, std::vector<std::string>& values,
                                       std::string const& meaning) {
  return option(add_to(implementation_->parser, name, values, meaning, taken_by_program));
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
  as_option(target_).check(among(std::move(choices)));
  return *this;
}

options::option& options::option::required() {
  as_option(target_).required();
  return *this;
}

namespace {

[[noreturn]] void end_program(run_options const& of, std::string const& why) {
  std::fprintf(stderr, "%s: %s\n", of.application.c_str(), why.c_str());
  std::exit(2);
}

}  // namespace

std::string program_name(int argc, char const* const* argv) {
  std::string const path = argc > 0 ? argv[0] : "ovlp";
  return path.substr(path.find_last_of('/') + 1);
}

run_options read_command_line(int argc, char const* const* argv, options& application, backend_kind backend) {
  CLI::App& parser = application.internals().parser;
  run_options read;
  read.application = parser.get_name();
  for (int i = 1; i < argc; ++i) read.arguments.emplace_back(argv[i]);

  std::vector<CLI::Option*> of_other;  // that mean nothing to this backend
  std::string threads = "collections";
  parser.set_version_flag("--version", "ovlp " + std::string(version()));
  auto group = [&](CLI::Option* option) { return option->group("Run"); };
  group(add_value(parser, "--nodes", read.nodes, "nodes of the run"))->check(between(1, 65535));
  group(add_value(parser, "--execution-threads", threads,
                  "operations that run at once on a node: 'collections' (for each collection as many as it has threads "
                  "there, at most one a core), 'cores', or a number"));
  group(add_to(parser, "--summary", read.summary_file, "write the figures of the run to this JSON file"));
  group(add_to(parser, "--record-durations", read.durations_file,
               "write the durations of all kernels to this JSON file"));
  group(add_to(
      parser, "--trace", read.trace_file,
      "write what happens to this file, a line each; -: to standard output. Nodes beyond the first of a real run "
      "add .nodeN to its name"));
  group(add_to(parser, "--iterations", read.iterations, "print a table of the iterations"));
  group(add_value(parser, "--stack-kib", read.stack_kib, "stack of an operation that waits"))
      ->check(between(64, 1 << 20));
  auto only = [&](backend_kind kind, char const* name, CLI::Option* option) {
    if (kind != backend) of_other.push_back(option);
    return option->group(name);
  };
  auto real = [&](CLI::Option* option) { return only(backend_kind::real, "Run (real backend)", option); };
  auto simulated = [&](CLI::Option* option) { return only(backend_kind::simulated, "Run (simulated)", option); };
  real(add_to(parser, "--poll-us", read.poll_us,
              "how long an idle execution thread polls before it sleeps (default 50; 0 under a CPU quota or "
              "with more processes than cores)"))
      ->check(between(0, 1'000'000));
  real(
      add_to(parser, "--hosts", read.hosts_file, "file with the host of each node, one a line; the first is this one"));
  real(add_to(parser, "--launch", read.launch_template,
              "command that starts a node, with {host}, {node}, {program} and {arguments} (with --hosts: "
              "'ssh {host} {program} {arguments}')"));
  real(add_to(parser, "--listen", read.listen, "ADDRESS[:FIRST-LAST] on which this run accepts its nodes"));
  real(add_value(parser, "--launch-timeout", read.launch_timeout_s, "seconds for a launched node to report"))
      ->check(above_zero());
  real(add_value(parser, "--peer-timeout", read.peer_timeout_s,
                 "seconds of silence after which a node is lost; 0: never"))
      ->check(number("0 or at least 1.5", "0, or >= 1.5", [](double v) { return v == 0 || v >= 1.5; }));
  parser.add_flag("--worker", read.worker)->group("");

  simulated(add_value(parser, "--platform", read.platform,
                      "nodes and network: fast-ethernet-ultrasparc, gigabit, 10-gigabit, local (this machine's "
                      "loopback), or a file"));
  simulated(add_to(parser, "--without", read.without,
                   "leave a part of the platform's model out, such as one of its effects; repeatable"))
      ->allow_extra_args(false);
  simulated(
      add_value(parser, "--execution", read.execution,
                "direct: kernels run and are measured; partial: estimates are charged; sampled: the first of each "
                "kernel and sizes run, then their mean is charged"))
      ->check(among({"direct", "partial", "sampled"}));
  simulated(add_to(parser, "--durations", read.durations,
                   "file with durations of kernels, as --record-durations writes them; repeatable"))
      ->allow_extra_args(false);
  simulated(add_to(parser, "--sample", read.sample,
                   "with --execution sampled: how often each kernel and sizes is measured, as a number or until the "
                   "standard error of the mean is below a percentage, such as 2% (default 5)"));
  simulated(
      add_to(parser, "--no-alloc", read.no_alloc, "buffers have sizes and no elements; needs --execution partial"));
  simulated(add_value(parser, "--host-speed", read.host_speed,
                      "speed of a core of this machine relative to the platform's reference core"))
      ->check(between(1e-6, 1e6));
  simulated(add_to(parser, "--shuffle", read.shuffle, "events at one instant come in an order drawn from this seed"));
  simulated(add_to(parser, "--vary", read.vary,
                   "one of many runs that could be, by this seed: kernels take times around their means, as "
                   "--durations says, and quotas begin at other moments"));
  simulated(add_to(parser, "--efficiency", read.efficiency_file,
                   "write the dynamic efficiency of each iteration to this CSV file"));
  simulated(add_to(parser, "--efficiency-over-time", read.over_time_file,
                   "write the dynamic efficiency in a sliding window to this CSV file"));
  simulated(add_value(parser, "--window", read.window_s,
                      "seconds of that window, a thousandth of the call at least; 0: a 25th"))
      ->check(at_least_number(0));

  try {
    parser.parse(argc, argv);
    for (auto const& [option, file] :
         {std::pair("--summary", read.summary_file), std::pair("--trace", read.trace_file),
          std::pair("--record-durations", read.durations_file), std::pair("--efficiency", read.efficiency_file),
          std::pair("--efficiency-over-time", read.over_time_file)}) {
      if (read.worker || parser.count(option) == 0 || (file == "-" && option == std::string("--trace"))) continue;
      if (auto const why = why_not_writable(file); !why.empty()) {
        throw CLI::ValidationError(option, "expected a file that can be written, got '" + file + "': " + why);
      }
    }
    if (!read.listen.empty()) listen_address::parse(read.listen);
    if (threads == "cores") {
      read.execution_thread_per_core = true;
    } else if (threads != "collections") {
      auto const end = threads.data() + threads.size();
      auto const number = std::from_chars(threads.data(), end, read.execution_threads);
      if (number.ec != std::errc{} || number.ptr != end || read.execution_threads == 0 ||
          read.execution_threads > 4096) {
        throw CLI::ValidationError("--execution-threads",
                                   "expected 'collections', 'cores' or a number from 1 to 4096, got '" + threads + "'");
      }
    }
  } catch (CLI::Success const& asked) {
    check_output_at_exit(read.application);
    std::exit(parser.exit(asked));
  } catch (CLI::ArgumentMismatch const& wrong) {
    std::string const what = wrong.what();  // CLI11 says "At Most 1 required but received 2"
    std::size_t const end = what.find(": At Most 1 required");
    end_program(read, end == std::string::npos ? what : what.substr(0, end) + ": expected once, but given again");
  } catch (CLI::ParseError const& wrong) {
    end_program(read, wrong.what());
  } catch (config_error const& wrong) {
    end_program(read, wrong.what());
  }
  for (CLI::Option const* option : of_other) {
    if (option->count() == 0 || read.worker) continue;
    std::fprintf(stderr, "%s: note: %s means nothing to the %s backend\n", read.application.c_str(),
                 option->get_name().c_str(), backend == backend_kind::real ? "real" : "simulated");
  }
  return read;
}

}  // namespace ovlp
