// SPDX-License-Identifier: BSD-3-Clause
// Time-independent traces of SimGrid's SMPI, with the actions of all ranks in one file, or of each in one of its own.
// Source: SimGrid 3.25 to 3.32, the parsers of its replay (src/smpi/internals/smpi_replay.cpp).
#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>

#include <ovlp/base/files.hpp>

#include "formats.hpp"
#include "line_reader.hpp"

namespace ovlp::mpi {
namespace {

/// Bytes of SMPI's types, by the numbers that it gives them.
constexpr std::array<std::uint64_t, 25> type_bytes{8, 4,  1, 2, 8, 4, 1, 8, 1, 1, 2, 4, 8,
                                                   8, 16, 4, 1, 1, 2, 4, 8, 1, 2, 4, 8};
constexpr std::uint64_t double_bytes = 8;

/// A file with actions.
struct action_file {
  std::string name, contents;
};

/// Of a list, those that it names: as smpirun -replay takes it, a file a rank, beside the list.
std::vector<action_file> files_of_list(trace_source const& list) {
  std::vector<action_file> files;
  for (line_reader lines(list.contents, list.file, '\n'); lines.next();) {
    std::string const name = std::filesystem::path(list.file).parent_path() / base::trimmed(lines.line());
    try {
      files.push_back({name, base::read_file(name)});
    } catch (config_error const& wrong) {
      lines.fail(std::string("expected the name of a trace beside this list: ") + wrong.what());
    }
  }
  return files;
}

class time_independent_reader {
 public:
  time_independent_reader(std::string name, double flops) : flops_(flops) { made_.name = std::move(name); }

  trace read(std::span<trace_source const> files) {
    count_ranks(files);
    for (trace_source const& file : files) {
      lines_.emplace(file.contents, file.file, ' ');
      while (lines_->next()) read_action();
    }
    for (rank_ = 0; rank_ < made_.ranks.size(); ++rank_) wait_for_all();
    return std::move(made_);
  }

 private:
  struct rank_state {
    std::uint64_t usual_bytes = 1;  ///< of an element whose type is not said
    index requests = 0;
    std::map<std::tuple<rank_id, rank_id, std::int32_t>, std::deque<index>> open;  ///< from, to, tag
    bool ended = false;
  };
  using action = void (time_independent_reader::*)();
  static std::unordered_map<std::string_view, action> const& actions() {
    using self = time_independent_reader;
    static std::unordered_map<std::string_view, action> const known{
        {"init", &self::init},
        {"finalize", &self::finalize},
        {"compute", &self::compute_flops},
        {"sleep", &self::sleep},
        {"send", &self::send_now},
        {"isend", &self::send_later},
        {"recv", &self::receive_now},
        {"irecv", &self::receive_later},
        {"wait", &self::wait_for_one},
        {"waitall", &self::wait_for_all_left},
        {"barrier", &self::barrier},
        {"bcast", &self::broadcast},
        {"reduce", &self::reduce},
        {"allreduce", &self::all_reduce},
        {"gather", &self::gather},
        {"allgather", &self::all_gather},
        {"scatter", &self::scatter},
        {"alltoall", &self::all_to_all},
        {"gatherv", &self::gather_varied},
        {"allgatherv", &self::all_gather_varied},
        {"scatterv", &self::scatter_varied},
        {"alltoallv", &self::all_to_all_varied},
        {"reducescatter", &self::reduce_scatter},
        // Without an effect on time.
        {"test", &self::nothing},
        {"comm_size", &self::nothing},
        {"comm_split", &self::nothing},
        {"comm_dup", &self::nothing},
        {"location", &self::nothing},
    };
    return known;
  }

  void count_ranks(std::span<trace_source const> files) {
    constexpr std::size_t most = 1U << 22;
    std::size_t ranks = 0, count = 0;
    for (trace_source const& file : files) {
      line_reader lines(file.contents, file.file, ' ');
      for (; lines.next(); ++count) ranks = std::max(ranks, lines.whole<std::size_t>("a rank", 0, most) + 1);
    }
    if (ranks > count)
      throw config_error(files.front().file + ": expected actions of each of " + std::to_string(ranks) +
                         " ranks, got " + std::to_string(count) + " in all");
    made_.ranks.resize(ranks);
    ranks_.resize(ranks);
    made_.communicators.emplace_back(ranks);
    std::iota(made_.communicators.front().begin(), made_.communicators.front().end(), 0);
  }

  void read_action() {
    rank_ = lines_->whole<std::size_t>("a rank");
    std::string_view const name = lines_->word("an action");
    auto const found = actions().find(name);
    if (found == actions().end()) lines_->fail("expected an action of SMPI's replay, got " + base::quoted(name));
    if (state().ended) lines_->fail("expected no action of a rank after its 'finalize'");
    (this->*found->second)();
    lines_->end();
  }

