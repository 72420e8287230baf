// SPDX-License-Identifier: BSD-3-Clause
#include "message_path.hpp"

#include <optional>
#include <utility>

namespace ovlp::machine {

message_path::message_path(event_queue& events, std::vector<std::unique_ptr<message_node>>& nodes,
                           network_source& network, effects const& extra, platform const& on)
    : events_(events),
      nodes_(nodes),
      network_(network),
      effects_(extra),
      cost_(on.communication),
      transport_(on.transport.make(*this)) {}

// 1. Who sends does what the message costs there.

void message_path::send(message& m, thread* by) {
  ++messages_;
  if (m.kind == message::kind_type::object) ++objects_;
  m.path_ = this;
  m.sent_s_ = events_.now_s();
  m.next_ = m.riders_ = m.last_rider_ = nullptr;
  double const cost_s =
      cost_.send.per_message_s + cost_.send.per_byte_s * static_cast<double>(m.bytes) + effects_.sending_s(occasion(m));
  ++nodes_[m.to]->under_way;
  thread& sender = by != nullptr && transport_->sender_copies() ? *by : nodes_[m.from]->io;
  sender.add(m, cost_s, sending);
}

// 2. The transport lets it cross the network, now or in its turn. Those of a pair follow one another down the wire:
// what one has waited for its turn, its latency is shorter.

void message_path::sent(message& m) {
  m.handed_over_s_ = events_.now_s();
  // Who copies has waited for room to copy to, and nothing could cross before that.
  bool const could_cross = m.waiting_since_s && !transport_->sender_copies();
  if (could_cross) m.handed_over_s_ = *m.waiting_since_s + (events_.now_s() - m.sent_s_);
  transport_->take(m);
}

void message_path::cross(message& m) {
  m.started_s_ = events_.now_s();
  bool const has_waited = m.handed_over_s_ < m.started_s_;
  if (has_waited && !network_.network().knows_handed_over()) ++whole_latencies_;
  network_.start(m, has_waited ? std::optional{m.handed_over_s_} : std::nullopt, m);
}

// 3. It has crossed, and with it those that ride along: its receiver does what it costs there.

void message_path::crossed(message& m) {
  m.crossed(crossing_of(m));
  message* rider = std::exchange(m.riders_, nullptr);
  double const cost_s = cost_.receive.per_message_s + cost_.receive.per_byte_s * static_cast<double>(m.bytes) +
                        effects_.receiving_s(occasion(m));
  transport_->crossed(m);
  nodes_[m.to]->io.add(m, cost_s, receiving);
  while (rider != nullptr) {
    message& next = *rider;
    rider = std::exchange(next.next_, nullptr);
    crossed(next);
  }
}

// 4. It is delivered.

void message_path::received(message& m) {
  --nodes_[m.to]->under_way;
  m.delivered();
}

// What carries it from step to step.

/// One end has done what it costs there.
void message_path::done(message& m, step what, double work_s) {
  node_id const at = what == sending ? m.from : m.to;
  nodes_[at]->communication_s += work_s;
  effects_.handled(at, events_.now_s());
  what == sending ? sent(m) : received(m);
}

void message::done(unsigned step, double work_s) { path_->done(*this, message_path::step{step}, work_s); }
void message::happen() { path_->crossed(*this); }

crossing message_path::crossing_of(message const& m) const {
  net::network const& network = network_.network();
  double const latency_s = network.latency_s(m.from, m.to);
  if (m.handed_over_s_ == m.started_s_ || !network.knows_handed_over()) return {m.sent_s_, m.started_s_, latency_s};
  if (m.handed_over_s_ + latency_s <= m.started_s_) return {m.sent_s_, m.started_s_, 0};
  double const sent_s = transport_->sender_copies() ? m.sent_s_ : m.waiting_since_s.value_or(m.sent_s_);
  return {sent_s, m.handed_over_s_, latency_s};
}

effect::occasion message_path::occasion(message const& m) const {
  message_node const& to = *nodes_[m.to];
  return {m, events_.now_s(), to.under_way == 0 && to.processor.idle()};
}

}  // namespace ovlp::machine
