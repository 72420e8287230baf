// SPDX-License-Identifier: BSD-3-Clause
// Schedules in the text format of GOAL.
// Source: T. Hoefler, C. Siebert, A. Lumsdaine, Group Operation Assembly Language, ICPP 2009; the text format of
// LogGOPSim (Hoefler, Schneider, Lumsdaine, LSAP 2010).
#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "formats.hpp"
#include "line_reader.hpp"

namespace ovlp::mpi {
namespace {

/// An operation of a rank: what depends on its begin, and on its end.
struct goal_operation {
  record what;
  std::vector<std::size_t> after_begin, after_end;
  std::size_t begins_missing = 0;        ///< of operations that must have begun, or ended, before
  std::vector<std::size_t> ends_before;  ///< operations that must have ended
  bool ended = false;

  bool computes() const { return std::holds_alternative<compute>(what); }
};

/// Puts the operations of a rank one after another. Messages are sent and received without blocking, as soon as what
/// they depend on has ended; a wait comes where nothing is left that can begin without one. Computing goes in the order
/// of the file, after all messages that can begin.
class sequence {
 public:
  explicit sequence(std::vector<goal_operation> operations) : operations_(std::move(operations)) {}

  /// Nothing, if dependencies go in a circle.
  std::vector<record> make() {
    for (std::size_t o = 0; o < operations_.size(); ++o)
      if (operations_[o].begins_missing == 0) place(o);
    while (!ready_.empty() || !blocked_.empty()) {
      if (!ready_.empty()) begin(ready_.extract(ready_.begin()).value().second);
      else add_wait(first_not_ended(*blocked_.begin()));
    }
    if (begun_ < operations_.size()) return {};
    for (std::size_t o = 0; o < operations_.size(); ++o)
      if (!operations_[o].ended) add_wait(o);
    return std::move(records_);
  }

 private:
  /// All that it depends on has begun.
  void place(std::size_t o) {
    if (first_not_ended(o) == operations_.size()) ready_.emplace(operations_[o].computes(), o);
    else blocked_.insert(o);
  }
  std::size_t first_not_ended(std::size_t o) const {
    for (std::size_t const before : operations_[o].ends_before)
      if (!operations_[before].ended) return before;
    return operations_.size();
  }
  void begin(std::size_t o) {
    goal_operation& is = operations_[o];
    if (auto* const s = std::get_if<send>(&is.what)) s->request = static_cast<index>(o);
    if (auto* const r = std::get_if<receive>(&is.what)) r->request = static_cast<index>(o);
    records_.push_back(is.what);
    ++begun_;
    if (is.computes()) is.ended = true;
    for (auto const* followers : {&is.after_begin, &is.after_end}) {
      for (std::size_t const f : *followers)
        if (--operations_[f].begins_missing == 0) place(f);
    }
    if (is.ended) look_again_at_blocked(is);
  }
  void add_wait(std::size_t o) {
    records_.push_back(wait{static_cast<index>(o)});
    operations_[o].ended = true;
    look_again_at_blocked(operations_[o]);
  }
  void look_again_at_blocked(goal_operation const& after) {
    for (std::size_t const f : after.after_end)
      if (blocked_.erase(f) > 0) place(f);
  }

  std::vector<goal_operation> operations_;
  std::set<std::pair<bool, std::size_t>> ready_;  ///< messages first
  std::set<std::size_t> blocked_;                 ///< only ends are missing
  std::size_t begun_ = 0;
  std::vector<record> records_;
};

/// With blanks in the place of comments, so that all lines are where they were.
std::string without_comments(std::string_view text, std::string const& file) {
  std::string plain(text);
  std::size_t at = 0;
  auto const blank = [&](std::size_t end) {
    for (; at < end; ++at)
      if (plain[at] != '\n') plain[at] = ' ';
  };
  while ((at = plain.find('/', at)) != std::string::npos) {
    std::string_view const left = std::string_view(plain).substr(at);
    if (left.starts_with("//")) {
      blank(std::min(plain.find('\n', at), plain.size()));
    } else if (left.starts_with("/*")) {
      std::size_t const end = plain.find("*/", at + 2);
      if (end == std::string::npos) {
        auto const line = 1 + std::count(plain.begin(), plain.begin() + static_cast<std::ptrdiff_t>(at), '\n');
        throw config_error(file + ":" + std::to_string(line) + ": expected the end of this comment, '*/'");
      }
      blank(end + 2);
    } else {
      ++at;
    }
  }
  return plain;
}

class goal_reader {
 public:
  explicit goal_reader(trace_source const& from)
      : file_(from.file), text_(without_comments(from.contents, from.file)), lines_(text_, from.file, ' ') {}

