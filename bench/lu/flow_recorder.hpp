// SPDX-License-Identifier: BSD-3-Clause
/// Makes a task flow of the records of a simulation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <ovlp/ovlp.hpp>

#include "flow.hpp"

namespace bench {

/// Records do not say which object started what. It follows from their order, if each thread executes a split, merge or
/// stream once, which those of the LU graphs do: objects for one operation in one thread are taken in the order in
/// which they arrive, and objects from one node to another arrive in the order in which they were posted.
///
/// Steps that take no time are left out: they are no work for who replays the flow. Of control messages
/// those credits remain that a post has waited for.
/// Thread: that of the simulation.
class flow_recorder final : public ovlp::record_sink {
 public:
  void begin(ovlp::run_definitions const& of) override {
    names_ = &of;
    made_.about.nodes = of.nodes;
    made_.about.places = of.nodes * static_cast<std::uint32_t>(of.collections.size());
    busy_until_s_.resize(made_.about.places);
    last_.resize(of.nodes);
    last_credit_.resize(of.nodes, none);
  }

  void step(ovlp::step_record const& r) override {
    std::uint32_t const place = place_of(r.at);
    executing& now = of(r.at);
    if (now.steps++ == 0) take_next(now, place);
    end_wait(now, place);
    now.waits = kind(r.at.operation) == "merge" || kind(r.at.operation) == "stream";
    if (r.end_s <= r.start_s) return;
    if (r.start_s < busy_until_s_[place]) fail("two steps of a collection at once on one node");
    busy_until_s_[place] = r.end_s;
    add({action::compute, place, place, 0, r.computed_s});
    ++made_.about.tasks;
  }
  void wait(ovlp::wait_record const& r) override {
    credits_given(r.at.node);
    of(r.at);
    std::uint32_t const place = place_of(r.at), credit = last_credit_[r.at.node];
    if (r.cause != ovlp::wait_cause::window || credit == none || used_[credit]) return;
    used_[credit] = true;
    add({action::receive_credit, place, made_.items[item_of_[credit]].place, credit, 0});
    made_.items[item_of_[credit]].peer = place;
  }
  void post(ovlp::post_record const& r) override {
    std::uint32_t const place = place_of(r.at);
    executing& from = of(r.at);
    from.waits = false;
    if (kind(r.at.operation) == "leaf") from.steps = 0;  // it has ended
    std::uint32_t const to = place_of(r.to_node, r.object.operation);
    std::uint64_t const taker = key(r.object.operation, r.to_thread);
    if (r.to_node != r.at.node) {
      std::uint32_t const sent = add_message(action::send, place, to);
      pair_of(r.at.node, r.to_node).posted.push_back(sent);
      pair_of(r.at.node, r.to_node).crossing.emplace_back(sent, taker);
      ++made_.about.transfers;
    } else if (to != place) {
      executing_[taker].arrived.push_back(add_message(action::signal, place, to));
    } else {
      executing_[taker].arrived.push_back(none);  // the place did it before, that is enough
    }
  }
  void send(ovlp::send_record const& r) override {
    pair& between = pair_of(r.source, r.destination);
    if (r.kind == ovlp::message_kind::control) {
      credits_given(r.source);
      between.credits.push_back(add_message(action::credit, last_[r.source].place, none));
    } else {
      made_.items[item_of_[pop(between.posted)]].amount = static_cast<double>(r.bytes);
    }
  }
  void delivery(ovlp::delivery_record const& r) override {
    pair& between = pair_of(r.source, r.destination);
    if (r.kind == ovlp::message_kind::control) {
      last_credit_[r.destination] = pop(between.credits);
    } else {
      auto const [message, taker] = pop(between.crossing);
      executing_[taker].arrived.push_back(message);
    }
  }

  /// The flow of the run, which has ended.
  flow take(ovlp::summary const& figures) {
    std::erase_if(made_.items, [&](flow_item const& i) { return i.what == action::credit && !used_[i.message]; });
    made_.about.messages = item_of_.size();
    made_.about.items = made_.items.size();
    made_.about.time_s = figures.time_s;
    made_.about.events = figures.atomic_steps + figures.transfers;
    if (made_.about.transfers != figures.transfers) fail("transfers are missing");
    return std::move(made_);
  }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;

