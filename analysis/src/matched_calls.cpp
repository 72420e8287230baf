// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/analysis/matched_calls.hpp>

#include <algorithm>

namespace ovlp::analysis {
namespace {

std::string listed(std::vector<call_name> const& names) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) text += (i > 0 ? ", " : "") + names[i].text();
  return names.size() > most ? text + " and " + std::to_string(names.size() - most) + " more" : text;
}

}  // namespace

std::string call_name::text() const { return number == 1 ? graph : graph + ' ' + std::to_string(number); }

void call_list::begin(run_definitions const& names) {
  if (!graphs_.empty()) return;  // of another process of the same run
  for (run_definitions::graph const& graph : names.graphs) graphs_.push_back(graph.name);
}

void call_list::call(call_record const& r) {
  if (r.begins) {
    std::string const graph = r.graph < graphs_.size() ? graphs_[r.graph] : "";
    places_[r.call] = calls_.size();
    call_name const name{graph, ++made_[graph]};
    named_[name] = calls_.size();
    calls_.push_back({name, r.call, r.graph, r.at_s, std::nullopt});
  } else if (auto const begun = places_.find(r.call); begun != places_.end()) {
    calls_[begun->second].end_s = r.at_s;
  }
}

run_call const* call_list::find(std::uint64_t call) const {
  auto const found = places_.find(call);
  return found == places_.end() ? nullptr : &calls_[found->second];
}

run_call const* call_list::find(call_name const& name) const {
  auto const found = named_.find(name);
  return found == named_.end() ? nullptr : &calls_[found->second];
}

bool matched_calls::differ() const {
  return others.size() > 1 && std::ranges::any_of(others, [](auto const& of_run) { return !of_run.empty(); });
}

std::string matched_calls::note(std::vector<std::string> const& names_of_runs) const {
  if (!differ()) return "";
  std::string text = compared.empty() ? "no call is in all runs, and has ended there: nothing is compared"
                                      : "compared is what all runs have called: " + listed(compared);
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (!others[i].empty()) text += "; " + names_of_runs.at(i) + " also has " + listed(others[i]);
  }
  return text;
}

matched_calls match_calls(std::vector<std::vector<run_call>> const& runs) {
  matched_calls found;
  struct in_runs {
    std::size_t made = 0, ended = 0;
  };
  std::map<call_name, in_runs> counts;
  for (std::vector<run_call> const& of : runs) {
    for (run_call const& c : of) {
      in_runs& runs_with = counts[c.name];
      ++runs_with.made;
      if (c.end_s) ++runs_with.ended;
    }
  }
  for (std::vector<run_call> const& of : runs) {
    bool const first = found.others.empty();
    std::vector<call_name>& others = found.others.emplace_back();
    for (run_call const& c : of) {
      auto const [made, ended] = counts.at(c.name);
      if (first && made == runs.size()) found.common.push_back(c.name);
      if (first && ended == runs.size()) found.compared.push_back(c.name);
      if (ended != runs.size()) others.push_back(c.name);
    }
  }
  return found;
}

}  // namespace ovlp::analysis
