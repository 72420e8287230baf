// SPDX-License-Identifier: BSD-3-Clause
// Traces of Dimemas, .dim. Its own reader, 5.5.0, crashes on a file without an offset table and leaves out a task that
// does not begin with a burst: such files are errors here.
#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <ovlp/mpi/describe.hpp>

#include "formats.hpp"
#include "line_reader.hpp"

namespace ovlp::mpi {
namespace {

constexpr std::string_view magic = "#DIMEMAS:";

/// Kinds of records.
enum : unsigned {
  no_operation = 0,
  burst = 1,
  message_sent = 2,
  message_received = 3,
  global_operation = 10,
  event = 20
};
/// Of a send: bits. Of a receive and a global operation: what it is.
enum : unsigned { rendezvous_bit = 1, immediate_bit = 2 };
enum : unsigned { receive_now = 0, receive_later = 1, receive_wait = 2 };
enum : unsigned { operation_begins = 0, operation_synchronizes = 1, operation_waits = 2, most_synchronization = 3 };

/// By its number there; those from here on are the same, non-blocking.
constexpr unsigned non_blocking = 16;
constexpr std::array dimemas_operations{
    operation::barrier,        operation::broadcast,      operation::gather,     operation::gather,
    operation::scatter,        operation::scatter,        operation::all_gather, operation::all_gather,
    operation::all_to_all,     operation::all_to_all,     operation::reduce,     operation::all_reduce,
    operation::reduce_scatter, operation::reduce_scatter, operation::scan,       operation::all_to_all};
static_assert(dimemas_operations.size() == non_blocking);

/// `varies`: bytes differ from rank to rank.
unsigned number_of(operation o, bool varies) {
  if (o == operation::exclusive_scan) o = operation::scan;  // it knows one
  auto const first = std::ranges::find(dimemas_operations, o);
  bool const two_forms =
      o == operation::gather || o == operation::scatter || o == operation::all_gather || o == operation::all_to_all;
  return static_cast<unsigned>(first - dimemas_operations.begin()) + (varies && two_forms ? 1 : 0);
}

class dimemas_reader {
 public:
  explicit dimemas_reader(trace_source const& from)
      : size_(from.contents.size()), lines_(from.contents, from.file, ':') {}

  trace read() {
    read_header();
    bool const more = read_records();
    read_offsets(more);
    set_roots();
    return std::move(made_);
  }

 private:
  /// Who waits for which of several that are alike: the first that has begun.
  using envelope = std::tuple<rank_id, std::int32_t, std::uint64_t, index>;
  struct task_state {
    std::size_t first_position = 0;
    index requests = 0;
    std::multimap<envelope, index> receives;
    std::multimap<std::pair<operation, index>, index> collectives;
    std::map<index, std::size_t> made;  ///< collectives of each communicator
  };

  // #DIMEMAS:"name":1,offset:tasks(threads,...),communicators

  void read_header() {
    lines_.next();
    lines_.accept(magic);
    read_name();
    if (lines_.whole_before<unsigned>("1 and the offset table's position", ",:") != 1 || !lines_.accept(","))
      lines_.fail(
          "there is no offset table, without which Dimemas does not read a trace: expected 1,POSITION after the name");
    table_position_ = lines_.whole<std::size_t>("the offset table's position");
    if (table_position_ >= size_)
      lines_.fail("the file is cut short: its offset table should be at byte " + std::to_string(table_position_) +
                  ", and it has " + std::to_string(size_));
    auto const tasks = lines_.whole_before<std::size_t>("the number of tasks", "(");
    if (tasks == 0) lines_.fail("expected a task or more, got 0");
    lines_.accept("(");
    for (std::size_t t = 0; t < tasks; ++t) {
      if (lines_.whole_before<unsigned>("the number of threads of a task", ",)") != 1)
        lines_.fail("expected tasks of one thread; task " + std::to_string(t) + " has several");
      if (!lines_.accept(t + 1 < tasks ? "," : ")"))
        lines_.fail("expected the number of threads of each of " + std::to_string(tasks) + " tasks, got " +
                    lines_.got());
    }
    made_.ranks.resize(tasks);
    tasks_.resize(tasks);
    if (lines_.accept(",")) announced_ = lines_.whole_before<std::size_t>("the number of communicators", ", ");
    if (lines_.accept(",")) lines_.fail("tasks with accelerators or OpenMP are not known here");
    made_.communicators.push_back(all_ranks(tasks));
  }
  void read_name() {
    if (!lines_.accept("\"")) lines_.fail("expected a name in quotes, got " + lines_.got());
    std::string_view const rest = lines_.remaining();
    std::size_t const end = rest.find("\":");
    if (end == std::string_view::npos) lines_.fail("expected '\":' after the name");
    made_.name = rest.substr(0, end);
    lines_.accept(rest.substr(0, end + 2));
  }