  rank_state& state() { return ranks_[rank_]; }
  rank_id self() const { return static_cast<rank_id>(rank_); }
  std::size_t size() const { return ranks_.size(); }
  void add(record const& r) { made_.ranks[rank_].records.push_back(r); }

  // Fields

  std::uint64_t amount(char const* what) {
    double const value = lines_->real(what);
    constexpr double most = 0x1p40;  // bytes of a call
    if (value > most) lines_->fail(std::string("expected ") + what + ", 2^40 at most");
    return static_cast<std::uint64_t>(std::llround(value));
  }
  std::vector<std::uint64_t> amounts(char const* what) {
    std::vector<std::uint64_t> all;
    for (std::size_t i = 0; i < size(); ++i) all.push_back(amount(what));
    return all;
  }
  rank_id a_rank(char const* what) { return lines_->whole<rank_id>(what, 0, static_cast<rank_id>(size() - 1)); }
  rank_id root() { return lines_->at_end() ? 0 : a_rank("the root"); }
  std::uint64_t type() {
    if (lines_->at_end()) return state().usual_bytes;
    return type_bytes[lines_->whole<std::size_t>("a type", 0, type_bytes.size() - 1)];
  }
  /// The second one of two, which is that of what is received.
  std::uint64_t type_or(std::uint64_t first) { return lines_->at_end() ? first : type(); }
  double seconds() { return lines_->real("operations") / flops_; }

  // Actions

  void nothing() { lines_->rest(); }
  /// One that says anything comes from a tool whose elements are doubles.
  void init() {
    if (!lines_->at_end()) state().usual_bytes = double_bytes;
    lines_->rest();
  }
  void finalize() {
    wait_for_all();
    state().ended = true;
    lines_->rest();
  }
  void compute_flops() { add(compute{seconds()}); }
  void sleep() { add(compute{lines_->real("seconds")}); }

  void send_now() { add(read_send()); }
  void send_later() {
    send s = read_send();
    s.request = begin({self(), s.to, s.tag});
    add(s);
  }
  void receive_now() { add(read_receive()); }
  void receive_later() {
    receive r = read_receive();
    r.request = begin({r.from, self(), r.tag});
    add(r);
  }
  send read_send() {
    rank_id const to = a_rank("a rank");
    auto const tag = lines_->whole<std::int32_t>("a tag", std::numeric_limits<std::int32_t>::min());
    std::uint64_t const elements = amount("elements");
    return {to, tag, elements * type()};
  }
  receive read_receive() {
    send const alike = read_send();
    return {alike.to, alike.tag, alike.bytes};
  }
  index begin(std::tuple<rank_id, rank_id, std::int32_t> const& what) {
    state().open[what].push_back(state().requests);
    return state().requests++;
  }
  /// One that is not there has been found by a test, says SMPI.
  void wait_for_one() {
    rank_id const from = a_rank("a rank"), to = a_rank("a rank");
    auto const tag = lines_->whole<std::int32_t>("a tag", std::numeric_limits<std::int32_t>::min());
    auto const found = state().open.find({from, to, tag});
    if (found == state().open.end()) return;
    add(wait{found->second.front()});
    found->second.pop_front();
    if (found->second.empty()) state().open.erase(found);
  }
  void wait_for_all_left() {
    wait_for_all();
    lines_->rest();
  }
  void wait_for_all() {
    std::vector<index> left;
    for (auto const& [what, requests] : state().open) left.insert(left.end(), requests.begin(), requests.end());
    std::ranges::sort(left);
    for (index const request : left) add(wait{request});
    state().open.clear();
  }

