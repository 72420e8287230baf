// SPDX-License-Identifier: BSD-3-Clause
#include "campaign.hpp"

#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/host.hpp>
#include <ovlp/base/json_object.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/progress.hpp>
#include <ovlp/machine/platform.hpp>
#include <ovlp/simkernel/durations.hpp>

#include "durations_check.hpp"
#include "plans.hpp"
#include "testbed/description.hpp"

namespace ovlp::lab::validate {
namespace {

using base::outcome;
using base::put_off_interrupts;
using base::read_json;
using nlohmann::json;

constexpr char const* testbed_name = "validate";
/// Rounds of calibration when a testbed has come up, and runs between one round and the next.
constexpr std::size_t first_rounds = 2, runs_a_round = 10;
/// Runs for which one run's durations stand.
constexpr std::size_t runs_with_durations = 3;

words on_testbed(places const& where, words const& command, std::optional<straggler> const& slow) {
  words all{where.testbeds + "/run", "--name", testbed_name};
  if (slow) append(all, {"--straggler", slow->text()});
  append(all, command);
  return all;
}

/// A testbed that is up as long as this lives.
class standing_testbed {
 public:
  standing_testbed(testbed const& t, places const& where) : where_(where) {
    words up{where.testbeds + "/up"};
    append(up, t.up);
    append(up, {"--name", testbed_name});  // the last one counts
    outcome made;
    {
      put_off_interrupts const finish;  // or half of it would stay
      made = base::run({std::move(up), "", {{"OVLP_BUILD", where.build}}});
    }
    if (!made.good()) throw io_error("testbed '" + t.name + "': " + made.complaint());
    description_ = json::parse(made.out, nullptr, false);
  }
  standing_testbed(standing_testbed const&) = delete;
  standing_testbed& operator=(standing_testbed const&) = delete;
  ~standing_testbed() {
    put_off_interrupts const finish;
    outcome const done = base::run({{where_.testbeds + "/down", "--name", testbed_name}});
    if (!done.good()) std::fprintf(stderr, "ovlp validate: %s\n", done.complaint().c_str());
  }
  json const& description() const { return description_; }

