// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/records/recorded_run.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <numeric>
#include <tuple>

#include <ovlp/records/kernel_table.hpp>

namespace ovlp {
namespace {

using run = recorded_run;

// What the header says of memory.
static_assert(sizeof(run::step) <= 48 && sizeof(run::kernel) <= 40 && sizeof(run::wait) <= 32 &&
              sizeof(run::object) <= 48 && sizeof(run::message) <= 48 && sizeof(run::crossing) <= 40);

std::uint32_t number(std::size_t of) { return static_cast<std::uint32_t>(of); }

/// Numbers of rows, in a stable order of what `key` says of each.
template <class Row, class Key>
std::vector<std::uint32_t> order_of(std::vector<Row> const& rows, Key const& key) {
  std::vector<std::uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return key(rows[a]) < key(rows[b]); });
  return order;
}

/// Puts rows in an order, without room for a second list of them. `order` is used up.
template <class Row>
void put_in_order(std::vector<Row>& rows, std::vector<std::uint32_t>& order) {
  for (std::uint32_t first = 0; first < order.size(); ++first) {
    if (order[first] == first) continue;
    Row moved = std::move(rows[first]);
    std::uint32_t to = first;
    while (order[to] != first) {
      std::uint32_t const from = std::exchange(order[to], to);
      rows[to] = std::move(rows[from]);
      to = from;
    }
    order[to] = to;
    rows[to] = std::move(moved);
  }
}
template <class Row, class Key>
void sort_by(std::vector<Row>& rows, Key const& key) {
  std::vector<std::uint32_t> order = order_of(rows, key);
  put_in_order(rows, order);
}

/// Finds objects by their keys, which stand in the list of objects: open addressing, four bytes a place.
class object_numbers {
 public:
  /// Of a new one, too.
  std::uint32_t operator()(object_key const& key, std::vector<run::object>& in) {
    if (2 * (in.size() + 1) > places_.size()) grow(in);
    std::uint32_t& place = find(key, in);
    if (place == run::none) {
      place = number(in.size());
      in.push_back({key});
    }
    return place;
  }

 private:
  std::uint32_t& find(object_key const& key, std::vector<run::object> const& in) {
    std::size_t const mask = places_.size() - 1;
    std::size_t at = std::hash<object_key>()(key) & mask;
    while (places_[at] != run::none && in[places_[at]].key != key) at = (at + 1) & mask;
    return places_[at];
  }
  void grow(std::vector<run::object> const& in) {
    places_.assign(std::max<std::size_t>(1024, 2 * places_.size()), run::none);
    for (std::size_t i = 0; i < in.size(); ++i) find(in[i].key, in) = number(i);
  }
  std::vector<std::uint32_t> places_;
};

/// Numbers of values, in the order in which they come up. Most come up again at once.
template <class Value>
class numbered {
 public:
  std::uint32_t operator()(Value const& value, std::vector<Value>& in) {
    if (last_ < in.size() && in[last_] == value) return last_;
    auto const [found, is_new] = numbers_.try_emplace(value, number(in.size()));
    if (is_new) in.push_back(value);
    return last_ = found->second;
  }

 private:
  std::map<Value, std::uint32_t> numbers_;
  std::uint32_t last_ = 0;
};

/// One end of a message, or what is between them.
struct end_of_message {
  std::uint32_t object, source, destination;
  double at_s;
  std::uint32_t row;
  auto way() const { return std::tuple(object, source, destination); }
  auto in_order() const { return std::tuple(object, source, destination, at_s); }
};
void sort(std::vector<end_of_message>& ends) {
  std::stable_sort(ends.begin(), ends.end(),
                   [](end_of_message const& a, end_of_message const& b) { return a.in_order() < b.in_order(); });
}

}  // namespace

struct run_collector::implementation {
  struct sent {
    double at_s;
    std::uint64_t call, bytes;
  };

  std::mutex mutex{};
  run made{};
  numbered<run::residence> residence_of{};
  numbered<run::purpose> purpose_of{};
  object_numbers object_of{};
  kernel_table<std::uint32_t> names_of_kernels{};  ///< their numbers, from 1
  std::vector<end_of_message> sends{}, crossings{}, deliveries{};
  std::vector<sent> what_was_sent{};

