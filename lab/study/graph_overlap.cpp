// SPDX-License-Identifier: BSD-3-Clause
#include "graph_overlap.hpp"

#include <array>

#include <nlohmann/json.hpp>

#include <ovlp/machine/platform.hpp>

#include "simulated_run.hpp"
#include "simulator.hpp"

namespace ovlp::lab::study {
namespace {

struct variant {
  char const* name;
  overlap_run graph_overlap::*result;
  void (*change)(simulated_run&);
};

constexpr std::array<variant, 3> variants{{
    {"as it is", &graph_overlap::as_it_is, [](simulated_run&) {}},
    {"with barriers", &graph_overlap::with_barriers,
     [](simulated_run& run) { run.other_words.insert(run.other_words.begin(), "--barriers"); }},
    {"with ideal overlap", &graph_overlap::ideal,
     [](simulated_run& run) {
       run.platform = nlohmann::json::parse(
           machine::with_ideal_network(run.platform.dump(), "the platform", machine::costs_of_messages::stay));
     }},
}};

}  // namespace

graph_overlap overlap_of_graph(std::vector<std::string> const& words, std::size_t jobs) {
  simulated_run as_it_is = simulated_run::read(words);
  std::erase(as_it_is.other_words, "--barriers");  // which is compared
  graph_overlap found{};
  simulator(jobs).run_all(
      variants.size(),
      [&](std::size_t i, std::string const& folder) {
        simulated_run run = as_it_is;
        variants[i].change(run);
        return run.command_with_files_in(folder);
      },
      [&](std::size_t i, simulated const& ran) {
        nlohmann::ordered_json const& figures = ran.expect(variants[i].name);
        found.*variants[i].result = {figures.at("time_s"), figures.at("efficiency")};
      });
  return found;
}

}  // namespace ovlp::lab::study
