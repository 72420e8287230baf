// SPDX-License-Identifier: BSD-3-Clause
#include "world.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <ovlp/flowgraph/buffer.hpp>
#include <ovlp/flowgraph/error.hpp>

#include "runtime/src/execution.hpp"
#include "runtime/src/host.hpp"

namespace ovlp::sim {
namespace {

double entry_for(std::vector<double> const& table, std::size_t count) {
  return table[std::min(count, table.size() - 1)];
}

void refuse_elements(std::size_t bytes) {
  throw config_error(
      "--no-alloc: the " + std::to_string(bytes) +
      " bytes of a buffer were touched outside a kernel, or in one that runs; move this into the body of "
      "here.kernel, or guard it with run.computes()");
}

}  // namespace

world::world(platform const& on, program const& known, kernel_times& kernels, node_settings settings,
             std::unique_ptr<net::network> network, execution_mode mode, double host_speed)
    : platform_(on),
      program_(known),
      kernels_(kernels),
      settings_(settings),
      network_(std::move(network)),
      mode_(mode),
      host_speed_(host_speed) {
  nodes_.resize(settings_.nodes);
  host_cores_.assign(platform_.host_cores, host_core(platform_.host_turn_s, 0, platform_.host_slice_s));
  for (std::size_t n = 0; n < settings_.nodes; ++n) {
    // Periods of different nodes begin at different times: spread evenly, whatever the number of nodes.
    constexpr double golden = 0.6180339887498949;
    double const place = golden * (static_cast<double>(n) + 1);
    processors_.add();
    make_node(static_cast<node_id>(n), 1, place - std::floor(place));
  }
}

world::~world() { unwind(); }

/// `place`: where in the first period of its quota the node begins, 0 to 1.
void world::make_node(node_id number, double speed_factor, double place) {
  node_kind const& kind = platform_.kind_of(number);
  auto const cores = static_cast<double>(kind.cores);
  double const speed = kind.speed * speed_factor;
  std::unique_ptr<processor> made;
  if (!kind.quota) {
    made = std::make_unique<own_processor>(cores, speed);
  } else if (cpu_grant const grant(*kind.quota, cores, place * kind.quota->period_s); host_cores_.empty()) {
    made = std::make_unique<own_processor>(cores, speed, grant);
  } else {
    made = std::make_unique<hosted_processor>(speed, grant, platform_.host_slice_s,
                                              host_cores_[number % host_cores_.size()],
                                              [this, number] { changed_.push_back(number); });
  }
  nodes_[number] = std::make_unique<virtual_node>(number, std::move(made));
  update_taken(number);
}

void world::vary(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (host_core& core : host_cores_) {
    double const first_s = platform_.host_turn_s * std::uniform_real_distribution(0.0, 1.0)(random);
    core = host_core(platform_.host_turn_s, first_s, platform_.host_slice_s);
  }
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    double const place = std::uniform_real_distribution(0.0, 1.0)(random);
    double const deviation = platform_.kind_of(n).speed_deviation;
    make_node(static_cast<node_id>(n), std::exp(std::normal_distribution(0.0, 1.0)(random) * deviation), place);
  }
}

void world::make_manager(node_id number, bool joins_later) {
  node_settings settings = settings_;
  settings.cores = platform_.kind_of(number).cores;
  settings.launch = nodes_[number]->launches++;
  if (thread_per_core_) settings.execution_threads = settings.cores;
  nodes_[number]->manager = std::make_unique<thread_manager>(number, program_, *this, settings);
  nodes_[number]->manager->start(joins_later);
}

void world::start_nodes(std::set<node_id> const& nodes) {
  for (node_id n : nodes) make_manager(n, false);
}

std::vector<std::string> world::waiting() {
  std::vector<std::string> all;
  for (auto const& n : nodes_) {
    if (!n->manager) continue;
    for (std::string& line : n->manager->waiting()) all.push_back(std::move(line));
  }
  return all;
}

world::usage world::used() const {
  double sum_s = 0;
  for (auto const& n : nodes_) sum_s += n->communication_s + n->taken * (now_s_ - n->taken_since_s);
  return {sum_s, network_->flips()};
}

// The clock

bool world::run_until(std::function<bool()> const& done) {
  take_ready();
  while (!done()) {
    if (!advance() && !let_in_held()) return false;
    take_ready();
  }
  return true;
}

