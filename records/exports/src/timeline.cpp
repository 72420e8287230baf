// SPDX-License-Identifier: BSD-3-Clause
#include "timeline.hpp"

#include <algorithm>
#include <array>
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
#include <ovlp/records/kernel_table.hpp>

namespace ovlp::exports {
namespace {

constexpr std::array<std::string_view, 5> causes{"object", "window", "condition", "call", "change"};
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

auto order_of(object_key const& object) { return std::tuple(object.group, object.place, object.operation); }

class collector final : public record_sink {
 public:
  collector(std::string const& reservation, std::function<void(timeline const&)> then) : then_(std::move(then)) {
    run_.reservation = in_a_line(reservation);
  }

  void begin(run_definitions const& names) override {
    names_ = names;
    run_.application = in_a_line(names.application);
    run_.nodes = names.nodes;
    run_.communicators = names.communicators;
    std::map<std::tuple<std::string, std::string, std::string>, std::uint32_t> known;
    for (run_definitions::graph const& graph : names.graphs) {
      std::vector<std::uint32_t>& numbers = operations_.emplace_back();
      for (run_definitions::operation const& is : graph.operations) {
        auto const next = static_cast<std::uint32_t>(known.size());
        auto const [found, is_new] = known.try_emplace({graph.name, is.kind, is.name}, next);
        if (is_new) {
          bool const of_mpi = !names.communicators.empty() && !numbers.empty();  // the first one is computation
          run_.operations.push_back({in_a_line(graph.name), is.kind, in_a_line(is.name), of_mpi});
        }
        numbers.push_back(found->second);
      }
    }
    simulated_ = names.backend == "simulated";
    earliest_ns_ = simulated_ ? 0 : std::numeric_limits<std::int64_t>::max();
  }
  void node(node_record const& r) override { at(r.at_s); }
  void mapping(mapping_record const& r) override {
    at(r.at_s);
    for (std::uint32_t thread = 0; thread < r.nodes.size(); ++thread) {
      std::uint32_t const number = residence(r.nodes[thread], r.collection, thread);
      if (run_.of_mpi() && r.collection == 0) rank_residences_.push_back(number);
    }
  }
  void call(call_record const& r) override { at(r.at_s); }
  void step(step_record const& r) override {
    std::uint32_t const where = residence(r.at);
    run_.steps.push_back({at(r.start_s), at(r.end_s), where, operation(r.at), r.at.iteration, timeline::no_post});
    inputs_.push_back(r.input);
  }
  void kernel(kernel_record const& r) override {
    std::uint32_t const where = residence(r.at);
    kernels_.push_back({{at(r.start_s), at(r.end_s), 0, number_of(r)}, where, operation(r.at)});
  }
  void wait(wait_record const& r) override {
    run_.waits.push_back({at(r.start_s), at(r.end_s), residence(r.at), r.cause});
  }
  void post(post_record const& r) override {
    std::uint32_t const from = residence(r.at);
    auto const& operations = names_.graphs[r.at.graph].operations;
    bool const to_operation = r.object.operation < operations.size();
    std::uint32_t const collection = to_operation ? operations[r.object.operation].collection : no_collection;
    posts_.push_back({r.object, {at(r.at_s), from}, collection, r.to_thread});
  }
  // Of a simulation transfers tell more.
  void send(send_record const& r) override {
    if (!simulated_ && r.kind == message_kind::object)
      sends_.push_back({r.object, r.source, r.destination, at(r.at_s), r.bytes});
  }
  void delivery(delivery_record const& r) override {
    if (!simulated_ && r.kind == message_kind::object)
      deliveries_.push_back({r.object, r.source, r.destination, at(r.at_s), 0});
  }
  void transfer(transfer_record const& r) override {
    // Between nodes, until they are placed.
    run_.messages.push_back({at(r.sent_s), at(r.started_s), at(r.crossed_s), r.source, r.destination, r.bytes});
    carried_.push_back(r.object);
  }
  void mpi_call(mpi_call_record const& r) override {
    at(r.begun.at_s);
    at(r.ended.at_s);
    calls_.push_back(r);
  }
  void flush() override {
    if (std::exchange(handed_on_, true)) return;
    count_from_begin();
    pair_sends_with_deliveries();
    find_what_was_taken();
    run_.of_mpi() ? take_calls_of_mpi() : place_messages();
    for (addressed_post const& p : posts_) run_.posts.push_back(p.is);
    posts_ = {};
    number_threads();
    order_steps();
    attach_kernels();
    choose_waits();
    then_(run_);
  }