  void barrier() {
    add(collective{operation::barrier});
    lines_->rest();
  }
  void broadcast() {
    std::uint64_t const elements = amount("elements");
    rank_id const from = root();
    add_collective(operation::broadcast, elements, elements, type(), from);
  }
  void reduce() {
    std::uint64_t const elements = amount("elements");
    double const combining_s = seconds();
    rank_id const to = root();
    add_collective(operation::reduce, elements, elements, type(), to);
    add(compute{combining_s});
  }
  void all_reduce() {
    std::uint64_t const elements = amount("elements");
    double const combining_s = seconds();
    add_collective(operation::all_reduce, elements, elements, type());
    add(compute{combining_s});
  }
  void gather() { of_equal_blocks(operation::gather, 1, size(), true); }
  void all_gather() { of_equal_blocks(operation::all_gather, 1, size(), false); }
  void scatter() { of_equal_blocks(operation::scatter, size(), 1, true); }
  void all_to_all() { of_equal_blocks(operation::all_to_all, size(), size(), false); }
  void of_equal_blocks(operation what, std::size_t sent, std::size_t received, bool with_root) {
    std::uint64_t const out = amount("elements"), in = amount("elements");
    rank_id const at = with_root ? root() : 0;
    std::uint64_t const type_sent = type(), type_received = type_or(type_sent);
    add(collective{what, 0, at, out * sent * type_sent, in * received * type_received});
  }
  void gather_varied() {
    std::uint64_t const out = amount("elements");
    std::vector<std::uint64_t> const in = amounts("elements");
    rank_id const to = root();
    std::uint64_t const type_sent = type(), type_received = type_or(type_sent);
    add_varied(operation::gather, to, out * type_sent, scaled(in, type_received));
  }
  void all_gather_varied() {
    std::uint64_t const out = amount("elements");
    std::vector<std::uint64_t> const in = amounts("elements");
    // A type or two, displacements, or a type and these.
    std::size_t const more = lines_->fields_left();
    bool const has_type = more > size() || (more > 0 && more <= 2);
    std::uint64_t const element = has_type ? type() : state().usual_bytes;
    lines_->rest();
    add_varied(operation::all_gather, 0, out * element, scaled(in, element));
  }
  void scatter_varied() {
    std::vector<std::uint64_t> const out = amounts("elements");
    std::uint64_t const in = amount("elements");
    rank_id const from = root();
    std::uint64_t const type_sent = type(), type_received = type_or(type_sent);
    auto const bytes = scaled(out, type_sent);
    made_.ranks[rank_].counts.push_back(bytes);
    add(collective{operation::scatter, 0, from, sum(bytes), in * type_received, none, last_counts()});
  }
  void all_to_all_varied() {
    amount("elements of a buffer");
    std::vector<std::uint64_t> const out = amounts("elements");
    amount("elements of a buffer");
    std::vector<std::uint64_t> const in = amounts("elements");
    std::uint64_t const type_sent = type(), type_received = type_or(type_sent);
    auto const bytes = scaled(out, type_sent);
    made_.ranks[rank_].counts.push_back(bytes);
    add(collective{operation::all_to_all, 0, 0, sum(bytes), sum(in) * type_received, none, last_counts()});
  }
  void reduce_scatter() {
    std::vector<std::uint64_t> const elements = amounts("elements");
    double const combining_s = seconds();
    auto const bytes = scaled(elements, type());
    made_.ranks[rank_].counts.push_back(bytes);
    add(collective{operation::reduce_scatter, 0, 0, sum(bytes), bytes[rank_], none, last_counts()});
    add(compute{combining_s});
  }
  void add_collective(operation what, std::uint64_t sent, std::uint64_t received, std::uint64_t element_bytes,
                      rank_id at = 0) {
    add(collective{what, 0, at, sent * element_bytes, received * element_bytes});
  }
  void add_varied(operation what, rank_id at, std::uint64_t sent_bytes, std::vector<std::uint64_t> received_bytes) {
    std::uint64_t const all = sum(received_bytes);
    made_.ranks[rank_].counts.push_back(std::move(received_bytes));
    add(collective{what, 0, at, sent_bytes, all, none, last_counts()});
  }
  index last_counts() const { return static_cast<index>(made_.ranks[rank_].counts.size() - 1); }
  static std::uint64_t sum(std::vector<std::uint64_t> const& of) {
    constexpr std::uint64_t too_many = std::uint64_t{1} << 62;  // does not overflow, and is refused
    return std::accumulate(of.begin(), of.end(), std::uint64_t{0},
                           [&](std::uint64_t a, std::uint64_t b) { return std::min(a + b, too_many); });
  }
  static std::vector<std::uint64_t> scaled(std::vector<std::uint64_t> elements, std::uint64_t by) {
    for (std::uint64_t& e : elements) e *= by;
    return elements;
  }

  double const flops_;
  std::optional<line_reader> lines_;
  trace made_;
  std::vector<rank_state> ranks_;
  std::size_t rank_ = 0;
};

/// The first line is a rank's "init".
bool has_actions(std::string_view contents) {
  std::string_view line = base::trimmed(contents.substr(0, std::min(contents.find('\n'), contents.size())));
  std::size_t const end_of_rank = line.find_first_not_of("0123456789");
  if (end_of_rank == 0 || end_of_rank == std::string_view::npos) return false;
  return base::trimmed(line.substr(end_of_rank)).starts_with("init");
}

/// All lines are names of text files.
bool is_list(std::string_view contents) {
  line_reader lines(contents, "", '\n');
  bool any = false;
  for (; lines.next(); any = true) {
    std::string_view const name = base::trimmed(lines.line());
    if (!name.ends_with(".txt") || name.find_first_of(" \t") != std::string_view::npos) return false;
  }
  return any;
}

}  // namespace

bool is_time_independent(std::string_view contents) { return has_actions(contents) || is_list(contents); }

trace read_time_independent(trace_source const& from) {
  time_independent_reader actions(name_of_file(from.file), from.flops);
  if (has_actions(from.contents)) return actions.read({&from, 1});
  std::vector<action_file> const files = files_of_list(from);
  std::vector<trace_source> sources;
  for (action_file const& file : files) sources.push_back({file.contents, file.name, from.flops});
  return actions.read(sources);
}

}  // namespace ovlp::mpi
