// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "wire.hpp"

namespace ovlp::real {

/// Finds out whether messages are in flight, by asking all nodes again and again, in waves.
///
/// In two waves, one after the other, all nodes were passive, and as many messages had been received as sent, the same
/// number both times: then no message was in flight in between, and nothing can happen any more.
/// Source: F. Mattern, Algorithms for distributed termination detection, 1987, the four-counter method.
class four_counter {
 public:
  /// These nodes are asked now. Returns the number of the wave, which answers carry.
  std::uint64_t begin_wave(std::vector<node_id> asked) {
    asked_ = std::move(asked);
    answers_.clear();
    return ++wave_;
  }
  /// Answers of other waves do not count.
  void handle_answer(node_id from, probe_answer const& answer) {
    if (answer.wave == wave_) answers_[from] = answer;
  }
  /// `own` is what the asking node has to say itself, now. Returns whether nothing can happen any more. If an answer is
  /// missing, or the nodes are others by now, this wave says nothing.
  bool all_quiet(std::vector<node_id> const& nodes, probe_answer const& own) {
    if (nodes != asked_ || answers_.size() != asked_.size()) return false;
    bool passive = own.passive;
    totals now{own.sent, own.received};
    for (auto const& [node, answer] : answers_) {
      passive = passive && answer.passive;
      now.first += answer.sent;
      now.second += answer.received;
    }
    bool const quiet = passive && now.first == now.second;
    bool const twice = quiet && last_quiet_ == now;
    last_quiet_ = quiet ? std::optional(now) : std::nullopt;
    return twice;
  }
  /// Something happens: what waves have said so far counts no more.
  void reset() {
    last_quiet_.reset();
    begin_wave({});
  }

 private:
  using totals = std::pair<std::uint64_t, std::uint64_t>;  // sent, received

  std::uint64_t wave_ = 0;
  std::vector<node_id> asked_;
  std::map<node_id, probe_answer> answers_;  ///< of this wave
  std::optional<totals> last_quiet_;         ///< of the last wave with all answers, if it was quiet
};

}  // namespace ovlp::real