 private:
  struct kernel_of_thread {
    timeline::kernel is;
    std::uint32_t residence, operation;
  };
  struct addressed_post {
    object_key object;
    timeline::post is;
    std::uint32_t to_collection, to_thread;
  };
  struct end_of_message {
    object_key object;
    std::uint32_t source, destination;
    std::int64_t at_ns;
    std::uint64_t bytes;
    auto way() const { return std::tuple(object.group, object.place, object.operation, source, destination); }
  };
  struct residence_key {
    std::uint32_t node, collection, index;
    friend bool operator<(residence_key const& a, residence_key const& b) {
      return std::tie(a.node, a.collection, a.index) < std::tie(b.node, b.collection, b.index);
    }
  };

  // While records come.

  std::int64_t at(double time_s) {
    std::int64_t const time_ns = ns(time_s);
    earliest_ns_ = std::min(earliest_ns_, time_ns);
    run_.end_ns = std::max(run_.end_ns, time_ns);
    return time_ns;
  }
  /// Its number, for now.
  std::uint32_t residence(std::uint32_t node, std::uint32_t collection, std::uint32_t index) {
    if (collection >= names_.collections.size() && collection != no_collection)
      throw io_error("a record of a collection that is missing");
    return residences_.try_emplace({node, collection, index}, static_cast<std::uint32_t>(residences_.size()))
        .first->second;
  }
  std::uint32_t residence(operation_place const& place) {
    if (place.graph >= names_.graphs.size() || place.operation >= names_.graphs[place.graph].operations.size())
      throw io_error("a record of an operation that is missing");
    return residence(place.node, names_.graphs[place.graph].operations[place.operation].collection, place.thread);
  }
  std::uint32_t operation(operation_place const& place) const { return operations_[place.graph][place.operation]; }
  std::uint32_t number_of(kernel_record const& r) {
    std::optional<std::uint32_t>& number = kernel_numbers_(r.name, r.sizes);
    if (!number) {
      number = static_cast<std::uint32_t>(run_.kernel_names.size());
      std::string sizes;
      for (std::int64_t const size : r.sizes) sizes += (sizes.empty() ? "" : " ") + std::to_string(size);
      run_.kernel_names.push_back({in_a_line(std::string(r.name)), sizes});
    }
    return *number;
  }

  // When all have come.

  void count_from_begin() {
    auto const shift = [&](auto& rows, auto... times) {
      for (auto& row : rows) ((row.*times -= earliest_ns_), ...);
    };
    if (earliest_ns_ == std::numeric_limits<std::int64_t>::max()) earliest_ns_ = 0;
    run_.end_ns -= earliest_ns_;
    shift(run_.steps, &timeline::step::begin_ns, &timeline::step::end_ns);
    shift(run_.waits, &timeline::wait::begin_ns, &timeline::wait::end_ns);
    for (kernel_of_thread& k : kernels_) {
      k.is.begin_ns -= earliest_ns_;
      k.is.end_ns -= earliest_ns_;
    }
    for (addressed_post& p : posts_) p.is.at_ns -= earliest_ns_;
    shift(sends_, &end_of_message::at_ns);
    shift(deliveries_, &end_of_message::at_ns);
    shift(run_.messages, &timeline::message::sent_ns, &timeline::message::started_ns, &timeline::message::arrived_ns);
  }

  void pair_sends_with_deliveries() {
    auto const order = [](end_of_message const& a, end_of_message const& b) { return a.way() < b.way(); };
    std::stable_sort(sends_.begin(), sends_.end(), order);
    std::stable_sort(deliveries_.begin(), deliveries_.end(), order);
    auto delivery = deliveries_.begin();
    for (end_of_message const& send : sends_) {
      while (delivery != deliveries_.end() && order(*delivery, send)) ++delivery;
      if (delivery == deliveries_.end() || order(send, *delivery)) continue;
      run_.messages.push_back({send.at_ns, send.at_ns, delivery->at_ns, send.source, send.destination, send.bytes});
      carried_.push_back(send.object);
      ++delivery;
    }
    sends_ = {};
    deliveries_ = {};
  }