  bool is_defined(operation_place const& at) {
    run_definitions const& names = made.names;
    bool const known = at.node < names.nodes && at.graph < names.graphs.size() &&
                       at.operation < names.graphs[at.graph].operations.size() &&
                       names.graphs[at.graph].operations[at.operation].collection < names.collections.size();
    if (!known && made.undefined.empty())
      made.undefined = "a record of operation " + std::to_string(at.operation) + " of graph " +
                       std::to_string(at.graph) + " on node" + std::to_string(at.node) + ", of " +
                       std::to_string(names.nodes) + " nodes and " + std::to_string(names.graphs.size()) + " graphs";
    return known;
  }
  bool is_defined(std::uint32_t source, std::uint32_t destination, bool is_notice, object_key const& object) {
    if (is_notice != (object.group == 0)) {
      if (made.undefined.empty()) made.undefined = "a message that is an object without a key, or a notice with one";
      return false;
    }
    bool const known = source < made.names.nodes && destination < made.names.nodes && source != destination;
    if (!known && made.undefined.empty())
      made.undefined = "a message from node" + std::to_string(source) + " to node" + std::to_string(destination) +
                       ", of " + std::to_string(made.names.nodes) + " nodes";
    return known;
  }
  run::place place_of(operation_place const& at) {
    std::uint32_t const collection = made.names.graphs[at.graph].operations[at.operation].collection;
    return {residence_of({collection, at.thread, at.node}, made.residences),
            purpose_of({at.call, at.graph, at.operation, at.iteration}, made.purposes)};
  }
  std::uint32_t number_of(object_key const& key) { return key.group == 0 ? run::none : object_of(key, made.objects); }
  void add(std::vector<end_of_message>& to, object_key const& object, std::uint32_t source, std::uint32_t destination,
           double at_s) {
    to.push_back({number_of(object), source, destination, at_s, number(to.size())});
  }

  // When all have come.

  void sort_residences() {
    std::vector<std::uint32_t> const order = order_of(made.residences, [](auto const& r) { return r; });
    std::vector<std::uint32_t> place(order.size());
    std::vector<run::residence> sorted;
    for (std::uint32_t const r : order) {
      place[r] = number(sorted.size());
      sorted.push_back(made.residences[r]);
    }
    made.residences = std::move(sorted);
    for (run::step& s : made.steps) s.at.residence = place[s.at.residence];
    for (run::wait& w : made.waits) w.at.residence = place[w.at.residence];
    for (run::kernel& k : made.kernels) k.at.residence = place[k.at.residence];
    for (auto* const list : {&made.objects, &made.posted_again}) {
      for (run::object& o : *list) {
        if (o.by.residence != run::none) o.by.residence = place[o.by.residence];
      }
    }
  }

  /// The same number for a thread wherever it lives, ascending.
  std::vector<std::uint32_t> threads_of_residences() const {
    std::vector<std::uint32_t> threads;
    for (std::size_t r = 0; r < made.residences.size(); ++r) {
      bool const is_new = r == 0 || std::tie(made.residences[r].collection, made.residences[r].thread) !=
                                        std::tie(made.residences[r - 1].collection, made.residences[r - 1].thread);
      threads.push_back(r == 0 ? 0 : threads.back() + (is_new ? 1U : 0U));
    }
    return threads;
  }

  void attach_kernels(std::vector<std::uint32_t> const& thread_of) {
    auto const is_for = [&](run::place const& kernel, run::step const& s) {
      run::purpose const &a = made.purposes[kernel.purpose], &b = made.purposes[s.at.purpose];
      return kernel.residence == s.at.residence &&
             std::tie(a.call, a.graph, a.operation) == std::tie(b.call, b.graph, b.operation);
    };
    for (run::kernel& k : made.kernels) {
      std::uint32_t const thread = thread_of[k.at.residence];
      double const middle_s = (k.start_s + k.end_s) / 2;
      auto s = std::partition_point(made.steps.begin(), made.steps.end(), [&](run::step const& step) {
        std::uint32_t const of = thread_of[step.at.residence];
        return of < thread || (of == thread && step.start_s <= middle_s);
      });
      // Where steps end and begin at one instant, the one of its operation; where a thread has moved, and clocks of its
      // nodes differ by some nanoseconds, the one on its node.
      constexpr double rounded_s = 1e-9;
      while (s != made.steps.begin() && k.step == run::none) {
        --s;
        if (thread_of[s->at.residence] != thread || s->end_s < middle_s - rounded_s) break;
        if (is_for(k.at, *s)) k.step = number(static_cast<std::size_t>(s - made.steps.begin()));
      }
    }
    sort_by(made.kernels, [](run::kernel const& k) { return std::tuple(k.step, k.start_s, k.end_s); });
  }

