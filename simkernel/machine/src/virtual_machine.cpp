// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/machine/virtual_machine.hpp>

#include <algorithm>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/netmodel/network.hpp>

#include "effect.hpp"
#include "message_path.hpp"
#include "network_source.hpp"
#include "processor.hpp"
#include "unsteady_speed.hpp"

namespace ovlp::machine {
namespace {

bool communication_takes_cores(platform const& on) {
  auto const charges = [](std::vector<double> const& table) { return *std::ranges::max_element(table) > 0; };
  return charges(on.communication.incoming) || charges(on.communication.outgoing);
}

double entry_for(std::vector<double> const& table, std::size_t count) {
  return table[std::min(count, table.size() - 1)];
}

/// CPU time that the transfers in their bandwidth phase take from a node, as long as they are as many.
struct taken_share {
  double cores = 0;
  double since_s = 0;
  double used_s = 0;  ///< until then

  double until_s(double now_s) const { return used_s + cores * (now_s - since_s); }
};

}  // namespace

struct virtual_machine::implementation {
  implementation(platform const& given, std::size_t count, std::optional<std::uint64_t> by_seed)
      : on(given),
        vary(by_seed),
        processors(make_processors(events, on, count, vary)),
        network(events, on.make_network(count)),
        phases(communication_takes_cores(on) ? network.network().phases() : nullptr),
        taken(count),
        extra(on.effects, count),
        nodes(make_nodes()),
        path(events, nodes, network, extra, on) {
    if (phases == nullptr && communication_takes_cores(on)) {
      throw config_error("platform '" + on.name +
                         "': comm_cpu: expected no incoming and outgoing with network model '" + on.network.name +
                         "', which does not tell how many transfers are in their bandwidth phase");
    }
    for (std::size_t n = 0; n < count; ++n) update_taken(static_cast<node_id>(n));
  }

  platform const on;
  std::optional<std::uint64_t> const vary;
  event_queue events;
  std::vector<std::unique_ptr<processor>> processors;
  network_source network;
  net::phase_counts* const phases;
  std::vector<taken_share> taken;
  effects extra;
  std::vector<std::unique_ptr<message_node>> nodes;
  message_path path;

  std::vector<std::unique_ptr<message_node>> make_nodes() {
    std::vector<std::unique_ptr<message_node>> made;
    for (auto const& p : processors) made.push_back(std::make_unique<message_node>(*p));
    return made;
  }

  void update_taken(node_id node) {
    taken_share& share = taken[node];
    share.used_s = share.until_s(events.now_s());
    share.since_s = events.now_s();
    communication_cost const& cost = on.communication;
    share.cores = entry_for(cost.incoming, phases == nullptr ? 0 : phases->incoming(node)) +
                  entry_for(cost.outgoing, phases == nullptr ? 0 : phases->outgoing(node));
    processors[node]->set_taken(share.cores);
  }

  /// Starts and ends of this instant have all been made: now rates are set.
  void set_rates() {
    if (phases == nullptr) return;
    for (node_id node : phases->touched_nodes()) update_taken(node);
    phases->clear_touched_nodes();
  }
};

virtual_machine::virtual_machine(platform const& on, std::size_t nodes, std::optional<std::uint64_t> vary)
    : implementation_(std::make_unique<implementation>(on, nodes, vary)) {}
virtual_machine::~virtual_machine() = default;

event_queue& virtual_machine::events() { return implementation_->events; }
double virtual_machine::now_s() const { return implementation_->events.now_s(); }

bool virtual_machine::advance() {
  implementation_->set_rates();
  return implementation_->events.advance();
}

processor& virtual_machine::processor_of(node_id node) { return *implementation_->processors[node]; }

bool virtual_machine::idle(node_id node) const { return implementation_->processors[node]->idle(); }

void virtual_machine::send(message& m, thread* by) { implementation_->path.send(m, by); }

double virtual_machine::computing_extra_s(node_id node, double kernel_s) {
  return implementation_->extra.computing_s(node, kernel_s);
}

virtual_machine::usage virtual_machine::used() const {
  implementation const& machine = *implementation_;
  double sum_s = 0;
  for (auto const& node : machine.nodes) sum_s += node->communication_s;
  for (taken_share const& share : machine.taken) sum_s += share.until_s(machine.events.now_s());
  return {sum_s, machine.network.network().counts().flips, machine.path.messages(), machine.path.objects(),
          machine.path.whole_latencies()};
}

std::vector<double> virtual_machine::node_cpu_s() const {
  implementation const& machine = *implementation_;
  std::vector<double> all;
  for (std::size_t n = 0; n < machine.processors.size(); ++n)
    all.push_back(machine.processors[n]->done_s() + machine.taken[n].until_s(machine.events.now_s()));
  return all;
}

bool virtual_machine::varies() const { return implementation_->vary.has_value(); }

bool virtual_machine::throttled(node_id node) const { return implementation_->processors[node]->throttled(); }

double virtual_machine::first_slowdown_s(node_id node) const {
  node_kind only;
  only.slowdowns = implementation_->on.kind_of(node).slowdowns;
  return unsteady_speed(only, 1, implementation_->vary.value_or(0), node).next_change_s();
}

}  // namespace ovlp::machine