bool world::let_in_held() {
  bool any = false;
  for (auto const& n : nodes_) any = (n->manager && n->manager->let_in_held()) || any;
  return any;
}

void world::take_ready() {
  for (std::size_t i = 0; i < ready_.size(); ++i) enter(*ready_[i]);
  ready_.clear();
}

bool world::advance() {
  update_processors();
  double next_s = std::min(processors_.next_s(), network_->next_event());
  if (!timers_.empty()) next_s = std::min(next_s, timers_.front().at_s);
  if (next_s == event_heap::never) return false;
  now_s_ = std::max(now_s_, next_s);

  due_.clear();
  for (net::completion const& done : network_->advance(now_s_)) {
    due_.push_back({message_sequence_[done.id], static_cast<std::uint32_t>(done.id)});
  }
  while (!timers_.empty() && timers_.front().at_s <= now_s_) {
    due_.push_back({timers_.front().sequence, timers_.front()});
    std::pop_heap(timers_.begin(), timers_.end(), std::greater{});
    timers_.pop_back();
  }
  while (processors_.next_s() <= now_s_) {
    std::size_t const first = processors_.front();
    processor& p = *nodes_[first]->processor;
    if (auto const ended = p.take_ended(now_s_)) due_.push_back({ended->sequence, ended->who});
    processors_.set(first, p.next_event_s());
  }
  if (due_.size() > 1) {
    std::sort(due_.begin(), due_.end(), [](due const& a, due const& b) { return a.sequence < b.sequence; });
    if (shuffled_) std::shuffle(due_.begin(), due_.end(), *shuffled_);
  }
  for (due& event : due_) handle(event);
  return true;
}

void world::handle(due& event) {
  if (job** const ended = std::get_if<job*>(&event.what)) {
    if ((*ended)->kind == job::kind_type::step) {
      enter(static_cast<worker&>(**ended));
    } else {
      io_ended(static_cast<io_thread&>(**ended));
    }
  } else if (auto const* const transfer = std::get_if<std::uint32_t>(&event.what)) {
    transfer_ended(*transfer);
  } else {
    timer const& t = std::get<timer>(event.what);
    if (t.kind == timer::kind_type::control_arrives) {
      transfer_ended(t.what);
      return;
    }
    auto const launched = static_cast<node_id>(t.what);
    make_manager(launched, true);
    for (auto const& n : nodes_) {
      if (n->manager && n->manager->self() != launched) n->manager->node_renewed(launched);
    }
    driver().node_joined(launched);
  }
}

/// Starts and ends of this instant have all been made: now rates are set.
void world::update_processors() {
  for (std::uint32_t number : network_->touched_nodes()) {
    update_taken(number);
    changed_.push_back(number);
  }
  network_->clear_touched_nodes();
  for (node_id number : changed_) processors_.set(number, nodes_[number]->processor->next_event_s());
  changed_.clear();
}

void world::update_taken(node_id number) {
  virtual_node& n = *nodes_[number];
  n.communication_s += n.taken * (now_s_ - n.taken_since_s);
  n.taken_since_s = now_s_;
  n.taken = entry_for(platform_.communication.incoming, network_->incoming(number)) +
            entry_for(platform_.communication.outgoing, network_->outgoing(number));
  n.processor->set_taken(n.taken, now_s_);
}

void world::compute(virtual_node& on, job& j, double work_s) {
  on.processor->start(j, ++sequence_, work_s, now_s_);
  changed_.push_back(on.io.node);
}

void world::set_timer(double after_s, timer::kind_type kind, std::uint32_t what) {
  timers_.push_back({now_s_ + after_s, ++sequence_, kind, what});
  std::push_heap(timers_.begin(), timers_.end(), std::greater{});
}

// Execution threads

double world::computed_s() { return current_ == nullptr ? 0 : current_->computed_s; }

void world::start(execution_thread& thread) {
  worker& made = workers_.emplace_back(thread);
  thread.world = &made;
  ready_.push_back(&made);
}

void world::enter(worker& w) {
  if (w.over) return;
  current_ = &w;
  detail::allocation_guard = no_alloc_ ? &refuse_elements : nullptr;
  if (mode_ == execution_mode::direct) entered_cpu_s_ = thread_cpu_s();
  w.thread.enter();
  detail::allocation_guard = nullptr;
  current_ = nullptr;
  w.over = w.thread.manager().stopping();
}

