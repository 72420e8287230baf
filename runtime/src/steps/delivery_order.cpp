// SPDX-License-Identifier: BSD-3-Clause
#include "steps/delivery_order.hpp"

#include <ovlp/base/mix.hpp>
#include <ovlp/runtime/internal/reallocation.hpp>
#include <ovlp/runtime/internal/thread_manager.hpp>

#include "steps/dps_thread.hpp"
#include "steps/structural_name.hpp"

namespace ovlp::OVLP_INLINE_CORE {

delivery_order::delivery_order(bool notes, std::vector<std::uint64_t> const& given) : notes_(notes) {
  for (std::uint64_t const name : given) turn_.emplace(name, turn_.size());
  account_.missing = turn_.size();
}

bool delivery_order::add(dps_thread& to, mail_ptr m) {
  scoped_lock const lock(mutex_);
  bool owned = false;
  switch (m->kind) {
    case mail::kind_type::move: owned = let_in_all(to); break;
    case mail::kind_type::let_in: owned = let_in_next(to); break;
    case mail::kind_type::object:
    case mail::kind_type::resume: {
      if (moves_) break;
      std::uint64_t const structure = name_of(*m, caller_of_group(frames_of(*m)->front().group));
      std::uint64_t const name = base::mix(structure, ++times_[structure]);
      auto const turn = turn_.find(name);
      if (turn == turn_.end() || turn->second < next_) {
        if (turn != turn_.end()) --account_.missing;
        else if (!turn_.empty()) ++account_.unknown;
        return add_named(to, name, std::move(m));
      }
      --account_.missing;
      if (turn->second > next_) {
        held_.emplace(turn->second, held_mail{name, std::move(m)});
        to.manager().reallocation().hold_back(1);
        return false;
      }
      ++next_;
      owned = add_named(to, name, std::move(m));
      while (!held_.empty() && held_.begin()->first == next_) owned = let_in_next(to) || owned;
      return owned;
    }
    default: break;
  }
  return to.add_now(std::move(m)) || owned;
}

bool delivery_order::add_named(dps_thread& to, std::uint64_t name, mail_ptr m) {
  if (notes_) account_.noted.push_back(name);
  return to.add_now(std::move(m));
}

bool delivery_order::let_in_next(dps_thread& to) {
  if (held_.empty()) return false;
  auto const first = held_.extract(held_.begin());
  if (first.key() > next_) ++account_.early;
  next_ = first.key() + 1;
  to.manager().reallocation().hold_back(-1);
  return add_named(to, first.mapped().name, std::move(first.mapped().what));
}

bool delivery_order::let_in_all(dps_thread& to) {
  bool owned = false;
  while (!held_.empty()) owned = let_in_next(to) || owned;
  moves_ = true;
  return owned;
}

delivery_order::account delivery_order::so_far() {
  scoped_lock const lock(mutex_);
  return account_;
}

void delivery_order::drop_held() {
  scoped_lock const lock(mutex_);
  held_.clear();
}

delivery_orders::delivery_orders(bool notes, std::vector<list> given) : notes_(notes) {
  for (list& one : given) given_[{one.node, one.thread}] = std::move(one.comes);
}

delivery_order& delivery_orders::of(std::string const& thread, node_id node) {
  scoped_lock const lock(mutex_);
  place const where{node, thread};
  auto const given = given_.find(where);
  return orders_.try_emplace(where, notes_, given == given_.end() ? std::vector<std::uint64_t>() : given->second)
      .first->second;
}

delivery_orders::account delivery_orders::so_far() {
  scoped_lock const lock(mutex_);
  account all;
  for (auto& [where, order] : orders_) {
    delivery_order::account one = order.so_far();
    all.noted.push_back({where.second, where.first, std::move(one.noted)});
    all.unknown += one.unknown;
    all.missing += one.missing;
    all.early += one.early;
  }
  return all;
}

}  // namespace ovlp::OVLP_INLINE_CORE
