// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/flowgraph/mapping.hpp>

#include <algorithm>
#include <charconv>

#include <ovlp/base/error.hpp>

namespace ovlp {
namespace {

/// Reads "node0*2 node[0-3,8]*2" from left to right.
class mapping_parser {
 public:
  explicit mapping_parser(std::string_view text) : text_(text) {}

  std::vector<node_id> parse() {
    std::vector<node_id> threads;
    for (skip_blanks(); at_ < text_.size(); skip_blanks()) item(threads);
    if (threads.empty()) fail("at least one node, as in \"node0*2 node[1-3]\"");
    return threads;
  }

 private:
  void item(std::vector<node_id>& threads) {
    expect("node");
    std::vector<node_id> nodes;
    if (accept('[')) {
      do {
        node_id const first = node();
        node_id const last = accept('-') ? node() : first;
        if (last < first) fail("a range that goes up");
        for (node_id n = first; n <= last; ++n) nodes.push_back(n);
      } while (accept(','));
      if (!accept(']')) fail("']'");
    } else {
      nodes.push_back(node());
    }
    std::size_t const each = accept('*') ? number(mapping::most_threads) : 1;
    if (each == 0) fail("at least one thread");
    if (threads.size() + nodes.size() * each > mapping::most_threads) fail("at most 2^24 threads");
    for (node_id n : nodes) threads.insert(threads.end(), each, n);
    if (at_ < text_.size() && text_[at_] != ' ') fail("a blank between nodes");
  }

  node_id node() { return static_cast<node_id>(number(mapping::most_nodes - 1)); }

  std::size_t number(std::size_t most) {
    std::size_t value = 0;
    auto const [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc{} || value > most) fail("a number of at most " + std::to_string(most));
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  void expect(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) fail("'" + std::string(word) + "'");
    at_ += word.size();
  }
  bool accept(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  [[noreturn]] void fail(std::string const& expected) const {
    throw config_error("mapping \"" + std::string(text_) + "\": expected " + expected + " at character " +
                       std::to_string(at_ + 1));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string node_name(node_id node) { return "node" + std::to_string(node); }

mapping::mapping(std::string_view text) : nodes_(mapping_parser(text).parse()) {}

mapping mapping::in_turn(std::size_t threads) {
  mapping made;
  made.in_turn_threads_ = threads;
  return made;
}

mapping mapping::in_turn(std::size_t threads, std::size_t nodes, node_id first) {
  mapping made;
  for (std::size_t i = 0; i < threads && nodes > 0; ++i) made.nodes_.push_back(first + static_cast<node_id>(i % nodes));
  return made;
}

std::vector<node_id> mapping::resolve(std::size_t nodes, std::string_view collection) const {
  auto named = [&] { return "collection '" + std::string(collection) + "': "; };
  if (std::size_t const count = std::max(nodes_.size(), in_turn_threads_); count > most_threads) {
    throw config_error(named() + "expected at most " + std::to_string(most_threads) + " threads, got " +
                       std::to_string(count));
  }
  std::vector<node_id> resolved = nodes_;
  for (std::size_t i = 0; i < in_turn_threads_; ++i) resolved.push_back(static_cast<node_id>(i % nodes));
  if (resolved.empty()) throw config_error(named() + "expected at least one thread");
  for (node_id node : resolved) {
    if (node >= nodes) {
      throw config_error(named() + "mapped to " + node_name(node) + ", but the run has " + std::to_string(nodes) +
                         (nodes == 1 ? " node" : " nodes"));
    }
  }
  return resolved;
}

node_id mapping::beyond(std::size_t index, std::size_t nodes) const {
  return in_turn_threads_ > 0 ? static_cast<node_id>(index % nodes) : nodes_[index % nodes_.size()];
}

}  // namespace ovlp
