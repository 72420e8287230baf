// SPDX-License-Identifier: BSD-3-Clause
#include "exchanged.hpp"

#include <ovlp/base/error.hpp>

namespace ovlp::lab::study {
namespace {

constexpr std::size_t most_threads = 4096;  // of all collections: what their matrix takes grows with the square

}  // namespace

void exchanged::begin(run_definitions const& of) {
  definitions_ = of;
  nodes_.resize(of.collections.size());
}

void exchanged::mapping(mapping_record const& r) {
  if (!nodes_[r.collection].empty()) return;  // only the first one
  nodes_[r.collection].assign(r.nodes.begin(), r.nodes.end());
}

void exchanged::step(step_record const& r) { work_[{collection_of(r.at), r.at.thread}] += r.computed_s; }

void exchanged::post(post_record const& r) {
  auto const& operations = definitions_.graphs[r.at.graph].operations;
  if (r.object.operation >= operations.size()) return;  // the result of a call
  posts_.push_back({r.object,
                    {collection_of(r.at), r.at.thread},
                    {operations[r.object.operation].collection, r.to_thread},
                    {r.at.graph, r.at.operation, r.port}});
}

void exchanged::send(send_record const& r) {
  if (r.kind == message_kind::object) bytes_[r.object] += static_cast<double>(r.bytes);
}

std::size_t exchanged::count() const {
  std::size_t sum = 0;
  for (auto const& nodes : nodes_) sum += nodes.size();
  return sum;
}

std::vector<std::string> exchanged::names() const {
  std::vector<std::string> all;
  for (std::size_t c = 0; c < nodes_.size(); ++c)
    for (std::size_t i = 0; i < nodes_[c].size(); ++i)
      all.push_back(definitions_.collections[c] + "[" + std::to_string(i) + "]");
  return all;
}

shared_memory::partition_problem exchanged::problem() const {
  if (count() > most_threads)
    throw config_error("expected at most " + std::to_string(most_threads) + " DPS threads, got " +
                       std::to_string(count()));
  shared_memory::partition_problem made{shared_memory::communication_matrix(count()), std::vector<double>(count()),
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

std::uint32_t exchanged::collection_of(operation_place const& at) const {
  return definitions_.graphs[at.graph].operations[at.operation].collection;
}

std::size_t exchanged::number(dps_thread const& of) const {
  std::size_t first = 0;
  for (std::uint32_t c = 0; c < of.first; ++c) first += nodes_[c].size();
  return first + of.second % nodes_[of.first].size();
}

}  // namespace ovlp::lab::study
