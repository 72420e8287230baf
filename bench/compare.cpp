// SPDX-License-Identifier: BSD-3-Clause
// Runs contestants of the same case in turn (A B A B ...), one process at a time, and compares what they report.
//
//   compare --case delivery-1 --pairs 11            a case of bench/cases.json; --case all runs every one
//   compare --metric seconds --label-a ovlp --a 'command' --label-b tbb --b 'command' [--label-b x --b 'command' ...]
//
// A contestant's result is the last line of its standard output that begins with '{'; process_cpu_s is measured. On a
// shared machine the cores drift apart and together within minutes; contestants run side by side in pairs, so the ratio
// is taken pair by pair.
#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <ovlp/base/files.hpp>
#include <ovlp/base/host.hpp>
#include <ovlp/base/json_object.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/statistics.hpp>
#include <ovlp/base/text.hpp>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include "contestant.hpp"

namespace {

using bench::json;
using ovlp::base::json_object;
using ovlp::base::last_line;
using ovlp::base::outcome;
using ovlp::base::quantile;
using std::string;

/// Runs a shell command to its end.
outcome run_command(const string& command, double limit_s) {
  return ovlp::base::run({{"/bin/sh", "-c", command}, "", {}, std::chrono::duration<double>(limit_s)});
}

/// The last line a command prints, or "unknown" where it fails or prints none.
string ask(const string& command) {
  const auto answer = run_command(command, 10);
  return answer.status == 0 && !answer.out.empty() ? last_line(answer.out) : "unknown";
}

struct contestant {
  string label, command;
  std::vector<json> reports{};
  std::vector<double> values{};
};

/// The first contestant is ours, the others are its rivals.
struct bench_case {
  string name, metric;
  bool lower_is_better = true;
  std::optional<double> limit{};  // of the median ratio, ours / the best rival; without rivals of our median
  std::vector<contestant> contestants{};
};

using variables = std::map<string, string>;

/// `command` with each {name} replaced by the variable of that name; variables may use variables. Braces around other
/// names stay: a launch command of ours has some.
string expand(const string& command, const variables& known, int depth = 0) {
  if (depth > 10) throw std::runtime_error("endless variable in command: " + command);
  static const std::regex placeholder("\\{([A-Za-z0-9_]+)\\}");
  string expanded;
  auto rest = command.cbegin();
  for (std::sregex_iterator place(command.begin(), command.end(), placeholder), end; place != end; ++place) {
    const auto found = known.find((*place)[1]);
    expanded.append(rest, (*place)[0].first);
    expanded += found == known.end() ? place->str() : expand(found->second, known, depth + 1);
    rest = (*place)[0].second;
  }
  return expanded.append(rest, command.cend());
}

bench_case read_case(json_object from) {
  bench_case c{from.text("name"), from.text("metric")};
  if (from.has("better")) {
    const string better = from.text("better");
    c.lower_is_better = better == "lower";
    if (better != "lower" && better != "higher") from.fail(from.path("better"), "\"lower\" or \"higher\"", better);
  }
  if (from.has("limit")) c.limit = from.number("limit", 0);
  for (json_object who : from.objects("contestants")) {
    c.contestants.push_back({who.text("label"), who.text("command")});
    who.end();
  }
  from.end();
  return c;
}

std::vector<bench_case> read_cases(const string& path, variables& known) {
  const nlohmann::json whole = ovlp::base::read_json(path);
  json_object top(whole, path);
  if (top.has("variables")) {
    json_object named = top.object("variables");
    for (const string& name : named.keys()) known.emplace(name, named.text(name));
  }
  std::vector<bench_case> cases;
  for (const json_object& one : top.objects("cases")) cases.push_back(read_case(one));
  top.end();
  return cases;
}

/// The metric that is measured from outside: no report is needed.
constexpr const char* process_cpu_s = "process_cpu_s";

/// Runs one contestant once and keeps its report. Errors: one line with case, label, reason and the command.
void run_once(const bench_case& c, contestant& who, double limit_s) {
  const auto ended = run_command(who.command, limit_s);
  const auto failed = [&](const string& why) {
    const string said = last_line(ended.err);
    return std::runtime_error(c.name + ": " + who.label + " " + why + (said.empty() ? "" : " (" + said + ")") + ": " +
                              who.command);
  };
  if (ended.timed_out) throw failed("did not end within " + std::to_string(std::lround(limit_s)) + " s");
  if (ended.status > 128) throw failed("was ended by signal " + std::to_string(ended.status - 128));
  if (ended.status != 0) throw failed("failed with exit code " + std::to_string(ended.status));
  const json result = c.metric == process_cpu_s ? json{{process_cpu_s, ended.cpu_s}}
                                                : json::parse(last_line(ended.out, "{"), nullptr, false);
  if (!result.is_object()) throw failed("printed no line of JSON");
  if (!result.contains(c.metric) || !result.at(c.metric).is_number()) throw failed("reported no " + c.metric);
  const auto value = result.at(c.metric).get<double>();
  if (!(value > 0)) throw failed("reported " + c.metric + " = " + result.at(c.metric).dump());
  who.reports.push_back(result);
  who.values.push_back(value);
}

constexpr std::array<std::pair<const char*, double>, 5> quantiles{
    {{"min", 0.0}, {"q1", 0.25}, {"median", 0.5}, {"q3", 0.75}, {"max", 1.0}}};

void print_row(const string& label, const std::vector<double>& values) {
  std::printf("  %-24s", label.c_str());
  for (const auto& [name, q] : quantiles) std::printf(" %11.5g", quantile(values, q));
  std::printf("\n");
}

json summary(const std::vector<double>& values) {
  json j;
  for (const auto& [name, q] : quantiles) j[name] = quantile(values, q);
  j["values"] = values;
  return j;
}

/// Runs a case and prints it. Returns its part of the results; "within" says whether the limit holds, if there is one.
json compete(bench_case& c, int pairs, double limit_s) {
  std::printf("%s: %s, %s is better, %d pairs\n", c.name.c_str(), c.metric.c_str(),
              c.lower_is_better ? "lower" : "higher", pairs);
  for (int pair = 0; pair < pairs; ++pair)
    for (auto& who : c.contestants) run_once(c, who, limit_s);

  json result{{"name", c.name}, {"metric", c.metric}, {"better", c.lower_is_better ? "lower" : "higher"}};
  std::printf("  %-24s", "");
  for (const auto& [name, q] : quantiles) std::printf(" %11s", name);
  std::printf("\n");
  for (const auto& who : c.contestants) {
    print_row(who.label, who.values);
    json entry{{"label", who.label}, {"command", who.command}};
    entry.update(summary(who.values));
    entry["reports"] = who.reports;
    result["contestants"].push_back(entry);
  }

  const contestant& ours = c.contestants.front();
  const contestant* best = nullptr;
  double against_best = 1;
  for (const auto& rival : c.contestants) {
    if (&rival == &ours) continue;
    std::vector<double> ratios;
    for (std::size_t i = 0; i < ours.values.size(); ++i) ratios.push_back(ours.values[i] / rival.values[i]);
    print_row(ours.label + " / " + rival.label, ratios);
    json entry{{"rival", rival.label}};
    entry.update(summary(ratios));
    result["ratios"].push_back(entry);
    const double median = quantile(rival.values, 0.5);
    const double record = best ? quantile(best->values, 0.5) : 0;
    if (!best || (c.lower_is_better ? median < record : median > record))
      best = &rival, against_best = quantile(ratios, 0.5);
  }
  if (c.limit) {
    const double median = best ? against_best : quantile(ours.values, 0.5);
    const bool within = c.lower_is_better ? median <= *c.limit : median >= *c.limit;
    std::printf("  median %s %.4g, limit %s %g: %s\n", best ? ("ratio to " + best->label).c_str() : c.metric.c_str(),
                median, c.lower_is_better ? "<=" : ">=", *c.limit, within ? "within" : "NOT within");
    result["limit"] = *c.limit;
    result["within"] = within;
  }
  std::fflush(stdout);
  return result;
}

json describe_machine() {
  return {{"host", ovlp::base::machine_name()},
          {"system", ask("uname -sr")},
          {"cpu", ovlp::base::processor_name()},
          {"cores", ovlp::base::available_cores()}};
}

}  // namespace

