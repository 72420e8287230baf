// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "datatypes.hpp"
#include "raw_file.hpp"

namespace ovlp::mpi::tracer {

/// When the bytes of messages were stored and loaded: read from the shadow, and written as profiles. Without
/// instrumented code there is nothing to read: then all this does nothing.
/// `now`: the clock at the call. `from`: where the program calls MPI, for the summary of what was not seen.
class messages {
 public:
  explicit messages(raw_file& file) : file_(file) {}

  /// A message leaves this memory, for this rank.
  void sent(std::uint64_t message, blocks const& memory, int to, std::uint64_t now, void const* from);
  /// A message has arrived in this memory, which was offered to it when the clock was `posted`. What was there before
  /// cannot be loaded any more.
  void received(std::uint64_t message, blocks const& memory, std::uint64_t posted, std::uint64_t now, void const* from);
  /// So has something else that is no message.
  void overwritten(blocks const& memory, std::uint64_t posted);
  /// The rank ends: so do the intervals of what it has received.
  void end(std::uint64_t now);

 private:
  struct arrival {
    std::uint64_t message;
    std::uint64_t posted, arrived;
    blocks memory;
    void const* from;
  };

  /// When this memory was sent last, which is when most of its words were: buffers overlap in corners, and messages
  /// from one buffer differ in length.
  static std::uint64_t send_before(blocks const& sent_memory);
  /// Where its interval begins: at the send before; but what has not been stored since then, and goes to yet another
  /// rank, is the same as what went there.
  std::uint64_t begin_of_interval(blocks const& sent_memory, int to, std::uint64_t now);
  /// `end`: when its memory was offered to something else.
  void end_interval_of(arrival const& ended, std::uint64_t end);
  void count_unseen(void const* from, bool receives, std::uint64_t words, std::uint64_t unseen_words);

  struct last_send {
    std::uint64_t begin, end;  // of its interval
    std::vector<int> to;
  };

  raw_file& file_;
  std::unordered_map<std::uintptr_t, last_send> last_sends_;                            // by their first bytes
  std::map<std::uintptr_t, std::pair<std::uintptr_t, std::uint64_t>> received_blocks_;  // begin -> end, message
  std::map<std::uint64_t, arrival> arrivals_;  // whose memory nothing has arrived in since
  std::map<std::pair<void const*, bool>, raw::unseen> unseen_;
};

}  // namespace ovlp::mpi::tracer