  /// The first that was sent along a way is the first that is delivered there: an object is sent along it again only
  /// after it has come back; and notices stay in order.
  void join_messages() {
    for (auto* const ends : {&sends, &crossings, &deliveries}) ::ovlp::sort(*ends);
    made.messages.reserve(std::max(sends.size(), deliveries.size()));
    auto s = sends.begin(), c = crossings.begin(), d = deliveries.begin();
    while (s != sends.end() || c != crossings.end() || d != deliveries.end()) {
      auto way = std::tuple(run::none, run::none, run::none);
      if (s != sends.end()) way = std::min(way, s->way());
      if (c != crossings.end()) way = std::min(way, c->way());
      if (d != deliveries.end()) way = std::min(way, d->way());
      run::message m{run::unknown_s,   run::unknown_s,   0,        0, std::get<1>(way),
                     std::get<2>(way), std::get<0>(way), run::none};
      if (s != sends.end() && s->way() == way) {
        sent const& what = what_was_sent[s++->row];
        m.sent_s = what.at_s;
        m.call = what.call;
        m.bytes = what.bytes;
      }
      if (c != crossings.end() && c->way() == way) m.crossing = c++->row;
      if (d != deliveries.end() && d->way() == way) m.delivered_s = d++->at_s;
      made.messages.push_back(m);
    }
    sends = crossings = deliveries = {};
    what_was_sent = {};
  }
};

run_collector::run_collector() : implementation_(std::make_unique<implementation>()) {}
run_collector::~run_collector() = default;

void run_collector::begin(run_definitions const& names) {
  std::scoped_lock const lock(implementation_->mutex);
  run_definitions& known = implementation_->made.names;
  if (known.nodes == 0) {
    known = names;
    return;
  }
  // Of another process of the same run, which knows its own capacity.
  known.capacities.resize(std::max(known.capacities.size(), names.capacities.size()));
  for (std::size_t n = 0; n < names.capacities.size(); ++n)
    known.capacities[n] = std::max(known.capacities[n], names.capacities[n]);
}
void run_collector::step(step_record const& r) {
  implementation& all = *implementation_;
  std::scoped_lock const lock(all.mutex);
  if (!all.is_defined(r.at)) return;
  all.made.steps.push_back({r.start_s, r.end_s, r.computed_s, r.work_s, all.place_of(r.at), all.number_of(r.input)});
}
void run_collector::kernel(kernel_record const& r) {
  implementation& all = *implementation_;
  std::scoped_lock const lock(all.mutex);
  if (!all.is_defined(r.at)) return;
  std::uint32_t& name = all.names_of_kernels(r.name, r.sizes);
  if (name == 0) {
    all.made.kernel_names.push_back({std::string(r.name), {r.sizes.begin(), r.sizes.end()}});
    name = number(all.made.kernel_names.size());
  }
  all.made.kernels.push_back({r.start_s, r.end_s, r.work_s, all.place_of(r.at), name - 1, recorded_run::none});
}
void run_collector::wait(wait_record const& r) {
  implementation& all = *implementation_;
  std::scoped_lock const lock(all.mutex);
  if (all.is_defined(r.at)) all.made.waits.push_back({r.start_s, r.end_s, all.place_of(r.at), r.cause});
}
void run_collector::post(post_record const& r) {
  implementation& all = *implementation_;
  std::scoped_lock const lock(all.mutex);
  if (!all.is_defined(r.at)) return;
  recorded_run::object const posted{r.object, r.at_s, all.place_of(r.at), r.port, r.to_thread, r.to_node};
  recorded_run::object& known = all.made.objects[all.object_of(r.object, all.made.objects)];
  if (known.was_posted()) {
    all.made.posted_again.push_back(posted);
  } else {
    known = posted;
  }
}
void run_collector::send(send_record const& r) {
  implementation& all = *implementation_;
  std::scoped_lock const lock(all.mutex);
  if (!all.is_defined(r.source, r.destination, r.kind == message_kind::control, r.object)) return;
  all.add(all.sends, r.object, r.source, r.destination, r.at_s);
  all.what_was_sent.push_back({r.at_s, r.call, r.bytes});
}
void run_collector::delivery(delivery_record const& r) {
  implementation& all = *implementation_;
  std::scoped_lock const lock(all.mutex);
  if (all.is_defined(r.source, r.destination, r.kind == message_kind::control, r.object))
    all.add(all.deliveries, r.object, r.source, r.destination, r.at_s);
}
void run_collector::transfer(transfer_record const& r) {
  implementation& all = *implementation_;
  std::scoped_lock const lock(all.mutex);
  if (!all.is_defined(r.source, r.destination, false, r.object)) return;
  all.add(all.crossings, r.object, r.source, r.destination, r.sent_s);
  all.made.crossings.push_back({r.sent_s, r.started_s, r.latency_s, r.crossed_s, r.bytes});
}
void run_collector::mpi_call(mpi_call_record const& r) {
  std::scoped_lock const lock(implementation_->mutex);
  implementation_->made.mpi_calls.push_back(r);
}
void run_collector::node(node_record const& r) {
  std::scoped_lock const lock(implementation_->mutex);
  implementation_->made.nodes.push_back(r);
}
void run_collector::mapping(mapping_record const& r) {
  std::scoped_lock const lock(implementation_->mutex);
  implementation_->made.mappings.push_back({r.collection, {r.nodes.begin(), r.nodes.end()}, r.at_s});
}
void run_collector::decision(decision_record const& r) {
  std::scoped_lock const lock(implementation_->mutex);
  implementation_->made.decisions.push_back({r.iteration, r.nodes, std::string(r.reason), r.at_s});
}
void run_collector::call(call_record const& r) {
  std::scoped_lock const lock(implementation_->mutex);
  implementation_->made.calls.push_back(r);
}
void run_collector::end(end_record const& r) {
  std::scoped_lock const lock(implementation_->mutex);
  implementation_->made.end = {r.at_s, std::string(r.failure), r.processors};
}

