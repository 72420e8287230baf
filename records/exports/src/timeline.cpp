// SPDX-License-Identifier: BSD-3-Clause
#include "timeline.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <ovlp/base/error.hpp>

namespace ovlp::exports {
namespace {

constexpr std::uint32_t no_collection = 0xffffffff;

std::int64_t ns(double time_s) {
  constexpr double most_s = 9.2e9;  // 2^63 ns, nearly
  if (!(std::abs(time_s) < most_s))
    throw config_error("a record of " + std::to_string(time_s) +
                       " s: expected less than 9.2e9 s, for timelines count nanoseconds in 64 bits");
  return std::llround(time_s * 1e9);
}

std::string in_a_line(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return c < ' '; }, ' ');
  return name;
}

/// Makes it of a run. Rows know residences by numbers of their own until all are known.
class maker {
 public:
  maker(recorded_run const& run, std::string const& reservation) : from_(run) {
    made_.reservation = in_a_line(reservation);
  }

  timeline make() {
    take_names();
    for (node_record const& r : from_.nodes) at(r.at_s);
    for (call_record const& r : from_.calls) at(r.at_s);
    for (recorded_run::mapping const& m : from_.mappings) take(m);
    take_steps();
    take_posts();
    if (made_.of_mpi()) take_calls_of_mpi();
    else take_messages();
    count_from_begin();
    number_threads();
    keep_steps_apart();
    keep_kernels_in_steps();
    choose_waits();
    return std::move(made_);
  }

 private:
  struct residence_key {
    std::uint32_t node, collection, index;
    friend bool operator<(residence_key const& a, residence_key const& b) {
      return std::tie(a.node, a.collection, a.index) < std::tie(b.node, b.collection, b.index);
    }
  };

  void take_names() {
    run_definitions const& names = from_.names;
    made_.application = in_a_line(names.application);
    made_.nodes = names.nodes;
    made_.communicators = names.communicators;
    std::map<std::tuple<std::string, std::string, std::string>, std::uint32_t> known;
    for (run_definitions::graph const& graph : names.graphs) {
      std::vector<std::uint32_t>& numbers = operations_.emplace_back();
      for (run_definitions::operation const& is : graph.operations) {
        auto const next = static_cast<std::uint32_t>(known.size());
        auto const [found, is_new] = known.try_emplace({graph.name, is.kind, is.name}, next);
        if (is_new) {
          bool const of_mpi = !names.communicators.empty() && !numbers.empty();  // the first one is computation
          made_.operations.push_back({in_a_line(graph.name), is.kind, in_a_line(is.name), of_mpi});
        }
        numbers.push_back(found->second);
      }
    }
    if (from_.simulated()) earliest_ns_ = 0;
    for (recorded_run::kernel_name const& name : from_.kernel_names) {
      std::string sizes;
      for (std::int64_t const size : name.sizes) sizes += (sizes.empty() ? "" : " ") + std::to_string(size);
      made_.kernel_names.push_back({in_a_line(name.name), sizes});
    }
  }

  std::int64_t at(double time_s) {
    std::int64_t const time_ns = ns(time_s);
    earliest_ns_ = std::min(earliest_ns_, time_ns);
    made_.end_ns = std::max(made_.end_ns, time_ns);
    return time_ns;
  }
  /// Its number, for now.
  std::uint32_t residence(std::uint32_t node, std::uint32_t collection, std::uint32_t index) {
    if (collection >= from_.names.collections.size() && collection != no_collection)
      throw io_error("a record of a collection that is missing");
    return residences_.try_emplace({node, collection, index}, static_cast<std::uint32_t>(residences_.size()))
        .first->second;
  }
  std::uint32_t residence(recorded_run::place const& place) {
    recorded_run::residence const& of = from_.residences[place.residence];
    return residence(of.node, of.collection, of.thread);
  }
  /// Where the thread has lived; else what a node does for itself.
  std::uint32_t residence_or_runtime(std::uint32_t node, std::uint32_t collection, std::uint32_t index) {
    auto const found = residences_.find({node, collection, index});
    return found != residences_.end() ? found->second : residence(node, no_collection, node);
  }
  std::uint32_t operation(recorded_run::place const& place) const {
    recorded_run::purpose const& what = from_.purposes[place.purpose];
    return operations_[what.graph][what.operation];
  }

