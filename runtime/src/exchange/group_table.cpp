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

group_table::opened group_table::open(port_definition const& port, thread_address opener, std::uint64_t name) {
  group_id const group = number(name);
  touch_groups(group, opener);
  scoped_lock const lock(mutex_);
  auto side = port.side ? std::make_unique<handled_total>() : nullptr;
  opened const made{group, side.get()};
  groups_.emplace(group, record{.window = port.window,
                                .credited = port.credited(),
                                .closed_at_opener = port.closed_at_opener,
                                .opener = opener,
                                .side = std::move(side)});
  return made;
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

void group_table::take_back(group_id group, std::uint32_t place, bool acquired) {
  scoped_lock const lock(mutex_);
  record& r = groups_.at(group);
  touch_groups(group, r.opener);
  if (acquired) --r.outstanding;
  if (place < r.targets.size()) {
    --r.loads[r.targets[place]];
    r.targets.resize(place);
  }
  if (place == 0) groups_.erase(group);
}

execution* group_table::give_back(group_id group, std::uint32_t place) {
  scoped_lock const lock(mutex_);
  auto const at = groups_.find(group);
  if (at == groups_.end()) return nullptr;
  record& r = at->second;
  touch_groups(group, r.opener);
  --r.outstanding;
  if (place < r.targets.size()) --r.loads[r.targets[place]];
  if (r.side) {
    r.side->add(1);
    if (r.side->total() && !r.side->complete()) return nullptr;  // it waits for the end, not for room
  }
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

group_table::side_news group_table::settle(record& of) {
  side_news news;
  of.side->settle([&](node_id node, batch_size batch) { news.batches.emplace_back(node, batch); });
  if (of.side->complete()) news.waiter = std::exchange(of.waiter, nullptr);
  return news;
}

group_table::side_news group_table::end_side(group_id group, std::uint64_t count) {
  scoped_lock const lock(mutex_);
  record& r = groups_.at(group);
  touch_groups(group, r.opener);
  r.side->set_total(count);
  return settle(r);
}

group_table::side_news group_table::add_handled(handled const& message, node_id from) {
  scoped_lock const lock(mutex_);
  auto const at = groups_.find(message.group);
  if (at == groups_.end()) {  // all has been told before
    return message.what == handled::what_type::told ? side_news{} : side_news{nullptr, {{from, 1}}};
  }
  record& r = at->second;
  touch_groups(message.group, r.opener);
  r.side->add(message.count);
  if (message.what == handled::what_type::counts) r.side->counts(from);
  if (message.what == handled::what_type::leaves) r.side->counts_no_more(from);
  side_news news = settle(r);
  if (message.what == handled::what_type::leaves) news.batches.emplace_back(from, 1);
  return news;
}

bool group_table::all_handled(group_id group, execution& poster) {
  scoped_lock const lock(mutex_);
  auto const at = groups_.find(group);
  record& r = at->second;
  touch_groups(group, r.opener);
  if (!r.side->complete()) {
    r.waiter = &poster;
    return false;
  }
  groups_.erase(at);
  return true;
}

std::string group_table::describe_side(group_id group) {
  scoped_lock const lock(mutex_);
  handled_total const& side = *groups_.at(group).side;
  return "group " + group_name(group) + ": " + std::to_string(side.handled()) + " of " +
         std::to_string(side.total().value_or(0)) + " objects handled";
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
    if (r.side && r.side->total() && r.side->handled() > static_cast<std::int64_t>(*r.side->total()))
      return name + "more objects have been handled than were posted";
    if (r.side && r.waiter != nullptr && r.side->complete()) return name + "its opener waits, and all has been handled";
    bool const at_end = r.side && r.side->total();
    if (r.waiter != nullptr && !at_end && r.outstanding < r.window)
      return name + "its opener waits at a window that has room";
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
