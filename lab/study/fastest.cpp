// SPDX-License-Identifier: BSD-3-Clause
#include "fastest.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include <ovlp/analysis/known_errors.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/base/text.hpp>

#include "sweep_plan.hpp"

namespace ovlp::lab::study {
namespace {

using analysis::known_error;
using analysis::predicted;
using base::statement;
using nlohmann::json;

struct candidate {
  std::string chosen;  ///< options
  double time_s;
  double spread;           ///< of the prediction
  std::string not_backed;  ///< why nothing is known of its error; empty: something is
};

/// By the options that are not chosen.
using groups = std::map<std::string, std::vector<candidate>>;

std::string words_text(std::map<std::string, json> const& options) {
  std::vector<std::string> words;
  for (auto const& [name, value] : options) words.push_back("--" + name + (value == true ? "" : " " + as_text(value)));
  return words.empty() ? "without any" : base::joined(words, " ");
}

candidate candidate_of(std::string chosen, json const& summary) {
  candidate read{std::move(chosen), summary.at("time_s"), 0, {}};
  if (summary.value("interval_of", json()) == analysis::key_of(predicted::time))
    read.spread = summary.at("prediction_spread");
  else read.not_backed = summary.value("interval_from", "the program was built with an older ovlp");
  return read;
}

/// Options by which runs differ.
std::set<std::string> different(std::vector<json> const& options) {
  std::set<std::string> names, found;
  for (json const& of : options)
    for (auto const& entry : of.items()) names.insert(entry.key());
  for (std::string const& name : names) {
    auto const value = [&](json const& of) { return of.value(name, json()); };
    if (std::ranges::any_of(options, [&](json const& of) { return value(of) != value(options.front()); }))
      found.insert(name);
  }
  return found;
}

groups read_groups(base::database& runs, std::vector<std::string> const& choose) {
  std::vector<json> options, summaries;
  for (statement s = runs.prepare("SELECT options, summary FROM run WHERE error IS NULL ORDER BY number"); s.next();) {
    options.push_back(json::parse(s.text(0)));
    summaries.push_back(json::parse(s.text(1)));
  }
  std::set<std::string> const known = different(options);
  for (std::string const& name : choose) {
    if (known.contains(name)) continue;
    throw config_error("--choose: expected options by which runs differ, of " +
                       base::joined({known.begin(), known.end()}) + ", got " + base::quoted(name));
  }
  groups read;
  for (std::size_t i = 0; i < options.size(); ++i) {
    std::map<std::string, json> chosen, others;
    for (auto const& [name, value] : options[i].items()) {
      if (!known.contains(name)) continue;
      (std::ranges::find(choose, name) == choose.end() ? others : chosen)[name] = value;
    }
    read[others.empty() ? "all" : words_text(others)].push_back(candidate_of(words_text(chosen), summaries[i]));
  }
  return read;
}

std::string line_of(std::vector<candidate> all, std::optional<known_error> const& known) {
  std::ranges::stable_sort(all, {}, &candidate::time_s);
  candidate const& fastest = all.front();
  auto const named = [](candidate const& one) { return one.chosen + " (" + base::shortest(one.time_s) + " s)"; };
  std::string text = "fastest is " + named(fastest);
  if (all.size() == 1) return text + ", the only one";
  auto const weak = std::ranges::find_if(all, [](candidate const& one) { return !one.not_backed.empty(); });
  if (weak != all.end()) return text + "; how sure that is was not measured: " + weak->not_backed;
  if (!known) return text + "; how sure that is was not measured";
  std::vector<std::string> as_good;
  for (candidate const& other : all) {
    bool const may_be_faster =
        known->around(1, std::max(fastest.spread, other.spread)).low * other.time_s <= fastest.time_s;
    if (&other != &fastest && may_be_faster) as_good.push_back(named(other));
  }
  return text + (as_good.empty() ? ", faster than all others" : "; may be as fast: " + base::joined(as_good, ", "));
}

}  // namespace

std::string fastest_text(base::database& runs, std::vector<std::string> const& choose) {
  groups const all = read_groups(runs, choose);
  auto const known = analysis::known_error_of(predicted::ratio_of_times);
  std::string text;
  for (auto const& [others, candidates] : all) text += others + ": " + line_of(candidates, known) + "\n";
  if (known)
    text += "By the errors of " + known->cases_text(predicted::ratio_of_times) + ", right nine times in ten.\n";
  return text;
}

}  // namespace ovlp::lab::study