  void take(recorded_run::mapping const& m) {
    at(m.at_s);
    for (std::uint32_t thread = 0; thread < m.nodes.size(); ++thread) {
      std::uint32_t const number = residence(m.nodes[thread], m.collection, thread);
      if (made_.of_mpi() && m.collection == 0) rank_residences_.push_back(number);
    }
  }

  void take_steps() {
    for (recorded_run::step const& s : from_.steps) {
      bool const is_posted = s.input != recorded_run::none && from_.objects[s.input].was_posted();
      made_.steps.push_back({at(s.start_s), at(s.end_s), residence(s.at), operation(s.at),
                             from_.purposes[s.at.purpose].iteration, is_posted ? s.input : timeline::no_post});
    }
    for (recorded_run::kernel const& k : from_.kernels) {
      if (k.step != recorded_run::none) made_.kernels.push_back({at(k.start_s), at(k.end_s), k.step, k.name});
    }
    for (recorded_run::wait const& w : from_.waits)
      made_.waits.push_back({at(w.start_s), at(w.end_s), residence(w.at), w.cause});
  }

  /// Steps have numbers of objects so far.
  void take_posts() {
    std::vector<std::uint32_t> post_of(from_.objects.size(), timeline::no_post);
    for (std::size_t o = 0; o < from_.objects.size(); ++o) {
      recorded_run::object const& of = from_.objects[o];
      if (!of.was_posted()) continue;
      post_of[o] = static_cast<std::uint32_t>(made_.posts.size());
      made_.posts.push_back({at(of.posted_s), residence(of.by)});
    }
    for (timeline::step& s : made_.steps)
      if (s.taken != timeline::no_post) s.taken = post_of[s.taken];
  }

  /// An object is sent by the thread that posted it, and on by that to which it goes, which has lived there.
  void take_messages() {
    for (recorded_run::message const& m : from_.messages) {
      bool const crossed = m.crossing != recorded_run::none;
      bool const both_ends = recorded_run::is_known(m.sent_s) && recorded_run::is_known(m.delivered_s);
      if (m.object == recorded_run::none || (from_.simulated() ? !crossed : !both_ends)) continue;
      recorded_run::object const& of = from_.objects[m.object];
      run_definitions::operation const* const to = of.was_posted() ? from_.receiver(of) : nullptr;
      std::uint32_t const collection = to != nullptr ? to->collection : no_collection;
      std::uint32_t const thread = of.was_posted() ? of.to_thread : 0;
      bool const by_poster = of.was_posted() && from_.residences[of.by.residence].node == m.source;
      timeline::message made{};
      if (crossed) {
        recorded_run::crossing const& c = from_.crossings[m.crossing];
        made = {at(c.handed_over_s), at(c.started_s), at(c.crossed_s), 0, 0, c.bytes};
      } else {
        made = {at(m.sent_s), at(m.sent_s), at(m.delivered_s), 0, 0, m.bytes};
      }
      made.from = by_poster ? residence(of.by) : residence_or_runtime(m.source, collection, thread);
      made.to = residence_or_runtime(m.destination, collection, thread);
      made_.messages.push_back(made);
    }
    std::stable_sort(made_.messages.begin(), made_.messages.end(),
                     [](timeline::message const& a, timeline::message const& b) { return a.sent_ns < b.sent_ns; });
  }

