// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/mpi/other_ends.hpp>

#include <unordered_map>

#include <ovlp/mpi/channel.hpp>

namespace ovlp::mpi {
namespace {

struct sent_messages {
  std::vector<index> places;
  std::size_t received = 0;
};

}  // namespace

std::vector<std::vector<index>> other_ends(trace const& of) {
  std::vector<std::vector<index>> ends;
  for (trace_of_rank const& rank : of.ranks) ends.emplace_back(rank.records.size(), none);
  std::unordered_map<channel, sent_messages, hash_of_channel> sent;
  each<send>(of, [&](rank_id self, std::size_t at, send const& s) {
    sent[{self, s.to, s.tag, s.communicator}].places.push_back(static_cast<index>(at));
  });
  each<receive>(of, [&](rank_id self, std::size_t at, receive const& r) {
    auto const found = sent.find({r.from, self, r.tag, r.communicator});
    if (found == sent.end() || found->second.received == found->second.places.size()) return;
    index const there = found->second.places[found->second.received++];
    ends[static_cast<std::size_t>(self)][at] = there;
    ends[static_cast<std::size_t>(r.from)][there] = static_cast<index>(at);
  });
  return ends;
}

}  // namespace ovlp::mpi
