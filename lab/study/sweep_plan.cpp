// SPDX-License-Identifier: BSD-3-Clause
#include "sweep_plan.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/base/json_object.hpp>
#include <ovlp/base/text.hpp>

#include "combinations.hpp"

namespace ovlp::lab::study {
namespace {

using base::json_object;
using nlohmann::json;

constexpr std::size_t most_runs = 1'000'000;

bool is_scalar(json const& value) { return value.is_number() || value.is_string(); }

/// null and false: the option is left out.
json read_value(json_object const& in, std::string const& place, json const& value) {
  if (value.is_null() || value == false) return nullptr;
  if (value == true || is_scalar(value)) return value;
  if (value.is_array() && !value.empty() && std::ranges::all_of(value, is_scalar)) return value;
  in.fail(place, "a number, a text, true, false, null, or a list of numbers and texts", value);
}

void check_name(json_object const& in, std::string const& name) {
  constexpr char const* good = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  if (name.empty() || name.front() == '-' || name.find_first_not_of(good) != std::string::npos)
    in.fail(in.path(name), "the name of an option, without --", name);
  if (name == "summary") in.fail(in.path(name), "other options: the sweep takes the summary itself", name);
}

/// {"from": 1, "to": 9, "step": 2}
std::vector<json> read_range(json_object in) {
  std::size_t const from = in.count("from", 0), to = in.count("to", from), step = in.count("step", 1, 1);
  in.end();
  std::vector<json> values;
  for (std::size_t value = from; value <= to; value += step) values.emplace_back(value);
  return values;
}

std::vector<json> read_values(json_object& in, std::string const& name) {
  json const& values = in.at(name);
  if (values.is_object()) return read_range(in.object(name));
  if (!values.is_array() || values.empty()) in.fail(in.path(name), "a list of values, or a range", values);
  std::vector<json> read;
  for (std::size_t i = 0; i < values.size(); ++i)
    read.push_back(read_value(in, in.path(name) + "[" + std::to_string(i) + "]", values[i]));
  return read;
}

option_values read_options(json_object in) {
  option_values read;
  for (std::string const& name : in.keys()) {
    check_name(in, name);
    read[name] = read_value(in, in.path(name), in.at(name));
  }
  return read;
}

class reader {
 public:
  explicit reader(std::string const& file) : parsed_(base::read_json(file)), top_(parsed_, file) { plan_.file = file; }

  sweep_plan read() {
    plan_.program = top_.text("program");
    if (plan_.program.empty()) top_.fail("program", "a program", plan_.program);
    if (top_.has("time_limit_s"))
      plan_.time_limit = std::chrono::duration<double>(top_.number_above("time_limit_s", 0));
    plan_.options = read_options(top_.object_or_empty("options"));
    if (top_.has("arguments")) read_arguments();
    bool const has_grid = top_.has("grid"), has_runs = top_.has("runs");
    if (has_grid) read_grid(top_.object("grid"));
    if (has_runs) {
      std::size_t number = 0;
      for (json_object const& one : top_.objects("runs"))
        add(read_options(one), "runs[" + std::to_string(number++) + "]");
    }
    if (!has_grid && !has_runs) throw config_error(plan_.file + ": expected a grid, or runs, but there is neither");
    top_.end();
    json text = parsed_;
    text.erase("time_limit_s");
    plan_.text = text.dump(-1, ' ', false, json::error_handler_t::replace);
    return std::move(plan_);
  }

 private:
  void read_arguments() {
    json const& list = top_.at("arguments");
    if (!list.is_array()) top_.fail("arguments", "a list of texts", list);
    for (json const& one : list) {
      if (!one.is_string()) top_.fail("arguments", "texts", one);
      plan_.arguments.push_back(one);
    }
  }

  void read_grid(json_object in) {
    std::vector<std::pair<std::string, std::vector<json>>> all;
    std::size_t count = 1;
    for (std::string const& name : in.keys()) {
      check_name(in, name);
      all.emplace_back(name, read_values(in, name));
      count *= all.back().second.size();
      if (count > most_runs) in.fail("grid", "a million runs at most", count);
    }
    for (option_values const& run : combinations(all)) add(run, "grid");
  }

  /// A run with these options and those of all.
  void add(option_values run, std::string const& place) {
    for (auto const& [name, value] : plan_.options) {
      if (!run.emplace(name, value).second) top_.fail(place, "an option once; it stands in options, too", name);
    }
    if (!seen_.insert(json(run).dump(-1, ' ', false, json::error_handler_t::replace)).second)
      top_.fail(place, "each run once; this one is there twice", run);
    plan_.runs.push_back(std::move(run));
  }

  json const parsed_;
  json_object top_;
  sweep_plan plan_;
  std::set<std::string> seen_;
};

}  // namespace

std::string as_text(json const& value) {
  if (value.is_string()) return value;
  if (!value.is_array()) return value.dump();
  std::vector<std::string> words;
  for (json const& one : value) words.push_back(as_text(one));
  return base::joined(words, " ");
}

std::vector<std::string> sweep_plan::command_of(option_values const& run) const {
  std::vector<std::string> words{program};
  for (auto const& [name, value] : run) {
    if (value.is_null()) continue;
    for (json const& one : value.is_array() ? value : json::array({value})) {
      words.push_back("--" + name);
      if (one != true) words.push_back(as_text(one));
    }
  }
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

sweep_plan sweep_plan::read(std::string const& file) { return reader(file).read(); }

}  // namespace ovlp::lab::study
