// SPDX-License-Identifier: BSD-3-Clause
#include "checked_records.hpp"

#include <array>
#include <cmath>
#include <tuple>
#include <unordered_map>

namespace ovlp::analysis {
namespace {

std::string describe(object_key const& object) {
  return "object " + std::to_string(object.group) + "." + std::to_string(object.place) + " for operation " +
         std::to_string(object.operation);
}
std::string between(std::uint32_t source, std::uint32_t destination) {
  return node_named(source) + " >> " + node_named(destination);
}

using place_key =
    std::tuple<std::uint64_t, std::uint32_t, std::uint32_t, std::uint32_t>;  // call, graph, operation, thread
place_key key_of(operation_place const& at) { return {at.call, at.graph, at.operation, at.thread}; }

}  // namespace

findings const& checked_records::check() {
  if (checked) return *checked;
  findings& found = checked.emplace();
  calls.clear();
  held.clear();
  names_hold = check_names(found);
  if (!names_hold) return found;  // the others look names up
  check_calls(found);
  check_nodes(found);
  check_steps(found);
  check_threads(found);
  if (seen.of_flow_graphs) {
    check_kernels(found);
    check_waits(found);
  }
  check_posts(found);
  check_messages(found);
  check_capacity(found);
  return found;
}

bool checked_records::check_names(findings& found) const {
  bool all = true;
  auto const missing = [&](std::string const& what) {
    found.add("what a record refers to is defined", what);
    all = false;
  };
  auto const expect_place = [&](operation_place const& at, char const* what) {
    if (!is_named(at))
      missing(std::string(what) + " of operation " + std::to_string(at.operation) + " of graph " +
              std::to_string(at.graph) + " on " + node_named(at.node) + " of " + std::to_string(names.nodes));
  };
  auto const expect_pair = [&](std::uint32_t source, std::uint32_t destination, char const* what) {
    if (source >= names.nodes || destination >= names.nodes || source == destination)
      missing(what + (" " + between(source, destination)) + " of " + std::to_string(names.nodes) + " nodes");
  };
  for (step_record const& r : steps) expect_place(r.at, "a step");
  for (kernel_place const& r : kernels) expect_place(r.at, "a kernel");
  for (wait_record const& r : waits) expect_place(r.at, "a wait");
  for (post_record const& r : posts) {
    expect_place(r.at, "a post");
    if (r.to_node >= names.nodes) missing("a post to " + node_named(r.to_node) + " of " + std::to_string(names.nodes));
  }
  for (send_record const& r : sends) expect_pair(r.source, r.destination, "a message");
  for (delivery_record const& r : deliveries) expect_pair(r.source, r.destination, "a delivery");
  for (transfer_record const& r : transfers) expect_pair(r.source, r.destination, "a transfer");
  for (node_record const& r : nodes)
    if (r.node >= names.nodes) missing("a change of " + node_named(r.node) + " of " + std::to_string(names.nodes));
  for (call_record const& r : call_records)
    if (r.graph >= names.graphs.size()) missing("a call of graph " + std::to_string(r.graph));
  return all;
}

void checked_records::check_calls(findings& found) {
  constexpr char const* identity = "a call of the main program begins once and ends once, after that";
  for (call_record const& r : call_records) {
    one_call& of = calls[r.call];
    std::optional<double>& time_s = r.begins ? of.begin_s : of.end_s;
    if (time_s || (!r.begins && (!of.begin_s || *of.begin_s > r.at_s)))
      found.add(identity,
                "call " + std::to_string(r.call) + (r.begins ? " begins" : " ends") + " at " + seconds(r.at_s));
    time_s = r.at_s;
  }
  if (!seen.of_all_nodes && names.node != 0) return;  // only node 0 tells of calls
  for (step_record const& r : steps) {
    auto const of = calls.find(r.at.call);
    if (of == calls.end() || !of->second.begin_s || r.start_s < *of->second.begin_s - slack_s() ||
        (of->second.end_s && r.end_s > *of->second.end_s + slack_s())) {
      found.add("what belongs to a call happens between its begin and its end",
                describe_step(r) + ", call " + std::to_string(r.at.call) +
                    (of == calls.end() || !of->second.begin_s ? ", of which nothing is known"
                                                              : " from " + seconds(*of->second.begin_s)) +
                    (of != calls.end() && of->second.end_s ? " to " + seconds(*of->second.end_s) : ""));
    }
  }
}

void checked_records::check_nodes(findings& found) {
  std::map<std::uint32_t, node_record> last;
  for (node_record const& r : nodes) {
    auto const before = last.find(r.node);
    bool const was_held = before != last.end() && before->second.change != node_change::released;
    bool const in_turn = r.change == node_change::launched ? !was_held
                         : r.change == node_change::joined ? was_held && before->second.change == node_change::launched
                                                           : was_held && r.node != 0;
    if (!in_turn || (before != last.end() && before->second.at_s > r.at_s)) {
      constexpr std::array<char const*, 3> changes{"launched", "joined", "released"};
      found.add(
          "a node is launched, joins and is released in turn; node 0 is never released",
          node_named(r.node) + " " + changes.at(static_cast<std::size_t>(r.change)) + " at " + seconds(r.at_s) +
              (before == last.end() ? ""
                                    : ", " + std::string(changes.at(static_cast<std::size_t>(before->second.change))) +
                                          " at " + seconds(before->second.at_s)));
    }
    if (r.change == node_change::launched) held[r.node].push_back({r.at_s});
    if (r.change == node_change::released && !held[r.node].empty()) held[r.node].back().to_s = r.at_s;
    last.insert_or_assign(r.node, r);
  }
  if (held.empty()) return;  // another process tells of nodes
  constexpr char const* identity = "what a node does, it does while it is held";
  for (step_record const& r : steps)
    if (!is_held(r.at.node, r.start_s, r.end_s)) found.add(identity, describe_step(r));
  for (send_record const& r : sends)
    if (!is_held(r.source, r.at_s, r.at_s))
      found.add(identity, "message " + between(r.source, r.destination) + " sent at " + seconds(r.at_s));
  for (delivery_record const& r : deliveries)
    if (!is_held(r.destination, r.at_s, r.at_s))
      found.add(identity, "message " + between(r.source, r.destination) + " delivered at " + seconds(r.at_s));
}

void checked_records::check_steps(findings& found) const {
  for (step_record const& r : steps) {
    double const length_s = r.end_s - r.start_s;
    if (!(length_s >= 0)) found.add("a step begins before it ends", describe_step(r));
    if (!(r.work_s >= 0) || r.work_s > r.computed_s + 1e-9)
      found.add("a step's work is part of what it computed",
                describe_step(r) + ": work " + seconds(r.work_s) + " of " + seconds(r.computed_s));
    // Of a simulation computed_s is on the reference core, and capacities have a quota's share only. A real thread's
    // CPU clock is another than the machine's, and on a virtual one jumps by a tick.
    constexpr double tick_s = 0.01;
    if (!simulated() && r.computed_s > length_s + slack_s() + tick_s)
      found.add("a step computes no longer than it takes",
                describe_step(r) + ": computed " + seconds(r.computed_s) + " in " + seconds(length_s));
  }
}

/// By DPS thread, in order of time.
void checked_records::check_threads(findings& found) const {
  std::map<thread_key, std::vector<step_record const*>> by_thread;
  for (step_record const& r : steps) by_thread[thread_of(r.at)].push_back(&r);
  for (auto& [thread, of] : by_thread) {
    std::ranges::stable_sort(of, [](auto const* a, auto const* b) {
      return std::tie(a->start_s, a->end_s) < std::tie(b->start_s, b->end_s);
    });
    for (std::size_t i = 1; i < of.size(); ++i) {
      double const slack = of[i]->at.node == of[i - 1]->at.node && !simulated() ? 1e-9 : slack_s();
      if (of[i]->start_s < of[i - 1]->end_s - slack)
        found.add("a DPS thread executes one step at a time",
                  describe_step(*of[i - 1]) + ", and " + describe_step(*of[i]));
    }
  }
}

void checked_records::check_kernels(findings& found) const {
  constexpr char const* identity = "kernels lie in a step of their operation, and its work is the sum of theirs";
  constexpr double rounded_s = 1e-9;
  std::map<thread_key, std::vector<kernel_place const*>> kernels_of;
  std::map<thread_key, std::vector<step_record const*>> steps_of;
  for (kernel_place const& k : kernels) kernels_of[thread_of(k.at)].push_back(&k);
  for (step_record const& r : steps) steps_of[thread_of(r.at)].push_back(&r);
  auto const describe_kernel = [&](kernel_place const& k) {
    return "kernel in '" + operation(k.at) + "' in " + thread(k.at) + " from " + seconds(k.start_s) + " to " +
           seconds(k.end_s);
  };
  auto const by_time = [](auto const* a, auto const* b) {
    return std::tie(a->start_s, a->end_s) < std::tie(b->start_s, b->end_s);
  };
  for (auto const& [of, its_kernels] : kernels_of) steps_of.try_emplace(of);
  for (auto& [of, its_steps] : steps_of) {
    std::vector<kernel_place const*>& its_kernels = kernels_of[of];
    std::ranges::stable_sort(its_steps, by_time);
    std::ranges::stable_sort(its_kernels, by_time);
    std::vector<double> sums_s(its_steps.size(), 0);
    double before_s = -std::numeric_limits<double>::infinity();
    for (kernel_place const* k : its_kernels) {
      if (k->end_s - k->start_s <= 2 * rounded_s && k->work_s <= rounded_s) continue;  // at an end of whichever step
      if (k->start_s < before_s - rounded_s)
        found.add("kernels of a DPS thread come one after another", describe_kernel(*k));
      before_s = k->end_s;
      auto const after = std::ranges::upper_bound(its_steps, (k->start_s + k->end_s) / 2, {}, &step_record::start_s);
      step_record const* const r = after == its_steps.begin() ? nullptr : *(after - 1);
      if (r == nullptr || key_of(r->at) != key_of(k->at) || k->start_s < r->start_s - rounded_s ||
          k->end_s > r->end_s + rounded_s) {
        found.add(identity, describe_kernel(*k));
      } else {
        sums_s[static_cast<std::size_t>(after - its_steps.begin() - 1)] += k->work_s;
      }
    }
    for (std::size_t i = 0; i < its_steps.size(); ++i) {
      if (std::abs(sums_s[i] - its_steps[i]->work_s) > 2 * rounded_s + 1e-9 * its_steps[i]->work_s)
        found.add(identity, describe_step(*its_steps[i]) + ": work " + seconds(its_steps[i]->work_s) +
                                ", its kernels " + seconds(sums_s[i]));
    }
  }
}

void checked_records::check_waits(findings& found) const {
  std::map<place_key, std::pair<double, double>> steps_of;  // end of the first, start of the last
  for (step_record const& r : steps) {
    auto const [of, added] = steps_of.try_emplace(key_of(r.at), r.end_s, r.start_s);
    of->second.first = std::min(of->second.first, r.end_s);
    of->second.second = std::max(of->second.second, r.start_s);
  }
  for (wait_record const& w : waits) {
    auto const of = steps_of.find(key_of(w.at));
    bool const holds = w.end_s >= w.start_s && of != steps_of.end() && w.start_s >= of->second.first - slack_s() &&
                       (!ended(w.at.call) || w.end_s <= of->second.second + slack_s());
    if (!holds)
      found.add("an operation waits between two steps of its own", "wait of '" + operation(w.at) + "' in " +
                                                                       thread(w.at) + " from " + seconds(w.start_s) +
                                                                       " to " + seconds(w.end_s));
  }
}

void checked_records::check_posts(findings& found) const {
  std::unordered_map<object_key, post_record const*> posted;
  std::unordered_map<object_key, step_record const*> taken;
  auto const describe_post = [&](post_record const& r) {
    return describe(r.object) + ", posted by '" + operation(r.at) + "' at " + seconds(r.at_s) + " to thread " +
           std::to_string(r.to_thread);
  };
  for (post_record const& r : posts) {
    if (auto const [first, added] = posted.emplace(r.object, &r); !added)
      found.add("no two objects of a run are the same", describe_post(*first->second) + ", and " + describe_post(r));
  }
  for (step_record const& r : steps) {
    if (r.input.group == 0) continue;
    if (auto const [first, added] = taken.emplace(r.input, &r); !added) {
      found.add("an object is taken once",
                describe(r.input) + ": by " + describe_step(*first->second) + ", and " + describe_step(r));
      continue;
    }
    auto const from = posted.find(r.input);
    if (from == posted.end()) continue;  // of a call; or another process tells
    post_record const& p = *from->second;
    bool const is_for = p.object.operation == r.at.operation || !seen.of_flow_graphs;  // a rank may wait for it
    if (!is_for || p.at.call != r.at.call || p.at.graph != r.at.graph || p.to_thread != r.at.thread ||
        (simulated() ? r.start_s : r.end_s) < p.at_s - slack_s())
      found.add("an object is taken after it was posted, by whom it was posted to",
                describe_post(p) + ", taken by " + describe_step(r));
  }
  if (!seen.of_all_nodes) return;
  for (post_record const& r : posts) {
    if (ended(r.at.call) && !taken.contains(r.object))
      found.add("in a call that has ended, each object has been taken", describe_post(r));
  }
}

void checked_records::check_messages(findings& found) const {
  constexpr char const* once = "a message is delivered once, after it was sent";
  constexpr char const* crosses = "a transfer lies between the sending of its object and its delivery";
  if (!seen.of_all_nodes) return;
  // An object may cross from one node to another several times: its thread moves, and it follows.
  struct event {
    object_key object;
    std::uint32_t source, destination;
    std::uint8_t phase;  // sent, crossed, delivered
    double at_s;
    std::size_t number;
    auto way() const { return std::tie(object.group, object.place, object.operation, source, destination); }
  };
  std::vector<event> events;
  events.reserve(sends.size() + transfers.size() + deliveries.size());
  auto const add = [&](auto const& records, std::uint8_t phase, auto at_s) {
    for (std::size_t i = 0; i < records.size(); ++i) {
      auto const& r = records[i];
      events.push_back({r.object, r.source, r.destination, phase, r.*at_s, i});
    }
  };
  add(sends, 0, &send_record::at_s);
  add(transfers, 1, &transfer_record::sent_s);
  add(deliveries, 2, &delivery_record::at_s);
  std::ranges::sort(events, [](event const& x, event const& y) {
    return std::tuple_cat(x.way(), std::tie(x.phase, x.at_s, x.number)) <
           std::tuple_cat(y.way(), std::tie(y.phase, y.at_s, y.number));
  });
  struct journey {
    std::vector<send_record const*> sent;
    std::vector<transfer_record const*> crossed;
    std::vector<delivery_record const*> delivered;
  } of;
  for (auto first = events.begin(), next = first; first != events.end(); first = next) {
    of.sent.clear();
    of.crossed.clear();
    of.delivered.clear();
    for (; next != events.end() && next->way() == first->way(); ++next) {
      if (next->phase == 0) of.sent.push_back(&sends[next->number]);
      if (next->phase == 1) of.crossed.push_back(&transfers[next->number]);
      if (next->phase == 2) of.delivered.push_back(&deliveries[next->number]);
    }
    bool const control = first->object.group == 0;
    auto const what = [&] {
      return (control ? std::string("control messages") : describe(first->object)) + " " +
             between(first->source, first->destination);
    };
    auto const is_kind = [&](auto const* r) { return (r->kind == message_kind::control) == control; };
    if (!std::ranges::all_of(of.sent, is_kind) || !std::ranges::all_of(of.delivered, is_kind) ||
        (control && !of.crossed.empty()))
      found.add("an object that is sent has a key, and only that", what());
    auto const counts = [&] {
      return what() + ": " + std::to_string(of.sent.size()) + " sent, " + std::to_string(of.crossed.size()) +
             " crossed, " + std::to_string(of.delivered.size()) + " delivered";
    };
    bool const all_arrive =
        !control && std::ranges::all_of(of.sent, [&](auto const* r) { return ended(r->call); }) && !of.sent.empty();
    if (of.delivered.size() > of.sent.size() || (all_arrive && of.delivered.size() != of.sent.size()))
      found.add(once, counts());
    for (std::size_t i = 0; i < std::min(of.sent.size(), of.delivered.size()); ++i) {
      if (of.delivered[i]->at_s < of.sent[i]->at_s - slack_s())
        found.add(once, what() + ": sent at " + seconds(of.sent[i]->at_s) + ", delivered at " +
                            seconds(of.delivered[i]->at_s));
    }
    if (!simulated() || control) continue;
    if (of.crossed.size() > of.sent.size() || of.crossed.size() < of.delivered.size()) found.add(crosses, counts());
    for (std::size_t i = 0; i < std::min(of.sent.size(), of.crossed.size()); ++i) {
      send_record const& s = *of.sent[i];
      transfer_record const& t = *of.crossed[i];
      double const delivered_s =
          i < of.delivered.size() ? of.delivered[i]->at_s : std::numeric_limits<double>::infinity();
      // What waited for its turn, and is sent then, may have been handed over before.
      bool const in_order = s.at_s <= t.crossed_s + slack_s() && t.sent_s <= t.started_s + slack_s() &&
                            t.latency_s >= 0 && t.started_s + t.latency_s <= t.crossed_s + slack_s() &&
                            t.crossed_s <= delivered_s + slack_s() && t.bytes == s.bytes;
      if (!in_order)
        found.add(crosses, what() + ": sent at " + seconds(s.at_s) + ", handed over at " + seconds(t.sent_s) +
                               ", first byte at " + seconds(t.started_s) + ", latency " + seconds(t.latency_s) +
                               ", last byte at " + seconds(t.crossed_s) + ", delivered at " + seconds(delivered_s) +
                               ", bytes " + std::to_string(s.bytes) + " and " + std::to_string(t.bytes));
    }
  }
}

/// Of simulations: the nodes of a real run may share cores.
void checked_records::check_capacity(findings& found) const {
  if (!simulated() || call_records.empty()) return;
  std::map<std::uint32_t, std::pair<double, double>> computed;  // until when, how much
  for (step_record const& r : steps) {
    auto& [until_s, sum_s] = computed[r.at.node];
    until_s = std::max(until_s, r.end_s);
    sum_s += r.computed_s;
  }
  for (auto const& [number, of] : computed) {
    double const most_s = capacity_of(number) * held_s(number, -std::numeric_limits<double>::infinity(), of.first);
    if (of.second > most_s * seen.most_speed * (1 + 1e-9) + 1e-9 + capacity_of(number) * seen.burst_s)
      found.add("a node computes no more than its capacity",
                node_named(number) + " computed " + seconds(of.second) + " of " + seconds(most_s));
  }
}

}  // namespace ovlp::analysis
