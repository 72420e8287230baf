// SPDX-License-Identifier: BSD-3-Clause
// Time-independent traces of SimGrid's SMPI, with the actions of all ranks in one file, or of each in one of its own.
// Source: SimGrid 3.25 to 3.32, the parsers of its replay (src/smpi/internals/smpi_replay.cpp).
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>

#include <ovlp/base/files.hpp>
#include <ovlp/mpi/describe.hpp>

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
    std::multimap<std::tuple<rank_id, rank_id, std::int32_t>, index> open;  ///< from, to, tag
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
        // Without an effect on time.
        {"test", &self::nothing},
        {"comm_size", &self::nothing},
        {"comm_split", &self::nothing},
        {"comm_dup", &self::nothing},
        {"location", &self::nothing},
    };
    return known;
  }

  /// How many elements a rank gives, or gets: one number, one for each rank, as many as it gives, or its own of these.
  enum class side : std::uint8_t { one, per_rank, each, as_sent, own };
  struct collective_action {
    std::string_view name;
    operation what;
    side sent, received;
  };
  static constexpr std::array collective_actions{
      collective_action{"bcast", operation::broadcast, side::one, side::as_sent},
      collective_action{"reduce", operation::reduce, side::one, side::as_sent},
      collective_action{"allreduce", operation::all_reduce, side::one, side::as_sent},
      collective_action{"gather", operation::gather, side::one, side::per_rank},
      collective_action{"allgather", operation::all_gather, side::one, side::per_rank},
      collective_action{"scatter", operation::scatter, side::per_rank, side::one},
      collective_action{"alltoall", operation::all_to_all, side::per_rank, side::per_rank},
      collective_action{"gatherv", operation::gather, side::one, side::each},
      collective_action{"allgatherv", operation::all_gather, side::one, side::each},
      collective_action{"scatterv", operation::scatter, side::each, side::one},
      collective_action{"alltoallv", operation::all_to_all, side::each, side::each},
      collective_action{"reducescatter", operation::reduce_scatter, side::each, side::own},
  };

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
    made_.communicators.push_back(all_ranks(ranks));
  }

  void read_action() {
    rank_ = lines_->whole<std::size_t>("a rank");
    std::string_view const name = lines_->word("an action");
    auto const found = actions().find(name);
    auto const* const meeting = std::ranges::find(collective_actions, name, &collective_action::name);
    bool const is_collective = meeting != collective_actions.end();
    if (found == actions().end() && !is_collective)
      lines_->fail("expected an action of SMPI's replay, got " + base::quoted(name));
    if (state().ended) lines_->fail("expected no action of a rank after its 'finalize'");
    is_collective ? collect(*meeting) : (this->*found->second)();
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
    return state().open.emplace(what, state().requests++)->second;
  }
  /// One that is not there has been found by a test, says SMPI.
  void wait_for_one() {
    rank_id const from = a_rank("a rank"), to = a_rank("a rank");
    auto const tag = lines_->whole<std::int32_t>("a tag", std::numeric_limits<std::int32_t>::min());
    std::tuple const what(from, to, tag);
    auto const first = state().open.lower_bound(what);
    if (first == state().open.end() || first->first != what) return;
    add(wait{first->second});
    state().open.erase(first);
  }
  void wait_for_all_left() {
    wait_for_all();
    lines_->rest();
  }
  void wait_for_all() {
    std::vector<index> left;
    for (auto const& [what, request] : state().open) left.push_back(request);
    std::ranges::sort(left);
    for (index const request : left) add(wait{request});
    state().open.clear();
  }

  void barrier() {
    add(collective{operation::barrier});
    lines_->rest();
  }
  /// Elements that a side has in all, or for each rank.
  std::vector<std::uint64_t> elements(side of) {
    if (of == side::each) return amounts("elements");
    return {amount("elements") * (of == side::per_rank ? size() : 1)};
  }
  void collect(collective_action const& of) {
    bool const varies = of.sent == side::each || of.received == side::each;
    bool const sides_vary = of.sent == side::each && of.received == side::each;
    bool const of_others = of.received != side::as_sent && of.received != side::own;
    if (sides_vary) amount("elements of a buffer");
    std::vector<std::uint64_t> const out = elements(of.sent);
    if (sides_vary) amount("elements of a buffer");
    std::vector<std::uint64_t> const in = of_others ? elements(of.received) : out;
    double const combining_s = combines(of.what) ? seconds() : 0;
    rank_id const at = has_root(of.what) ? root() : 0;
    bool const displaced = of.what == operation::all_gather && varies;  // displacements may follow
    std::uint64_t const type_sent = !displaced || has_type() ? type() : state().usual_bytes;
    std::uint64_t const type_received = of_others && !displaced ? type_or(type_sent) : type_sent;
    if (displaced) lines_->rest();

    auto const sent = scaled(out, type_sent), received = scaled(in, type_received);
    collective made{of.what, 0, at, sum(sent), of.received == side::own ? sent[rank_] : sum(received)};
    if (varies) {
      auto& counts = made_.ranks[rank_].counts;
      made.counts = static_cast<index>(counts.size());
      counts.push_back(of.sent == side::each ? sent : received);
    }
    add(made);
    if (combines(of.what)) add(compute{combining_s});
  }
  static bool combines(operation o) {
    return o == operation::reduce || o == operation::all_reduce || o == operation::reduce_scatter;
  }
  /// Of an all-gather with counts: a type or two, displacements, or a type and these.
  bool has_type() const {
    std::size_t const more = lines_->fields_left();
    return more > size() || (more > 0 && more <= 2);
  }
  static constexpr std::uint64_t too_many = std::uint64_t{1} << 62;  // does not overflow, and is refused
  static std::uint64_t sum(std::vector<std::uint64_t> const& of) {
    return std::accumulate(of.begin(), of.end(), std::uint64_t{0},
                           [&](std::uint64_t a, std::uint64_t b) { return std::min(a + b, too_many); });
  }
  static std::vector<std::uint64_t> scaled(std::vector<std::uint64_t> elements, std::uint64_t by) {
    for (std::uint64_t& e : elements) e = e < too_many / by ? e * by : too_many;
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