  /// An operation in a thread.
  struct executing {
    std::deque<std::uint32_t> arrived;  ///< for it, and not taken
    std::size_t steps = 0;              ///< of a leaf: of what runs now
    bool waits = false;                 ///< for another object, if it has not posted after its last step
    bool has_first = false;             ///< its first wait gives what started it
  };
  /// Whose operation ran last on a node.
  struct running {
    executing* operation = nullptr;
    std::uint32_t place = 0;
  };
  /// From one node to another, in order.
  struct pair {
    std::deque<std::uint32_t> posted;                              ///< not sent
    std::deque<std::pair<std::uint32_t, std::uint64_t>> crossing;  ///< with who takes them
    std::deque<std::uint32_t> credits;
  };

  [[noreturn]] static void fail(std::string const& why) { throw std::runtime_error("--flow: " + why); }
  template <class T>
  static T pop(std::deque<T>& from) {
    if (from.empty()) fail("objects are not sent in order; the platform needs \"concurrent_per_pair\": 1");
    T const first = from.front();
    from.pop_front();
    return first;
  }
  static std::uint64_t key(std::uint32_t operation, std::uint32_t thread) {
    return std::uint64_t{operation} << 32 | thread;
  }
  executing& of(ovlp::operation_place const& at) {
    if (at.graph != 0) fail("a run of one graph is expected");
    executing& found = executing_[key(at.operation, at.thread)];
    last_[at.node] = {&found, place_of(at)};
    return found;
  }
  ovlp::run_definitions::operation const& operation(std::uint32_t number) const {
    return names_->graphs.front().operations[number];
  }
  std::string const& kind(std::uint32_t number) const { return operation(number).kind; }
  std::uint32_t place_of(std::uint32_t node, std::uint32_t number) const {
    return operation(number).collection * names_->nodes + node;
  }
  std::uint32_t place_of(ovlp::operation_place const& at) const { return place_of(at.node, at.operation); }
  pair& pair_of(std::uint32_t from, std::uint32_t to) { return pairs_[std::uint64_t{from} << 32 | to]; }

  void add(flow_item const& item) { made_.items.push_back(item); }
  std::uint32_t add_message(action what, std::uint32_t place, std::uint32_t peer) {
    auto const message = static_cast<std::uint32_t>(item_of_.size());
    item_of_.push_back(made_.items.size());
    used_.push_back(what != action::credit);
    add({what, place, peer, message, 0});
    return message;
  }
  void take_next(executing& by, std::uint32_t place) {
    if (by.arrived.empty()) return;  // started by the call, or all have been taken
    std::uint32_t const message = pop(by.arrived);
    if (message == none) return;
    flow_item const& sent = made_.items[item_of_[message]];
    add({sent.what == action::send ? action::receive : action::await, place, sent.place, message, 0});
  }

  void end_wait(executing& by, std::uint32_t place) {
    if (!std::exchange(by.waits, false)) return;
    if (std::exchange(by.has_first, true)) take_next(by, place);
  }
  /// A credit is given when an object is handed out, before the step that it begins.
  void credits_given(std::uint32_t node) {
    running const& last = last_[node];
    if (last.operation == nullptr) return;
    if (last.operation->has_first && last.operation->arrived.empty()) return;
    end_wait(*last.operation, last.place);
  }

  ovlp::run_definitions const* names_ = nullptr;
  flow made_;
  std::unordered_map<std::uint64_t, executing> executing_;
  std::unordered_map<std::uint64_t, pair> pairs_;
  std::vector<std::size_t> item_of_;        ///< of each message, where it was sent
  std::vector<bool> used_;                  ///< all but credits that nobody waits for
  std::vector<double> busy_until_s_;        ///< by place
  std::vector<running> last_;               ///< by node
  std::vector<std::uint32_t> last_credit_;  ///< by node
};

}  // namespace bench
