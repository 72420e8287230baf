// SPDX-License-Identifier: BSD-3-Clause
#include "membership.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/flowgraph/walk.hpp>

namespace ovlp::real {
namespace {

/// Engines of this program that have launched processes.
std::atomic<int> launching_engines{0};

constexpr std::size_t most_shown = 60;

/// Two texts that may be long, or hold anything: of each the part in which they differ.
std::pair<std::string, std::string> shown(std::string_view a, std::string_view b) {
  std::size_t from = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  bool const both_short = std::max(a.size(), b.size()) <= most_shown;
  from = both_short || from < most_shown / 2 ? 0 : from - most_shown / 2;
  auto const part = [from](std::string_view text) {
    std::string made(text.substr(from, most_shown));
    std::ranges::replace_if(
        made, [](char c) { return c < ' ' || c > '~'; }, '?');
    return (from > 0 ? "..." : "") + made + (text.size() > from + most_shown ? "..." : "");
  };
  return {part(a), part(b)};
}

std::string with(fact const& option, std::string const& words) {
  return option.text ? "with " + words : "without " + option.what;
}

/// What is different first in two processes that are to agree, in a line: "node2 was started with --columns 50, node0
/// with --columns 100".
std::string difference(node_id other, facts const& theirs, node_id self, facts const& own) {
  auto const [t, o] = std::ranges::mismatch(theirs, own);
  std::string const them = node_name(other), us = node_name(self);
  bool const they_have = t != theirs.end(), we_have = o != own.end();
  if (they_have && we_have && t->what_kind == o->what_kind && t->what == o->what) {
    auto const [theirs_shown, own_shown] = shown(t->text.value_or(""), o->text.value_or(""));
    switch (t->what_kind) {
      case fact::kind::option:
        return them + " was started " + with(*t, theirs_shown) + ", " + us + " " + with(*o, own_shown);
      case fact::kind::value:
        if (!t->text || !o->text) return o->what + " differs between " + them + " and " + us;
        return o->what + " is " + theirs_shown + " on " + them + ", " + own_shown + " on " + us;
      case fact::kind::structure: break;
    }
    return them + " runs another program than " + us + ": " + o->what + " differs";
  }
  return them + " runs another program than " + us + ": " +
         (they_have ? "it has " + shown(t->what, "").first : "it lacks " + shown(o->what, "").first) +
         (they_have && we_have ? ", where " + us + " has " + shown(o->what, "").first : "");
}

}  // namespace

membership::membership(transport& network, run_state const& run, node_id self, std::size_t nodes, double capacity,
                       facts own, std::function<double()> now_s)
    : network_(network),
      run_(run),
      self_(self),
      nodes_(nodes),
      capacity_(capacity),
      facts_(std::move(own)),
      fingerprint_(detail::digest_of(facts_)),
      now_s_(std::move(now_s)) {}

void membership::expect(node_id node) {
  if (members_.empty()) ++launching_engines;
  members_[node] = {};
  joining_.insert(node);
  joining_count_ = joining_.size();
}

bool membership::expects(node_id node) const { return self_ != 0 || joining_.contains(node); }

std::size_t membership::expected() const {
  if (self_ == 0) return joining_.size();
  std::size_t missing = 0;
  for (node_id node = 0; node < nodes_; ++node) {
    if (!network_.connected(node)) ++missing;
  }
  return missing;
}

void membership::join(peer_address const& driver) {
  hello_sent_s_ = now_s_();
  network_.connect(driver, fingerprint_);
  members_[driver.node] = {driver, true, 0, true, false};
}

void membership::handle_hello(hello const& from) {
  member& m = members_[from.node] = {};
  m.address = {from.node, from.host, from.port};
  m.said_hello = true;
  m.hello_received_s = now_s_();
  if (from.fingerprint != fingerprint_) {
    m.differs = true;
    network_.send(from.node, facts_request{});
  } else if (self_ == 0) {
    welcome_when_all_are_here();
  } else {
    m.joined = true;
    network_.send(from.node, accepted{});
  }
}

void membership::handle_facts(node_id from, facts const& theirs) {
  std::string text = difference(from, theirs, self_, facts_);
  if (launching_engines > 1)
    text += " (an engine before this one launched processes, too: in a launched process the first engine serves)";
  run_.fail(network_failure(text));
}

void membership::welcome_when_all_are_here() {
  auto const here = [this](node_id node) { return members_[node].said_hello && !members_[node].differs; };
  if (!std::all_of(joining_.begin(), joining_.end(), here)) return;
  for (node_id node : joining_) {
    welcome message{{}, members_[node].hello_received_s, 0};
    for (auto const& [other, m] : members_) {
      if (m.leaving || other == node) continue;
      if (m.joined || (joining_.contains(other) && other < node)) message.peers.push_back(m.address);
    }
    message.sent_s = now_s_();
    network_.send(node, message);
  }
}

void membership::handle_welcome(welcome const& message) {
  for (peer_address const& address : message.peers) {
    members_[address.node].address = address;
    try {
      network_.connect(address, fingerprint_);
    } catch (network_error const& wrong) {
      network_.send(0, peer_lost{address.node, wrong.what(), false});
      return;
    }
    to_accept_.insert(address.node);
  }
  report_when_ready();
}

void membership::handle_accepted(node_id from) {
  members_[from].joined = true;
  if (to_accept_.erase(from) > 0) report_when_ready();
}

void membership::report_when_ready() {
  if (to_accept_.empty()) network_.send(0, ready{capacity_});
}

void membership::handle_ready(node_id from) {
  members_[from].joined = true;
  joining_.erase(from);
  joining_count_ = joining_.size();
}

void membership::leave_all() {
  for (auto& [node, m] : members_) m.leaving = true;
}

bool membership::leaving(node_id node) const {
  auto const found = members_.find(node);
  return found == members_.end() || found->second.leaving;
}

template <class Predicate>
std::vector<node_id> membership::those(Predicate const& wanted) const {
  std::vector<node_id> all;
  for (auto const& [node, m] : members_) {
    if (wanted(m)) all.push_back(node);
  }
  return all;
}
std::vector<node_id> membership::all() const {
  return those([](member const&) { return true; });
}
std::vector<node_id> membership::heard() const {
  return those([](member const& m) { return m.said_hello || m.joined; });
}
std::vector<node_id> membership::present() const {
  return those([](member const& m) { return m.joined && !m.leaving; });
}

}  // namespace ovlp::real