 private:
  places const& where_;
  json description_;
};

std::vector<iteration_measurement> read_iterations(run_key const& of, json const& summary) {
  std::vector<iteration_measurement> all;
  for (json const& i : summary.at("iterations")) {
    all.push_back({of, i.at("index"), i.at("start_s"), i.at("end_s"), i.at("work_s"), i.at("held_node_s")});
  }
  return all;
}

std::vector<kernel_measurement> read_durations(run_key const& of, std::string const& file) {
  std::vector<kernel_measurement> all;
  for (sim::kernel_duration const& one : sim::read_durations(file).kernels) {
    std::string sizes;
    for (std::int64_t size : one.sizes) sizes += (sizes.empty() ? "" : " ") + std::to_string(size);
    all.push_back({of, one.kernel, sizes, one.mean_s, one.standard_deviation_s, one.first_s,
                   static_cast<std::uint64_t>(one.count)});
  }
  return all;
}

/// What a run on the testbed has left.
struct measured_run {
  measurement run;
  std::vector<iteration_measurement> iterations;
  std::vector<kernel_measurement> kernels;
};

/// Errors: exceptions of many kinds, if the program wrote no summary or durations, or others than it should.
measured_run read_results(run_key const& of, scratch const& files, bool has_durations) {
  json const summary = read_json(files.summary);
  measured_run read;
  read.run.time_s = summary.at("time_s");
  read.run.work_s = summary.at("work_s");
  read.run.overhead_s = summary.at("overhead_s");
  read.run.transfers = summary.at("transfers");
  read.run.bytes = summary.at("bytes");
  read.run.held_node_s = summary.at("held_node_s");
  read.run.call = summary.value("call", "");
  json const host = summary.value("host", json::object());
  read.run.processors = {host.value("cpu_s", 0.0), host.value("waited_s", 0.0)};
  if (!(read.run.time_s > 0)) throw config_error("time_s is not above 0");
  read.iterations = read_iterations(of, summary);
  if (has_durations) read.kernels = read_durations(of, files.durations);
  return read;
}

void measure_one(grid const& of, testbed const& on, run_key const& key, bool record_durations, places const& where,
                 measurements& to, base::progress& progress) {
  application const& program = of.applications.at(key.application);
  scratch const files;
  words command = on_testbed(where, command_of(program.real, key.options, where), on.slow);
  append(command, {"--summary", files.summary});
  if (record_durations) append(command, {"--record-durations", files.durations});
  outcome const ran = base::run({std::move(command), "", on.environment, of.time_limit});

  measured_run found;
  if (!ran.good()) {
    outcome const nothing = base::run({on_testbed(where, {"true"}, {})});
    if (!nothing.good()) throw io_error("testbed '" + on.name + "' has been taken away: " + nothing.complaint());
    found.run.failure = ran.complaint();
  } else {
    try {
      found = read_results(key, files, record_durations);
    } catch (std::exception const& error) {  // the program's, not ours
      found.run.failure = std::string("its summary or durations: ") + error.what();
    }
  }
  found.run.of = key;
  to.add(found.run, found.iterations, found.kernels);
  progress.say(key.testbed + " " + key.application + " " + key.options + " #" + std::to_string(key.repetition) + ": " +
               (found.run.failure.empty() ? std::to_string(found.run.time_s) + " s" : "failed: " + found.run.failure));
  if (std::string const warning = warning_of(found.run.processors); !warning.empty()) progress.say("  " + warning);
  progress.advance();
}

/// A calibration for another testbed is no reason to stop, but one for a warning.
void compare_testbeds(std::string const& file, testbed const& t, json const& here, base::progress& progress) {
  json const platform = read_json(file);
  std::string const differences = testbed_differences(platform.value("testbed", json()), here);
  if (differences.empty()) return;
  progress.say("ovlp validate: warning: platform " + platform.value("name", json()).dump() + " of '" + file +
               "' was calibrated on another testbed than '" + t.name + "': " + differences);
}

/// Adds rounds to what is known of the testbed, which stands.
void calibrate(testbed const& t, json const& description, std::size_t rounds, places const& where,
               base::progress& progress) {
  progress.say(t.name + ": calibrating");
  base::make_folder(where.output + "/platforms");
  std::string const nodes = t.calibrated_nodes ? std::to_string(*t.calibrated_nodes) : description.at("nodes").dump();
  auto environment = t.environment;
  environment.emplace_back("OVLP_BUILD", std::filesystem::absolute(where.build).string());
  outcome const done =
      base::run({{where.testbeds + "/calibrate", testbed_name, "--nodes", nodes, "--name", "testbed-" + t.name, "-o",
                  platform_of(t, where), "--rounds", std::to_string(rounds), "--add"},
                 "",
                 std::move(environment),
                 std::chrono::seconds(600)});
  if (!done.good()) throw io_error("testbed '" + t.name + "': calibration: " + done.complaint());
}

/// Both models' platforms must be good before hours of measurements, not after.
void check_platform(testbed const& t, places const& where) {
  for (std::string const& file : {platform_of(t, where), plain_platform_of(t, where)}) {
    if (!std::filesystem::exists(file)) {
      throw config_error("testbed '" + t.name + "': platform '" + file + "' cannot be read");
    }
    machine::platform::find(file);
  }
}

/// Figures of another processor are no reason to stop either.
void compare_processors(testbed const& t, places const& where) {
  machine::platform const given = machine::platform::find(platform_of(t, where));
  std::string const here = base::processor_name();
  if (given.processor.empty() || sim::same_core(given.processor, here)) return;
  std::fprintf(stderr,
               "ovlp validate: note: platform '%s' was calibrated on '%s', but this machine's processor is '%s'\n",
               platform_of(t, where).c_str(), given.processor.c_str(), here.c_str());
}

struct planned_run {
  run_key key;
  bool gives_durations;
  configuration const* of;  ///< nullptr: of none
};

/// The runs on one testbed that a repetition needs. Those that give durations, if these are wanted, come before the
/// runs that need them, and again after some of these: what the host does meanwhile must meet both alike.
std::vector<planned_run> plan(grid const& of, testbed const& t, std::size_t repetition, bool with_durations) {
  using program = std::pair<std::string, std::string>;  // application and options
  std::set<program> durations;
  for (configuration const& c : of.configurations) durations.emplace(c.application, c.durations);
  std::vector<planned_run> runs;
  std::map<program, std::size_t> times;    // planned
  std::map<program, std::size_t> planned;  // runs when its durations were last planned
  auto const add = [&](std::string const& application, std::string const& options, configuration const* c) {
    ++times[{application, options}];
    runs.push_back(
        {{t.name, application, options, times[{application, options}]}, durations.contains({application, options}), c});
  };
  for (configuration const& c : of.configurations) {
    if (c.testbed != t.name) continue;
    program const needed{c.application, c.durations};
    auto const last = planned.find(needed);
    if (with_durations && (last == planned.end() || runs.size() - last->second >= runs_with_durations)) {
      add(c.application, c.durations, nullptr);
      planned[needed] = runs.size();
    }
    if (!times.contains({c.application, c.options})) add(c.application, c.options, &c);
  }
  // Runs of later repetitions are counted on.
  for (planned_run& run : runs) run.key.repetition += (repetition - 1) * times[{run.key.application, run.key.options}];
  return runs;
}

}  // namespace

void measure(grid const& of, places const& where, measurements& to, measurements const* earlier) {
  check_scripts(where);
  auto const is_given = [&](testbed const& t) { return !where.calibrated.empty() || !t.platform.empty(); };
  for (testbed const& t : of.testbeds) {
    if (!is_given(t)) continue;
    check_platform(t, where);
    compare_processors(t, where);
  }
  check_durations(of, where, to, earlier);
  auto const missing_of = [&](testbed const& t, std::size_t repetition) {
    std::vector<planned_run> missing = plan(of, t, repetition, !where.has_earlier_durations());
    std::erase_if(missing, [&](planned_run const& run) { return to.has(run.key); });
    return missing;
  };
  std::size_t count = 0;
  for (std::size_t repetition = 1; repetition <= of.repetitions; ++repetition)
    for (testbed const& t : of.testbeds) count += missing_of(t, repetition).size();
  base::progress progress("ovlp validate", count, "runs");
  for (std::size_t repetition = 1; repetition <= of.repetitions; ++repetition) {
    for (testbed const& t : of.testbeds) {
      std::vector<planned_run> const missing = missing_of(t, repetition);
      if (missing.empty()) continue;
      standing_testbed const standing(t, where);
      if (std::size_t const nodes = standing.description().at("nodes"); t.slow && t.slow->node >= nodes) {
        throw config_error(of.file + ": testbeds." + t.name + ".straggler.node: expected less than the testbed's " +
                           std::to_string(nodes) + " nodes, got " + std::to_string(t.slow->node));
      }
      if (is_given(t)) compare_testbeds(platform_of(t, where), t, standing.description(), progress);
      for (std::size_t i = 0; i < missing.size(); ++i) {
        // What the host does meanwhile meets figures and runs alike.
        if (!is_given(t) && i % runs_a_round == 0) {
          calibrate(t, standing.description(), i == 0 ? first_rounds : 1, where, progress);
        }
        if (configuration const* c = missing[i].of; c != nullptr && c->plan) {
          make_plan(of, *c, where, earlier != nullptr ? *earlier : to, progress);
        }
        measure_one(of, t, missing[i].key, missing[i].gives_durations, where, to, progress);
      }
    }
  }
}

}  // namespace ovlp::lab::validate
