// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/group_table.hpp"

#include <algorithm>

#include <ovlp/base/error.hpp>
#include <ovlp/runtime/internal/touch.hpp>

namespace ovlp::OVLP_INLINE_CORE {

group_id group_table::number(std::uint64_t name) {
  scoped_lock const lock(mutex_);
  ++last_number_;
  if (!openers_) return numbers_ | last_number_;
  if (last_number_ >> (group_launch_shift - opener_bits) != 0)
    throw error("the run is too long for an order of deliveries: expected no more than 16 million groups of a node");
  return numbers_ | last_number_ << opener_bits | opener_of_group(name);
}

namespace {

/// All groups that one thread has opened are one part, for their numbers depend on the order.
void touch_groups(group_id of, thread_address opener, bool changed = true) {
  touch(part::groups, node_of_group(of), name_of(opener), changed);
}

}  // namespace

group_id group_table::open(port_definition const& port, thread_address opener, std::uint64_t name) {
  group_id const group = number(name);
  touch_groups(group, opener);
  scoped_lock const lock(mutex_);
  groups_.emplace(group, record{.window = port.window,
                                .credited = port.credited(),
                                .closed_at_opener = port.closed_at_opener,
                                .opener = opener});
  return group;
}

bool group_table::acquire(group_id group, execution& poster) {
  scoped_lock const lock(mutex_);
  record& r = groups_.at(group);
  touch_groups(group, r.opener);
  if (r.window > 0 && r.outstanding >= r.window) {
    r.waiter = &poster;
    return false;
  }
  ++r.outstanding;
  return true;
}

std::size_t group_table::least_loaded(group_id group, std::uint32_t place, std::size_t size) {
  scoped_lock const lock(mutex_);
  record& r = groups_.at(group);
  touch_groups(group, r.opener);
  if (r.loads.size() < size) r.loads.resize(size);
  auto const target =
      std::min_element(r.loads.begin(), r.loads.begin() + static_cast<std::ptrdiff_t>(size)) - r.loads.begin();
  ++r.loads[static_cast<std::size_t>(target)];
  if (r.targets.size() <= place) r.targets.resize(place + 1);
  r.targets[place] = static_cast<std::uint32_t>(target);
  return static_cast<std::size_t>(target);
}

execution* group_table::give_back(group_id group, std::uint32_t place) {
  scoped_lock const lock(mutex_);
  auto const at = groups_.find(group);
  if (at == groups_.end()) return nullptr;
  record& r = at->second;
  touch_groups(group, r.opener);
  --r.outstanding;
  if (place < r.targets.size()) --r.loads[r.targets[place]];
  execution* const waiter = std::exchange(r.waiter, nullptr);
  forget_if_over(at);
  return waiter;
}

std::optional<thread_address> group_table::end(group_id group, std::uint64_t count) {
  scoped_lock const lock(mutex_);
  auto const at = groups_.find(group);
  touch_groups(group, at->second.opener);
  at->second.total = count;
  std::optional<thread_address> const closer = at->second.closer;
  forget_if_over(at);
  return closer;
}

group_table::closer_answer group_table::closer_at(group_id group, thread_address closer) {
  scoped_lock const lock(mutex_);
  auto const at = groups_.find(group);
  if (at == groups_.end()) {
    closer_answer answer;
    for (auto const& [ended, known] : ended_) {
      if (ended == group && known != closer) answer.conflict = known;
    }
    answer.unknown = !answer.conflict;
    return answer;
  }
  record& r = at->second;
  touch_groups(group, r.opener);
  if (r.closer && *r.closer != closer) return {std::nullopt, r.closer, false};
  r.closer = closer;
  closer_answer const answer{r.total, std::nullopt, false};
  forget_if_over(at);
  return answer;
}

void group_table::forget_if_over(table::iterator at) {
  record const& r = at->second;
  if (!r.total || !r.closer || r.waiter != nullptr || (r.credited && r.outstanding > 0)) return;
  if (ended_.size() < most_ended) ended_.emplace_back();
  ended_[ended_at_++ % most_ended] = {at->first, *r.closer};
  groups_.erase(at);
}

bool group_table::awaits(thread_address opener) {
  scoped_lock const lock(mutex_);
  touch_groups(numbers_, opener, false);
  return std::any_of(groups_.begin(), groups_.end(),
                     [&](auto const& group) { return group.second.closed_at_opener && group.second.opener == opener; });
}

std::string group_table::broken_invariant() {
  scoped_lock const lock(mutex_);
  for (auto const& [group, r] : groups_) {
    std::string const name = "group " + group_name(group) + ": ";
    if (r.window > 0 && r.outstanding > r.window) return name + "more objects circulate than its window allows";
    if (r.waiter != nullptr && r.outstanding < r.window) return name + "its opener waits at a window that has room";
    std::size_t loads = 0;
    for (std::uint32_t const load : r.loads) loads += load;
    if (!r.loads.empty() && loads != r.outstanding) return name + "the loads of its threads are not what circulates";
    if (r.total && r.closer && r.waiter == nullptr && !(r.credited && r.outstanding > 0)) return name + "it is over";
  }
  return "";
}

bool group_table::empty() {
  scoped_lock const lock(mutex_);
  return groups_.empty();
}

}  // namespace ovlp::OVLP_INLINE_CORE