void world::idle(execution_thread& thread) {
  auto& w = *static_cast<worker*>(thread.world);
  finish_sends(w);
  if (!std::exchange(w.woken, false)) {
    w.idle = true;
    thread.leave();
  }
}

void world::wake(execution_thread& thread) {
  auto& w = *static_cast<worker*>(thread.world);
  if (std::exchange(w.idle, false)) {
    ready_.push_back(&w);
  } else {
    w.woken = true;
  }
}

void world::end_step(execution& operation, bool posts) {
  worker& w = *current_;
  double const measured_s = std::exchange(w.measured_s, 0);
  runtime_parameters const& cost = platform_.runtime;
  double remainder_s = cost.per_step_s + (posts ? cost.per_object_s : 0) + coldness(w.step_s) * cost.per_kernel_s;
  if (mode_ == execution_mode::direct) {
    remainder_s = std::max(0.0, thread_cpu_s() - entered_cpu_s_ - measured_s) * host_speed_;
  }
  finish_sends(w);
  nodes_[operation.node()]->computed_s += w.step_s;
  double const step_s = std::exchange(w.step_s, 0) + remainder_s;
  if (step_s > 0 && !w.thread.manager().stopping()) {
    w.computed_s += step_s;
    compute(*nodes_[operation.node()], w, step_s);
    w.thread.leave();
  }
  if (w.thread.manager().stopping()) throw cancelled{};
}

double world::kernel(execution& operation, kernel_call const& what) {
  worker& w = *current_;
  auto const [alone_s, measured_s] = kernels_(what);
  double const moved_bytes = std::exchange(nodes_[operation.node()]->moved_bytes, 0);
  double const work_s = alone_s + moved_bytes * platform_.communication.evicted_per_byte_s;
  w.step_s += work_s;
  w.measured_s += measured_s;
  return work_s;
}

// Messages

std::uint32_t world::keep(message m) {
  if (free_messages_.empty()) {
    free_messages_.push_back(static_cast<std::uint32_t>(messages_.size()));
    messages_.emplace_back();
    message_sequence_.push_back(0);
  }
  std::uint32_t const number = free_messages_.back();
  free_messages_.pop_back();
  messages_[number] = std::move(m);
  return number;
}

bool world::transmit(node_id from, node_id to, envelope_ptr object) {
  message m;
  m.from = from;
  m.to = to;
  m.bytes = object->type->byte_count(object->object());
  m.object = std::move(object);
  send(keep(std::move(m)));
  return false;
}

void world::transmit(node_id from, node_id to, control const& told) {
  message m;
  m.from = from;
  m.to = to;
  m.control_message = std::make_unique<control>(told);
  send(keep(std::move(m)));
}

/// Bytes that are copied before the transfer begins, and again after it has ended.
double world::piece_of(message const& m) const {
  double const most = platform_.communication.piece_bytes;
  auto const bytes = static_cast<double>(m.bytes);
  return most == 0 ? bytes : std::min(bytes, most);
}

/// Bytes that are copied while the transfer lasts.
double world::rest_of(message const& m) const { return static_cast<double>(m.bytes) - piece_of(m); }

/// How cold kernels that took so long leave the caches, 0 to 1.
double world::coldness(double computed_s) const {
  double const after_s = platform_.runtime.cold_after_s;
  if (computed_s == 0) return 0;
  return computed_s >= after_s ? 1 : computed_s / after_s;
}

/// What the node that sends it does before its transfer.
double world::send_cost_s(message const& m) {
  communication_cost const& cost = platform_.communication;
  virtual_node& from = *nodes_[m.from];
  double const cold = std::max(coldness(std::exchange(from.computed_s, 0)), std::exchange(from.cooled, 0));
  double const wake_s = nodes_[m.to]->processor->idle() ? cost.send_wake_s : 0;
  return cost.send.per_message_s + cost.send.per_byte_s * piece_of(m) + cold * cost.cold_s + wake_s;
}

