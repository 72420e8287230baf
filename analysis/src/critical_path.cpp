// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/analysis/critical_path.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dag_shortest_paths.hpp>

#include <ovlp/base/error.hpp>

namespace ovlp::analysis {
namespace {

using vertex = std::uint32_t;
constexpr vertex start_vertex = 0;

/// What an edge of the graph stands for; `what` of `number` among those of its kind, or a dependency.
struct activity {
  double negative_s = 0;  // Boost finds shortest paths
  path_activity what{};
  std::uint32_t number = 0;
  bool is_dependency = true;
};

/// From handing it to the transport until it is delivered.
struct way {
  vertex begin = 0, end = 0;
};

/// Vertices in the order of their time.
class ends {
 public:
  void add(double at_s, vertex v) { all_.emplace_back(at_s, v); }
  void sort() { std::stable_sort(all_.begin(), all_.end(), by_time); }
  /// The last that is not later.
  std::optional<std::pair<double, vertex>> last_until(double at_s) const {
    auto const after = std::upper_bound(all_.begin(), all_.end(), std::pair{at_s, vertex{}}, by_time);
    return after == all_.begin() ? std::nullopt : std::optional(*(after - 1));
  }

 private:
  static bool by_time(std::pair<double, vertex> const& a, std::pair<double, vertex> const& b) {
    return a.first < b.first;
  }
  std::vector<std::pair<double, vertex>> all_;
};

}  // namespace

double critical_path::length_s() const {
  return std::accumulate(pieces.begin(), pieces.end(), 0.0, [](double sum, path_piece const& p) {
    return p.what == path_activity::unrecorded ? sum : sum + (p.end_s - p.start_s);
  });
}

namespace {

/// The graph of what happened, and the longest path through it.
class happenings {
 public:
  explicit happenings(recorded_run const& of) : run_(of), exact_(of.simulated()) {}

  critical_path find() {
    calls_ = run_.calls;
    while (!calls_.empty() && calls_.back().begins) calls_.pop_back();
    if (calls_.empty()) throw error("no critical path: expected a run of which a call has ended");
    add_activities();
    for (auto& [node, of_node] : ended_on_) of_node.sort();
    ended_.sort();
    add_dependencies();
    return longest_path();
  }

 private:
  using graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, activity>;

  // Vertices and edges.

  vertex add_vertex(double at_s) {
    times_.push_back(at_s);
    return static_cast<vertex>(times_.size() - 1);
  }
  void add_activity(vertex from, vertex to, path_activity what, std::size_t number) {
    pairs_.emplace_back(from, to);
    activities_.push_back({times_[from] - times_[to], what, static_cast<std::uint32_t>(number), false});
  }
  vertex add_after(vertex from, double to_s, path_activity what, std::size_t number) {
    vertex const to = add_vertex(to_s);
    add_activity(from, to, what, number);
    return to;
  }
  /// Its end explains what begins then, on this node.
  void ends_on(std::uint32_t node, vertex end) {
    ended_on_[node].add(times_[end], end);
    ended_.add(times_[end], end);
  }

  void add_activities() {
    double first_s = calls_.front().at_s;
    for (node_record const& r : run_.nodes) first_s = std::min(first_s, r.at_s);
    add_vertex(first_s);
    begins_.resize(run_.steps.size());
    ends_of_steps_.resize(run_.steps.size());
    for (std::uint32_t const s : run_.steps_by_end()) {
      recorded_run::step const& r = run_.steps[s];
      begins_[s] = add_vertex(r.start_s);
      ends_of_steps_[s] = add_after(begins_[s], r.end_s, path_activity::step, s);
      if (r.end_s > r.start_s) ends_on(run_.residences[r.at.residence].node, ends_of_steps_[s]);
    }
    for (std::size_t m = 0; m < run_.messages.size(); ++m) add_message(m);
    std::unordered_map<std::uint32_t, vertex> launched;
    for (node_record const& r : run_.nodes) {
      if (r.change == node_change::launched) launched[r.node] = add_vertex(r.at_s);
      auto const asked = launched.find(r.node);
      if (r.change != node_change::joined || asked == launched.end()) continue;
      vertex const joined = add_after(asked->second, r.at_s, path_activity::launch, r.node);
      launches_.emplace_back(asked->second, r.node);
      if (times_[joined] <= times_[asked->second]) continue;
      ends_on(r.node, joined);
      if (r.node != 0) ended_on_[0].add(times_[joined], joined);
    }
    vertex last = start_vertex;
    for (call_record const& r : calls_) {
      vertex const v = add_vertex(r.at_s);
      if (r.begins) {
        add_activity(last, v, path_activity::main_program, r.call);
        if (times_[v] > times_[last]) ends_on(0, v);
        begin_of_call_[r.call] = v;
      } else {
        ends_of_calls_.push_back(v);
      }
      last = v;
    }
    last_ = last;
  }