  trace read() {
    lines_.next();
    lines_.word("num_ranks");
    constexpr std::size_t most = 1U << 22;
    ranks_ = lines_.whole<std::size_t>("the number of ranks", 1, most);
    lines_.end();
    while (lines_.next()) read_rank();
    if (made_.ranks.size() != ranks_)
      lines_.fail("the file is cut short: expected " + std::to_string(ranks_) + " ranks, got " +
                  std::to_string(made_.ranks.size()));
    made_.name = name_of_file(file_);
    made_.communicators.push_back(all_ranks(ranks_));
    return std::move(made_);
  }

 private:
  void read_rank() {
    expect("rank");
    lines_.whole<std::size_t>("the next rank", made_.ranks.size(), made_.ranks.size());
    expect("{");
    lines_.end();
    operations_.clear();
    by_label_.clear();
    std::string const name = "rank " + std::to_string(made_.ranks.size());
    for (;;) {
      if (!lines_.next()) lines_.fail("the file is cut short: expected '}' at the end of " + name);
      if (lines_.accept_word("}")) break;
      read_statement();
    }
    lines_.end();
    std::size_t const count = operations_.size();
    made_.ranks.emplace_back().records = sequence(std::move(operations_)).make();
    if (made_.ranks.back().records.size() < count) lines_.fail("dependencies of " + name + " go in a circle");
  }

  void read_statement() {
    std::string_view word = lines_.word("a statement");
    if (word.ends_with(':')) {
      word.remove_suffix(1);
      if (!by_label_.emplace(word, operations_.size()).second)
        lines_.fail("label " + base::quoted(word) + " is there already");
      word = lines_.word("calc, send or recv");
    }
    if (word == "calc") {
      add(compute{static_cast<double>(lines_.whole<std::uint64_t>("nanoseconds")) * 1e-9});
    } else if (word == "send") {
      auto const [bytes, partner] = read_message("to");
      add(send{partner, read_options(), bytes});
    } else if (word == "recv") {
      auto const [bytes, partner] = read_message("from");
      add(receive{partner, read_options(), bytes});
    } else {
      return read_dependency(word);
    }
    read_options();
    lines_.end();
  }
  std::pair<std::uint64_t, rank_id> read_message(char const* direction) {
    auto const bytes = lines_.whole_before<std::uint64_t>("bytes, as 8b", "b");
    if (!lines_.accept_word("b")) lines_.fail("expected 'b' after the number of bytes");
    expect(direction);
    return {bytes, lines_.whole<rank_id>("a rank", 0, static_cast<rank_id>(ranks_ - 1))};
  }
  /// Returns the tag. A rank has one processor here; network interfaces are the node's.
  std::int32_t read_options() {
    std::int32_t tag = 0;
    while (!lines_.at_end()) {
      if (lines_.accept_word("tag")) tag = lines_.whole<std::int32_t>("a tag");
      else if (lines_.accept_word("cpu"))
        lines_.whole<unsigned>("cpu 0, since a rank computes one thing at a time here", 0, 0);
      else if (lines_.accept_word("nic")) lines_.whole<unsigned>("a number");
      else lines_.fail("expected tag, cpu or nic, got " + lines_.got());
    }
    return tag;
  }
  void read_dependency(std::string_view follower) {
    std::size_t const after = labelled(follower);
    bool const of_begin = lines_.accept_word("irequires");
    if (!of_begin) expect("requires");
    std::size_t const before = labelled(lines_.word("a label"));
    lines_.end();
    (of_begin ? operations_[before].after_begin : operations_[before].after_end).push_back(after);
    if (!of_begin) operations_[after].ends_before.push_back(before);
    ++operations_[after].begins_missing;
  }
  std::size_t labelled(std::string_view label) const {
    auto const found = by_label_.find(label);
    if (found == by_label_.end())
      lines_.fail("expected calc, send, recv, or a label that stands above, got " + base::quoted(label));
    return found->second;
  }
  void expect(std::string_view word) {
    if (!lines_.accept_word(word)) lines_.fail("expected '" + std::string(word) + "', got " + lines_.got());
  }
  void add(record const& what) { operations_.emplace_back().what = what; }

  std::string const& file_;
  std::string const text_;
  line_reader lines_;
  trace made_;
  std::size_t ranks_ = 0;
  std::vector<goal_operation> operations_;
  std::unordered_map<std::string_view, std::size_t> by_label_;
};

}  // namespace

bool is_goal(std::string_view contents) {
  for (;;) {  // comments may stand before it
    contents.remove_prefix(std::min(contents.find_first_not_of(" \t\r\n"), contents.size()));
    std::string_view const end = contents.starts_with("//") ? "\n" : contents.starts_with("/*") ? "*/" : "";
    if (end.empty()) return contents.starts_with("num_ranks ");
    contents.remove_prefix(std::min(contents.find(end, 2), contents.size()));
    contents.remove_prefix(std::min(end.size(), contents.size()));
  }
}

trace read_goal(trace_source const& from) { return goal_reader(from).read(); }

}  // namespace ovlp::mpi