  // Definitions and records

  /// Whether a line is left, of what follows.
  bool read_records() {
    while (lines_.next()) {
      if (lines_.position() >= table_position_) return true;
      if (lines_.accept_word("d")) read_definition();
      else read_record();
    }
    return false;
  }

  void read_definition() {
    auto const kind = lines_.whole<unsigned>("a kind of definition", 1, 3);
    if (kind != 1) return;  // files and windows, of which nothing is made
    auto const id = lines_.whole<std::int64_t>("a communicator");
    auto const count = lines_.whole<std::size_t>("the number of its tasks");
    std::vector<rank_id> members;
    while (!lines_.at_end()) members.push_back(lines_.whole<rank_id>("a task"));
    if (members.size() != count)
      lines_.fail("expected " + std::to_string(count) + " tasks, got " + std::to_string(members.size()));
    bool const is_world = members == made_.communicators.front();
    auto const number = is_world ? 0 : static_cast<index>(made_.communicators.size());
    if (!communicators_.emplace(id, number).second)
      lines_.fail("communicator " + std::to_string(id) + " is there already");
    if (!is_world) made_.communicators.push_back(std::move(members));
  }

  void read_record() {
    auto const kind = lines_.whole<unsigned>("a kind of record");
    auto const task = lines_.whole<std::size_t>("a task", 0, tasks_.size() - 1);
    lines_.whole<unsigned>("thread 0", 0, 0);
    auto& records = made_.ranks[task].records;
    task_state& state = tasks_[task];
    if (task < task_)
      lines_.fail("expected the records of a task together, in the order of tasks: here is one of task " +
                  std::to_string(task));
    task_ = task;
    if (state.first_position == 0) {
      state.first_position = lines_.position();
      if (kind != burst)
        lines_.fail("expected a burst as the first record of task " + std::to_string(task) +
                    ": Dimemas leaves out a task that begins otherwise");
    }
    switch (kind) {
      case no_operation: break;
      case burst: records.push_back(compute{lines_.real("seconds")}); break;
      case message_sent: records.push_back(read_send(state)); break;
      case message_received: records.push_back(read_receive(state)); break;
      case global_operation: records.push_back(read_collective(state)); break;
      case event: {
        auto const type = lines_.whole<std::uint64_t>("a type");
        records.push_back(marker{type, lines_.whole<std::uint64_t>("a value")});
        break;
      }
      default: lines_.fail("expected a record of kind 0, 1, 2, 3, 10 or 20, got " + std::to_string(kind));
    }
    lines_.end();
  }

  /// Task, thread (which may be missing), bytes, tag, communicator, and what the last field says. Also of a send.
  std::pair<receive, unsigned> read_message(char const* what, unsigned most) {
    receive m{};
    m.from = lines_.whole<rank_id>("a task", 0, static_cast<rank_id>(tasks_.size() - 1));
    if (lines_.fields_left() > 4 && lines_.whole<std::int64_t>("a thread", -2) >= 0)
      lines_.fail("expected -1 as the partner's thread: dependencies between threads are not known here");
    m.bytes = lines_.whole<std::uint64_t>("bytes");
    m.tag = lines_.whole<std::int32_t>("a tag", std::numeric_limits<std::int32_t>::min());
    m.communicator = read_communicator();
    return {m, lines_.whole<unsigned>(what, 0, most)};
  }
  index read_communicator() {
    auto const id = lines_.whole<std::int64_t>("a communicator");
    auto const found = communicators_.find(id);
    if (found != communicators_.end()) return found->second;
    if (communicators_.empty() && announced_ == 0) return 0;  // only the one of all tasks
    lines_.fail("expected a communicator that is defined, got " + std::to_string(id));
  }

