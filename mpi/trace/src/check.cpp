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
    check_numbers_of_collectives();
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
      first_member_.push_back(*std::ranges::min_element(members));
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
    made_.clear();
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
    if (!std::isfinite(c.duration_s) || c.duration_s < 0)
      refuse(trace_, "rank " + std::to_string(rank_) + ", record " + std::to_string(at + 1) +
                         ": expected a duration of 0 or more");
    clock_s_ += c.duration_s;
    if (clock_s_ > longest_s)
      refuse(trace_, "rank " + std::to_string(rank_) + ", record " + std::to_string(at + 1) +
                         ": expected a rank that computes for 10^9 seconds at most");
  }
  void check_record(std::size_t at, send const& s) {
    check_bytes(at, s.bytes);
    check_message(at, s.to, s.communicator, s.profile);
  }
  void check_record(std::size_t at, receive const& r) {
    check_bytes(at, r.bytes);
    check_message(at, r.from, r.communicator, r.profile);
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
    compare_with_others(at, c);
  }

  /// As the first rank made them, the others do.
  void compare_with_others(std::size_t at, collective const& c) {
    ++made_by_all_[c.communicator];
    std::size_t const place = made_[c.communicator]++;
    auto& first = collectives_[c.communicator];
    rank_id const first_rank = first_member_[c.communicator];
    if (self() == first_rank) {
      first.push_back(at);
      return;
    }
    if (place >= first.size())
      fail(at, "rank " + std::to_string(first_rank) + " makes only " + std::to_string(first.size()) +
                   " collectives of this communicator");
    auto const& expected = std::get<collective>(rank_at(first_rank).records[first[place]]);
    if (c.what != expected.what || c.root != expected.root || (c.request == none) != (expected.request == none))
      fail(at, "expected the same as " + describe(trace_, first_rank, first[place]));
  }

  void check_numbers_of_collectives() {
    for (auto const& [of, first] : collectives_) {
      index const communicator = of;  // a lambda of Clang 14 takes no structured binding
      auto const& members = trace_.communicators[communicator];
      if (made_by_all_[communicator] == first.size() * members.size()) continue;
      for (rank_id const member : members) {
        std::size_t const made =
            static_cast<std::size_t>(std::ranges::count_if(rank_at(member).records, [&](record const& r) {
              auto const* const c = std::get_if<collective>(&r);
              return c != nullptr && c->communicator == communicator;
            }));
        if (made < first.size())
          refuse(trace_, "rank " + std::to_string(member) + " makes " + std::to_string(made) +
                             " collectives of communicator " + std::to_string(communicator) + ", expected " +
                             std::to_string(first.size()) + ", as rank " + std::to_string(first_member_[communicator]) +
                             " does: the next is " + describe(trace_, first_member_[communicator], first[made]));
      }
    }
  }

  void check_bytes(std::size_t at, std::uint64_t bytes) const {
    if (bytes > most_bytes) fail(at, "expected 2^40 bytes at most");
  }
  void check_message(std::size_t at, rank_id partner, index communicator, index profile) {
    check_membership(at, communicator, partner);
    check_membership(at, communicator, self());
    if (profile != none && profile >= own().profiles.size()) fail(at, "expected a profile that exists");
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

  void check_messages() const {
    auto const others = other_ends(trace_);
    auto const fail_at = [&](rank_id rank, std::size_t at, std::string const& what) {
      refuse(trace_, describe(trace_, rank, at) + ": " + what);
    };
    each<receive>(trace_, [&](rank_id rank, std::size_t at, receive const& r) {
      trace_of_rank const& sender = rank_at(r.from);
      index const other = others[static_cast<std::size_t>(rank)][at];
      if (other == none)
        fail_at(rank, at,
                "there is no send for it: rank " + std::to_string(r.from) + " sends " +
                    std::to_string(count_other_ends<send>(sender, rank, r)) + " messages with this tag");
      std::uint64_t const bytes = std::get<send>(sender.records[other]).bytes;
      if (bytes > r.bytes) fail_at(rank, at, "the message that it gets has " + std::to_string(bytes) + " bytes");
    });
    each<send>(trace_, [&](rank_id rank, std::size_t at, send const& s) {
      if (others[static_cast<std::size_t>(rank)][at] != none) return;
      fail_at(rank, at,
              "there is no receive for it: rank " + std::to_string(s.to) + " receives " +
                  std::to_string(count_other_ends<receive>(rank_at(s.to), rank, s)) + " messages with this tag");
    });
  }

  trace const& trace_;
  std::vector<std::unordered_set<rank_id>> members_;  ///< of communicators
  std::vector<rank_id> first_member_;
  /// Those of the first member, by communicator.
  std::unordered_map<index, std::vector<std::size_t>> collectives_;
  std::unordered_map<index, std::size_t> made_by_all_;
  // Of the rank that is looked at
  std::size_t rank_ = 0;
  double clock_s_ = 0;
  std::unordered_set<index> requests_;
  std::unordered_map<index, std::size_t> made_;
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
/// Of one rank's call, that side which has to agree with the others'.
std::vector<side_of_collective> sides_of(collective const& c, bool is_root, moved_bytes const& all) {
  auto const gets = [&](std::uint64_t expected) { return side_of_collective{"gets", c.bytes_received, expected}; };
  auto const gives = [&](std::uint64_t expected) { return side_of_collective{"gives", c.bytes_sent, expected}; };
  switch (c.what) {
    case operation::barrier: return {};
    case operation::broadcast:
      if (is_root) return {};
      return {gets(all.root_sent)};
    case operation::gather:
      if (!is_root) return {};
      return {gets(all.sent)};
    case operation::scatter:
      if (!is_root) return {};
      return {gives(all.received)};
    case operation::all_gather: return {gets(all.sent)};
    case operation::all_to_all:
      if (!is_root) return {};  // only the sums have to agree
      return {{"gives, with all other ranks,", all.sent, all.received}};
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
