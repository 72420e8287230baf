// SPDX-License-Identifier: BSD-3-Clause
#include "place_threads.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include <ovlp/flowgraph/error.hpp>
#include <ovlp/flowgraph/mapping.hpp>
#include <ovlp/records/sink.hpp>
#include <ovlp/store/stored_run.hpp>
#include <ovlp/support/files.hpp>
#include <ovlp/support/run_many.hpp>
#include <ovlp/threads/partition.hpp>

#include "simulated_program.hpp"
#include "simulated_run.hpp"

namespace ovlp::lab::study {
namespace {

constexpr std::size_t most_threads = 4096;  // of all collections

struct hash_of_key {
  std::size_t operator()(object_key const& key) const {
    return std::hash<std::uint64_t>()(key.group * 0x9e3779b97f4a7c15 + (std::uint64_t{key.place} << 8) + key.operation);
  }
};

/// What a record says of threads, numbered through all collections in their order.
class exchanged final : public record_sink {
 public:
  void begin(run_definitions const& of) override {
    definitions_ = of;
    places_.resize(of.collections.size());
  }
  void mapping(mapping_record const& r) override {
    if (!places_[r.collection].empty()) return;  // only the first one
    places_[r.collection].assign(r.nodes.begin(), r.nodes.end());
  }
  void step(step_record const& r) override { work_[{collection_of(r.at), r.at.thread}] += r.computed_s; }
  void post(post_record const& r) override {
    auto const& operations = definitions_.graphs[r.at.graph].operations;
    if (r.object.operation >= operations.size()) return;  // the result of a call
    posts_.push_back({r.object,
                      {collection_of(r.at), r.at.thread},
                      {operations[r.object.operation].collection, r.to_thread},
                      {r.at.graph, r.at.operation, r.port}});
  }
  void send(send_record const& r) override {
    if (r.kind == message_kind::object) bytes_[r.object] += static_cast<double>(r.bytes);
  }

  threads::partition_problem problem() const {
    threads::partition_problem made{threads::communication_matrix(count()), std::vector<double>(count()),
                                    definitions_.nodes};
    for (auto const& [thread, work_s] : work_) made.work[number(thread)] += work_s;
    std::map<port, std::pair<double, double>> sums;  // bytes and objects that crossed
    for (posted const& p : posts_) {
      if (auto const sent = bytes_.find(p.object); sent != bytes_.end()) {
        sums[p.from_port].first += sent->second;
        ++sums[p.from_port].second;
      }
    }
    for (posted const& p : posts_) {
      std::size_t const from = number(p.from), to = number(p.to);
      auto const sent = bytes_.find(p.object);
      auto const sum = sums.find(p.from_port);
      if (from == to || sum == sums.end()) continue;
      made.bytes.add(from, to, sent != bytes_.end() ? sent->second : sum->second.first / sum->second.second);
    }
    return made;
  }
  threads::partition partition() const {
    threads::partition all;
    for (auto const& nodes : places_) all.insert(all.end(), nodes.begin(), nodes.end());
    return all;
  }
  std::size_t count() const {
    return std::accumulate(places_.begin(), places_.end(), std::size_t{0},
                           [](std::size_t sum, auto const& nodes) { return sum + nodes.size(); });
  }
  /// Of collections that are mapped in another way.
  std::vector<proposed_mapping> mappings(threads::partition const& of) const {
    std::vector<proposed_mapping> all;
    std::size_t first = 0;
    for (std::size_t c = 0; c < places_.size(); first += places_[c++].size()) {
      std::vector<std::size_t> const nodes(of.begin() + static_cast<std::ptrdiff_t>(first),
                                           of.begin() + static_cast<std::ptrdiff_t>(first + places_[c].size()));
      if (std::ranges::equal(nodes, places_[c])) continue;
      all.push_back({definitions_.collections[c], text_of(nodes)});
    }
    return all;
  }