int main(int argc, char** argv) try {
  const auto source = std::filesystem::path(__FILE__).parent_path();
  string file = (source / "cases.json").string(), output, metric = "seconds", label_a = "a", a;
  string bin = std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
  std::vector<string> selected, labels_b, b;
  int pairs = 11;
  unsigned seed = 1;
  double limit_s = 300;
  bool higher = false, gate = false;
  CLI::App app{"Runs contestants interleaved, one process at a time, and compares what they report"};
  app.add_option("--file", file, "file of cases");
  auto* const cases_wanted = app.add_option("--case", selected, "cases of the file to run; without it all");
  app.add_option("--a", a, "a case of its own: our command")->excludes(cases_wanted);
  app.add_option("--b", b, "a rival's command; may be given several times")->allow_extra_args(false);
  app.add_option("--label-a", label_a, "name of --a");
  app.add_option("--label-b", labels_b, "names of the --b, in their order")->allow_extra_args(false);
  app.add_option("--metric", metric, "key of the value to compare, with --a");
  app.add_flag("--higher", higher, "a higher value is better, with --a");
  app.add_option("--pairs", pairs, "how often each contestant runs")->check(CLI::PositiveNumber);
  app.add_option("--seed", seed, "what {seed} stands for in commands");
  app.add_option("--bin", bin, "what {bin} stands for in commands: the folder of this program");
  app.add_option("--timeout", limit_s, "seconds one command may take")->check(CLI::PositiveNumber);
  app.add_option("--json", output, "file for the results; without it none");
  app.add_flag("--gate", gate, "exit code 3 when a limit does not hold");
  CLI11_PARSE(app, argc, argv);
  ovlp::base::notice_interrupts();

  variables known{{"bin", bin}, {"seed", std::to_string(seed)}};
  std::vector<bench_case> cases;
  if (!a.empty()) {
    cases.push_back({label_a, metric, !higher, {}, {{label_a, a}}});
    labels_b.resize(b.size());
    for (std::size_t i = 0; i < b.size(); ++i)
      cases.front().contestants.push_back({labels_b[i].empty() ? "b" + std::to_string(i + 1) : labels_b[i], b[i]});
  } else {
    const auto all = read_cases(file, known);
    if (selected.empty()) cases = all;
    for (const string& name : selected) {
      const auto before = cases.size();
      std::copy_if(all.begin(), all.end(), std::back_inserter(cases),
                   [&](const bench_case& c) { return name == c.name; });
      if (cases.size() > before) continue;
      std::string names;
      for (const auto& c : all) names += " " + c.name;
      throw std::runtime_error(file + ": no case '" + name + "'; there are:" + names);
    }
  }
  for (auto& c : cases)
    for (auto& who : c.contestants) who.command = expand(who.command, known);

  const string git = "git -C '" + source.string() + "' ";
  json results{{"commit", ask(git + "rev-parse HEAD")},
               {"modified", ask(git + "status --porcelain") != "unknown"},  // it prints a line for each change
               {"date", ask("date -u +%Y-%m-%dT%H:%M:%SZ")},
               {"machine", describe_machine()},
               {"seed", seed},
               {"pairs", pairs},
               {"cases", json::array()}};
  int code = 0;
  for (auto& c : cases) try {
      results["cases"].push_back(compete(c, pairs, limit_s));
      if (gate && code == 0 && !results["cases"].back().value("within", true)) code = 3;
    } catch (const std::exception& e) {
      std::fprintf(stderr, "compare: %s\n", e.what());
      results["failures"].push_back(e.what());
      code = 2;
    }
  if (!output.empty()) ovlp::base::write_file(output, results.dump(1) + "\n");
  return code;
} catch (const ovlp::base::interrupted&) {
  return 130;
} catch (const std::exception& e) {
  std::fprintf(stderr, "compare: %s\n", e.what());
  return 2;
}
