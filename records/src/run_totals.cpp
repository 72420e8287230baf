// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/records/run_totals.hpp>

#include <algorithm>
#include <cstddef>

namespace ovlp {
namespace {

/// There may be many nodes.
constexpr std::size_t bins_of_node = 1024;

void extend(iteration_work& to, iteration_work const& more) {
  to.start_s = std::min(to.start_s, more.start_s);
  to.end_s = std::max(to.end_s, more.end_s);
  to.work_s += more.work_s;
}

}  // namespace

run_totals::run_totals(run_definitions const& names) {
  for (run_definitions::graph const& g : names.graphs) operations.emplace_back(g.operations.size());
  work_over_time empty;
  empty.most_bins = bins_of_node;
  nodes.assign(names.nodes, empty);
}

void run_totals::add(step_record const& r) {
  operation& of = operations[r.at.graph][r.at.operation];
  ++of.steps;
  of.computed_s += r.computed_s;
  of.work_s += r.work_s;
  nodes[r.at.node].add(r.start_s, r.end_s, r.computed_s);
  call_work& call = calls[r.at.call];
  call.over_time.add(r.start_s, r.end_s, r.work_s);
  if (r.at.iteration == 0) return;
  iteration_work const this_one{r.start_s, r.end_s, r.work_s};
  auto const [known, is_new] = call.iterations.try_emplace(r.at.iteration, this_one);
  if (!is_new) extend(known->second, this_one);
}

void run_totals::add(wait_record const& r) {
  waits& of = waited[{r.at.graph, r.at.operation, r.cause}];
  ++of.count;
  of.total_s += r.end_s - r.start_s;
  of.longest_s = std::max(of.longest_s, r.end_s - r.start_s);
}

void run_totals::add(post_record const& r) { ++posted[{r.at.graph, r.at.operation, r.port, r.object.operation}]; }

void run_totals::add(send_record const& r) {
  messages& between = sent[{r.source, r.destination}];
  ++(r.kind == message_kind::object ? between.objects : between.controls);
  between.bytes += r.bytes;
}

void run_totals::add(run_totals const& other) {
  for (std::size_t g = 0; g < operations.size() && g < other.operations.size(); ++g) {
    for (std::size_t o = 0; o < operations[g].size() && o < other.operations[g].size(); ++o) {
      operation const& more = other.operations[g][o];
      operations[g][o].steps += more.steps;
      operations[g][o].computed_s += more.computed_s;
      operations[g][o].work_s += more.work_s;
    }
  }
  for (auto const& [call, of] : other.calls) {
    call_work& mine = calls[call];
    mine.over_time.add(of.over_time);
    for (auto const& [index, i] : of.iterations) {
      auto const [known, is_new] = mine.iterations.try_emplace(index, i);
      if (!is_new) extend(known->second, i);
    }
  }
  for (std::size_t n = 0; n < nodes.size() && n < other.nodes.size(); ++n) nodes[n].add(other.nodes[n]);
  for (auto const& [what, of] : other.waited) {
    waits& mine = waited[what];
    mine.count += of.count;
    mine.total_s += of.total_s;
    mine.longest_s = std::max(mine.longest_s, of.longest_s);
  }
  for (auto const& [way, objects] : other.posted) posted[way] += objects;
  for (auto const& [pair, of] : other.sent) {
    messages& mine = sent[pair];
    mine.objects += of.objects;
    mine.bytes += of.bytes;
    mine.controls += of.controls;
  }
}

}  // namespace ovlp