  record read_send(task_state& state) {
    auto const [m, kind] = read_message("how it is sent", rendezvous_bit | immediate_bit);
    send s{m.from, m.tag, m.bytes, m.communicator};
    if ((kind & immediate_bit) != 0) s.request = state.requests++;
    s.how = (kind & rendezvous_bit) != 0 ? protocol::rendezvous : protocol::eager;
    return s;
  }
  record read_receive(task_state& state) {
    auto [r, kind] = read_message("receive (0), its begin (1) or wait for it (2)", receive_wait);
    envelope const is{r.from, r.tag, r.bytes, r.communicator};
    if (kind == receive_wait) return wait{take_first(state.receives, is)};
    if (kind == receive_later) state.receives.emplace(is, r.request = state.requests++);
    return r;
  }
  record read_collective(task_state& state) {
    auto const number = lines_.whole<unsigned>("a global operation", 0, 2 * non_blocking - 1);
    collective c{dimemas_operations[number % non_blocking]};
    c.communicator = read_communicator();
    bool const is_root = lines_.whole<unsigned>("1 at the root, else 0", 0, 1) == 1;
    lines_.whole<unsigned>("the root's thread");
    c.bytes_sent = lines_.whole<std::uint64_t>("bytes sent");
    c.bytes_received = lines_.whole<std::uint64_t>("bytes received");
    unsigned const how = lines_.at_end() ? unsigned{operation_synchronizes}
                                         : lines_.whole<unsigned>("how it synchronizes", 0, most_synchronization);
    if (how == operation_waits) return wait{take_first(state.collectives, std::pair{c.what, c.communicator})};
    if (number >= non_blocking) {
      if (how != operation_begins) lines_.fail("expected 0 (begins) or 2 (is waited for) of a non-blocking operation");
      state.collectives.emplace(std::pair{c.what, c.communicator}, c.request = state.requests++);
    }
    std::vector<rank_id>& roots = roots_[c.communicator];
    std::size_t const place = state.made[c.communicator]++;
    if (place >= roots.size()) roots.push_back(0);
    if (is_root) roots[place] = static_cast<rank_id>(task_);
    return c;
  }
  template <class Waiting, class Key>
  index take_first(Waiting& waiting, Key const& key) {
    auto const first = waiting.lower_bound(key);
    if (first == waiting.end() || first->first != key)
      lines_.fail("a wait for what has not begun: expected the same fields as in its begin");
    return waiting.extract(first).mapped();
  }

  // s:task:offset of its first record

  void read_offsets(bool more) {
    auto const cut = [&] {
      lines_.fail("the file is cut short: expected an offset table of " + std::to_string(tasks_.size()) +
                  " tasks at its end");
    };
    for (std::size_t t = 0; t < tasks_.size(); ++t, more = lines_.next()) {
      if (!more || !lines_.accept_word("s")) cut();
      lines_.whole<std::size_t>("the next task", t, t);
      auto const offset = lines_.whole<std::size_t>("a position");
      lines_.end();
      if (tasks_[t].first_position == 0)
        lines_.fail("task " + std::to_string(t) + " has no records: expected one at least");
      if (offset != tasks_[t].first_position)
        lines_.fail("task " + std::to_string(t) + " begins at byte " + std::to_string(tasks_[t].first_position) +
                    ", expected " + std::to_string(offset) + ", as this line says: the file has been changed");
    }
    if (more) lines_.fail("expected nothing after the offset table, got " + base::quoted(lines_.line()));
  }

  /// Only the root says who it is: the others make their collectives in the same order.
  void set_roots() {
    for (trace_of_rank& rank : made_.ranks) {
      std::map<index, std::size_t> made;
      for (record& r : rank.records) {
        auto* const c = std::get_if<collective>(&r);
        if (c != nullptr) c->root = roots_[c->communicator][made[c->communicator]++];
      }
    }
  }

  std::size_t const size_;
  line_reader lines_;
  trace made_;
  std::vector<task_state> tasks_;
  std::size_t task_ = 0;
  std::size_t table_position_ = 0, announced_ = 0;
  std::unordered_map<std::int64_t, index> communicators_;  ///< by their numbers there
  std::map<index, std::vector<rank_id>> roots_;            ///< of each communicator's collectives
};

class dimemas_writer {
 public:
  explicit dimemas_writer(trace const& what) : trace_(what) {}

