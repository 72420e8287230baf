// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/mpi/overlap_parameters_of_trace.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/mpi/other_ends.hpp>

namespace ovlp::mpi {
namespace {

trace_of_rank const& rank_of(trace const& of, rank_id rank) {
  if (rank < 0 || static_cast<std::size_t>(rank) >= of.ranks.size()) {
    throw config_error("trace '" + of.name + "': expected a rank below " + std::to_string(of.ranks.size()) + ", got " +
                       std::to_string(rank));
  }
  return of.ranks[static_cast<std::size_t>(rank)];
}

/// How far each piece's access is from the call, on average.
class mean_distances {
 public:
  void add(std::vector<double> const& distances_s, std::string const& message) {
    if (count_ == 0) sums_s_.resize(distances_s.size());
    if (distances_s.size() != sums_s_.size() || distances_s.empty()) {
      throw config_error(message + ": expected profiles of as many pieces, got " + std::to_string(sums_s_.size()) +
                         " and " + std::to_string(distances_s.size()));
    }
    for (std::size_t i = 0; i < sums_s_.size(); ++i) sums_s_[i] += distances_s[i];
    ++count_;
  }
  std::size_t pieces() const { return sums_s_.size(); }
  double least_s() const { return *std::min_element(sums_s_.begin(), sums_s_.end()) / count_; }
  /// Between two pieces that follow each other.
  double period_s() const {
    double const last = *std::max_element(sums_s_.begin(), sums_s_.end()) / count_;
    return pieces() == 1 ? 0 : (last - least_s()) / static_cast<double>(pieces() - 1);
  }
  /// For each piece how many are nearer to the call.
  std::vector<std::uint32_t> places() const {
    std::vector<std::size_t> by_distance(pieces());
    std::iota(by_distance.begin(), by_distance.end(), 0);
    std::stable_sort(by_distance.begin(), by_distance.end(),
                     [&](std::size_t a, std::size_t b) { return sums_s_[a] < sums_s_[b]; });
    std::vector<std::uint32_t> places(pieces());
    for (std::size_t place = 0; place < pieces(); ++place)
      places[by_distance[place]] = static_cast<std::uint32_t>(place);
    return places;
  }

 private:
  std::vector<double> sums_s_;
  double count_ = 0;
};

/// From the last store of each piece to the send, which ends its interval, or from the receive, which begins it, to the
/// first load. Those without an access count as farthest.
std::vector<double> distances_s(access_profile const& of, double call_at) {
  std::vector<double> all_s;
  for (float const share : of.shares) {
    double const distance = share == access_profile::never ? 1 : std::abs(call_at - static_cast<double>(share));
    all_s.push_back(distance * (of.end_s - of.begin_s));
  }
  return all_s;
}

/// Messages of one kind.
struct kind {
  std::string name;
  double bytes = 0;
  double sent = 0;  // how many, in the iterations
  mean_distances produced{}, consumed{};
};

message_parameters parameters_of(kind const& messages, double iterations) {
  message_parameters m;
  m.name = messages.name;
  m.per_iteration = messages.sent / iterations;
  m.sent_words = m.produced_words = m.consumed_words = messages.bytes / word_bytes;
  std::size_t const pieces = std::max(messages.produced.pieces(), messages.consumed.pieces());
  if (pieces == 0) return m;

  m.transfer = message_transfer::pieces;
  double const words = std::max(m.sent_words / static_cast<double>(pieces), 1 / word_bytes);  // of a piece
  if (messages.produced.pieces() > 0) {
    m.independent.after_production_s = messages.produced.least_s();
    m.produce_period_s = messages.produced.period_s() / words;
    m.production.places = messages.produced.places();
    for (std::uint32_t& place : m.production.places) place = static_cast<std::uint32_t>(pieces) - 1 - place;
  }
  if (messages.consumed.pieces() > 0) {
    m.independent.before_consumption_s = messages.consumed.least_s();
    m.consume_period_s = messages.consumed.period_s() / words;
    m.consumption.places = messages.consumed.places();
  }
  return m;
}

/// Of messages of a rank: to whom, tag and bytes.
using kind_key = std::tuple<rank_id, std::int32_t, std::uint64_t>;
kind_key key_of(send const& sent) { return {sent.to, sent.tag, sent.bytes}; }

/// The records of a rank that are its iterations: an iteration ends with each message of the kind that is sent most
/// often, and the first one begins where that is sent first. All of them, as one iteration, if no kind is sent twice.
struct iterations {
  std::size_t begin = 0, end;
  double count = 1;
  bool contain(std::size_t at) const { return at >= begin && at < end; }
};
iterations iterations_of(trace_of_rank const& of) {
  std::map<kind_key, iterations> kinds;
  iterations most{0, of.records.size()};
  for (std::size_t at = 0; at < of.records.size(); ++at) {
    auto const* const sent = std::get_if<send>(&of.records[at]);
    if (sent == nullptr) continue;
    auto const [known, is_new] = kinds.try_emplace(key_of(*sent), iterations{at + 1, at + 1, 0});
    if (is_new) continue;
    known->second.end = at + 1;
    ++known->second.count;
  }
  double sent_most = 0;
  for (auto const& [key, its] : kinds) {
    if (its.count > sent_most) most = its;
    sent_most = std::max(sent_most, its.count);
  }
  return most;
}

class rank_reader {
 public:
  rank_reader(trace const& of, rank_id rank)
      : trace_(of), rank_(rank), own_(rank_of(of, rank)), iterations_(iterations_of(own_)), others_(other_ends(of)) {}