 private:
  using dps_thread = std::pair<std::uint32_t, std::uint32_t>;            // collection, index
  using port = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // graph, operation, port
  struct posted {
    object_key object;
    dps_thread from, to;
    port from_port;
  };

  static std::string text_of(std::vector<std::size_t> const& nodes) {
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

  std::uint32_t collection_of(operation_place const& at) const {
    return definitions_.graphs[at.graph].operations[at.operation].collection;
  }
  /// Threads that have joined later count as those whose place they would have had.
  std::size_t number(dps_thread const& of) const {
    std::size_t first = 0;
    for (std::uint32_t c = 0; c < of.first; ++c) first += places_[c].size();
    return first + of.second % places_[of.first].size();
  }

  run_definitions definitions_;
  std::vector<std::vector<std::size_t>> places_;  ///< of each collection's threads
  std::map<dps_thread, double> work_;
  std::vector<posted> posts_;
  std::unordered_map<object_key, double, hash_of_key> bytes_;
};

/// Several, for what is best depends on when threads work, which the simulation knows.
std::vector<threads::partition> partitions_of(threads::partition_problem const& problem,
                                              threads::partition const& as_it_is) {
  double const average =
      std::accumulate(problem.work.begin(), problem.work.end(), 0.0) / static_cast<double>(problem.nodes);
  double const least = std::max(average, *std::ranges::max_element(problem.work));
  std::set<threads::partition> all;
  for (double const limit : {threads::most_work(problem, as_it_is), 1.02 * least, 1.1 * least, 1.3 * least}) {
    all.insert(threads::improved(problem, as_it_is, limit));
    all.insert(threads::improved(problem, threads::grown(problem, limit), limit));
  }
  all.erase(as_it_is);
  return {all.begin(), all.end()};
}

}  // namespace

thread_placement place_threads(std::vector<std::string> const& words, std::size_t jobs) {
  expect_program(words.front(), "PROGRAM");
  simulated_run const as_it_is = simulated_run::read(words);
  support::temporary_folder const folder;
  auto const name = [&](std::string const& what, std::size_t i) {
    return (folder.path() / (what + std::to_string(i))).string();
  };
  std::vector<std::string> recorded = as_it_is.command_with_files_in(name("run-", 0));
  std::string const record = folder.path() / "record.sqlite";
  recorded.insert(recorded.end(), {"--record", record});
  nlohmann::ordered_json const figures =
      summary_of(support::run(summarized(recorded, name("summary-", 0))), name("summary-", 0));
  exchanged seen;
  stored_run(record).read(seen);
  if (seen.count() > most_threads)
    throw config_error("expected at most " + std::to_string(most_threads) + " DPS threads, got " +
                       std::to_string(seen.count()));
  threads::partition_problem const problem = seen.problem();

  thread_placement found{figures.at("time_s"), threads::bytes_between_nodes(problem, seen.partition()), {}};
  for (threads::partition const& one : partitions_of(problem, seen.partition()))
    found.candidates.push_back({seen.mappings(one), 0, threads::bytes_between_nodes(problem, one)});
  support::run_many(
      found.candidates.size(), jobs,
      [&](std::size_t i, std::size_t) {
        simulated_run run = as_it_is;
        for (proposed_mapping const& m : found.candidates[i].mappings) {
          // Of several for one collection the last one holds.
          run.other_words.insert(run.other_words.end(), {"--mapping", m.collection + "=" + m.nodes});
        }
        return summarized(run.command_with_files_in(name("run-", i + 1)), name("summary-", i + 1));
      },
      [&](std::size_t i, std::size_t, support::outcome const& ran) {
        try {
          found.candidates[i].time_s = summary_of(ran, name("summary-", i + 1)).at("time_s");
        } catch (io_error const&) {  // such as one that puts threads on a node which is to be given back
          ++found.failed;
        }
      });
  std::erase_if(found.candidates, [](thread_placement::candidate const& one) { return one.time_s == 0; });
  std::ranges::stable_sort(found.candidates, {}, &thread_placement::candidate::time_s);
  return found;
}

}  // namespace ovlp::lab::study
