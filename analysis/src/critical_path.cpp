// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/analysis/critical_path.hpp>

#include <algorithm>
#include <functional>
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
constexpr std::uint32_t end_of_records = std::numeric_limits<std::uint32_t>::max();

/// What an edge of the graph stands for; `what` of `number` among those of its kind, or a dependency.
struct activity {
  double negative_s = 0;  // Boost finds shortest paths
  path_activity what{};
  std::uint32_t number = 0;
  bool is_dependency = true;
};

/// From handing it to the transport until it is delivered.
struct message {
  send_record sent;
  std::optional<transfer_record> crossing;
  std::optional<double> delivered_s;
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

struct kernel_time {
  std::uint64_t thread;
  double start_s, end_s, work_s;
  std::uint32_t name;
};

}  // namespace

double critical_path::length_s() const {
  return std::accumulate(pieces.begin(), pieces.end(), 0.0, [](double sum, path_piece const& p) {
    return p.what == path_activity::unrecorded ? sum : sum + (p.end_s - p.start_s);
  });
}

struct critical_path_finder::implementation {
  std::uint64_t thread_of(operation_place const& at) const {
    return std::uint64_t{names.graphs.at(at.graph).operations.at(at.operation).collection} << 32 | at.thread;
  }

  run_definitions names;
  std::vector<step_record> steps;
  std::vector<kernel_time> kernels;
  std::vector<std::string> kernel_names;
  std::unordered_map<std::string, std::uint32_t> kernel_numbers;
  std::vector<post_record> posts;
  std::vector<send_record> sends;
  std::vector<delivery_record> deliveries;
  std::vector<transfer_record> transfers;
  std::vector<node_record> nodes;
  std::vector<call_record> calls;
};

namespace {

/// The graph of what happened, and the longest path through it.
template <class Records>
class happenings {
 public:
  explicit happenings(Records const& of) : run_(of), exact_(of.names.backend == "simulated") {}

  critical_path find() {
    sort_records();
    match_messages();
    add_activities();
    for (auto& [node, of_node] : ended_on_) of_node.sort();
    ended_.sort();
    add_dependencies();
    return longest_path();
  }

 private:
  using graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, activity>;

