// SPDX-License-Identifier: BSD-3-Clause
#include "node_memory.hpp"

#include <algorithm>

#include <ovlp/base/text.hpp>
#include <ovlp/runtime/internal/envelope.hpp>

namespace ovlp::sim {
namespace {

std::string megabytes(std::size_t bytes) { return base::fixed(static_cast<double>(bytes) / 1e6, 3) + " MB"; }

}  // namespace

node_memory::node_memory(machine::platform const& on, program const& known, machine::event_queue const& clock,
                         std::size_t nodes)
    : program_(known), clock_(clock), nodes_(nodes) {
  for (node_id n = 0; n < nodes; ++n) {
    nodes_[n].so_far.node = n;
    nodes_[n].so_far.bytes = on.kind_of(n).memory_bytes.value_or(0);
  }
}

void node_memory::hold(void const* key, node_id node, held_in_memory const& what) {
  detail::memory_finder found;
  what.type.find_memory(what.object, found);
  claim made{node, found.bytes, {}, what.graph, what.operation, what.thread};
  for (auto const& [identity, bytes] : found.shared) made.shared.emplace_back(identity, bytes);
  std::sort(made.shared.begin(), made.shared.end());
  made.shared.erase(std::unique(made.shared.begin(), made.shared.end()), made.shared.end());

  node_state& at = nodes_[node];
  at.held_bytes += made.bytes;
  for (auto const& extent : made.shared) {
    if (at.shared[extent]++ == 0) at.held_bytes += extent.second;
  }
  auto const [known, is_new] = claims_.try_emplace(key, made);
  if (!is_new) {
    remove(known->second);
    known->second = std::move(made);
  }
  usage& so_far = at.so_far;
  if (at.held_bytes <= so_far.peak_bytes) return;
  so_far.peak_bytes = at.held_bytes;
  so_far.peak_s = clock_.now_s();
  if (so_far.bytes > 0 && at.held_bytes > so_far.bytes && so_far.exceeded.empty())
    so_far.exceeded = explain(node, known->second);
}

void node_memory::release(void const* key) {
  auto const known = claims_.find(key);
  remove(known->second);
  claims_.erase(known);
}

void node_memory::remove(claim const& gone) {
  node_state& at = nodes_[gone.node];
  at.held_bytes -= gone.bytes;
  for (auto const& extent : gone.shared) {
    auto const held = at.shared.find(extent);
    if (--held->second > 0) continue;
    at.held_bytes -= extent.second;
    at.shared.erase(held);
  }
}

std::string node_memory::owner(claim const& of) const {
  if (of.operation == state_operation) {
    return "the state of " + program_.name(thread_address{of.graph, of.thread});
  }
  if (of.operation == result_operation) return "a result of graph '" + program_.graph(of.graph).definition->name + "'";
  graph_definition const& graph = *program_.graph(of.graph).definition;
  return "an object for " + graph.describe(of.operation) + " in " +
         program_.name(thread_address{program_.graph(of.graph).collection_of[of.operation], of.thread});
}

/// Who holds most: threads' states by their collection, objects by the operation that they are for.
std::string node_memory::explain(node_id node, claim const& last) const {
  std::map<std::string, std::size_t> holders;
  std::set<std::pair<void const*, std::size_t>> counted;
  for (auto const& [key, c] : claims_) {
    if (c.node != node) continue;
    std::string const name = c.operation == state_operation ? "states of '" + program_.collection(c.graph).name + "'"
                             : c.operation == result_operation
                                 ? "results"
                                 : "objects for " + program_.graph(c.graph).definition->describe(c.operation);
    std::size_t& bytes = holders[name];
    bytes += c.bytes;
    for (auto const& extent : c.shared) {
      if (counted.insert(extent).second) bytes += extent.second;
    }
  }
  auto const most = std::ranges::max_element(holders, {}, [](auto const& h) { return h.second; });
  return "at " + base::fixed(clock_.now_s(), 6) + " s by " + owner(last) + "; most is held by " + most->first + ": " +
         megabytes(most->second);
}

std::vector<node_memory::usage> node_memory::used() const {
  std::vector<usage> all;
  for (node_state const& n : nodes_) {
    if (n.so_far.bytes > 0) all.push_back(n.so_far);
  }
  return all;
}

std::vector<std::string> memory_warnings(std::vector<node_memory::usage> const& used) {
  constexpr std::size_t most = 4;
  std::vector<std::string> lines;
  std::size_t others = 0;
  for (node_memory::usage const& u : used) {
    if (u.exceeded.empty()) continue;
    if (lines.size() == most) {
      ++others;
      continue;
    }
    lines.push_back(node_name(u.node) + " has " + megabytes(u.bytes) + " of memory, exceeded " + u.exceeded +
                    "; at most there were " + megabytes(u.peak_bytes) + ", at " + base::fixed(u.peak_s, 6) + " s");
  }
  if (others > 0) lines.push_back(std::to_string(others) + " more nodes have less memory than what was on them");
  return lines;
}

}  // namespace ovlp::sim
