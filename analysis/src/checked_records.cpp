// SPDX-License-Identifier: BSD-3-Clause
#include "checked_records.hpp"

#include <cmath>
#include <tuple>

namespace ovlp::analysis {
namespace {

std::string describe_key(object_key const& object) {
  return "object " + std::to_string(object.group) + "." + std::to_string(object.place) + " for operation " +
         std::to_string(object.operation);
}
std::string between(std::uint32_t source, std::uint32_t destination) {
  return name_of_node(source) + " >> " + name_of_node(destination);
}

using place_key =
    std::tuple<std::uint64_t, std::uint32_t, std::uint32_t, std::uint32_t>;  // call, graph, operation, thread
place_key key_of(operation_place const& at) { return {at.call, at.graph, at.operation, at.thread}; }

}  // namespace

findings const& checked_records::check() {
  if (checked) return *checked;
  findings& found = checked.emplace();
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
  if (!run.undefined.empty()) missing(run.undefined);
  for (recorded_run::object const& o : run.objects) {
    if (o.was_posted() && o.to_node >= run.names.nodes)
      missing("a post to " + name_of_node(o.to_node) + " of " + std::to_string(run.names.nodes));
  }
  for (node_record const& r : run.nodes)
    if (r.node >= run.names.nodes)
      missing("a change of " + name_of_node(r.node) + " of " + std::to_string(run.names.nodes));
  for (call_record const& r : run.calls)
    if (r.graph >= run.names.graphs.size()) missing("a call of graph " + std::to_string(r.graph));
  return all;
}

void checked_records::check_calls(findings& found) {
  constexpr char const* identity = "a call of the main program begins once and ends once, after that";
  for (call_record const& r : run.calls) {
    one_call& of = calls[r.call];
    std::optional<double>& time_s = r.begins ? of.begin_s : of.end_s;
    if (time_s || (!r.begins && (!of.begin_s || *of.begin_s > r.at_s)))
      found.add(identity,
                "call " + std::to_string(r.call) + (r.begins ? " begins" : " ends") + " at " + seconds(r.at_s));
    time_s = r.at_s;
  }
  if (!seen.of_all_nodes && run.names.node != 0) return;  // only node 0 tells of calls
  for (recorded_run::step const& s : run.steps) {
    std::uint64_t const call = call_of(s.at);
    auto const of = calls.find(call);
    if (of == calls.end() || !of->second.begin_s || s.start_s < *of->second.begin_s - slack_s() ||
        (of->second.end_s && s.end_s > *of->second.end_s + slack_s())) {
      found.add("what belongs to a call happens between its begin and its end",
                describe(s) + ", call " + std::to_string(call) +
                    (of == calls.end() || !of->second.begin_s ? ", of which nothing is known"
                                                              : " from " + seconds(*of->second.begin_s)) +
                    (of != calls.end() && of->second.end_s ? " to " + seconds(*of->second.end_s) : ""));
    }
  }
}

void checked_records::check_nodes(findings& found) {
  std::map<std::uint32_t, node_record> last;
  for (node_record const& r : run.nodes) {
    auto const before = last.find(r.node);
    bool const was_held = before != last.end() && before->second.change != node_change::released;
    bool const in_turn = r.change == node_change::launched ? !was_held
                         : r.change == node_change::joined ? was_held && before->second.change == node_change::launched
                                                           : was_held && r.node != 0;
    if (!in_turn) {
      found.add("a node is launched, joins and is released in turn; node 0 is never released",
                name_of_node(r.node) + " " + std::string(name_of(r.change)) + " at " + seconds(r.at_s) +
                    (before == last.end()
                         ? ""
                         : ", " + std::string(name_of(before->second.change)) + " at " + seconds(before->second.at_s)));
    }
    if (r.change == node_change::launched) held[r.node].push_back({r.at_s});
    if (r.change == node_change::released && !held[r.node].empty()) held[r.node].back().to_s = r.at_s;
    last.insert_or_assign(r.node, r);
  }
  if (held.empty()) return;  // another process tells of nodes
  constexpr char const* identity = "what a node does, it does while it is held";
  for (recorded_run::step const& s : run.steps)
    if (!is_held(node_of(s.at), s.start_s, s.end_s)) found.add(identity, describe(s));
  for (recorded_run::message const& m : run.messages) {
    if (recorded_run::is_known(m.sent_s) && !is_held(m.source, m.sent_s, m.sent_s))
      found.add(identity, "message " + between(m.source, m.destination) + " sent at " + seconds(m.sent_s));
    if (recorded_run::is_known(m.delivered_s) && !is_held(m.destination, m.delivered_s, m.delivered_s))
      found.add(identity, "message " + between(m.source, m.destination) + " delivered at " + seconds(m.delivered_s));
  }
}

void checked_records::check_steps(findings& found) const {
  for (recorded_run::step const& s : run.steps) {
    double const length_s = s.end_s - s.start_s;
    if (!(length_s >= 0)) found.add("a step begins before it ends", describe(s));
    if (!(s.work_s >= 0) || s.work_s > s.computed_s + 1e-9)
      found.add("a step's work is part of what it computed",
                describe(s) + ": work " + seconds(s.work_s) + " of " + seconds(s.computed_s));
    // Of a simulation computed_s is on the reference core, and capacities have a quota's share only. A real thread's
    // CPU clock is another than the machine's, and on a virtual one jumps by a tick.
    constexpr double tick_s = 0.01;
    if (!simulated() && s.computed_s > length_s + slack_s() + tick_s)
      found.add("a step computes no longer than it takes",
                describe(s) + ": computed " + seconds(s.computed_s) + " in " + seconds(length_s));
  }
}

void checked_records::check_threads(findings& found) const {
  for (std::size_t i = 1; i < run.steps.size(); ++i) {
    recorded_run::step const &before = run.steps[i - 1], &s = run.steps[i];
    if (!run.same_thread(before.at, s.at)) continue;
    double const slack = node_of(s.at) == node_of(before.at) && !simulated() ? 1e-9 : slack_s();
    if (s.start_s < before.end_s - slack)
      found.add("a DPS thread executes one step at a time", describe(before) + ", and " + describe(s));
  }
}

void checked_records::check_kernels(findings& found) const {
  constexpr char const* identity = "kernels lie in a step of their operation, and its work is the sum of theirs";
  constexpr double rounded_s = 1e-9;
  auto const is_nothing = [](recorded_run::kernel const& k) {  // at an end of whichever step
    return k.end_s - k.start_s <= 2 * rounded_s && k.work_s <= rounded_s;
  };
  auto const describe_kernel = [&](recorded_run::kernel const& k) {
    return "kernel in '" + operation(k.at) + "' in " + thread(k.at) + " from " + seconds(k.start_s) + " to " +
           seconds(k.end_s);
  };
  auto next = run.kernels.begin();
  double before_s = 0;
  for (std::uint32_t number = 0; number < run.steps.size(); ++number) {
    recorded_run::step const& s = run.steps[number];
    if (number == 0 || !run.same_thread(run.steps[number - 1].at, s.at))
      before_s = -std::numeric_limits<double>::infinity();
    double sum_s = 0;
    for (; next != run.kernels.end() && next->step == number; ++next) {
      if (is_nothing(*next)) continue;
      if (next->start_s < before_s - rounded_s)
        found.add("kernels of a DPS thread come one after another", describe_kernel(*next));
      before_s = next->end_s;
      if (next->start_s < s.start_s - rounded_s || next->end_s > s.end_s + rounded_s)
        found.add(identity, describe_kernel(*next));
      sum_s += next->work_s;
    }
    if (std::abs(sum_s - s.work_s) > 2 * rounded_s + 1e-9 * s.work_s)
      found.add(identity, describe(s) + ": work " + seconds(s.work_s) + ", its kernels " + seconds(sum_s));
  }
  if (next == run.kernels.end()) return;
  // A node that was ended in a step has told its kernels, and no step.
  std::map<std::uint32_t, double> last_step_s;  // of each residence
  for (recorded_run::step const& s : run.steps) last_step_s[s.at.residence] = s.start_s;
  auto const was_cut_off = [&](recorded_run::kernel const& k) {
    auto const last = last_step_s.find(k.at.residence);
    return !seen.of_all_nodes && (last == last_step_s.end() || last->second <= k.start_s);
  };
  for (; next != run.kernels.end(); ++next)
    if (!is_nothing(*next) && !was_cut_off(*next)) found.add(identity, describe_kernel(*next));
}

void checked_records::check_waits(findings& found) const {
  std::map<place_key, std::pair<double, double>> steps_of;  // end of the first, start of the last
  for (recorded_run::step const& s : run.steps) {
    auto const [of, added] = steps_of.try_emplace(key_of(run.place_of(s.at)), s.end_s, s.start_s);
    of->second.first = std::min(of->second.first, s.end_s);
    of->second.second = std::max(of->second.second, s.start_s);
  }
  for (recorded_run::wait const& w : run.waits) {
    auto const of = steps_of.find(key_of(run.place_of(w.at)));
    bool const holds = w.end_s >= w.start_s && of != steps_of.end() && w.start_s >= of->second.first - slack_s() &&
                       (!ended(call_of(w.at)) || w.end_s <= of->second.second + slack_s());
    if (!holds)
      found.add("an operation waits between two steps of its own", "wait of '" + operation(w.at) + "' in " +
                                                                       thread(w.at) + " from " + seconds(w.start_s) +
                                                                       " to " + seconds(w.end_s));
  }
}

void checked_records::check_posts(findings& found) const {
  auto const describe_post = [&](recorded_run::object const& o) {
    return describe_key(o.key) + ", posted by '" + operation(o.by) + "' at " + seconds(o.posted_s) + " to thread " +
           std::to_string(o.to_thread);
  };
  for (recorded_run::object const& o : run.posted_again)
    found.add("no two objects of a run are the same", describe_post(o) + ", and once before");
  std::vector<std::uint32_t> taken(run.objects.size(), recorded_run::none);
  for (std::uint32_t number = 0; number < run.steps.size(); ++number) {
    recorded_run::step const& s = run.steps[number];
    if (s.input == recorded_run::none) continue;
    recorded_run::object const& o = run.objects[s.input];
    if (std::uint32_t& first = taken[s.input]; first == recorded_run::none) {
      first = number;
    } else {
      found.add("an object is taken once",
                describe_key(o.key) + ": by " + describe(run.steps[first]) + ", and " + describe(s));
      continue;
    }
    if (!o.was_posted()) continue;  // of a call; or another process tells
    operation_place const by = run.place_of(o.by), at = run.place_of(s.at);
    bool const is_for = o.key.operation == at.operation || !seen.of_flow_graphs;  // a rank may wait for it
    if (!is_for || by.call != at.call || by.graph != at.graph || o.to_thread != at.thread ||
        (simulated() ? s.start_s : s.end_s) < o.posted_s - slack_s())
      found.add("an object is taken after it was posted, by whom it was posted to",
                describe_post(o) + ", taken by " + describe(s));
  }
  if (!seen.of_all_nodes) return;
  for (std::size_t i = 0; i < run.objects.size(); ++i) {
    recorded_run::object const& o = run.objects[i];
    if (o.was_posted() && ended(call_of(o.by)) && taken[i] == recorded_run::none)
      found.add("in a call that has ended, each object has been taken", describe_post(o));
  }
}

void checked_records::check_messages(findings& found) const {
  constexpr char const* once = "a message is delivered once, after it was sent";
  constexpr char const* crosses = "a transfer lies between the sending of its object and its delivery";
  if (!seen.of_all_nodes) return;
  for (recorded_run::message const& m : run.messages) {
    bool const is_notice = m.object == recorded_run::none;
    auto const what = [&] {
      return (is_notice ? std::string("control messages") : describe_key(run.objects[m.object].key)) + " " +
             between(m.source, m.destination) + ": sent at " + seconds(m.sent_s) + ", delivered at " +
             seconds(m.delivered_s);
    };
    bool const sent = recorded_run::is_known(m.sent_s), delivered = recorded_run::is_known(m.delivered_s);
    if (!sent || (delivered && m.delivered_s < m.sent_s - slack_s()) || (!delivered && !is_notice && ended(m.call)))
      found.add(once, what());
    if (!simulated() || is_notice) continue;
    if (m.crossing == recorded_run::none) {
      if (sent && delivered) found.add(crosses, what());
      continue;
    }
    recorded_run::crossing const& c = run.crossings[m.crossing];
    double const delivered_s = delivered ? m.delivered_s : std::numeric_limits<double>::infinity();
    // What waited for its turn, and is sent then, may have been handed over before.
    bool const in_order = sent && m.sent_s <= c.crossed_s + slack_s() && c.handed_over_s <= c.started_s + slack_s() &&
                          c.latency_s >= 0 && c.started_s + c.latency_s <= c.crossed_s + slack_s() &&
                          c.crossed_s <= delivered_s + slack_s() && c.bytes == m.bytes;
    if (!in_order)
      found.add(crosses, what() + ", handed over at " + seconds(c.handed_over_s) + ", first byte at " +
                             seconds(c.started_s) + ", latency " + seconds(c.latency_s) + ", last byte at " +
                             seconds(c.crossed_s) + ", bytes " + std::to_string(m.bytes) + " and " +
                             std::to_string(c.bytes));
  }
}

/// Of simulations: the nodes of a real run may share cores.
void checked_records::check_capacity(findings& found) const {
  if (!simulated() || run.calls.empty()) return;
  std::map<std::uint32_t, std::pair<double, double>> computed;  // until when, how much
  for (recorded_run::step const& s : run.steps) {
    auto& [until_s, sum_s] = computed[node_of(s.at)];
    until_s = std::max(until_s, s.end_s);
    sum_s += s.computed_s;
  }
  for (auto const& [number, of] : computed) {
    double const most_s = capacity_of(number) * held_s(number, -std::numeric_limits<double>::infinity(), of.first);
    if (of.second > most_s * seen.most_speed * (1 + 1e-9) + 1e-9 + capacity_of(number) * seen.burst_s)
      found.add("a node computes no more than its capacity",
                name_of_node(number) + " computed " + seconds(of.second) + " of " + seconds(most_s));
  }
}

}  // namespace ovlp::analysis