  /// The post of an object.
  std::uint32_t posted(object_key const& object) const {
    auto const found = std::lower_bound(
        posts_.begin(), posts_.end(), object,
        [](addressed_post const& p, object_key const& wanted) { return order_of(p.object) < order_of(wanted); });
    return object.group != 0 && found != posts_.end() && found->object == object
               ? static_cast<std::uint32_t>(found - posts_.begin())
               : timeline::no_post;
  }

  void find_what_was_taken() {
    std::sort(posts_.begin(), posts_.end(),
              [](addressed_post const& a, addressed_post const& b) { return order_of(a.object) < order_of(b.object); });
    for (std::size_t i = 0; i < inputs_.size(); ++i) run_.steps[i].taken = posted(inputs_[i]);
    inputs_ = {};
  }

  /// An object is sent by the thread that posted it, and on by that to which it goes, which has lived there.
  void place_messages() {
    auto const on = [&](std::uint32_t node, std::uint32_t collection, std::uint32_t index) {
      auto const found = residences_.find({node, collection, index});
      return found != residences_.end() ? found->second : residence(node, no_collection, node);
    };
    std::vector<std::uint32_t> node_of(residences_.size());
    for (auto const& [key, number] : residences_) node_of[number] = key.node;
    for (std::size_t i = 0; i < carried_.size(); ++i) {
      timeline::message& m = run_.messages[i];
      std::uint32_t const number = posted(carried_[i]);
      bool const known = number != timeline::no_post;
      std::uint32_t const collection = known ? posts_[number].to_collection : no_collection;
      std::uint32_t const thread = known ? posts_[number].to_thread : 0;
      bool const by_poster = known && node_of[posts_[number].is.residence] == m.from;
      m.from = by_poster ? posts_[number].is.residence : on(m.from, collection, thread);
      m.to = on(m.to, collection, thread);
    }
    carried_ = {};
    std::stable_sort(run_.messages.begin(), run_.messages.end(),
                     [](timeline::message const& a, timeline::message const& b) { return a.sent_ns < b.sent_ns; });
  }

  /// Messages between ranks, in the order in which they were sent, also those that stayed on a node.
  void take_calls_of_mpi() {
    std::unordered_map<std::uint64_t, std::int64_t> started_ns;  // of those that went over the network
    for (std::size_t i = 0; i < carried_.size(); ++i)
      started_ns.emplace(carried_[i].group, run_.messages[i].started_ns);
    carried_ = {};
    run_.messages = {};
    auto const since_begin = [&](double time_s) { return ns(time_s) - earliest_ns_; };
    std::sort(calls_.begin(), calls_.end(),
              [](mpi_call_record const& a, mpi_call_record const& b) { return a.begun.number < b.begun.number; });
    std::unordered_map<std::uint64_t, mpi_call_record const*> receives;
    std::set<std::pair<std::uint32_t, std::uint64_t>> moments;  // of ranks
    for (mpi_call_record const& c : calls_) {
      if (std::max(c.rank, c.partner) >= rank_residences_.size() || c.communicator >= run_.communicators.size())
        throw io_error("a record of a rank or a communicator that is missing");
      if (c.end == message_end::receive) receives.emplace(c.message, &c);
      moments.insert({{c.rank, c.begun.number}, {c.rank, c.ended.number}});
    }
    for (mpi_call_record const& c : calls_) {
      // What goes on beside a rank, as non-blocking collectives do, goes on while the rank is in a call that blocks.
      bool const alone = moments.upper_bound({c.rank, c.begun.number}) == moments.find({c.rank, c.ended.number});
      add_steps_of(c, c.blocks != 0 && alone, since_begin(c.begun.at_s), since_begin(c.ended.at_s));
    }
    for (mpi_call_record const& c : calls_) {
      auto const other = receives.find(c.message);
      if (c.end != message_end::send || other == receives.end()) continue;
      timeline::message m{};
      m.sent_ns = since_begin(c.begun.at_s);
      auto const over_network = started_ns.find(c.message);
      m.started_ns = over_network == started_ns.end() ? m.sent_ns : over_network->second;
      m.arrived_ns = since_begin(other->second->arrived_s);
      m.posted_ns = since_begin(other->second->begun.at_s);
      m.from = rank_residences_[c.rank];
      m.to = rank_residences_[c.partner];
      m.bytes = c.bytes;
      m.tag = static_cast<std::uint32_t>(c.tag);
      m.communicator = c.communicator;
      run_.messages.push_back(m);
    }
    calls_ = {};
    std::sort(run_.mpi_steps.begin(), run_.mpi_steps.end(),
              [](timeline::mpi_step const& a, timeline::mpi_step const& b) {
                return std::tuple(a.rank, a.at_ns, a.number) < std::tuple(b.rank, b.at_ns, b.number);
              });
  }
  void add_steps_of(mpi_call_record const& c, bool blocks, std::int64_t begun_ns, std::int64_t ended_ns) {
    using event = timeline::mpi_event;
    bool const sends = c.end == message_end::send;
    auto const add = [&](std::int64_t at_ns, std::uint64_t number, event is) {
      run_.mpi_steps.push_back({at_ns, number, c.begun.number, is, c.rank, c.partner, c.communicator,
                                static_cast<std::uint32_t>(c.tag), c.bytes});
    };
    if (blocks) {
      sends ? add(begun_ns, c.begun.number, event::send) : add(ended_ns, c.ended.number, event::receive);
    } else {
      add(begun_ns, c.begun.number, sends ? event::send_begins : event::receive_begins);
      add(ended_ns, c.ended.number, sends ? event::send_ends : event::receive_ends);
    }
  }

