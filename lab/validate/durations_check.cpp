// SPDX-License-Identifier: BSD-3-Clause
#include "durations_check.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/json_object.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/machine/platform.hpp>

#include "prediction.hpp"

namespace ovlp::lab::validate {
namespace {

using nlohmann::json;
using program = std::pair<std::string, std::string>;  // application and options

bool is_measured(configuration const& c, std::size_t repetitions, measurements const& in) {
  for (std::size_t r = 1; r <= repetitions; ++r) {
    if (!in.has({c.testbed, c.application, c.options, r})) return false;
  }
  return true;
}

std::string in_words(words const& command) { return base::joined(command, " "); }

/// What the configuration does, on one node.
std::string on_one_node(std::string const& options) {
  words all = base::words_of(options);
  auto const nodes = std::find(all.begin(), all.end(), "--nodes");
  if (nodes != all.end() && nodes + 1 != all.end()) nodes[1] = "1";
  return in_words(all);
}

class check {
 public:
  check(grid const& of, places const& where, measurements const* earlier) : of_(of), where_(where), earlier_(earlier) {}

  void operator()(std::vector<configuration> const& all) {
    std::map<program, std::vector<configuration const*>> of_programs;
    for (configuration const& c : all) of_programs[{c.application, c.durations}].push_back(&c);
    for (auto const& [from, configurations] : of_programs) check_program(from, configurations);
  }
  std::vector<std::string> const& lacking() const { return lacking_; }

 private:
  void check_program(program const& from, std::vector<configuration const*> const& configurations) {
    words const command = command_of(of_.applications.at(from.first).real, from.second, where_);
    std::fprintf(stderr, "ovlp validate: checking durations of '%s'; configurations: %zu\n", in_words(command).c_str(),
                 configurations.size());
    json recorded;
    if (earlier_ == nullptr) {
      try {
        recorded = record(command, of_.testbed_of(*configurations.front()));
      } catch (io_error const& failed) {
        lacking_.push_back(of_.file + ": durations of '" + in_words(command) + "': " + failed.what());
        return;
      }
    }
    // Testbeds differ by what is known of them; else a simulation for one stands for all.
    std::set<std::tuple<std::string, std::string, std::string>> checked;
    for (configuration const* c : configurations) {
      json const platform = platform_for(of_.testbed_of(*c));
      if (!checked.emplace(c->options, platform.dump(), earlier_ == nullptr ? "" : c->testbed).second) continue;
      check_configuration(*c, command, platform, earlier_ == nullptr ? recorded : durations_of(*c, *earlier_));
    }
  }

  json record(words command, testbed const& on) const {
    scratch const files;
    append(command, {"--record-durations", files.durations});
    base::outcome const ran = base::run({std::move(command), "", on.environment, of_.time_limit});
    if (!ran.good()) throw io_error(ran.complaint());
    return base::read_json(files.durations);
  }

  /// Any machine will do; but what is known of kernels must be what will be known.
  json platform_for(testbed const& t) const {
    json assumed = base::parse_json(machine::platform::text_of("gigabit"), "gigabit");
    std::string const file = platform_of(t, where_);
    json const known = std::filesystem::exists(file) ? base::read_json(file) : json::object();
    assumed["kernels"] = known.value("kernels", json::object());
    return assumed;
  }

  void check_configuration(configuration const& c, words const& command, json const& platform, json const& durations) {
    grid once = of_;
    once.simulations = 1;
    std::string complaint;
    try {
      predict(once, c, platform, durations, where_);
      return;
    } catch (io_error const& failed) {
      complaint = failed.what();
    }
    // As the simulator says it: "... has no estimate for kernel 'k' of sizes [1, 2]: ...".
    std::string const before = "no estimate for ";
    std::size_t const begin = complaint.find(before), end = complaint.find(']', begin);
    std::string const of_it = of_.file + ": configuration '" + c.application + " " + c.options + "' ";
    if (begin == std::string::npos || end == std::string::npos) {
      lacking_.push_back(of_it + "cannot be predicted with the durations of '" + in_words(command) + "': " + complaint);
      return;
    }
    std::size_t const kernel = begin + before.size();
    lacking_.push_back(of_it + "lacks durations of " + complaint.substr(kernel, end + 1 - kernel) + ": " +
                       (earlier_ == nullptr
                            ? "'" + in_words(command) + " --record-durations FILE' does not do it"
                            : "those of '" + in_words(command) + "' in '" + earlier_->file_of("durations.csv") +
                                  "' on testbed '" + c.testbed + "' have it not") +
                       "; expected \"durations\" that do it, such as \"" + on_one_node(c.options) + "\"" +
                       (earlier_ == nullptr ? "" : ", recorded with --record-durations"));
  }

  grid const& of_;
  places const& where_;
  measurements const* const earlier_;
  std::vector<std::string> lacking_;  ///< a line each
};

}  // namespace

void check_durations(grid const& of, places const& where, measurements const& measured, measurements const* earlier) {
  std::vector<configuration> left = of.configurations;
  // What is planned runs no other kernels than without its plan.
  std::erase_if(left, [&](configuration const& c) { return c.plan || is_measured(c, of.repetitions, measured); });
  check all(of, where, earlier);
  all(left);
  if (all.lacking().empty()) return;
  for (std::string const& line : all.lacking()) {
    if (&line != &all.lacking().back()) std::fprintf(stderr, "ovlp: %s\n", line.c_str());
  }
  throw config_error(all.lacking().back());
}

}  // namespace ovlp::lab::validate