recorded_run run_collector::take() {
  auto const taken = std::exchange(implementation_, std::make_unique<implementation>());
  implementation& all = *taken;
  all.object_of = {};
  all.sort_residences();
  std::vector<std::uint32_t> const thread_of = all.threads_of_residences();
  recorded_run& made = all.made;
  sort_by(made.steps,
          [&](recorded_run::step const& s) { return std::tuple(thread_of[s.at.residence], s.start_s, s.end_s); });
  sort_by(made.waits, [&](recorded_run::wait const& w) { return std::pair(thread_of[w.at.residence], w.start_s); });
  all.attach_kernels(thread_of);
  all.join_messages();
  auto const sort_by_time = [](auto& rows) { sort_by(rows, [](auto const& r) { return r.at_s; }); };
  sort_by_time(made.nodes);
  sort_by_time(made.mappings);
  sort_by_time(made.decisions);
  sort_by_time(made.calls);
  // They have grown by doubling.
  std::apply([](auto&... rows) { (rows.shrink_to_fit(), ...); },
             std::tie(made.steps, made.kernels, made.waits, made.objects, made.messages, made.crossings));
  return std::move(made);
}

namespace {

/// Those of a number, in rows that are ordered by it. (Clang 14 knows no ranges of iterators, as ranges::equal_range
/// has.)
template <class Row>
std::span<Row const> rows_of(std::vector<Row> const& rows, std::uint32_t Row::*number_of, std::uint32_t wanted) {
  auto const first = std::ranges::lower_bound(rows, wanted, {}, number_of);
  auto const last = std::ranges::upper_bound(rows, wanted, {}, number_of);
  return {rows.data() + (first - rows.begin()), static_cast<std::size_t>(last - first)};
}

}  // namespace

std::span<recorded_run::kernel const> recorded_run::kernels_of(std::uint32_t step) const {
  return rows_of(kernels, &kernel::step, step);
}
std::span<recorded_run::message const> recorded_run::messages_of(std::uint32_t object) const {
  return rows_of(messages, &message::object, object);
}