  code_parameters read() {
    for (at_ = 0; at_ < own_.records.size(); ++at_) {
      if (auto const* const message = std::get_if<send>(&own_.records[at_])) add(*message);
      if (!iterations_.contain(at_)) continue;
      if (auto const* const burst = std::get_if<compute>(&own_.records[at_])) computation_s_ += burst->duration_s;
      if (auto const* const call = std::get_if<collective>(&own_.records[at_])) add(*call);
    }
    if (kinds_.empty()) throw config_error(name() + ": expected a rank that sends messages; this one does not");
    if (!(computation_s_ > 0))
      throw config_error(name() + ": expected a rank that computes in its iterations; this one does not");

    code_parameters code{name(), computation_s_ / iterations_.count, {}, {}};
    for (kind const& k : kinds_)
      if (k.sent > 0) code.messages.push_back(parameters_of(k, iterations_.count));
    for (auto const& [processes, calls] : collectives_)
      code.collectives.push_back({processes, calls / iterations_.count});
    return code;
  }

 private:
  std::string name() const { return trace_.name + ", rank " + std::to_string(rank_); }

  access_profile const& profile_of(trace_of_rank const& of, index profile, std::string const& message) const {
    if (profile >= of.profiles.size()) {
      throw config_error(message + ": expected a profile below " + std::to_string(of.profiles.size()) + ", got " +
                         std::to_string(profile));
    }
    return of.profiles[profile];
  }

  void add(send const& sent) {
    auto const [at, is_new] = places_.try_emplace(key_of(sent), kinds_.size());
    if (is_new) {
      kinds_.push_back({"to rank " + std::to_string(sent.to) + ", tag " + std::to_string(sent.tag) + ", " +
                            std::to_string(sent.bytes) + " bytes",
                        static_cast<double>(sent.bytes)});
    }
    kind& of = kinds_[at->second];
    if (iterations_.contain(at_)) ++of.sent;
    std::string const message = name() + ": message " + of.name;
    receive const& got = received(sent, message);
    if (sent.profile != none) of.produced.add(distances_s(profile_of(own_, sent.profile, message), 1), message);
    if (got.profile != none)
      of.consumed.add(distances_s(profile_of(rank_of(trace_, sent.to), got.profile, message), 0), message);
    if (of.produced.pieces() > 0 && of.consumed.pieces() > 0 && of.produced.pieces() != of.consumed.pieces()) {
      throw config_error(message + ": expected profiles of as many pieces where it is sent and received, got " +
                         std::to_string(of.produced.pieces()) + " and " + std::to_string(of.consumed.pieces()));
    }
  }

  receive const& received(send const& sent, std::string const& message) const {
    trace_of_rank const& there = rank_of(trace_, sent.to);
    index const other = others_[static_cast<std::size_t>(rank_)][at_];
    if (other == none)
      throw config_error(message + ": expected a receive for each send, got " +
                         std::to_string(count_other_ends<receive>(there, rank_, sent)) + " there");
    return std::get<receive>(there.records[other]);
  }

  void add(collective const& call) {
    if (call.communicator >= trace_.communicators.size() || trace_.communicators[call.communicator].empty()) {
      throw config_error(name() + ": collective operation: expected a communicator with members below " +
                         std::to_string(trace_.communicators.size()) + ", got " + std::to_string(call.communicator));
    }
    ++collectives_[trace_.communicators[call.communicator].size()];
  }

  trace const& trace_;
  rank_id const rank_;
  trace_of_rank const& own_;
  iterations const iterations_;
  std::vector<std::vector<index>> const others_;
  std::size_t at_ = 0;  // of the record that is looked at
  double computation_s_ = 0;
  std::vector<kind> kinds_;  // in order of the first
  std::map<kind_key, std::size_t> places_;
  std::map<std::size_t, double> collectives_;  // how many, by size
};

}  // namespace

rank_id rank_that_sends_most(trace const& of) {
  std::vector<std::uint64_t> bytes(of.ranks.size());
  each<send>(of, [&](rank_id rank, std::size_t, send const& s) { bytes[static_cast<std::size_t>(rank)] += s.bytes; });
  auto const most = std::max_element(bytes.begin(), bytes.end());
  if (most == bytes.end() || *most == 0)
    throw config_error("trace '" + of.name + "': expected messages between ranks, got none");
  return static_cast<rank_id>(most - bytes.begin());
}

code_parameters overlap_parameters_of(trace const& of, rank_id rank) { return rank_reader(of, rank).read(); }

}  // namespace ovlp::mpi
