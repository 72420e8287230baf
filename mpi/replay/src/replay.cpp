// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/mpi/replay.hpp>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/flowgraph/mapping.hpp>
#include <ovlp/machine/virtual_machine.hpp>
#include <ovlp/mpi/channel.hpp>
#include <ovlp/mpi/describe.hpp>

#include "replay_records.hpp"

namespace ovlp::mpi {
namespace {

class replayer {
 public:
  replayer(trace const& what, machine::platform const& on, replay_options const& how)
      : trace_(what),
        how_(how),
        nodes_(how.nodes.empty() ? place_ranks(what.ranks.size(), on) : how.nodes),
        machine_(on, 1 + *std::ranges::max_element(nodes_)),
        running_(what.ranks.size()) {
    if (how.sink != nullptr) records_.emplace(*how.sink, what, on, nodes_);
    for (rank_id r = 0; static_cast<std::size_t>(r) < what.ranks.size(); ++r) ranks_.emplace_back(*this, r);
  }

  replay_result run() {
    if (records_) records_->begin();
    for (rank_state& r : ranks_) make_ready(r.program);
    do {
      go_on();
    } while (running_ > 0 && machine_.advance());
    if (running_ > 0) {
      std::string const why = describe_stall();
      if (records_) records_->end(now_s(), why);
      throw stalled(why);
    }
    if (records_) {
      end_calls();
      records_->end(result_.time_s);
    }
    for (rank_state const& r : ranks_) result_.ranks.push_back(r.times);
    return std::move(result_);
  }

 private:
  struct strand;
  struct rank_state;

  /// What goes on when something has ended: a blocking call of a strand, or a request, for which the strand may wait.
  struct continuation {
    strand* of = nullptr;
    index request = none;
  };

  /// A message, from the first of its two calls to the end of the receive.
  struct exchange final : machine::message {
    explicit exchange(replayer& r) : in(r) {}
    void crossed(machine::crossing const& when) override { in.has_crossed(*this, when); }
    void delivered() override { in.has_arrived(*this); }

    replayer& in;
    bool sent = false, posted = false;  ///< which calls have been made
    bool eager = false, arrived = false;
    continuation sender, receiver;
    recorded_message about{};
    exchange* next = nullptr;  ///< in its channel
  };
  /// Those of a channel for which one side has called, all of them the same one.
  struct queue {
    exchange* first = nullptr;
    exchange* last = nullptr;
  };

  struct request {
    wait_cause cause = wait_cause::object;
    bool ended = false;
    recorded_call call{};
  };

  /// Does records one after another: the program of a rank, or the rank's part of a collective.
  struct strand final : machine::task {
    explicit strand(replayer& r) : in(r) {}
    void done(unsigned, double) override { in.make_ready(*this); }

    replayer& in;
    rank_state* rank = nullptr;
    bool on_thread = true;  ///< what its calls cost is computed by the rank's thread
    std::span<record const> records;
    std::size_t next = 0;
    bool in_call = false;  ///< or in a burst: it has begun `next`, since then
    double since_s = 0;
    recorded_call call{};  ///< that one, if it sends or receives
    std::unordered_map<index, request> requests;
    index awaited = none;
    // Of a part of a collective
    std::vector<record> own;
    activity within = computing;
    continuation after;
  };

  struct rank_state {
    rank_state(replayer& r, rank_id number)
        : self(number), thread(r.machine_.processor_of(r.node_of(number))), program(r) {
      program.rank = this;
      program.records = r.trace_.ranks[static_cast<std::size_t>(number)].records;
    }
    rank_id const self;
    machine::thread thread;
    strand program;
    std::unordered_map<index, std::size_t> collectives;  ///< how many, of each communicator
    std::unordered_map<index, std::size_t> places;       ///< in communicators
    rank_times times;
  };

  std::uint32_t node_of(rank_id rank) const { return nodes_[static_cast<std::size_t>(rank)]; }
  double now_s() const { return machine_.now_s(); }

  // Strands

  void make_ready(strand& s) { ready_.push_back(&s); }