  void number_threads() {
    for (auto const& [key, number] : residences_) run_.nodes = std::max(run_.nodes, key.node + 1);
    for (std::uint32_t node = 0; node < run_.nodes && !run_.of_mpi(); ++node) {
      auto const first = residences_.lower_bound({node, 0, 0});
      if (first == residences_.end() || first->first.node != node) residence(node, no_collection, node);
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> threads;
    for (auto const& [key, number] : residences_) threads.try_emplace({key.collection, key.index}, 0);
    for (auto& [key, number] : threads) {
      number = static_cast<std::uint32_t>(run_.threads.size());
      auto const& [collection, index] = key;
      run_.threads.push_back({collection == no_collection
                                  ? "runtime"
                                  : in_a_line(names_.collections[collection]) + '[' + std::to_string(index) + ']'});
    }
    std::vector<std::uint32_t> renumbered(residences_.size());
    for (auto const& [key, number] : residences_) {
      renumbered[number] = static_cast<std::uint32_t>(run_.residences.size());
      run_.residences.push_back({key.node, threads.at({key.collection, key.index})});
    }
    auto const renumber = [&](auto& rows, auto... members) {
      for (auto& row : rows) ((row.*members = renumbered[row.*members]), ...);
    };
    renumber(run_.steps, &timeline::step::residence);
    renumber(run_.waits, &timeline::wait::residence);
    renumber(run_.posts, &timeline::post::residence);
    renumber(run_.messages, &timeline::message::from, &timeline::message::to);
    renumber(kernels_, &kernel_of_thread::residence);
  }

  void order_steps() {
    std::stable_sort(run_.steps.begin(), run_.steps.end(), [&](timeline::step const& a, timeline::step const& b) {
      return std::tuple(run_.thread_of(a.residence), a.begin_ns, a.end_ns) <
             std::tuple(run_.thread_of(b.residence), b.begin_ns, b.end_ns);
    });
    // A thread that has moved may tell by two clocks.
    for (std::size_t i = 1; i < run_.steps.size(); ++i) {
      timeline::step const& before = run_.steps[i - 1];
      timeline::step& s = run_.steps[i];
      if (run_.thread_of(before.residence) != run_.thread_of(s.residence)) continue;
      s.begin_ns = std::max(s.begin_ns, before.end_ns);
      s.end_ns = std::max(s.end_ns, s.begin_ns);
    }
  }

  void attach_kernels() {
    auto const thread_of = [&](auto const& row) { return run_.thread_of(row.residence); };
    std::stable_sort(kernels_.begin(), kernels_.end(), [&](kernel_of_thread const& a, kernel_of_thread const& b) {
      return std::tuple(thread_of(a), a.is.begin_ns, a.is.end_ns) <
             std::tuple(thread_of(b), b.is.begin_ns, b.is.end_ns);
    });
    std::vector<timeline::step> const& steps = run_.steps;
    std::size_t at = 0;
    for (kernel_of_thread& k : kernels_) {
      while (at < steps.size() && thread_of(steps[at]) < thread_of(k)) ++at;
      if (at == steps.size() || thread_of(steps[at]) != thread_of(k)) continue;  // its step is lost
      for (std::size_t next = at + 1;
           next < steps.size() && thread_of(steps[next]) == thread_of(k) && steps[next].begin_ns <= k.is.begin_ns &&
           (steps[at].end_ns < k.is.end_ns || steps[at].operation != k.operation);
           ++next)
        at = next;
      k.is.step = static_cast<std::uint32_t>(at);
      k.is.begin_ns = std::clamp(k.is.begin_ns, steps[at].begin_ns, steps[at].end_ns);
      k.is.end_ns = std::clamp(k.is.end_ns, k.is.begin_ns, steps[at].end_ns);
      run_.kernels.push_back(k.is);
    }
    kernels_ = {};
  }

  void choose_waits() {
    std::vector<timeline::wait> all = std::exchange(run_.waits, {});
    auto const thread_of = [&](auto const& row) { return run_.thread_of(row.residence); };
    std::stable_sort(all.begin(), all.end(), [&](timeline::wait const& a, timeline::wait const& b) {
      return std::tuple(thread_of(a), a.begin_ns) < std::tuple(thread_of(b), b.begin_ns);
    });
    if (run_.of_mpi()) {  // a rank waits in one call after another, also where no step comes between
      std::erase_if(all, [](timeline::wait const& w) { return w.begin_ns >= w.end_ns; });
      run_.waits = std::move(all);
      return;
    }
    auto const later = [](timeline::wait const* a, timeline::wait const* b) { return a->end_ns > b->end_ns; };
    using suspended = std::priority_queue<timeline::wait const*, std::vector<timeline::wait const*>, decltype(later)>;
    auto next = all.begin();
    for (std::size_t i = 0; i < run_.steps.size();) {
      std::uint32_t const thread = thread_of(run_.steps[i]);
      suspended operations(later);
      std::int64_t free_ns = std::numeric_limits<std::int64_t>::min();
      while (next != all.end() && thread_of(*next) < thread) ++next;
      for (; i < run_.steps.size() && thread_of(run_.steps[i]) == thread; ++i) {
        timeline::step const& s = run_.steps[i];
        for (; next != all.end() && thread_of(*next) == thread && next->begin_ns < s.begin_ns; ++next)
          operations.push(&*next);
        while (!operations.empty() && operations.top()->end_ns <= free_ns) operations.pop();
        if (!operations.empty()) {
          timeline::wait chosen = *operations.top();
          chosen.begin_ns = std::max(chosen.begin_ns, free_ns);
          chosen.end_ns = std::min(chosen.end_ns, s.begin_ns);
          if (chosen.begin_ns < chosen.end_ns) run_.waits.push_back(chosen);
        }
        free_ns = s.end_ns;
      }
    }
  }

  std::function<void(timeline const&)> const then_;
  bool handed_on_ = false;
  run_definitions names_;
  bool simulated_ = false;
  timeline run_;
  std::int64_t earliest_ns_ = 0;
  std::vector<std::vector<std::uint32_t>> operations_;  ///< of a graph's operations, numbers in run_
  std::map<residence_key, std::uint32_t> residences_;
  kernel_table<std::optional<std::uint32_t>> kernel_numbers_;
  std::vector<object_key> inputs_;  ///< of steps
  std::vector<kernel_of_thread> kernels_;
  std::vector<addressed_post> posts_;
  std::vector<end_of_message> sends_, deliveries_;
  std::vector<object_key> carried_;  ///< by messages
  std::vector<mpi_call_record> calls_;
  std::vector<std::uint32_t> rank_residences_;
};

}  // namespace

std::span<std::string_view const> wait_causes() { return causes; }
std::string name_of_node(std::uint32_t node) { return "node" + std::to_string(node); }

std::unique_ptr<record_sink> make_timeline_sink(std::string const& reservation,
                                                std::function<void(timeline const&)> then) {
  return std::make_unique<collector>(reservation, std::move(then));
}

}  // namespace ovlp::exports