/// What a message costs more that comes now: the node may sleep, and what handles messages may have left the caches.
/// Notes how cold what the node sends then will be.
double world::wake_s(node_id node) {
  virtual_node& to = *nodes_[node];
  communication_cost const& cost = platform_.communication;
  double const unused_s = now_s_ - std::exchange(to.last_message_s, now_s_);
  double const cooled = cost.cooling_s == 0 ? 1 : -std::expm1(-unused_s / cost.cooling_s);
  to.cooled = std::max(to.cooled, cooled);
  return (to.processor->idle() ? cost.wake_s : 0) + cost.asleep_s * cooled;
}

void world::send(std::uint32_t number) {
  message& m = messages_[number];
  double const work_s = send_cost_s(m);
  nodes_[m.from]->moved_bytes += static_cast<double>(m.bytes);
  if (platform_.runtime.connection_bytes > 0) m.sender = current_;
  process(m.from, number, part::first_piece, work_s);
}

/// What the thread's messages cost here, before it goes on.
void world::finish_sends(worker& w) {
  while (!w.sends.empty() && !w.thread.manager().stopping()) {
    task const next = w.sends.front();
    w.sends.pop_front();
    virtual_node& on = *nodes_[messages_[next.message].from];
    if (next.work_s > 0) {
      compute(on, w, next.work_s);
      w.thread.leave();
      on.communication_s += next.work_s;
    }
    processed(next.message, next.what);
  }
}

/// Who sends, or the node's I/O thread, does what the message costs there; then the message goes on.
void world::process(node_id where, std::uint32_t number, part what, double work_s) {
  worker* const sender = messages_[number].sender;
  if (sender != nullptr && what == part::first_piece) {
    sender->sends.push_back({number, what, work_s});
    return;
  }
  if (sender != nullptr && what == part::rest_of_sender) {
    sender->sends.push_front({number, what, work_s});
    return;
  }
  io_thread& io = nodes_[where]->io;
  if (work_s == 0 && !io.busy) {
    processed(number, what);
    return;
  }
  io.tasks.push_back({number, what, work_s});
  if (!io.busy) work_on(io);
}

void world::work_on(io_thread& io) {
  io.busy = true;
  while (!io.tasks.empty() && io.tasks.front().work_s == 0) {
    task const next = io.tasks.front();
    io.tasks.pop_front();
    processed(next.message, next.what);
  }
  io.busy = !io.tasks.empty();
  if (io.busy) compute(*nodes_[io.node], io, io.tasks.front().work_s);
}

void world::io_ended(io_thread& io) {
  task const done = io.tasks.front();
  io.tasks.pop_front();
  nodes_[io.node]->communication_s += done.work_s;
  processed(done.message, done.what);
  work_on(io);
}

void world::processed(std::uint32_t number, part what) {
  message const& m = messages_[number];
  bool const sends = what == part::first_piece || what == part::rest_of_sender;
  nodes_[sends ? m.from : m.to]->last_message_s = now_s_;
  switch (what) {
    case part::first_piece: begin_transfer(number); break;
    case part::rest_of_sender:
      messages_[number].sender_done = true;
      copied(number);
      part_ended(number);
      break;
    case part::rest_of_receiver:
      messages_[number].receiver_done = true;
      part_ended(number);
      break;
    case part::last_piece: deliver(number);
  }
}

void world::begin_transfer(std::uint32_t number) {
  message& m = messages_[number];
  bool const in_order = platform_.runtime.control_in_order;
  if (!m.object) {
    auto const ahead = in_order ? in_transfer_.find({m.from, m.to}) : in_transfer_.end();
    if (ahead != in_transfer_.end()) {
      messages_[ahead->second].followers.push_back(number);
      return;
    }
    set_timer(platform_.network.latency_s, timer::kind_type::control_arrives, number);
    return;
  }
  if (in_order) in_transfer_[{m.from, m.to}] = number;
  double const rest_bytes = rest_of(m);
  m.sender_done = m.receiver_done = rest_bytes == 0;
  node_id const from = m.from;  // m may move
  if (platform_.runtime.connection_bytes == 0) {
    enter_network(number);
  } else {
    connection& c = connections_[{m.from, m.to}];
    c.held_bytes += static_cast<double>(m.bytes);
    if (c.held_bytes > platform_.runtime.connection_bytes) m.sender = nullptr;
    if (std::exchange(c.carries, true)) {
      c.waiting.push_back(number);
    } else {
      enter_network(number);
    }
  }
  if (rest_bytes == 0) {
    copied(number);
  } else {
    process(from, number, part::rest_of_sender, platform_.communication.send.per_byte_s * rest_bytes);
  }
}