  void add_message(std::size_t number) {
    recorded_run::message const& m = run_.messages[number];
    way& made = ways_.emplace_back();
    if (!recorded_run::is_known(m.sent_s)) return;  // what was sent, and when, another process tells
    recorded_run::crossing const* const crossed =
        m.crossing == recorded_run::none ? nullptr : &run_.crossings[m.crossing];
    made.begin = made.end = add_vertex(crossed != nullptr ? std::min(m.sent_s, crossed->handed_over_s) : m.sent_s);
    if (!recorded_run::is_known(m.delivered_s)) return;
    if (crossed != nullptr) {
      vertex const handed =
          add_after(made.begin, std::max(crossed->started_s, times_[made.begin]), path_activity::send, number);
      vertex const over = add_after(handed, crossed->crossed_s, path_activity::network, number);
      if (times_[over] > times_[made.begin]) ends_on(m.source, over);  // makes room for the next
      made.end = add_after(over, m.delivered_s, path_activity::receive, number);
    } else {
      made.end = add_after(made.begin, m.delivered_s, path_activity::message, number);
    }
    if (times_[made.end] > times_[made.begin]) ends_on(m.destination, made.end);
  }

  /// What `to` depends on; the latest time is kept.
  class dependencies {
   public:
    dependencies(happenings& all, vertex to) : all_(all), to_(to) {}
    void add(vertex from) {
      if (all_.times_[from] > all_.times_[to_]) return;  // clocks that differ
      all_.pairs_.emplace_back(from, to_);
      all_.activities_.push_back({});
      reaches_s_ = std::max(reaches_s_, all_.times_[from]);
      any_ = true;
    }
    /// Where what is known does not reach up to it: what ended last on its node, or anywhere. In a real run nothing
    /// ever does, for its clock goes on: there what a step that got no object waited for is not known.
    void complete(std::uint32_t node, bool goes_on = false) {
      double const at_s = all_.times_[to_];
      if (any_ && (all_.exact_ ? reaches_s_ >= at_s : !goes_on)) return;
      if (auto const found = all_.ended_on_.find(node); found != all_.ended_on_.end()) add_last(found->second, at_s);
      if (all_.exact_ && reaches_s_ < at_s) add_last(all_.ended_, at_s);
      if (!any_) add(start_vertex);
    }

   private:
    void add_last(ends const& of, double at_s) {
      if (auto const last = of.last_until(at_s)) add(last->second);
    }
    happenings& all_;
    vertex const to_;
    double reaches_s_ = -std::numeric_limits<double>::infinity();
    bool any_ = false;
  };

  void add_dependencies() {
    for (std::uint32_t s = 0; s < run_.steps.size(); ++s) {
      recorded_run::step const& r = run_.steps[s];
      dependencies of(*this, begins_[s]);
      if (s > 0 && run_.same_thread(run_.steps[s - 1].at, r.at)) of.add(ends_of_steps_[s - 1]);
      bool const has_input = r.input != recorded_run::none;
      std::uint32_t const node = run_.residences[r.at.residence].node;
      if (has_input) add_origin(of, r.input, run_.purposes[r.at.purpose].call, node, r.start_s);
      of.complete(node, !has_input);
    }
    for (std::uint32_t i = 0; i < run_.messages.size(); ++i) {
      recorded_run::message const& m = run_.messages[i];
      if (!recorded_run::is_known(m.sent_s)) continue;
      dependencies of(*this, ways_[i].begin);
      if (m.object != recorded_run::none) add_origin(of, m.object, m.call, m.source, times_[ways_[i].begin]);
      of.complete(m.source);
    }
    for (auto const& [asked, node] : launches_) dependencies(*this, asked).complete(0);
    for (vertex v : ends_of_calls_) dependencies(*this, v).complete(0);
  }

  /// Where an object came from that is on a node at this time: its last message to there until then, or whoever posted
  /// it.
  void add_origin(dependencies& of, std::uint32_t object, std::uint64_t call, std::uint32_t node, double at_s) {
    recorded_run::message const* last = nullptr;
    for (recorded_run::message const& m : run_.messages_of(object)) {
      bool const arrived = recorded_run::is_known(m.sent_s) && m.delivered_s <= at_s;  // not where it is unknown
      if (m.destination == node && arrived && (last == nullptr || m.delivered_s > last->delivered_s)) last = &m;
    }
    recorded_run::object const& what = run_.objects[object];
    if (last != nullptr) {
      of.add(ways_[static_cast<std::size_t>(last - run_.messages.data())].end);
    } else if (what.was_posted()) {
      if (std::uint32_t const step = run_.poster(what); step != recorded_run::none) of.add(ends_of_steps_[step]);
    } else if (auto const began = begin_of_call_.find(call); began != begin_of_call_.end()) {
      of.add(began->second);
    }
  }

