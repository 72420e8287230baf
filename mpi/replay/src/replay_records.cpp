// SPDX-License-Identifier: BSD-3-Clause
#include "replay_records.hpp"

#include <algorithm>

#include <ovlp/mpi/describe.hpp>

namespace ovlp::mpi {
namespace {

constexpr std::uint64_t the_call = 1;
constexpr std::uint32_t ranks_collection = 0;  // 1: that of non-blocking collectives
constexpr activity first_collective = waiting + 1;

bool has_non_blocking_collectives(trace const& what) {
  bool any = false;
  each<collective>(what, [&](rank_id, std::size_t, collective const& c) { any = any || c.request != none; });
  return any;
}

}  // namespace

activity activity_of(collective const& c) {
  std::size_t const of_its_own = c.request == none ? 0 : operation_names.size();
  return static_cast<activity>(first_collective + of_its_own + static_cast<std::size_t>(c.what));
}

replay_records::replay_records(record_sink& to, trace const& what, machine::platform const& on,
                               std::vector<std::uint32_t> const& nodes)
    : to_(to), nodes_(nodes) {
  names_.application = what.name;
  names_.backend = "simulated";
  names_.nodes = 1 + *std::ranges::max_element(nodes);
  names_.node = 0;
  names_.collections = {"ranks"};
  if (has_non_blocking_collectives(what)) names_.collections.emplace_back("non-blocking collectives");
  auto& graph = names_.graphs.emplace_back();
  graph.name = "MPI";
  for (char const* name : {"compute", "send", "receive", "wait"})
    graph.operations.push_back({"leaf", name, ranks_collection});
  for (std::uint32_t in = 0; in < names_.collections.size(); ++in)
    for (std::string_view const name : operation_names) graph.operations.push_back({"leaf", std::string(name), in});
  for (auto const& members : what.communicators) names_.communicators.emplace_back(members.begin(), members.end());
  names_.capacities = on.capacities(names_.nodes);
}

void replay_records::begin() {
  to_.begin(names_);
  for (std::uint32_t node = 0; node < names_.nodes; ++node) {
    to_.node({node, node_change::launched, 0});
    to_.node({node, node_change::joined, 0});
  }
  for (std::uint32_t collection = 0; collection < names_.collections.size(); ++collection)
    to_.mapping({collection, nodes_, 0});
  to_.call({the_call, 0, true, 0});
}

void replay_records::end(double now_s, std::string const& failure) {
  if (failure.empty()) to_.call({the_call, 0, false, now_s});
  to_.end({now_s, failure, {}});
  to_.flush();
}

operation_place replay_records::place(rank_id rank, activity what) const {
  return {the_call, node_of(rank), 0, what, static_cast<std::uint32_t>(rank), 0};
}

void replay_records::burst(rank_id rank, double from_s, double to_s, double work_s) {
  to_.step({place(rank, computing), {}, from_s, to_s, work_s, work_s});
}

void replay_records::waited(rank_id rank, activity in, wait_cause cause, double from_s, double to_s) {
  if (from_s < to_s) to_.wait({place(rank, in), cause, from_s, to_s});
}

void replay_records::sent(recorded_message const& m) {
  operation_place const at = place(m.from, m.in == computing ? sending : m.in);
  to_.step({at, {}, m.sent_s, m.sent_s, 0, 0});
  to_.post({at, 0, key(m), static_cast<std::uint32_t>(m.to), node_of(m.to), m.sent_s});
}

void replay_records::crossed(recorded_message const& m, double started_s, double latency_s, double now_s) {
  to_.send({the_call, message_kind::object, node_of(m.from), node_of(m.to), m.bytes, m.sent_s, key(m)});
  to_.transfer({node_of(m.from), node_of(m.to), m.bytes, m.sent_s, started_s, latency_s, now_s, key(m)});
}

void replay_records::arrived(recorded_message const& m, double now_s) {
  to_.delivery({message_kind::object, node_of(m.from), node_of(m.to), now_s, key(m)});
}

void replay_records::received(recorded_message const& m, activity in, double now_s) {
  to_.step({place(m.to, in), key(m), now_s, now_s, 0, 0});
}

recorded_call replay_records::begun(message_end end, bool blocks, recorded_message const& about, double now_s) {
  return {end, blocks, {now_s, ++moments_}, about};
}

void replay_records::ended(recorded_call const& its, double now_s) {
  recorded_message const& m = its.about;
  bool const sends = its.end == message_end::send;
  to_.mpi_call({m.number,
                its.end,
                static_cast<std::uint8_t>(its.blocks ? 1 : 0),
                static_cast<std::uint32_t>(sends ? m.from : m.to),
                static_cast<std::uint32_t>(sends ? m.to : m.from),
                m.communicator,
                m.tag,
                m.bytes,
                its.begun,
                {now_s, ++moments_},
                sends ? now_s : m.arrived_s});
}

}  // namespace ovlp::mpi
