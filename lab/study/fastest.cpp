// SPDX-License-Identifier: BSD-3-Clause
#include "fastest.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>

#include <nlohmann/json.hpp>

#include <ovlp/analysis/known_errors.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/base/streams.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp::lab::study {
namespace {

using analysis::known_error;
using analysis::predicted;
using nlohmann::ordered_json;

struct candidate {
  std::string choice;  ///< options
  std::string platform;
  double time_s;
  double spread;           ///< of the prediction
  std::string not_backed;  ///< why nothing is known of its error; empty: something is

  std::string text() const {
    base::text_writer line;
    line.precision(4);
    line << choice << " (" << time_s << " s)";
    return line.str();
  }
};

/// Runs that differ in what is chosen alone.
struct group {
  std::string others;  ///< the options that are not chosen
  std::vector<candidate> all;
  std::size_t failed = 0;
};

/// Options by which runs differ.
std::set<std::string> different(sweep_plan const& plan) {
  std::set<std::string> names, found;
  for (option_values const& run : plan.runs)
    for (auto const& entry : run) names.insert(entry.first);
  for (std::string const& name : names) {
    auto const value = [&](option_values const& run) {
      auto const given = run.find(name);
      return given == run.end() ? nlohmann::json() : given->second;
    };
    nlohmann::json const first = value(plan.runs.front());
    if (std::ranges::any_of(plan.runs, [&](option_values const& run) { return value(run) != first; }))
      found.insert(name);
  }
  return found;
}

/// As on a command line; options that are left out are not there.
std::string words_text(option_values const& options) {
  std::vector<std::string> words;
  for (auto const& [name, value] : options)
    if (!value.is_null()) words.push_back("--" + name + (value == true ? "" : " " + as_text(value)));
  return words.empty() ? "without options" : base::joined(words, " ");
}

std::string why_not_backed(ordered_json const& summary) {
  if (!summary.contains("interval_of")) return "the program was built with an older ovlp";
  ordered_json const& kind = summary.at("interval_of");
  if (kind.is_null()) return summary.at("interval_from");
  if (kind == analysis::key_of(predicted::time)) return "";
  return "ratios of such runs (" + kind.get<std::string>() + ") were not measured";
}

/// Errors: io_error.
candidate candidate_of(std::size_t number, std::string choice, ordered_json const& summary) {
  try {
    candidate read{std::move(choice), summary.value("platform", ""), summary.at("time_s"), 0, why_not_backed(summary)};
    if (read.not_backed.empty()) read.spread = summary.at("prediction_spread");
    return read;
  } catch (nlohmann::json::exception const& wrong) {
    throw io_error("run " + std::to_string(number) + ": expected a summary of a simulated run: " + wrong.what());
  }
}

/// In the order of the sweep.
std::vector<group> groups_of(run_table const& runs, sweep_plan const& plan, std::vector<std::string> const& choose) {
  std::set<std::string> const shown = different(plan);
  std::vector<group> all;
  for (std::size_t number = 1; number <= plan.runs.size(); ++number) {
    option_values chosen, others;
    for (auto const& [name, value] : plan.runs[number - 1])
      if (shown.contains(name)) (std::ranges::find(choose, name) == choose.end() ? others : chosen)[name] = value;
    std::string const name = others.empty() ? "all" : words_text(others);
    auto of = std::ranges::find(all, name, &group::others);
    if (of == all.end()) of = all.insert(of, {name, {}});
    if (auto const summary = runs.summary(number))
      of->all.push_back(candidate_of(number, words_text(chosen), *summary));
    else ++of->failed;
  }
  return all;
}

/// Why no measured error tells the candidates apart; empty: one does.
std::string why_not_backed(std::vector<candidate> const& all) {
  for (candidate const& one : all)
    if (!one.not_backed.empty()) return one.not_backed;
  bool const on_one = std::ranges::all_of(all, [&](candidate const& c) { return c.platform == all[0].platform; });
  return on_one ? "" : "ratios of times on several platforms were not measured";
}

/// Those whose time, relative to that of the fastest, is within the error. Many are cut short.
std::string as_fast_text(std::vector<candidate> const& sorted, known_error const& error) {
  constexpr std::size_t most_named = 6;
  std::vector<std::string> found;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    double const spread = std::max(sorted[0].spread, sorted[i].spread);
    if (error.around(1, spread).low * sorted[i].time_s <= sorted[0].time_s) found.push_back(sorted[i].text());
  }
  if (found.size() > most_named) {
    std::string const more = std::to_string(found.size() - most_named) + " more";
    found.resize(most_named);
    found.push_back(more);
  }
  return found.empty() ? ", faster than all others" : "; may be as fast: " + base::joined(found, ", ");
}

}  // namespace

void expect_choice(sweep_plan const& plan, std::vector<std::string> const& choose) {
  std::set<std::string> const known = different(plan);
  for (std::string const& name : choose) {
    if (known.contains(name)) continue;
    throw config_error("--choose: " + (known.empty() ? "all runs have the same options"
                                                     : "expected options by which runs differ, of " +
                                                           base::joined({known.begin(), known.end()}) + ", got " +
                                                           base::quoted(name)));
  }
}

std::string fastest_text(run_table const& runs, sweep_plan const& plan, std::vector<std::string> const& choose) {
  auto const error = analysis::known_error_of(predicted::ratio_of_times);
  bool any_backed = false;
  std::string text;
  for (group& of : groups_of(runs, plan, choose)) {
    std::string const failed = of.failed > 0 ? "; " + std::to_string(of.failed) + " failed" : "";
    if (of.all.empty()) continue;
    std::ranges::stable_sort(of.all, {}, &candidate::time_s);
    std::string const why_not = error ? why_not_backed(of.all) : "no ratios were measured";
    std::string const others = of.all.size() == 1 ? ", the only one"
                               : why_not.empty()  ? as_fast_text(of.all, *error)
                                                  : "; no measured error backs this comparison: " + why_not;
    any_backed |= of.all.size() > 1 && why_not.empty();
    text += of.others + ": fastest is " + of.all[0].text() + others + failed + "\n";
  }
  if (any_backed)
    text += "Not named are those further behind than nine in ten of " + error->cases_text(predicted::ratio_of_times) +
            " were off.\n";
  return text;
}

}  // namespace ovlp::lab::study