  void sort_records() {
    order_.resize(run_.steps.size());
    std::iota(order_.begin(), order_.end(), 0U);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](auto a, auto b) { return run_.steps[a].end_s < run_.steps[b].end_s; });
    calls_ = run_.calls;
    std::stable_sort(calls_.begin(), calls_.end(), [](auto const& a, auto const& b) { return a.at_s < b.at_s; });
    while (!calls_.empty() && calls_.back().begins) calls_.pop_back();
    if (calls_.empty()) throw error("no critical path: expected a run of which a call has ended");
  }

  /// Sends with their transfers and deliveries. Objects know themselves; control messages stay in order.
  void match_messages() {
    std::unordered_map<object_key, std::vector<std::uint32_t>> transfers, deliveries;
    for (std::uint32_t t = 0; t < run_.transfers.size(); ++t) transfers[run_.transfers[t].object].push_back(t);
    std::unordered_map<std::uint64_t, std::vector<double>> controls;
    for (std::uint32_t d = 0; d < run_.deliveries.size(); ++d) {
      delivery_record const& r = run_.deliveries[d];
      if (r.kind == message_kind::object) {
        deliveries[r.object].push_back(d);
      } else {
        controls[pair_of(r.source, r.destination)].push_back(r.at_s);
      }
    }
    std::unordered_map<std::uint64_t, std::size_t> taken;
    for (send_record const& sent : run_.sends) {
      message m{sent, {}, {}};
      auto const between = [&](auto const& r) { return r.source == sent.source && r.destination == sent.destination; };
      if (sent.kind == message_kind::control) {
        std::uint64_t const pair = pair_of(sent.source, sent.destination);
        auto const& arrived = controls[pair];
        if (std::size_t& next = taken[pair]; next < arrived.size()) m.delivered_s = arrived[next++];
      } else {
        auto const take_first = [&](auto& by_object, auto const& all, auto at_s) {
          auto const found = by_object.find(sent.object);
          if (found == by_object.end()) return end_of_records;
          std::vector<std::uint32_t>& left = found->second;
          auto const first = std::ranges::find_if(
              left, [&](std::uint32_t i) { return between(all[i]) && std::invoke(at_s, all[i]) >= sent.at_s; });
          if (first == left.end()) return end_of_records;
          std::uint32_t const number = *first;
          left.erase(first);  // a moving thread's objects may take the same way again
          return number;
        };
        if (auto const t = take_first(transfers, run_.transfers, &transfer_record::crossed_s); t != end_of_records)
          m.crossing = run_.transfers[t];
        if (auto const d = take_first(deliveries, run_.deliveries, &delivery_record::at_s); d != end_of_records)
          m.delivered_s = run_.deliveries[d].at_s;
        messages_of_[sent.object].push_back(static_cast<std::uint32_t>(messages_.size()));
      }
      messages_.push_back(m);
    }
    for (std::uint32_t p = 0; p < run_.posts.size(); ++p) posts_of_.emplace(run_.posts[p].object, p);
  }
  static std::uint64_t pair_of(std::uint32_t source, std::uint32_t destination) {
    return std::uint64_t{source} << 32 | destination;
  }

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
    for (std::uint32_t s : order_) {
      step_record const& r = run_.steps[s];
      vertex const begin = add_vertex(r.start_s);
      vertex const end = add_after(begin, r.end_s, path_activity::step, s);
      if (r.end_s > r.start_s) ends_on(r.at.node, end);
      steps_of_[run_.thread_of(r.at)].push_back({begin, end, s});
    }
    for (std::size_t i = 0; i < messages_.size(); ++i) add_message(messages_[i], i);
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

  void add_message(message& m, std::size_t number) {
    m.begin = m.end = add_vertex(m.crossing ? std::min(m.sent.at_s, m.crossing->sent_s) : m.sent.at_s);
    if (!m.delivered_s) return;
    if (m.crossing) {
      vertex const handed =
          add_after(m.begin, std::max(m.crossing->started_s, times_[m.begin]), path_activity::send, number);
      vertex const crossed = add_after(handed, m.crossing->crossed_s, path_activity::network, number);
      if (times_[crossed] > times_[m.begin]) ends_on(m.sent.source, crossed);  // makes room for the next
      m.end = add_after(crossed, *m.delivered_s, path_activity::receive, number);
    } else {
      m.end = add_after(m.begin, *m.delivered_s, path_activity::message, number);
    }
    if (times_[m.end] > times_[m.begin]) ends_on(m.sent.destination, m.end);
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
    for (auto const& [thread, of_thread] : steps_of_) {
      std::optional<vertex> before;
      for (step_vertices const& v : of_thread) {
        step_record const& r = run_.steps[v.step];
        dependencies of(*this, v.begin);
        if (before) of.add(*before);
        before = v.end;
        if (r.input.group != 0) add_origin(of, r.input, r.at.call, times_[v.begin]);
        of.complete(r.at.node, r.input.group == 0);
      }
    }
    for (message const& m : messages_) {
      dependencies of(*this, m.begin);
      if (m.sent.kind == message_kind::object) add_origin(of, m.sent.object, m.sent.call, times_[m.begin], &m);
      of.complete(m.sent.source);
    }
    for (auto const& [asked, node] : launches_) dependencies(*this, asked).complete(0);
    for (vertex v : ends_of_calls_) dependencies(*this, v).complete(0);
  }

  /// Where an object came from that is somewhere at this time: its last message until then, or whoever posted it.
  void add_origin(dependencies& of, object_key const& object, std::uint64_t call, double at_s,
                  message const* before = nullptr) {
    message const* last = nullptr;
    if (auto const found = messages_of_.find(object); found != messages_of_.end()) {
      for (std::uint32_t i : found->second) {
        message const& m = messages_[i];
        if (&m == before) break;
        if (m.delivered_s && *m.delivered_s <= at_s) last = &m;
      }
    }
    if (last != nullptr) {
      of.add(last->end);
    } else if (auto const posted = posts_of_.find(object); posted != posts_of_.end()) {
      if (auto const step = poster(run_.posts[posted->second])) of.add(*step);
    } else if (auto const began = begin_of_call_.find(call); began != begin_of_call_.end()) {
      of.add(began->second);
    }
  }

  /// The end of the step after which this was posted; of several that ended at the same time the first, on which the
  /// others depend.
  std::optional<vertex> poster(post_record const& r) const {
    auto const found = steps_of_.find(run_.thread_of(r.at));
    if (found == steps_of_.end()) return {};
    auto const after = std::upper_bound(found->second.begin(), found->second.end(), r.at_s,
                                        [&](double at_s, step_vertices const& v) { return at_s < times_[v.end]; });
    if (after == found->second.begin()) return {};
    double const end_s = times_[(after - 1)->end];
    return std::lower_bound(found->second.begin(), after, end_s,
                            [&](step_vertices const& v, double at_s) { return times_[v.end] < at_s; })
        ->end;
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
        made.at = run_.steps[of.number].at;
        break;
      case path_activity::launch: made.destination = of.number; break;
      case path_activity::main_program:
      case path_activity::unrecorded: break;
      default: {
        send_record const& sent = messages_[of.number].sent;
        made.source = sent.source;
        made.destination = sent.destination;
        if (of.what == path_activity::network)
          made.latency_s = std::min(messages_[of.number].crossing->latency_s, end_s - start_s);
        auto const posted = posts_of_.find(sent.object);
        if (sent.kind == message_kind::control || posted == posts_of_.end()) break;
        made.posted = true;
        made.at = run_.posts[posted->second].at;
        made.to_operation = sent.object.operation;
      }
    }
    return made;
  }

  void add_kernels(critical_path& path) const {
    std::unordered_map<std::uint64_t, std::vector<path_piece const*>> steps;
    for (path_piece const& p : path.pieces) {
      if (p.what == path_activity::step) steps[run_.thread_of(p.at)].push_back(&p);
    }
    for (kernel_time const& k : run_.kernels) {
      auto const found = steps.find(k.thread);
      if (found == steps.end()) continue;
      auto const after = std::upper_bound(found->second.begin(), found->second.end(), k.start_s,
                                          [](double at_s, path_piece const* p) { return at_s < p->start_s; });
      if (after == found->second.begin() || k.start_s >= (*(after - 1))->end_s) continue;
      path.kernels.push_back({run_.kernel_names[k.name], k.start_s, k.end_s, k.work_s});
    }
  }

  struct step_vertices {
    vertex begin, end;
    std::uint32_t step;
  };

  Records const& run_;
  bool const exact_;  ///< each event is at the time of the one that made it happen
  std::vector<std::uint32_t> order_;
  std::vector<call_record> calls_;
  std::vector<message> messages_;
  std::unordered_map<object_key, std::vector<std::uint32_t>> messages_of_;
  std::unordered_map<object_key, std::uint32_t> posts_of_;

  std::vector<double> times_;  // of vertices
  std::vector<std::pair<vertex, vertex>> pairs_;
  std::vector<activity> activities_;                                        // of the pairs
  std::unordered_map<std::uint64_t, std::vector<step_vertices>> steps_of_;  // by DPS thread, in the order of their ends
  std::unordered_map<std::uint32_t, ends> ended_on_;                        // activities of some length, by node
  ends ended_;                                                              // of all nodes
  std::vector<std::pair<vertex, std::uint32_t>> launches_;
  std::unordered_map<std::uint64_t, vertex> begin_of_call_;
  std::vector<vertex> ends_of_calls_;
  vertex last_ = start_vertex;
};

}  // namespace