  /// All that can go on at this instant. None does so within another: chains of calls that take no time may be long.
  void go_on() {
    for (std::size_t i = 0; i < ready_.size(); ++i) go_on(*ready_[i]);
    ready_.clear();
  }
  void go_on(strand& s) {
    if (std::exchange(s.in_call, false)) {
      std::visit([&](auto const& r) { end(s, r); }, s.records[s.next]);
      pass(s);
    }
    while (s.next < s.records.size()) {
      bool const goes_on = std::visit([&](auto const& r) { return begin(s, r); }, s.records[s.next]);
      if (!goes_on) {
        s.in_call = true;
        s.since_s = now_s();
        return;
      }
      pass(s);
    }
    is_program(s) ? program_ends(s) : part_ends(s);
  }
  static bool is_program(strand const& s) { return &s == &s.rank->program; }
  void pass(strand& s) {
    ++s.next;
    constexpr std::size_t together = 1024;
    if (!how_.progress || !is_program(s) || ++passed_ < together) return;
    how_.progress(std::exchange(passed_, 0));
  }
  void program_ends(strand& s) {
    s.rank->times.end_s = result_.time_s = now_s();
    --running_;
  }
  void part_ends(strand& s) {
    complete(s.after);
    unused_strands_.push_back(&s);
  }

  void complete(continuation const& c, recorded_message const& got = {}) {
    strand& s = *c.of;
    if (got.number != 0) (c.request == none ? s.call : s.requests[c.request].call).about = got;
    if (c.request == none) {
      make_ready(s);
      return;
    }
    s.requests[c.request].ended = true;
    if (s.awaited == c.request) make_ready(s);
  }

  // Records. begin() tells whether the strand goes on at once; if not, end() comes when it does.

  bool begin(strand& s, compute const& c) {
    if (c.duration_s == 0) return true;
    s.rank->thread.add(s, c.duration_s);
    return false;
  }
  void end(strand& s, compute const& c) {
    s.rank->times.computing_s += now_s() - s.since_s;
    if (records_) records_->burst(s.rank->self, s.since_s, now_s(), c.duration_s);
  }

  bool begin(strand& s, send const& m) {
    rank_id const self = s.rank->self;
    exchange& x = meet({self, m.to, m.tag, m.communicator}, &exchange::posted);
    x.sent = true;
    x.eager = m.how == protocol::eager || (m.how == protocol::by_size && m.bytes <= how_.eager_bytes);
    x.about = {++sent_, self, m.to, m.bytes, s.within, now_s(), m.tag, m.communicator};
    if (records_) records_->sent(x.about);
    if (m.request != none) s.requests[m.request] = {wait_cause::window, x.eager};
    call_begins(s, message_end::send, m.request, x.about);
    if (!x.eager) {
      x.sender = {&s, m.request};
      if (x.posted) transfer(x, nullptr);
      return m.request != none;
    }
    transfer(x, s.on_thread ? &s.rank->thread : nullptr);
    if (!s.on_thread) {
      if (m.request == none) call_ends(s.call);
      return true;
    }
    s.rank->thread.add(s, 0);  // behind what the message costs there
    return false;
  }
  void end(strand& s, send const& m) {
    if (is_program(s)) s.rank->times.sending_s += now_s() - s.since_s;
    record_wait(s, sending, wait_cause::window);
    if (m.request == none) call_ends(s.call);
  }

  bool begin(strand& s, receive const& m) {
    exchange& x = meet({m.from, s.rank->self, m.tag, m.communicator}, &exchange::sent);
    x.posted = true;
    x.receiver = {&s, m.request};
    if (m.request != none) s.requests[m.request] = {};
    call_begins(s, message_end::receive, m.request, {});
    if (x.arrived) is_received(x);
    else if (x.sent && !x.eager) transfer(x, nullptr);
    return m.request != none;
  }
  void end(strand& s, receive const&) {
    if (is_program(s)) s.rank->times.waiting_s += now_s() - s.since_s;
    record_wait(s, receiving, wait_cause::object);
    record_received(s, receiving, s.call);
  }

  bool begin(strand& s, wait const& w) {
    if (s.requests[w.request].ended) return take_ended(s, w), true;
    s.awaited = w.request;
    return false;
  }
  void end(strand& s, wait const& w) {
    s.awaited = none;
    if (is_program(s)) s.rank->times.waiting_s += now_s() - s.since_s;
    record_wait(s, waiting, s.requests[w.request].cause);
    take_ended(s, w);
  }
  void take_ended(strand& s, wait const& w) {
    auto const found = s.requests.find(w.request);
    record_received(s, waiting, found->second.call);
    s.requests.erase(found);
  }