std::uint32_t recorded_run::poster(object const& of) const {
  auto const key_of = [this](std::uint32_t at, double time_s) {
    return std::tuple(residences[at].collection, residences[at].thread, time_s);
  };
  auto const end_of = [&](step const& s) { return key_of(s.at.residence, s.end_s); };
  auto const after = std::ranges::upper_bound(steps, key_of(of.by.residence, of.posted_s), {}, end_of);
  if (after == steps.begin() || !same_thread((after - 1)->at, of.by)) return none;
  auto const first = std::ranges::lower_bound(steps.begin(), after, end_of(*(after - 1)), {}, end_of);
  return number(static_cast<std::size_t>(first - steps.begin()));
}

std::vector<std::uint32_t> recorded_run::steps_by_end() const {
  return order_of(steps, [](step const& s) { return s.end_s; });
}

void recorded_run::hand_on(record_sink& to) const {
  to.begin(names);
  for (node_record const& r : nodes) to.node(r);
  for (struct mapping const& m : mappings) to.mapping({m.collection, m.nodes, m.at_s});
  for (struct decision const& d : decisions) to.decision({d.iteration, d.nodes, d.reason, d.at_s});
  for (call_record const& r : calls) to.call(r);
  // Those whose time is known.
  auto const in_time = [](auto const& rows, auto const& time, auto const& hand_over) {
    auto const time_of = [&](auto const& row) {
      double const at_s = std::invoke(time, row);
      return is_known(at_s) ? at_s : -std::numeric_limits<double>::infinity();
    };
    for (std::uint32_t const i : order_of(rows, time_of))
      if (is_known(std::invoke(time, rows[i]))) hand_over(rows[i]);
  };
  in_time(kernels, &kernel::end_s, [&](kernel const& k) {
    kernel_name const& name = kernel_names[k.name];
    to.kernel({place_of(k.at), name.name, name.sizes, k.start_s, k.end_s, k.work_s});
  });
  in_time(steps, &step::end_s, [&](auto const& s) { to.step(record_of(s)); });
  in_time(waits, &wait::end_s, [&](wait const& w) { to.wait({place_of(w.at), w.cause, w.start_s, w.end_s}); });
  in_time(objects, &object::posted_s, [&](object const& o) {
    to.post({place_of(o.by), o.port, o.key, o.to_thread, o.to_node, o.posted_s});
  });
  auto const key_of = [&](message const& m) { return m.object == none ? object_key{} : objects[m.object].key; };
  auto const kind_of = [](message const& m) { return m.object == none ? message_kind::control : message_kind::object; };
  in_time(messages, &message::sent_s, [&](message const& m) {
    to.send({m.call, kind_of(m), m.source, m.destination, m.bytes, m.sent_s, key_of(m)});
  });
  in_time(messages, &message::delivered_s, [&](message const& m) {
    to.delivery({kind_of(m), m.source, m.destination, m.delivered_s, key_of(m)});
  });
  auto const crossed_s = [&](message const& m) {
    return m.crossing == none ? unknown_s : crossings[m.crossing].crossed_s;
  };
  in_time(messages, crossed_s, [&](message const& m) {
    crossing const& c = crossings[m.crossing];
    to.transfer({m.source, m.destination, c.bytes, c.handed_over_s, c.started_s, c.latency_s, c.crossed_s, key_of(m)});
  });
  for (mpi_call_record const& r : mpi_calls) to.mpi_call(r);
  if (end) to.end({end->at_s, end->failure, end->processors});
  to.flush();
}

void recorded_run::set_clock(std::function<double(double)> const& at) {
  auto const each = [&](auto& rows, auto... times) {
    for (auto& row : rows) ((row.*times = at(row.*times)), ...);  // what is unknown stays so
  };
  each(steps, &step::start_s, &step::end_s);
  each(kernels, &kernel::start_s, &kernel::end_s);
  each(waits, &wait::start_s, &wait::end_s);
  each(objects, &object::posted_s);
  each(posted_again, &object::posted_s);
  each(messages, &message::sent_s, &message::delivered_s);
  each(nodes, &node_record::at_s);
  each(mappings, &mapping::at_s);
  each(decisions, &decision::at_s);
  each(calls, &call_record::at_s);
}

}  // namespace ovlp
