// SPDX-License-Identifier: BSD-3-Clause
#include "place_threads.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include <nlohmann/json.hpp>

#include <ovlp/flowgraph/mapping.hpp>
#include <ovlp/store/stored_run.hpp>
#include <ovlp/threads/partition.hpp>

#include "exchanged.hpp"
#include "simulated_run.hpp"
#include "simulator.hpp"

namespace ovlp::lab::study {
namespace {

std::string text_of(std::vector<std::size_t> const& nodes) {
  std::string text;
  for (std::size_t i = 0; i < nodes.size();) {
    std::size_t last = i;
    while (last + 1 < nodes.size() && nodes[last + 1] == nodes[i]) ++last;
    text += (text.empty() ? "" : " ") + node_name(static_cast<node_id>(nodes[i]));
    if (last > i) text += "*" + std::to_string(last - i + 1);
    i = last + 1;
  }
  return text;
}

/// As the run had it.
shared_memory::partition partition_of(exchanged const& seen) {
  shared_memory::partition all;
  for (auto const& nodes : seen.nodes()) all.insert(all.end(), nodes.begin(), nodes.end());
  return all;
}

/// Of collections that are mapped in another way than they were.
std::vector<proposed_mapping> mappings(exchanged const& seen, shared_memory::partition const& of) {
  std::vector<proposed_mapping> all;
  auto first = of.begin();
  for (std::size_t c = 0; c < seen.nodes().size(); ++c) {
    std::vector<std::size_t> const& before = seen.nodes()[c];
    std::vector<std::size_t> const nodes(first, first + static_cast<std::ptrdiff_t>(before.size()));
    first += static_cast<std::ptrdiff_t>(before.size());
    if (nodes != before) all.push_back({seen.collections()[c], text_of(nodes)});
  }
  return all;
}

/// Several, for what is best depends on when threads work, which the simulation knows.
std::vector<shared_memory::partition> partitions_of(shared_memory::partition_problem const& problem,
                                                    shared_memory::partition const& as_it_is) {
  double const average =
      std::accumulate(problem.work.begin(), problem.work.end(), 0.0) / static_cast<double>(problem.nodes);
  double const least = std::max(average, *std::ranges::max_element(problem.work));
  std::set<shared_memory::partition> all;
  for (double const limit : {shared_memory::most_work(problem, as_it_is), 1.02 * least, 1.1 * least, 1.3 * least}) {
    all.insert(shared_memory::improved(problem, as_it_is, limit));
    all.insert(shared_memory::improved(problem, shared_memory::grown(problem, limit), limit));
  }
  all.erase(as_it_is);
  return {all.begin(), all.end()};
}

}  // namespace

thread_placement place_threads(std::vector<std::string> const& words, std::size_t jobs) {
  simulated_run const as_it_is = simulated_run::read(words);
  simulator const simulate(jobs);
  std::vector<std::string> recorded = as_it_is.command_with_files_in(simulate.file("as-it-is"));
  std::string const record = simulate.file("record.sqlite");
  recorded.insert(recorded.end(), {"--record", record});
  nlohmann::ordered_json const figures = simulate.run(recorded).expect();
  recorded_run const run_as_it_is = stored_run(record).load();
  exchanged const seen(run_as_it_is);
  shared_memory::partition_problem const problem = seen.problem();

  thread_placement found{figures.at("time_s"), shared_memory::bytes_between_nodes(problem, partition_of(seen)), {}};
  for (shared_memory::partition const& one : partitions_of(problem, partition_of(seen)))
    found.candidates.push_back({mappings(seen, one), 0, shared_memory::bytes_between_nodes(problem, one)});
  simulate.run_all(
      found.candidates.size(),
      [&](std::size_t i, std::string const& folder) {
        simulated_run run = as_it_is;
        for (proposed_mapping const& m : found.candidates[i].mappings) {
          // Of several for one collection the last one holds.
          run.other_words.insert(run.other_words.end(), {"--mapping", m.collection + "=" + m.nodes});
        }
        return run.command_with_files_in(folder);
      },
      [&](std::size_t i, simulated const& ran) {
        // Such as one that puts threads on a node which is to be given back.
        if (!ran.failure.empty()) ++found.failed;
        else found.candidates[i].time_s = ran.summary.at("time_s");
      });
  std::erase_if(found.candidates, [](thread_placement::candidate const& one) { return one.time_s == 0; });
  std::ranges::stable_sort(found.candidates, {}, &thread_placement::candidate::time_s);
  return found;
}

}  // namespace ovlp::lab::study