  /// Messages between ranks, in the order in which they were sent, also those that stayed on a node.
  void take_calls_of_mpi() {
    std::unordered_map<std::uint64_t, double> started_s;  // of those that went over the network
    for (recorded_run::message const& m : from_.messages) {
      if (m.object == recorded_run::none || m.crossing == recorded_run::none) continue;
      started_s.emplace(from_.objects[m.object].key.group, from_.crossings[m.crossing].started_s);
    }
    std::vector<mpi_call_record> calls = from_.mpi_calls;
    std::sort(calls.begin(), calls.end(),
              [](mpi_call_record const& a, mpi_call_record const& b) { return a.begun.number < b.begun.number; });
    std::unordered_map<std::uint64_t, mpi_call_record const*> receives;
    std::set<std::pair<std::uint32_t, std::uint64_t>> moments;  // of ranks
    for (mpi_call_record const& c : calls) {
      if (std::max(c.rank, c.partner) >= rank_residences_.size() || c.communicator >= made_.communicators.size())
        throw io_error("a record of a rank or a communicator that is missing");
      if (c.end == message_end::receive) receives.emplace(c.message, &c);
      moments.insert({{c.rank, c.begun.number}, {c.rank, c.ended.number}});
    }
    for (mpi_call_record const& c : calls) {
      // What goes on beside a rank, as non-blocking collectives do, goes on while the rank is in a call that blocks.
      bool const alone = moments.upper_bound({c.rank, c.begun.number}) == moments.find({c.rank, c.ended.number});
      add_steps_of(c, c.blocks != 0 && alone);
    }
    for (mpi_call_record const& c : calls) {
      auto const other = receives.find(c.message);
      if (c.end != message_end::send || other == receives.end()) continue;
      timeline::message m{};
      m.sent_ns = at(c.begun.at_s);
      auto const over_network = started_s.find(c.message);
      m.started_ns = over_network == started_s.end() ? m.sent_ns : at(over_network->second);
      m.arrived_ns = at(other->second->arrived_s);
      m.posted_ns = at(other->second->begun.at_s);
      m.from = rank_residences_[c.rank];
      m.to = rank_residences_[c.partner];
      m.bytes = c.bytes;
      m.tag = static_cast<std::uint32_t>(c.tag);
      m.communicator = c.communicator;
      made_.messages.push_back(m);
    }
    std::sort(made_.mpi_steps.begin(), made_.mpi_steps.end(),
              [](timeline::mpi_step const& a, timeline::mpi_step const& b) {
                return std::tuple(a.rank, a.at_ns, a.number) < std::tuple(b.rank, b.at_ns, b.number);
              });
  }
  void add_steps_of(mpi_call_record const& c, bool blocks) {
    using event = timeline::mpi_event;
    bool const sends = c.end == message_end::send;
    std::int64_t const begun_ns = at(c.begun.at_s), ended_ns = at(c.ended.at_s);
    auto const add = [&](std::int64_t at_ns, std::uint64_t number, event is) {
      made_.mpi_steps.push_back({at_ns, number, c.begun.number, is, c.rank, c.partner, c.communicator,
                                 static_cast<std::uint32_t>(c.tag), c.bytes});
    };
    if (blocks) {
      sends ? add(begun_ns, c.begun.number, event::send) : add(ended_ns, c.ended.number, event::receive);
    } else {
      add(begun_ns, c.begun.number, sends ? event::send_begins : event::receive_begins);
      add(ended_ns, c.ended.number, sends ? event::send_ends : event::receive_ends);
    }
  }

  // When all have been taken.

  void count_from_begin() {
    if (earliest_ns_ == std::numeric_limits<std::int64_t>::max()) earliest_ns_ = 0;
    auto const shift = [&](auto& rows, auto... times) {
      for (auto& row : rows) ((row.*times -= earliest_ns_), ...);
    };
    made_.end_ns -= earliest_ns_;
    shift(made_.steps, &timeline::step::begin_ns, &timeline::step::end_ns);
    shift(made_.waits, &timeline::wait::begin_ns, &timeline::wait::end_ns);
    shift(made_.kernels, &timeline::kernel::begin_ns, &timeline::kernel::end_ns);
    shift(made_.posts, &timeline::post::at_ns);
    shift(made_.messages, &timeline::message::sent_ns, &timeline::message::started_ns, &timeline::message::arrived_ns);
    if (!made_.of_mpi()) return;
    shift(made_.messages, &timeline::message::posted_ns);
    shift(made_.mpi_steps, &timeline::mpi_step::at_ns);
  }