void world::enter_network(std::uint32_t number) {
  message const& m = messages_[number];
  message_sequence_[number] = ++sequence_;
  network_->start({number, m.from, m.to, m.bytes}, now_s_);
  if (m.receiver_done) return;
  communication_cost const& cost = platform_.communication;
  double const rest_bytes = rest_of(m);
  double const wakes = nodes_[m.to]->processor->idle() ? rest_bytes / cost.piece_bytes : 0;
  process(m.to, number, part::rest_of_receiver, cost.receive.per_byte_s * rest_bytes + wakes * cost.wake_s);
}

/// The sender has copied all of an object.
void world::copied(std::uint32_t number) {
  message const& m = messages_[number];
  double const most_bytes = platform_.runtime.connection_bytes;
  if (most_bytes == 0) return;
  connection& c = connections_[{m.from, m.to}];
  c.full = c.held_bytes > most_bytes;
  if (!c.full) sent(m.from, m.to);
}

/// An object has crossed the network: the next one does.
void world::leave_connection(message const& left) {
  node_id const from = left.from, to = left.to;
  connection& c = connections_[{from, to}];
  c.held_bytes -= static_cast<double>(left.bytes);
  c.carries = !c.waiting.empty();
  if (c.carries) {
    std::uint32_t const next = c.waiting.front();
    c.waiting.pop_front();
    enter_network(next);
  }
  if (c.full && c.held_bytes <= platform_.runtime.connection_bytes) {
    c.full = false;
    sent(from, to);
  }
}

void world::sent(node_id from, node_id to) {
  if (thread_manager* const sender = nodes_[from]->manager.get()) sender->sent(to);
}

void world::transfer_ended(std::uint32_t number) {
  message& m = messages_[number];
  m.transferred = true;
  std::vector<std::uint32_t> const followers = std::exchange(m.followers, {});
  auto const last = in_transfer_.find({m.from, m.to});
  if (last != in_transfer_.end() && last->second == number) in_transfer_.erase(last);
  if (m.object && platform_.runtime.connection_bytes > 0) leave_connection(m);
  part_ended(number);
  for (std::uint32_t follower : followers) transfer_ended(follower);
}

/// When all that goes on at once for a message has ended, the receiver copies the last piece.
void world::part_ended(std::uint32_t number) {
  message const& m = messages_[number];
  if (!m.transferred || !m.sender_done || !m.receiver_done) return;
  communication_cost::end const& cost = platform_.communication.receive;
  double const work_s = cost.per_message_s + cost.per_byte_s * piece_of(m) + wake_s(m.to);
  nodes_[m.to]->moved_bytes += static_cast<double>(m.bytes);
  node_id const from = m.from, to = m.to;
  if (m.object && platform_.runtime.connection_bytes == 0) sent(from, to);
  process(to, number, part::last_piece, work_s);
}

void world::deliver(std::uint32_t number) {
  message m = std::move(messages_[number]);
  free_messages_.push_back(number);
  thread_manager* const to = nodes_[m.to]->manager.get();
  if (to == nullptr) return;  // the node has been released, and nobody waits for this
  if (m.object) {
    to->receive(m.from, std::move(m.object));
  } else {
    to->receive(m.from, *m.control_message);
  }
}

// Nodes

void world::launch(node_id node) {
  set_timer(platform_.kind_of(node).launch_s, timer::kind_type::node_is_launched, node);
}

void world::release(node_id node) {
  nodes_[node]->manager->stop();
  retired_.push_back(std::move(nodes_[node]->manager));
}

void world::fail(failure const& what) {
  if (failure_) return;
  failure_ = what;
  for (auto const& n : nodes_) {
    if (n->manager) n->manager->stop();
  }
}

void world::unwind() {
  std::vector<thread_manager*> all;
  for (auto const& m : retired_) all.push_back(m.get());
  for (auto const& n : nodes_) {
    if (n->manager) all.push_back(n->manager.get());
  }
  for (thread_manager* m : all) m->stop();
  ready_.clear();
  for (worker& w : workers_) enter(w);
  for (thread_manager* m : all) m->unwind();
}

}  // namespace ovlp::sim
