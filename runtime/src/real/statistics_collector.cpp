// SPDX-License-Identifier: BSD-3-Clause
#include "statistics_collector.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace ovlp::real {

call_statistics statistics_collector::collect(std::uint64_t call) {
  std::size_t asked = 0;
  reactor_.run([&] {
    {
      scoped_lock const lock(mutex_);
      answers_.clear();
    }
    std::vector<node_id> const others = members_.present();
    asked = others.size();
    for (node_id node : others) network_.send(node, statistics_request{call});
  });
  world_.block_main([&] {
    if (run_.failed()) return true;
    scoped_lock const lock(mutex_);
    return answers_.size() == asked && to_say_goodbye_.empty();
  });
  call_statistics all = take_own(call);
  scoped_lock const lock(mutex_);
  for (auto const& [node, figures] : answers_) all.add(figures);
  if (auto const departed = departed_.extract(call)) all.add(departed.mapped());
  all.processors.add(std::exchange(departed_processors_, {}));
  return all;
}

processor_use statistics_collector::take_waits() {
  auto const taken = waits_.take();
  return taken ? processor_use{taken->cpu_s, taken->waited_s} : processor_use{};
}

call_statistics statistics_collector::take_own(std::uint64_t call) {
  call_statistics taken = own_.take(call);
  taken.processors = take_waits();
  return taken;
}

std::map<std::uint64_t, call_statistics> statistics_collector::take_all() {
  std::map<std::uint64_t, call_statistics> taken = own_.take_all();
  taken[all_calls].processors = take_waits();
  return taken;
}

void statistics_collector::handle_request(statistics_request const& message) {
  network_.send(0, statistics_answer{take_own(message.call)});
}

void statistics_collector::handle_answer(node_id from, statistics_answer message) {
  {
    scoped_lock const lock(mutex_);
    answers_[from] = std::move(message.figures);
  }
  world_.notify_main();
}

void statistics_collector::expect_goodbye(node_id from) {
  scoped_lock const lock(mutex_);
  to_say_goodbye_.insert(from);
}

bool statistics_collector::awaits_goodbye(node_id from) const {
  scoped_lock const lock(mutex_);
  return to_say_goodbye_.contains(from);
}

void statistics_collector::handle_goodbye(node_id from, goodbye const& message) {
  {
    scoped_lock const lock(mutex_);
    for (auto const& [call, figures] : message.figures) {
      departed_[call].add(figures);
      departed_processors_.add(std::exchange(departed_[call].processors, {}));
    }
  }
  handle_gone(from);
}

void statistics_collector::handle_gone(node_id node) {
  {
    scoped_lock const lock(mutex_);
    if (to_say_goodbye_.erase(node) == 0) return;
  }
  world_.notify_main();
}

}  // namespace ovlp::real
