// SPDX-License-Identifier: BSD-3-Clause
#include "stall_detector.hpp"

#include <string>
#include <vector>

#include <ovlp/runtime/internal/main_calls.hpp>
#include <ovlp/runtime/internal/reallocation.hpp>

namespace ovlp::real {

void stall_detector::tick(bool waits) {
  if (reporting_ || run_.failed() || run_.finishing()) return;
  bool const passive = manager_.passive();
  if (!waits || !passive) {
    waves_.reset();
    return;
  }
  std::vector<node_id> const others = members_.present();
  if (waves_.all_quiet(others, {0, passive, counts_.sent + departed_sent_, counts_.received + departed_received_})) {
    begin_report();
    return;
  }
  std::uint64_t const wave = waves_.begin_wave(others);
  for (node_id node : others) network_.send(node, probe{wave});
}

void stall_detector::handle_probe(probe const& message) {
  network_.send(0, probe_answer{message.wave, manager_.passive(), counts_.sent, counts_.received});
}

void stall_detector::handle_goodbye(goodbye const& message) {
  departed_sent_ += message.sent;
  departed_received_ += message.received;
}

// The report

void stall_detector::begin_report() {
  reporting_ = true;
  waiting_[0] = find_what_waits();
  for (node_id node : members_.present()) network_.send(node, waiting_request{});
  report_when_all_have_answered();
}

/// Nothing can go on, unless what this node holds back.
waiting_answer stall_detector::find_what_waits() {
  if (manager_.reallocation().let_in_held()) return {true, {}};
  return {false, manager_.waiting()};
}

void stall_detector::handle_waiting_answer(node_id from, waiting_answer const& message) {
  waiting_[from] = message;
  report_when_all_have_answered();
}

void stall_detector::report_when_all_have_answered() {
  if (waiting_.size() < 1 + members_.present().size()) return;
  bool goes_on = false;
  std::vector<std::string> all;
  for (auto const& [node, answer] : waiting_) {
    goes_on = goes_on || answer.goes_on;
    all.insert(all.end(), answer.list.begin(), answer.list.end());
  }
  waiting_.clear();
  if (goes_on) {
    reporting_ = false;
    waves_.reset();
  } else {
    run_.fail(stall(all));
  }
}

}  // namespace ovlp::real
