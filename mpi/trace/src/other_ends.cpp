// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/mpi/other_ends.hpp>

#include <cstddef>
#include <unordered_map>

#include <ovlp/mpi/channel.hpp>

namespace ovlp::mpi {
namespace {

/// Calls function(rank, place, call) for all sends, or receives.
template <class Call, class Function>
void each(trace const& of, Function const& function) {
  for (std::size_t rank = 0; rank < of.ranks.size(); ++rank) {
    std::vector<record> const& records = of.ranks[rank].records;
    for (std::size_t at = 0; at < records.size(); ++at)
      if (auto const* const call = std::get_if<Call>(&records[at]))
        function(static_cast<rank_id>(rank), static_cast<index>(at), *call);
  }
}

struct sent_messages {
  std::vector<index> places;
  std::size_t received = 0;
};

}  // namespace

std::vector<std::vector<index>> other_ends(trace const& of) {
  std::vector<std::vector<index>> ends;
  for (trace_of_rank const& rank : of.ranks) ends.emplace_back(rank.records.size(), none);
  std::unordered_map<channel, sent_messages, hash_of_channel> sent;
  each<send>(of, [&](rank_id self, index at, send const& s) {
    sent[{self, s.to, s.tag, s.communicator}].places.push_back(at);
  });
  each<receive>(of, [&](rank_id self, index at, receive const& r) {
    auto const found = sent.find({r.from, self, r.tag, r.communicator});
    if (found == sent.end() || found->second.received == found->second.places.size()) return;
    index const there = found->second.places[found->second.received++];
    ends[static_cast<std::size_t>(self)][at] = there;
    ends[static_cast<std::size_t>(r.from)][there] = at;
  });
  return ends;
}

}  // namespace ovlp::mpi
