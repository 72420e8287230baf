// SPDX-License-Identifier: BSD-3-Clause
#include "message_ends.hpp"

#include <cstddef>
#include <unordered_map>
#include <variant>

#include <ovlp/base/error.hpp>
#include <ovlp/mpi/channel.hpp>
#include <ovlp/mpi/describe.hpp>

namespace ovlp::mpi {
namespace {

struct sent_messages {
  std::vector<message_end> all;
  std::size_t received = 0;
};

/// The same for all tags.
channel pair_of(channel of) {
  of.tag = 0;
  return of;
}

}  // namespace

std::vector<std::vector<message_end>> message_ends(trace const& of) {
  std::unordered_map<channel, sent_messages, hash_of_channel> sent;
  std::unordered_map<channel, std::uint32_t, hash_of_channel> counts;
  std::vector<std::vector<message_end>> ends(of.ranks.size());
  for (std::size_t rank = 0; rank < of.ranks.size(); ++rank) {
    std::vector<record> const& records = of.ranks[rank].records;
    ends[rank].resize(records.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
      auto const* call = std::get_if<send>(&records[i]);
      if (call == nullptr) continue;
      channel const way{static_cast<rank_id>(rank), call->to, call->tag, call->communicator};
      ends[rank][i] = {counts[pair_of(way)]++, call->bytes};
      sent[way].all.push_back(ends[rank][i]);
    }
  }
  for (std::size_t rank = 0; rank < of.ranks.size(); ++rank) {
    std::vector<record> const& records = of.ranks[rank].records;
    for (std::size_t i = 0; i < records.size(); ++i) {
      auto const* call = std::get_if<receive>(&records[i]);
      if (call == nullptr) continue;
      sent_messages& messages = sent[{call->from, static_cast<rank_id>(rank), call->tag, call->communicator}];
      if (messages.received == messages.all.size()) {
        throw config_error(describe(of, static_cast<rank_id>(rank), i) + ": nobody sends that message");
      }
      ends[rank][i] = messages.all[messages.received++];
    }
  }
  return ends;
}

}  // namespace ovlp::mpi
