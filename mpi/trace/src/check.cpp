// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/mpi/check.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/mpi/describe.hpp>
#include <ovlp/mpi/other_ends.hpp>

namespace ovlp::mpi {
namespace {

/// Beyond any program; what is computed with them stays exact enough, and does not overflow.
constexpr double longest_s = 1e9;                             // that a rank computes
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 40;  // of a call

[[noreturn]] void refuse(trace const& in, std::string const& what) {
  throw config_error("trace '" + in.name + "': " + what);
}

class checker {
 public:
  explicit checker(trace const& what) : trace_(what) {}

  void run() {
    check_communicators();
    for (rank_ = 0; rank_ < trace_.ranks.size(); ++rank_) check_records();
    check_collectives();
    check_messages();
  }

 private:
  trace_of_rank const& own() const { return trace_.ranks[rank_]; }
  rank_id self() const { return static_cast<rank_id>(rank_); }

  [[noreturn]] void fail(std::size_t at, std::string const& what) const {
    refuse(trace_, describe(trace_, self(), at) + ": " + what);
  }

  void check_communicators() {
    std::size_t const ranks = trace_.ranks.size();
    if (ranks == 0) refuse(trace_, "expected at least one rank");
    members_.resize(trace_.communicators.size());
    for (std::size_t c = 0; c < trace_.communicators.size(); ++c) {
      auto const& members = trace_.communicators[c];
      if (members.empty()) refuse(trace_, "communicator " + std::to_string(c) + ": expected at least one rank");
      for (rank_id const m : members) {
        if (m < 0 || static_cast<std::size_t>(m) >= ranks || !members_[c].insert(m).second)
          refuse(trace_, "communicator " + std::to_string(c) + ": expected different ranks from 0 to " +
                             std::to_string(ranks - 1) + ", got " + std::to_string(m));
      }
    }
    if (trace_.communicators.empty() || members_.front().size() != ranks)
      refuse(trace_, "expected all ranks as the first communicator");
  }

  void check_records() {
    requests_.clear();
    clock_s_ = 0;
    for (std::size_t r = 0; r < own().records.size(); ++r) {
      std::visit([&](auto const& one) { check_record(r, one); }, own().records[r]);
      begin_request(r, request_of(own().records[r]));
    }
    check_profiles();
  }

  /// When the compute clock is known.
  void check_profiles() const {
    for (std::size_t p = 0; p < own().profiles.size(); ++p) {
      access_profile const& profile = own().profiles[p];
      bool const good = profile.begin_s >= 0 && profile.begin_s <= profile.end_s &&
                        profile.end_s <= clock_s_ * (1 + 1e-9) && std::ranges::all_of(profile.shares, [](float share) {
                          return (share >= 0 && share <= 1) || share == access_profile::never;
                        });
      if (!good)
        refuse(trace_, "rank " + std::to_string(rank_) + ", profile " + std::to_string(p) +
                           ": expected an interval of what the rank computes, and shares from 0 to 1, or never");
    }
  }

  void check_record(std::size_t at, compute const& c) {
    bool const lasts = std::isfinite(c.duration_s) && c.duration_s >= 0;
    if (lasts) clock_s_ += c.duration_s;
    if (lasts && clock_s_ <= longest_s) return;
    refuse(trace_, "rank " + std::to_string(rank_) + ", record " + std::to_string(at + 1) + ": expected a " +
                       (lasts ? "rank that computes for 10^9 seconds at most" : "duration of 0 or more"));
  }
  /// A send or a receive.
  void check_record(std::size_t at, auto const& message) {
    check_bytes(at, message.bytes);
    check_membership(at, message.communicator, partner_of(message));
    check_membership(at, message.communicator, self());
    if (message.profile != none && message.profile >= own().profiles.size()) fail(at, "expected a profile that exists");
  }
  void check_record(std::size_t at, wait const& w) {
    if (requests_.erase(w.request) == 0) fail(at, "expected a request that has begun, and has not been waited for");
  }
  void check_record(std::size_t, marker const&) {}
  void check_record(std::size_t at, collective const& c) {
    check_membership(at, c.communicator, self());
    auto const& members = trace_.communicators[c.communicator];
    if (has_root(c.what) && !members_[c.communicator].contains(c.root)) fail(at, "expected a root of the communicator");
    if (c.counts != none && (c.counts >= own().counts.size() || own().counts[c.counts].size() != members.size()))
      fail(at, "expected counts that exist, one for each of " + std::to_string(members.size()) + " ranks");
    for (std::uint64_t const bytes : {c.bytes_sent, c.bytes_received}) check_bytes(at, bytes);
    if (c.counts != none) std::ranges::for_each(own().counts[c.counts], [&](auto bytes) { check_bytes(at, bytes); });
  }

