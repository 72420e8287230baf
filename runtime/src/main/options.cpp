// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/options.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <iomanip>
#include <optional>
#include <utility>

#include <ovlp/base/files.hpp>
#include <ovlp/base/streams.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/base/version.hpp>
#include <ovlp/flowgraph/mapping.hpp>
#include <ovlp/flowgraph/parameter.hpp>
#include <ovlp/records/text_trace.hpp>
#include <ovlp/runtime/internal/cluster_link.hpp>
#include <ovlp/runtime/internal/option_parser.hpp>
#include <ovlp/runtime/internal/process_exit.hpp>
#include <ovlp/runtime/internal/run_options.hpp>

namespace ovlp {
std::string text_of(double number) {
  base::text_writer text;
  text << std::setprecision(15) << number;
  return text.str();
}

CLI::Validator number(std::string expected, std::string shown, std::function<bool(double)> good) {
  return CLI::Validator(
      [expected = std::move(expected), good = std::move(good)](std::string& given) {
        double value = 0;
        return read_number(given, value) && std::isfinite(value) && good(value)
                   ? std::string()
                   : "expected " + expected + ", got '" + given + "'";
      },
      std::move(shown));
}
CLI::Validator finite_number() {
  return number("a number", "", [](double) { return true; });
}
CLI::Validator at_least_number(double least) {
  return number("at least " + text_of(least), ">= " + text_of(least), [least](double v) { return v >= least; });
}
CLI::Validator at_most_number(double most) {
  return number("at most " + text_of(most), "<= " + text_of(most), [most](double v) { return v <= most; });
}
CLI::Validator number_above_zero() {
  return number("a number above 0", "> 0", [](double v) { return v > 0; });
}
CLI::Validator number_between(double least, double most) {
  std::string const range = text_of(least) + " to " + text_of(most);
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

bool is_reserved(std::string const& name) {
  constexpr std::array names{
      "--nodes",        "--hosts",         "--transport",        "--worker",      "--platform",
      "--execution",    "--durations",     "--no-alloc",         "--vary",        "--without",
      "--summary",      "--record",        "--record-durations", "--record-only", "--trace",
      "--plan",         "--policy",        "--barriers",         "--efficiency",  "--efficiency-over-time",
      "--interleaving", "--explore-server"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The program's own

options::options(std::string application, std::string description)
    : implementation_(std::make_unique<implementation>(std::move(application), std::move(description))) {}
options::~options() = default;

namespace {

using described = options::implementation::described;
described& as_described(void* target) { return *static_cast<described*>(target); }
CLI::Option& as_option(void* target) { return *as_described(target).option; }

template <class Value>
std::optional<std::string> words_of(std::string const& name, Value const& value) {
  return name + " " + base::shell_word(detail::text_of(value));
}
std::optional<std::string> words_of(std::string const& name, bool flag) {
  return flag ? std::optional(name) : std::nullopt;
}
std::optional<std::string> words_of(std::string const& name, std::vector<std::string> const& values) {
  if (values.empty()) return std::nullopt;
  std::string words;
  for (std::string const& value : values) words += (words.empty() ? "" : " ") + name + " " + base::shell_word(value);
  return words;
}

/// The variable is looked at when the command line has been read.
template <class Value>
void* describe(options::implementation& of, CLI::Option* option, Value const& value) {
  return &of.own.emplace_back(
      described{option, [&value](std::string const& name) { return words_of(name, value); }, false});
}

}  // namespace

options::option options::add(std::string const& name, int& value, std::string const& meaning) {
  return option(
      describe(*implementation_, add_value(implementation_->parser, name, value, meaning, option_of::program), value));
}
options::option options::add(std::string const& name, std::size_t& value, std::string const& meaning) {
  return option(
      describe(*implementation_, add_value(implementation_->parser, name, value, meaning, option_of::program), value));
}
options::option options::add(std::string const& name, double& value, std::string const& meaning) {
  return option(describe(
      *implementation_,
      add_value(implementation_->parser, name, value, meaning, option_of::program)->check(finite_number()), value));
}
options::option options::add(std::string const& name, std::string& value, std::string const& meaning) {
  return option(
      describe(*implementation_, add_value(implementation_->parser, name, value, meaning, option_of::program), value));
}
options::option options::add(std::string const& name, std::vector<std::string>& values, std::string const& meaning) {
  return option(describe(
      *implementation_,
      add_to(implementation_->parser, name, values, meaning, option_of::program)->allow_extra_args(false), values));
}
options::option options::add(std::string const& name, bool& value, std::string const& meaning) {
  return option(
      describe(*implementation_, add_to(implementation_->parser, name, value, meaning, option_of::program), value));
}
options::option options::add_arguments(std::string const& name, std::vector<std::string>& values,
                                       std::string const& meaning) {
  return option(
      describe(*implementation_, add_to(implementation_->parser, name, values, meaning, option_of::program), values));
}

options::option& options::option::at_least(double least) {
  as_option(target_).check(at_least_number(least));
  return *this;
}

options::option& options::option::at_most(double most) {
  as_option(target_).check(at_most_number(most));
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

options::option& options::option::may_differ() {
  as_described(target_).may_differ = true;
  return *this;
}

// The run's

namespace {

/// What keeps a file from being written, before hours have been spent on what would be written to it.
std::string why_not_writable(std::filesystem::path const& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) return std::strerror(EISDIR);
  bool const there = std::filesystem::exists(file, error);
  std::filesystem::path const folder = file.has_parent_path() ? file.parent_path() : ".";
  return ::access(there ? file.c_str() : folder.c_str(), W_OK) == 0 ? "" : std::strerror(errno);
}

}  // namespace

namespace {

/// Of those that the help shows.
std::vector<std::string> names_of_options(CLI::App const& of) {
  std::vector<std::string> all;
  for (CLI::Option const* option : of.get_options()) {
    if (option->get_group().empty()) continue;
    for (std::string const& name : option->get_lnames()) all.push_back("--" + name);
  }
  return all;
}

}  // namespace

void run_options::end_program(std::string const& why) const {
  complain(application + ": " + why);
  std::exit(2);
}

void run_options::complain(std::string const& line) const { std::fprintf(stderr, "%s\n", line.c_str()); }

std::string file_of_node(std::string const& file, node_id node) {
  return node == 0 ? file : file + "." + node_name(node);
}

std::string program_name(int argc, char const* const* argv) {
  std::string const path = argc > 0 ? argv[0] : "ovlp";
  return path.substr(path.find_last_of('/') + 1);
}

void run_options::add_common(options& to, texts& given) {
  CLI::App& parser = to.internals().parser;
  auto const run = [](CLI::Option* option) { return option->group("Run"); };
  run(add_value(parser, "--nodes", nodes, "nodes of the run"))->check(number_between(1, mapping::most_nodes));
  run(add_value(parser, "--execution-threads", given.threads,
                "operations that run at once on a node: 'collections' (for each collection as many as it has threads "
                "there, at most one a core), 'cores', or a number"));
  run(add_to(parser, "--summary", summary_file, "write the figures of the run to this JSON file"));
  run(add_to(parser, "--record-durations", durations_file, "write the durations of all kernels to this JSON file"));
  run(add_to(parser, "--record", record_file,
             "store what happens in this file, for ovlp export. Nodes beyond the first of a real run add .nodeN to its "
             "name"));
  run(add_to(parser, "--record-only", record_only,
             "nodes: of what happens store sums only, by operation, iteration, node and pair of nodes"))
      ->check(among({"nodes"}))
      ->needs("--record");
  run(add_to(parser, "--trace", trace_file,
             "write what happens to this file, a line each; -: to standard output. Nodes beyond the first of a real "
             "run add .nodeN to its name"));
  run(add_to(parser, "--plan", plan_file, "which nodes to hold after which iteration: a JSON file"));
  run(add_to(parser, "--policy", policy,
             "who decides how many nodes to hold: plan (what --plan says), efficiency>=E, or advise (by the forecast "
             "of --plan and what is measured)"));
  run(add_to(parser, "--hold", hold,
             "nodes to hold first, of those of the run; then a cluster's server says, or orders do (docs/cluster.md)"))
      ->check(number_between(1, mapping::most_nodes));
  run(add_to(parser, "--note-order", note_order_file,
             "write to this JSON file in which order objects came to each DPS thread. Nodes beyond the first of a real "
             "run add .nodeN to its name"));
  run(add_to(parser, "--follow-order", follow_order_file,
             "let objects come to each DPS thread in the order of such a file"));
  run(add_to(parser, "--iterations", iterations, "print a table of the iterations"));
  run(add_to(parser, "--efficiency", efficiency_file,
             "write the dynamic efficiency of each iteration to this CSV file"));
  run(add_to(parser, "--efficiency-over-time", over_time_file,
             "write the dynamic efficiency in a sliding window to this CSV file"));
  run(add_value(parser, "--window", window_s, "seconds of that window, a thousandth of the call at least; 0: a 25th"))
      ->check(at_least_number(0));
  run(add_to(parser, "--mapping", given.mappings,
             "COLLECTION=NODES: where the threads of a collection live at first, such as 'columns=node0*2 node[1-3]'; "
             "may be repeated"))
      ->allow_extra_args(false);
  run(add_to(parser, "--barriers", barriers,
             "let streams post when all their objects have come, as a merge and a split after it would"));
  run(add_value(parser, "--stack-kib", stack_kib, "stack of an operation that waits"))
      ->check(number_between(64, 1 << 20));
}

void run_options::check(options& given, texts const& said) {
  std::string const& threads = said.threads;
  CLI::App const& parser = given.internals().parser;
  nodes_given = parser.count("--nodes") > 0;
  check_own();
  struct written {
    char const* option;
    std::string const* file;
    std::string_view begins;  ///< empty: checked where it is written
  };
  std::initializer_list<written> const files{{"--efficiency", &efficiency_file, "# application"},
                                             {"--efficiency-over-time", &over_time_file, "# application"},
                                             {"--summary", &summary_file, "{\"application\""},
                                             {"--trace", &trace_file, text_trace::begins},
                                             {"--record", &record_file, {}},
                                             {"--note-order", &note_order_file, "{\"order\""},
                                             {"--record-durations", &durations_file, "{\"reference_core\""}};
  for (auto const& [option, file, begins] : files) {
    if (launched() || parser.count(option) == 0 || (*file == "-" && file == &trace_file)) continue;
    if (file->empty()) throw CLI::ValidationError(option, "expected the name of a file, got ''");
    for (auto const& [other, its_file, ignored] : files) {
      if (other == option) break;
      if (*its_file == *file && *file != "-")
        throw CLI::ValidationError(
            option, "expected another file than that of " + std::string(other) + ", got '" + *file + "'");
    }
    if (auto const why = why_not_writable(*file); !why.empty()) {
      throw CLI::ValidationError(option, "expected a file that can be written, got '" + *file + "': " + why);
    }
    if (!begins.empty()) base::expect_replaceable(*file, begins);
  }
  if (parser.count("--follow-order") > 0) {
    if (follow_order_file.empty()) throw CLI::ValidationError("--follow-order", "expected the name of a file, got ''");
    if (follow_order_file == note_order_file)
      throw CLI::ValidationError("--note-order",
                                 "expected another file than that of --follow-order, got '" + note_order_file + "'");
    followed_order = read_order(follow_order_file, application, nodes);
  }
  if (!plan_file.empty()) {
    plan = ovlp::plan::read(plan_file);
    plan.expect(application, nodes);
  }
  bool const follows = !plan_file.empty() || !policy.empty();
  if (hold > 0) {
    if (follows) throw config_error("--hold: expected none with --plan or --policy, which say it themselves");
    if (hold > nodes)
      throw config_error("--hold: expected at most the " + std::to_string(nodes) + " of --nodes, got " +
                         std::to_string(hold));
    plan.changes[0] = {hold};
  }
  if (!launched()) server = cluster_link::find(plan, backend() == std::string_view("simulated"));
  if (server && follows)
    throw config_error("a job of a cluster holds what its server says: expected neither --plan nor --policy");
  for (std::string const& text : said.mappings) {
    std::size_t const equals = text.find('=');
    if (equals == 0 || equals == std::string::npos)
      throw CLI::ValidationError("--mapping", "expected COLLECTION=NODES, got '" + text + "'");
    mappings.emplace_back(text.substr(0, equals), mapping(text.substr(equals + 1)));
  }
  if (threads == "cores") {
    execution_thread_per_core = true;
  } else if (threads != "collections") {
    if (!base::read_number(threads, execution_threads) || execution_threads == 0 || execution_threads > 4096) {
      throw CLI::ValidationError("--execution-threads",
                                 "expected 'collections', 'cores' or a number from 1 to 4096, got '" + threads + "'");
    }
  }
}

/// Not where files are written, how long is waited, or what one node may use: that is each process's own.
ovlp::facts run_options::agreed(options& given, texts const& said) const {
  options::implementation const& all = given.internals();
  ovlp::facts made;
  auto const add = [&made](std::string const& name, std::optional<std::string> words) {
    made.push_back({fact::kind::option, name, std::move(words), 0});
  };
  for (auto const& own : all.own) {
    std::string const name = own.option->get_name();
    if (!own.may_differ) add(name, own.words(name));
  }
  add("--nodes", words_of("--nodes", nodes));
  add("--mapping", words_of("--mapping", said.mappings));
  add("--barriers", words_of("--barriers", barriers));
  if (!policy.empty()) add("--policy", words_of("--policy", policy));
  if (hold > 0) add("--hold", words_of("--hold", hold));
  // What nodes record, and what they ask node 0, depends on whether these are given.
  for (std::string const name : {"--plan", "--control", "--record", "--record-only", "--record-durations", "--summary",
                                 "--iterations", "--efficiency", "--efficiency-over-time"}) {
    CLI::Option const* const option = all.parser.get_option_no_throw(name);
    add(name, words_of(name, option != nullptr && option->count() > 0));
  }
  made.push_back({fact::kind::value, "what --plan says", std::nullopt, detail::digest_of(plan.changes)});
  return made;
}

void run_options::read(int argc, char const* const* argv, options& program_options) {
  CLI::App& parser = program_options.internals().parser;
  if (std::exchange(program_options.internals().read, true)) {
    throw config_error("options serve one engine: expected others for another one");
  }
  application = parser.get_name();
  for (int i = 1; i < argc; ++i) arguments.emplace_back(argv[i]);

  texts given;
  parser.set_version_flag("--version", "ovlp " + std::string(version()));
  add_common(program_options, given);
  add_own(program_options);
  std::vector<std::string> ignored;
  bool ignored_flag = false;
  std::vector<CLI::Option*> foreign;
  for (foreign_option const& other : foreign_options()) {
    foreign.push_back(other.is_flag ? add_to(parser, other.name, ignored_flag, "")
                                    : add_to(parser, other.name, ignored, "")->expected(0, 1));
    foreign.back()->group("");  // not in the help
  }

  try {
    parser.parse(argc, argv);
    check(program_options, given);
    facts = agreed(program_options, given);
  } catch (CLI::Success const& asked) {
    check_at_exit(application, true);
    std::exit(parser.exit(asked));
  } catch (CLI::ArgumentMismatch const& wrong) {
    end_program(base::as_given_again(wrong.what()));
  } catch (CLI::ParseError const& wrong) {
    // More than was expected, or the misspelt one that is missed.
    auto const left = parser.remaining();
    end_program(left.empty() ? wrong.what() : base::unexpected(left, names_of_options(parser)));
  } catch (config_error const& wrong) {
    end_program(wrong.what());
  }
  for (CLI::Option const* other : foreign) {
    if (other->count() == 0 || launched()) continue;
    std::fprintf(stderr, "%s: note: %s means nothing to the %s backend\n", application.c_str(),
                 ("--" + other->get_lnames().front()).c_str(), backend());
  }
}

}  // namespace ovlp