critical_path_finder::critical_path_finder() : implementation_(std::make_unique<implementation>()) {}
critical_path_finder::~critical_path_finder() = default;

void critical_path_finder::begin(run_definitions const& names) { implementation_->names = names; }
void critical_path_finder::step(step_record const& r) { implementation_->steps.push_back(r); }
void critical_path_finder::kernel(kernel_record const& r) {
  auto const [number, is_new] = implementation_->kernel_numbers.try_emplace(
      std::string(r.name), static_cast<std::uint32_t>(implementation_->kernel_names.size()));
  if (is_new) implementation_->kernel_names.emplace_back(r.name);
  implementation_->kernels.push_back({implementation_->thread_of(r.at), r.start_s, r.end_s, r.work_s, number->second});
}
void critical_path_finder::post(post_record const& r) { implementation_->posts.push_back(r); }
void critical_path_finder::send(send_record const& r) { implementation_->sends.push_back(r); }
void critical_path_finder::delivery(delivery_record const& r) { implementation_->deliveries.push_back(r); }
void critical_path_finder::transfer(transfer_record const& r) { implementation_->transfers.push_back(r); }
void critical_path_finder::node(node_record const& r) { implementation_->nodes.push_back(r); }
void critical_path_finder::call(call_record const& r) { implementation_->calls.push_back(r); }

critical_path critical_path_finder::find() const { return happenings(*implementation_).find(); }

}  // namespace ovlp::analysis