  bool begin(strand& s, collective const& c) {
    rank_state& rank = *s.rank;
    trace_of_rank const& of = trace_.ranks[static_cast<std::size_t>(rank.self)];
    std::vector<rank_id> const& members = trace_.communicators[c.communicator];
    auto const [place, is_new] = rank.places.try_emplace(c.communicator);
    if (is_new) place->second = static_cast<std::size_t>(std::ranges::find(members, rank.self) - members.begin());
    std::span<std::uint64_t const> counts;
    if (c.counts != none) counts = of.counts[c.counts];
    std::int32_t const tag = collective_tag(rank.collectives[c.communicator]++);

    strand& part = one_of(strands_, unused_strands_);
    part.rank = &rank;
    part.on_thread = c.request == none;
    part.own = how_.collectives.point_to_point({c, members, place->second, counts, tag});
    part.records = part.own;
    part.next = 0;
    part.within = activity_of(c);
    part.after = {&s, c.request};
    if (c.request != none) s.requests[c.request] = {wait_cause::call};
    make_ready(part);
    return c.request != none;
  }
  void end(strand& s, collective const&) { s.rank->times.collective_s += now_s() - s.since_s; }

  bool begin(strand&, marker const&) { return true; }
  void end(strand&, marker const&) {}

  // Messages

  /// The message of this channel whose other side has called first, if one is there, or one that waits for it.
  exchange& meet(channel const& of, bool exchange::*other_side) {
    queue& q = channels_[of];
    if (q.first != nullptr && q.first->*other_side) {
      exchange& met = *q.first;
      q.first = met.next;
      if (q.first == nullptr && of.tag < 0) channels_.erase(of);  // each collective has tags of its own
      return met;
    }
    exchange& x = one_of(exchanges_, unused_exchanges_);
    x.sent = x.posted = x.eager = x.arrived = false;
    x.next = nullptr;
    (q.first == nullptr ? q.first : q.last->next) = &x;
    q.last = &x;
    return x;
  }

  /// `by`: the thread that does what it costs; nullptr: none of the rank's.
  void transfer(exchange& x, machine::thread* by) {
    count(result_.all, x);
    x.from = node_of(x.about.from);
    x.to = node_of(x.about.to);
    x.bytes = x.about.bytes;
    if (x.from != x.to) {
      count(result_.between_nodes, x);
      machine_.send(x, by);
      return;
    }
    if (!x.eager) complete(x.sender);
    is_here(x);
  }
  static void count(replay_result::traffic& of, exchange const& x) {
    ++of.messages;
    of.bytes += x.about.bytes;
  }
  void has_crossed(exchange& x, machine::crossing const& when) {
    if (records_) records_->crossed(x.about, when.started_s, when.latency_s, now_s());
    if (!x.eager) complete(x.sender);
  }
  void has_arrived(exchange& x) {
    if (records_) records_->arrived(x.about, now_s());
    is_here(x);
  }
  void is_here(exchange& x) {
    x.arrived = true;
    x.about.arrived_s = now_s();
    if (x.posted) is_received(x);
  }
  void is_received(exchange& x) {
    complete(x.receiver, x.about);
    unused_exchanges_.push_back(&x);
  }

  // What records tell of calls. Of non-blocking collectives only messages: nobody waits in them.