  std::string write() {
    text_ = std::string(magic) + '"' + name() + "\":1,";
    std::size_t const place = text_.size();
    constexpr std::size_t width = 20;
    text_.append(width, '0');
    fields(':', trace_.ranks.size());
    text_ += '(';
    for (std::size_t r = 0; r < trace_.ranks.size(); ++r) text_ += r == 0 ? "1" : ",1";
    text_ += ')';
    fields(',', trace_.communicators.size());
    for (std::size_t c = 0; c < trace_.communicators.size(); ++c) {
      text_ += "\nd:1";
      fields(':', c + 1, trace_.communicators[c].size());
      for (rank_id const member : trace_.communicators[c]) fields(':', member);
    }
    text_ += '\n';
    std::vector<std::size_t> begins;
    for (rank_ = 0; rank_ < trace_.ranks.size(); ++rank_) {
      begins.push_back(text_.size());
      write_rank(trace_.ranks[rank_]);
    }
    std::string const table = std::to_string(text_.size());
    text_.replace(place + width - table.size(), table.size(), table);
    for (std::size_t r = 0; r < begins.size(); ++r) {
      text_ += 's';
      fields(':', r, begins[r]);
      text_ += '\n';
    }
    return std::move(text_);
  }

 private:
  std::string name() const {
    std::string name = base::one_line(trace_.name);
    std::ranges::replace(name, '"', '\'');
    return name;
  }

  void write_rank(trace_of_rank const& rank) {
    begun_.clear();
    if (rank.records.empty() || !std::holds_alternative<compute>(rank.records.front())) write_burst(1e-9);
    for (record const& r : rank.records) {
      std::visit(*this, r);
      if (index const request = request_of(r); request != none) begun_.insert_or_assign(request, r);
    }
  }

 public:
  void operator()(compute const& c) { write_burst(c.duration_s); }
  void operator()(send const& s) {
    unsigned const how =
        (s.how == protocol::rendezvous ? rendezvous_bit : 0U) | (s.request != none ? immediate_bit : 0U);
    write_message(message_sent, s, how);
  }
  void operator()(receive const& r) {
    write_message(message_received, r, r.request == none ? receive_now : receive_later);
  }
  void operator()(collective const& c) {
    write_collective(c, c.request == none ? operation_synchronizes : operation_begins);
  }
  void operator()(wait const& w) {
    auto const found = begun_.extract(w.request);
    if (found.empty()) return;
    if (auto const* const r = std::get_if<receive>(&found.mapped())) write_message(message_received, *r, receive_wait);
    if (auto const* const c = std::get_if<collective>(&found.mapped())) write_collective(*c, operation_waits);
  }
  void operator()(marker const& m) {
    begin_record(event);
    fields(':', m.type, m.value);
    text_ += '\n';
  }

 private:
  void write_burst(double seconds) {
    begin_record(burst);
    text_ += ':';
    append_number(text_, seconds, std::chars_format::fixed);
    text_ += '\n';
  }
  void write_message(unsigned kind, auto const& call, unsigned how) {
    begin_record(kind);
    fields(':', partner_of(call), -1, call.bytes, call.tag, call.communicator + 1, how);
    text_ += '\n';
  }
  void write_collective(collective const& c, unsigned how) {
    begin_record(global_operation);
    unsigned const is_root = has_root(c.what) && c.root == static_cast<rank_id>(rank_) ? 1 : 0;
    fields(':', number_of(c.what, c.counts != none) + (c.request == none ? 0 : non_blocking), c.communicator + 1,
           is_root, 0, c.bytes_sent, c.bytes_received, how);
    text_ += '\n';
  }
  void begin_record(unsigned kind) {
    append_number(text_, kind);
    fields(':', rank_, 0);
  }
  void fields(char separator, auto... values) {
    auto const field = [&](auto value) {
      text_ += separator;
      append_number(text_, value);
    };
    (field(values), ...);
  }

  trace const& trace_;
  std::string text_;
  std::size_t rank_ = 0;
  std::unordered_map<index, record> begun_;  ///< by request
};

}  // namespace

bool is_dimemas(std::string_view contents) { return contents.starts_with(magic); }

trace read_dimemas(trace_source const& from) { return dimemas_reader(from).read(); }

std::string dimemas_of(trace const& what) { return dimemas_writer(what).write(); }

}  // namespace ovlp::mpi