  void number_threads() {
    for (auto const& [key, number] : residences_) made_.nodes = std::max(made_.nodes, key.node + 1);
    for (std::uint32_t node = 0; node < made_.nodes && !made_.of_mpi(); ++node) {
      auto const first = residences_.lower_bound({node, 0, 0});
      if (first == residences_.end() || first->first.node != node) residence(node, no_collection, node);
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> threads;
    for (auto const& [key, number] : residences_) threads.try_emplace({key.collection, key.index}, 0);
    for (auto& [key, number] : threads) {
      number = static_cast<std::uint32_t>(made_.threads.size());
      auto const& [collection, index] = key;
      made_.threads.push_back({collection == no_collection ? "runtime"
                                                           : in_a_line(from_.names.collections[collection]) + '[' +
                                                                 std::to_string(index) + ']'});
    }
    std::vector<std::uint32_t> renumbered(residences_.size());
    for (auto const& [key, number] : residences_) {
      renumbered[number] = static_cast<std::uint32_t>(made_.residences.size());
      made_.residences.push_back({key.node, threads.at({key.collection, key.index})});
    }
    auto const renumber = [&](auto& rows, auto... members) {
      for (auto& row : rows) ((row.*members = renumbered[row.*members]), ...);
    };
    renumber(made_.steps, &timeline::step::residence);
    renumber(made_.waits, &timeline::wait::residence);
    renumber(made_.posts, &timeline::post::residence);
    renumber(made_.messages, &timeline::message::from, &timeline::message::to);
  }

  /// A thread that has moved may tell by two clocks.
  void keep_steps_apart() {
    for (std::size_t i = 1; i < made_.steps.size(); ++i) {
      timeline::step const& before = made_.steps[i - 1];
      timeline::step& s = made_.steps[i];
      if (made_.thread_of(before.residence) != made_.thread_of(s.residence)) continue;
      s.begin_ns = std::max(s.begin_ns, before.end_ns);
      s.end_ns = std::max(s.end_ns, s.begin_ns);
    }
  }

  void keep_kernels_in_steps() {
    for (timeline::kernel& k : made_.kernels) {
      timeline::step const& s = made_.steps[k.step];
      k.begin_ns = std::clamp(k.begin_ns, s.begin_ns, s.end_ns);
      k.end_ns = std::clamp(k.end_ns, k.begin_ns, s.end_ns);
    }
  }

  void choose_waits() {
    std::vector<timeline::wait> all = std::exchange(made_.waits, {});
    auto const thread_of = [&](auto const& row) { return made_.thread_of(row.residence); };
    if (made_.of_mpi()) {  // a rank waits in one call after another, also where no step comes between
      std::erase_if(all, [](timeline::wait const& w) { return w.begin_ns >= w.end_ns; });
      made_.waits = std::move(all);
      return;
    }
    auto const later = [](timeline::wait const* a, timeline::wait const* b) { return a->end_ns > b->end_ns; };
    using suspended = std::priority_queue<timeline::wait const*, std::vector<timeline::wait const*>, decltype(later)>;
    auto next = all.begin();
    for (std::size_t i = 0; i < made_.steps.size();) {
      std::uint32_t const thread = thread_of(made_.steps[i]);
      suspended operations(later);
      std::int64_t free_ns = std::numeric_limits<std::int64_t>::min();
      while (next != all.end() && thread_of(*next) < thread) ++next;
      for (; i < made_.steps.size() && thread_of(made_.steps[i]) == thread; ++i) {
        timeline::step const& s = made_.steps[i];
        for (; next != all.end() && thread_of(*next) == thread && next->begin_ns < s.begin_ns; ++next)
          operations.push(&*next);
        while (!operations.empty() && operations.top()->end_ns <= free_ns) operations.pop();
        if (!operations.empty()) {
          timeline::wait chosen = *operations.top();
          chosen.begin_ns = std::max(chosen.begin_ns, free_ns);
          chosen.end_ns = std::min(chosen.end_ns, s.begin_ns);
          if (chosen.begin_ns < chosen.end_ns) made_.waits.push_back(chosen);
        }
        free_ns = s.end_ns;
      }
    }
  }

  recorded_run const& from_;
  timeline made_;
  std::int64_t earliest_ns_ = std::numeric_limits<std::int64_t>::max();
  std::vector<std::vector<std::uint32_t>> operations_;  ///< of a graph's operations, numbers in made_
  std::map<residence_key, std::uint32_t> residences_;
  std::vector<std::uint32_t> rank_residences_;
};

/// Hands a run on as a timeline when it is flushed first.
class timeline_sink final : public run_collector {
 public:
  timeline_sink(std::string reservation, std::function<void(timeline const&)> then)
      : reservation_(std::move(reservation)), then_(std::move(then)) {}
  void flush() override {
    if (!std::exchange(handed_on_, true)) then_(timeline_of(take(), reservation_));
  }

 private:
  std::string const reservation_;
  std::function<void(timeline const&)> const then_;
  bool handed_on_ = false;
};

}  // namespace

timeline timeline_of(recorded_run const& run, std::string const& reservation) { return maker(run, reservation).make(); }

std::unique_ptr<record_sink> make_timeline_sink(std::string const& reservation,
                                                std::function<void(timeline const&)> then) {
  return std::make_unique<timeline_sink>(reservation, std::move(then));
}

}  // namespace ovlp::exports