  static activity activity_in(strand const& s, activity call) { return is_program(s) ? call : s.within; }
  void record_wait(strand const& s, activity call, wait_cause cause) {
    if (records_ && s.on_thread) records_->waited(s.rank->self, activity_in(s, call), cause, s.since_s, now_s());
  }
  void record_received(strand const& s, activity in, recorded_call const& call) {
    if (!records_ || call.about.number == 0) return;
    if (call.end == message_end::receive) records_->received(call.about, activity_in(s, in), now_s());
    call_ends(call);
  }
  void call_begins(strand& s, message_end which, index of, recorded_message const& about) {
    if (!records_) return;
    bool const blocks = s.on_thread && of == none;
    (of == none ? s.call : s.requests[of].call) = records_->begun(which, blocks, about, now_s());
  }
  void call_ends(recorded_call const& call) {
    if (records_) records_->ended(call, now_s());
  }
  /// What nobody has waited for ends with its rank, or, if that is later, when it has come.
  void end_calls() {
    for (exchange& x : exchanges_) {
      if (!x.sent || !x.posted || x.arrived) continue;
      x.about.arrived_s = now_s();
      complete(x.receiver, x.about);
    }
    for (rank_state const& r : ranks_) {
      std::map<index, request> const left(r.program.requests.begin(), r.program.requests.end());
      for (auto const& [number, its] : left) {
        if (its.call.about.number != 0) records_->ended(its.call, std::max(r.times.end_s, its.call.about.arrived_s));
      }
    }
  }

  // Objects that are used again

  template <class Object>
  Object& one_of(std::deque<Object>& all, std::vector<Object*>& unused) {
    if (unused.empty()) return all.emplace_back(*this);
    Object& one = *unused.back();
    unused.pop_back();
    return one;
  }

  // A replay that cannot go on

  std::string describe_stall() const {
    constexpr std::size_t most = 8;
    std::string text = "trace '" + trace_.name + "': after " + std::to_string(now_s()) + " s " +
                       std::to_string(running_) + " of " + std::to_string(ranks_.size()) +
                       " ranks wait for what never comes";
    std::size_t shown = 0;
    for (rank_state const& r : ranks_) {
      if (r.program.next == r.program.records.size()) continue;
      if (shown++ == most) return text + "; and others";
      text += (shown == 1 ? ": " : "; ") + describe_call(r);
    }
    return text;
  }
  std::string describe_call(rank_state const& r) const {
    strand const& s = r.program;
    std::string text = describe(trace_, r.self, s.next) + request_waited_for(s);
    if (!std::holds_alternative<collective>(s.records[s.next])) return text;
    auto const part = std::ranges::find_if(strands_, [&](strand const& p) {
      return p.after.of == &s && p.after.request == none && p.next < p.records.size();
    });
    if (part == strands_.end()) return text;
    return text + " (in it: " + describe(part->records[part->next]) + request_waited_for(*part) + ')';
  }
  static std::string request_waited_for(strand const& s) {
    auto const* const w = std::get_if<wait>(&s.records[s.next]);
    if (w == nullptr) return "";
    for (std::size_t i = s.next; i-- > 0;) {
      if (request_of(s.records[i]) == w->request) return " (" + describe(s.records[i]) + ')';
    }
    return "";
  }

  trace const& trace_;
  replay_options const& how_;
  std::vector<std::uint32_t> const nodes_;  ///< of ranks
  machine::virtual_machine machine_;
  std::optional<replay_records> records_;
  std::deque<rank_state> ranks_;
  std::size_t running_;
  std::vector<strand*> ready_;
  std::unordered_map<channel, queue, hash_of_channel> channels_;
  std::deque<strand> strands_;  ///< parts of collectives
  std::vector<strand*> unused_strands_;
  std::deque<exchange> exchanges_;
  std::vector<exchange*> unused_exchanges_;
  std::uint64_t sent_ = 0;
  std::size_t passed_ = 0;
  replay_result result_;
};

}  // namespace

std::vector<std::uint32_t> place_ranks(std::size_t ranks, machine::platform const& on, std::string const& text) {
  std::size_t const nodes = on.node_count();
  if (!text.empty()) {
    std::vector<std::uint32_t> placed = mapping(text).resolve(nodes, "ranks");
    if (placed.size() != ranks)
      throw config_error("map: expected a node for each of " + std::to_string(ranks) + " ranks, got " +
                         std::to_string(placed.size()));
    return placed;
  }
  std::size_t const used = std::min(ranks, nodes);
  std::vector<std::uint32_t> placed;
  for (std::size_t r = 0; r < ranks; ++r) placed.push_back(static_cast<std::uint32_t>(r * used / ranks));
  return placed;
}

replay_result replay(trace const& what, machine::platform const& on, replay_options const& how) {
  return replayer(what, on, how).run();
}

}  // namespace ovlp::mpi
