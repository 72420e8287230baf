// SPDX-License-Identifier: BSD-3-Clause
#include "grid.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <set>
#include <tuple>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/json_object.hpp>
#include <ovlp/base/text.hpp>

#include "combinations.hpp"

namespace ovlp::lab::validate {
namespace {

using base::json_object;
using base::words_of;
using nlohmann::json;

/// Options, one value each.
using choice = std::map<std::string, std::string>;

/// Blanks separate words and commas fields, so neither may stand in a value.
void check_plain(json_object const& in, std::string const& key, std::string const& text) {
  if (text.find_first_of(",\n\r\t\"") != std::string::npos) {
    in.fail(in.path(key), "a text without commas, quotes and line ends", text);
  }
}

std::string plain_text(json_object& in, std::string const& key) {
  std::string text = in.text(key);
  check_plain(in, key, text);
  return text;
}

std::string as_option(json_object const& in, std::string const& key, json const& value) {
  if (value.is_string()) {
    check_plain(in, key, value.get<std::string>());
    return value;
  }
  if (value.is_number()) return value.dump();
  in.fail(in.path(key), "numbers and texts", value);
}

std::vector<std::string> texts(json_object& in, std::string const& key) {
  json const& list = in.at(key);
  if (!list.is_array() || list.empty()) in.fail(in.path(key), "a list of texts", list);
  std::vector<std::string> all;
  for (json const& one : list) {
    if (!one.is_string()) in.fail(in.path(key), "texts", one);
    check_plain(in, key, one);
    all.push_back(one);
  }
  return all;
}

/// A testbed's name is part of a file's.
void check_testbed_name(json_object const& in, std::string const& name) {
  constexpr char const* good = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  if (name.empty() || name.find_first_not_of(good) != std::string::npos) {
    in.fail("testbeds", "names of letters, digits, - and _", name);
  }
}

/// Node 0 runs alone where durations of kernels are recorded: these are to be of a node as it was calibrated.
straggler read_straggler(json_object in) {
  straggler read;
  read.node = in.count("node", 1);
  read.is_link = in.has("bandwidth");
  std::string const key = read.is_link ? "bandwidth" : "speed";
  read.factor = in.number(key, 0.01);
  if (read.factor >= 1) in.fail(in.path(key), "a number below 1", in.at(key));
  read.from_s = in.number("from_s", 0, 0);
  if (in.has("to_s")) read.to_s = in.number_above("to_s", read.from_s);
  in.end();
  return read;
}

testbed read_testbed(std::string const& name, json_object in, std::filesystem::path const& folder) {
  testbed read;
  read.name = name;
  read.up = words_of(plain_text(in, "up"));
  if (in.has("environment")) {
    json_object variables = in.object("environment");
    for (std::string const& key : variables.keys()) {
      if (key.empty() || key.find('=') != std::string::npos) {
        in.fail(in.path("environment"), "names of variables", key);
      }
      read.environment.emplace_back(key, plain_text(variables, key));
    }
  }
  if (in.has("platform")) {
    std::filesystem::path const file = in.text("platform");
    read.platform = (file.is_absolute() ? file : folder / file).lexically_normal().string();
  }
  if (in.has("calibrated_nodes")) {
    read.calibrated_nodes = in.count("calibrated_nodes", 2);
    if (!read.platform.empty())
      in.fail(in.path("calibrated_nodes"), "none beside a platform", in.at("calibrated_nodes"));
  }
  if (in.has("straggler")) read.slow = read_straggler(in.object("straggler"));
  in.end();
  return read;
}

application read_application(std::string const& name, json_object in) {
  application read{name, words_of(plain_text(in, "real")), words_of(plain_text(in, "simulated")), {}};
  for (char const* program : {"real", "simulated"}) {
    if (words_of(in.text(program)).empty()) in.fail(in.path(program), "a program", in.at(program));
  }
  if (in.has("rank_within")) read.same = texts(in, "rank_within");
  in.end();
  return read;
}

std::vector<choice> read_combinations(json_object options) {
  std::vector<std::pair<std::string, std::vector<std::string>>> all;
  for (std::string const& name : options.keys()) {
    json const& values = options.at(name);
    if (!values.is_array() || values.empty()) options.fail(options.path(name), "a list of values", values);
    all.emplace_back(name, std::vector<std::string>());
    for (json const& value : values) all.back().second.push_back(as_option(options, name, value));
  }
  return combinations(all);
}

/// With {name} replaced by what the option's value is.
std::string filled_in(json_object const& in, std::string const& key, std::string text, choice const& values) {
  for (std::size_t open = text.find('{'); open != std::string::npos; open = text.find('{', open)) {
    std::size_t const close = text.find('}', open);
    auto const found = close == std::string::npos ? values.end() : values.find(text.substr(open + 1, close - open - 1));
    if (found == values.end()) in.fail(in.path(key), "names of options in braces", text);
    text.replace(open, close - open + 1, found->second);
    open += found->second.size();
  }
  return text;
}

std::string joined(choice const& options, std::string const& variant) {
  std::string all;
  for (auto const& [name, value] : options) all += (all.empty() ? "--" : " --") + name + " " + value;
  return variant.empty() ? all : all + " " + variant;
}

/// By name a goal, or by iteration how many nodes are held after it. The first entry: no plan.
std::vector<std::optional<wanted_plan>> read_plans(json_object given, std::string const& program,
                                                   choice const& options) {
  std::vector<std::optional<wanted_plan>> plans{std::nullopt};
  for (std::string const& name : given.keys()) {
    check_plain(given, name, name);
    if (given.at(name).is_string()) {
      plans.push_back(wanted_plan{name, filled_in(given, name, plain_text(given, name), options)});
      continue;
    }
    wanted_plan plan{name, ""};
    plan.given.program = program;
    json_object held = given.object(name);
    for (std::string const& after : held.keys()) {
      int iteration = 0;
      if (!base::read_number(after, iteration) || iteration < 0)
        held.fail(given.path(name), "numbers of iterations", after);
      plan.given.changes[iteration] = {held.count(after, 1)};
    }
    plans.push_back(std::move(plan));
  }
  return plans;
}

/// Of a file that a plan is in, relative to the folder of results.
std::string plan_file_name(std::string const& of) {
  std::string name;
  for (char c : of) {
    bool const plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (plain) name += c;
    else if (!name.empty() && name.back() != '-') name += '-';
  }
  return "plans/" + name + ".json";
}

void read_configurations(json_object in, grid& to) {
  std::string const name = plain_text(in, "application");
  auto const application = to.applications.find(name);
  if (application == to.applications.end()) in.fail(in.path("application"), "one of applications", name);
  std::vector<std::string> const testbeds = texts(in, "testbeds");
  for (std::string const& t : testbeds) {
    if (std::ranges::find(to.testbeds, t, &testbed::name) == to.testbeds.end())
      in.fail(in.path("testbeds"), "names of testbeds", t);
  }
  std::vector<std::pair<std::string, std::string>> variants;
  if (in.has("variants")) {
    json_object given = in.object("variants");
    for (std::string const& key : given.keys()) variants.emplace_back(key, plain_text(given, key));
  } else {
    variants.emplace_back("", "");
  }
  std::string const durations = plain_text(in, "durations");
  for (choice const& options : read_combinations(in.object("options"))) {
    std::string rank;
    for (std::string const& option : application->second.same) {
      auto const value = options.find(option);
      if (value != options.end()) rank += (rank.empty() ? "" : " ") + option + " " + value->second;
    }
    std::string const from = filled_in(in, "durations", durations, options);
    auto const plans = read_plans(in.object_or_empty("plans"), name, options);
    for (auto const& [variant, more] : variants) {
      std::string const all = joined(options, filled_in(in, "variants", more, options));
      for (std::string const& t : testbeds) {
        for (auto const& plan : plans) {
          configuration made{t, name, variant, all, from, rank};
          if (plans.size() > 1) made.base = all;
          if (plan) {
            made.options += " --plan " + plan_file_name(t + "-" + name + "-" + all + "-" + plan->name);
            made.plan = plan;
          }
          to.configurations.push_back(std::move(made));
        }
      }
    }
  }
  in.end();
}

void refuse_twins(grid const& of, std::string const& file) {
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  for (configuration const& c : of.configurations) {
    if (seen.emplace(c.testbed, c.application, c.options).second) continue;
    throw config_error(file + ": configurations: '" + c.application + " " + c.options + "' on testbed '" + c.testbed +
                       "' is there twice");
  }
}

void check_ranks(grid const& of, std::string const& file) {
  for (auto const& entry : of.applications) {  // no binding: Clang captures none
    application const& ranked = entry.second;
    for (std::string const& option : ranked.same) {
      bool const known = std::ranges::any_of(of.configurations, [&](configuration const& c) {
        return c.application == ranked.name && std::ranges::count(words_of(c.options), "--" + option) > 0;
      });
      if (known) continue;
      throw config_error(file + ": applications." + ranked.name +
                         ".rank_within: expected options of its configurations, got '" + option + "'");
    }
  }
}

}  // namespace

testbed const& grid::testbed_of(configuration const& c) const {
  return *std::ranges::find(testbeds, c.testbed, &testbed::name);
}

grid grid::read(std::string const& file) {
  json const parsed = base::read_json(file);
  json_object top(parsed, file);
  grid read;
  read.file = file;
  read.name = plain_text(top, "name");
  read.repetitions = top.count("repetitions", 1);
  if (top.has("simulations")) read.simulations = top.count("simulations", 1);
  if (top.has("time_limit_s")) read.time_limit = std::chrono::seconds(top.count("time_limit_s", 1));
  json_object testbeds = top.object("testbeds");
  for (std::string const& name : testbeds.keys()) {
    check_testbed_name(top, name);
    read.testbeds.push_back(read_testbed(name, testbeds.object(name), std::filesystem::path(file).parent_path()));
  }
  json_object applications = top.object("applications");
  for (std::string const& name : applications.keys()) {
    check_plain(applications, name, name);
    read.applications.emplace(name, read_application(name, applications.object(name)));
  }
  for (json_object const& one : top.objects("configurations")) read_configurations(one, read);
  top.end();
  refuse_twins(read, file);
  check_ranks(read, file);
  return read;
}

}  // namespace ovlp::lab::validate