  /// As the first rank made them, the others do.
  void check_collectives() {
    std::map<index, std::map<rank_id, std::vector<index>>> made;  // places, by communicator and rank
    each<collective>(trace_, [&](rank_id rank, std::size_t at, collective const& c) {
      made[c.communicator][rank].push_back(static_cast<index>(at));
    });
    for (auto& [communicator, by_rank] : made) {
      rank_id const first = std::ranges::min(trace_.communicators[communicator]);
      for (rank_id const member : members_[communicator]) by_rank[member];  // those who make none, too
      for (auto const& [member, places] : by_rank) compare(communicator, first, by_rank[first], member, places);
    }
  }
  void compare(index communicator, rank_id first, std::vector<index> const& expected, rank_id member,
               std::vector<index> const& places) {
    rank_ = static_cast<std::size_t>(member);
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (i >= expected.size())
        fail(places[i], "rank " + std::to_string(first) + " makes only " + std::to_string(expected.size()) +
                            " collectives of this communicator");
      auto const& one = std::get<collective>(own().records[places[i]]);
      auto const& other = std::get<collective>(rank_at(first).records[expected[i]]);
      if (one.what != other.what || one.root != other.root || (one.request == none) != (other.request == none))
        fail(places[i], "expected the same as " + describe(trace_, first, expected[i]));
    }
    if (places.size() < expected.size())
      refuse(trace_, "rank " + std::to_string(member) + " makes " + std::to_string(places.size()) +
                         " collectives of communicator " + std::to_string(communicator) + ", expected " +
                         std::to_string(expected.size()) + ", as rank " + std::to_string(first) +
                         " does: the next is " + describe(trace_, first, expected[places.size()]));
  }

  void check_bytes(std::size_t at, std::uint64_t bytes) const {
    if (bytes > most_bytes) fail(at, "expected 2^40 bytes at most");
  }
  void check_membership(std::size_t at, index communicator, rank_id member) {
    if (communicator >= members_.size()) fail(at, "expected a communicator that exists");
    if (!members_[communicator].contains(member))
      fail(at, "expected a communicator that has rank " + std::to_string(member));
  }
  void begin_request(std::size_t at, index request) {
    if (request != none && !requests_.insert(request).second)
      fail(at, "request " + std::to_string(request) + " has begun, and has not been waited for: expected another one");
  }

  // Messages, after all records have been checked

  trace_of_rank const& rank_at(rank_id rank) const { return trace_.ranks[static_cast<std::size_t>(rank)]; }

  void check_messages() {
    auto const others = other_ends(trace_);
    each<receive>(trace_, [&](rank_id rank, std::size_t at, receive const& r) {
      rank_ = static_cast<std::size_t>(rank);
      std::uint64_t const bytes = other_end<send>(at, r, others[rank_][at], "send").bytes;
      if (bytes > r.bytes) fail(at, "the message that it gets has " + std::to_string(bytes) + " bytes");
    });
    each<send>(trace_, [&](rank_id rank, std::size_t at, send const& s) {
      rank_ = static_cast<std::size_t>(rank);
      other_end<receive>(at, s, others[rank_][at], "receive");
    });
  }
  template <class Other>
  Other const& other_end(std::size_t at, auto const& message, index other, std::string const& does) const {
    trace_of_rank const& there = rank_at(partner_of(message));
    if (other != none) return std::get<Other>(there.records[other]);
    fail(at, "there is no " + does + " for it: rank " + std::to_string(partner_of(message)) + " " + does + "s " +
                 std::to_string(count_other_ends<Other>(there, self(), message)) + " messages with this tag");
  }