  // The path.

  critical_path longest_path() {
    graph const all(boost::edges_are_unsorted_multi_pass, pairs_.begin(), pairs_.end(), activities_.begin(),
                    times_.size());
    std::vector<double> distances(times_.size());
    std::vector<std::size_t> before(times_.size());
    auto const number = boost::get(boost::vertex_index, all);
    boost::dag_shortest_paths(all, start_vertex,
                              boost::weight_map(boost::get(&activity::negative_s, all))
                                  .distance_map(boost::make_iterator_property_map(distances.begin(), number))
                                  .predecessor_map(boost::make_iterator_property_map(before.begin(), number)));
    critical_path path;
    path.start_s = times_[start_vertex];
    path.end_s = times_[last_];
    for (std::size_t v = last_; before[v] != v; v = before[v]) {
      activity longest;  // of those between the two
      for (auto [e, end] = boost::out_edges(before[v], all); e != end; ++e) {
        activity const& candidate = all[*e];
        if (boost::target(*e, all) == v && candidate.negative_s < longest.negative_s) longest = candidate;
      }
      if (!longest.is_dependency) path.pieces.push_back(piece(longest, times_[before[v]], times_[v]));
    }
    std::reverse(path.pieces.begin(), path.pieces.end());
    fill_gaps(path);
    add_kernels(path);
    return path;
  }

  static void fill_gaps(critical_path& path) {
    std::vector<path_piece> const known = std::exchange(path.pieces, {});
    double reached_s = path.start_s;
    auto const reach = [&](double at_s) {
      if (at_s > reached_s) path.pieces.push_back({path_activity::unrecorded, reached_s, at_s});
    };
    for (path_piece const& p : known) {
      reach(p.start_s);
      path.pieces.push_back(p);
      reached_s = p.end_s;
    }
    reach(path.end_s);
  }

  path_piece piece(activity const& of, double start_s, double end_s) const {
    path_piece made{of.what, start_s, end_s};
    switch (of.what) {
      case path_activity::step:
        made.step = of.number;
        made.at = run_.place_of(run_.steps[of.number].at);
        break;
      case path_activity::launch: made.destination = of.number; break;
      case path_activity::main_program:
      case path_activity::unrecorded: break;
      default: {
        recorded_run::message const& m = run_.messages[of.number];
        made.source = m.source;
        made.destination = m.destination;
        if (of.what == path_activity::network)
          made.latency_s = std::min(run_.crossings[m.crossing].latency_s, end_s - start_s);
        if (m.object == recorded_run::none || !run_.objects[m.object].was_posted()) break;
        recorded_run::object const& posted = run_.objects[m.object];
        made.posted = true;
        made.at = run_.place_of(posted.by);
        made.to_operation = posted.key.operation;
      }
    }
    return made;
  }

  void add_kernels(critical_path& path) const {
    for (path_piece const& p : path.pieces) {
      if (p.what != path_activity::step) continue;
      for (recorded_run::kernel const& k : run_.kernels_of(static_cast<std::uint32_t>(p.step)))
        path.kernels.push_back({run_.kernel_names[k.name].name, k.start_s, k.end_s, k.work_s});
    }
  }

  recorded_run const& run_;
  bool const exact_;  ///< each event is at the time of the one that made it happen
  std::vector<call_record> calls_;
  std::vector<vertex> begins_, ends_of_steps_;
  std::vector<way> ways_;  ///< of messages

  std::vector<double> times_;  // of vertices
  std::vector<std::pair<vertex, vertex>> pairs_;
  std::vector<activity> activities_;                  // of the pairs
  std::unordered_map<std::uint32_t, ends> ended_on_;  // activities of some length, by node
  ends ended_;                                        // of all nodes
  std::vector<std::pair<vertex, std::uint32_t>> launches_;
  std::unordered_map<std::uint64_t, vertex> begin_of_call_;
  std::vector<vertex> ends_of_calls_;
  vertex last_ = start_vertex;
};

}  // namespace

critical_path find_critical_path(recorded_run const& run) { return happenings(run).find(); }

}  // namespace ovlp::analysis