  trace const& trace_;
  std::vector<std::unordered_set<rank_id>> members_;  ///< of communicators
  // Of the rank that is looked at
  std::size_t rank_ = 0;
  double clock_s_ = 0;
  std::unordered_set<index> requests_;
};

/// What all ranks of a communicator together give and get in one of its collectives, and its root: the first rank,
/// where there is none.
struct moved_bytes {
  std::uint64_t sent = 0, received = 0;
  std::uint64_t root_sent = 0, root_received = 0;
};

struct side_of_collective {
  char const* what;
  std::uint64_t bytes, expected;
};
using sides = std::vector<side_of_collective>;
/// Of one rank's call, that side which has to agree with the others'.
sides sides_of(collective const& c, bool is_root, moved_bytes const& all) {
  auto const gets = [&](std::uint64_t expected) { return side_of_collective{"gets", c.bytes_received, expected}; };
  auto const gives = [&](std::uint64_t expected) { return side_of_collective{"gives", c.bytes_sent, expected}; };
  switch (c.what) {
    case operation::barrier: return {};
    case operation::broadcast: return is_root ? sides{} : sides{gets(all.root_sent)};
    case operation::gather: return is_root ? sides{gets(all.sent)} : sides{};
    case operation::scatter: return is_root ? sides{gives(all.received)} : sides{};
    case operation::all_gather: return {gets(all.sent)};
    case operation::all_to_all:  // only the sums have to agree
      return is_root ? sides{{"gives, with all other ranks,", all.sent, all.received}} : sides{};
    case operation::reduce: return {gives(all.root_received)};
    case operation::reduce_scatter: return {gives(all.received)};
    case operation::all_reduce:
    case operation::scan:
    case operation::exclusive_scan: return {gives(all.root_sent), gets(all.root_sent)};
  }
  return {};
}

/// Calls `function(call, its place among its communicator's collectives, whether by its root, rank, record)`.
template <class Function>
void each_collective(trace const& of, Function const& function) {
  std::map<std::pair<rank_id, index>, std::size_t> made;
  each<collective>(of, [&](rank_id rank, std::size_t at, collective const& c) {
    rank_id const root = has_root(c.what) ? c.root : of.communicators[c.communicator].front();
    function(c, made[{rank, c.communicator}]++, rank == root, rank, at);
  });
}

}  // namespace

void check(trace const& what) { checker(what).run(); }

void check_bytes_of_collectives(trace const& of) {
  std::unordered_map<index, std::vector<moved_bytes>> moved;
  each_collective(of, [&](collective const& c, std::size_t place, bool is_root, rank_id, std::size_t) {
    auto& all = moved[c.communicator];
    if (place == all.size()) all.emplace_back();
    all[place].sent += c.bytes_sent;
    all[place].received += c.bytes_received;
    if (is_root) {
      all[place].root_sent = c.bytes_sent;
      all[place].root_received = c.bytes_received;
    }
  });
  each_collective(of, [&](collective const& c, std::size_t place, bool is_root, rank_id rank, std::size_t at) {
    for (side_of_collective const& side : sides_of(c, is_root, moved[c.communicator][place])) {
      if (side.bytes == side.expected) continue;
      refuse(of, describe(of, rank, at) + ": " + side.what + " " + std::to_string(side.bytes) + " bytes, expected " +
                     std::to_string(side.expected) + " by what the other ranks give and get");
    }
  });
}

}  // namespace ovlp::mpi
