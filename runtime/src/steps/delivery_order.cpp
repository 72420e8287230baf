// SPDX-License-Identifier: BSD-3-Clause
#include "steps/delivery_order.hpp"

#include <ovlp/base/mix.hpp>

#include "steps/dps_thread.hpp"
#include "steps/mail.hpp"
#include "steps/structural_name.hpp"

namespace ovlp::OVLP_INLINE_CORE {

delivery_order::delivery_order(bool notes, std::vector<std::uint64_t> const& given) : notes_(notes) {
  for (std::uint64_t const name : given) turn_.emplace(name, turn_.size());
  account_.missing = turn_.size();
}

bool delivery_order::has_turn(mail const& m) {
  return m.kind == mail::kind_type::object || m.kind == mail::kind_type::resume || m.kind == mail::kind_type::total;
}

std::uint64_t delivery_order::structure_of(mail const& m) {
  if (m.kind == mail::kind_type::total) {
    group_total const& total = static_cast<total_mail const&>(m).total;
    return base::mix(base::mix(name_of(m), opener_of_group(total.group)), total.count);
  }
  return name_of(m, opener_of_group(frames_of(m).front().group));
}

bool delivery_order::add(dps_thread& to, mail_ptr m) {
  scoped_lock const lock(mutex_);
  if (has_turn(*m) && !moves_) return add_in_turn(to, std::move(m));
  bool owned = false;
  if (m->kind == mail::kind_type::move || m->kind == mail::kind_type::leave) {
    owned = add_all_held(to);
    moves_ = over_ = true;
  }
  return to.add_now(std::move(m)) || owned;
}

bool delivery_order::add_in_turn(dps_thread& to, mail_ptr m) {
  std::uint64_t const structure = structure_of(*m);
  std::uint64_t const name = base::mix(structure, ++times_[structure]);
  auto const turn = turn_.find(name);
  if (turn == turn_.end()) {
    ++account_.unknown;
    return add_named(to, name, std::move(m));
  }
  --account_.missing;
  if (over_) return add_named(to, name, std::move(m));
  thread_ = &to;
  held_.emplace(turn->second, held_mail{name, std::move(m)});
  bool owned = false;
  while (!held_.empty() && held_.begin()->first == next_) owned = add_first_held(to) || owned;
  return owned;
}

bool delivery_order::add_named(dps_thread& to, std::uint64_t name, mail_ptr m) {
  if (notes_) account_.noted.push_back(name);
  return to.add_now(std::move(m));
}

bool delivery_order::add_first_held(dps_thread& to) {
  auto first = held_.extract(held_.begin());
  next_ = first.key() + 1;
  return add_named(to, first.mapped().name, std::move(first.mapped().what));
}

bool delivery_order::add_all_held(dps_thread& to) {
  bool owned = false;
  while (!held_.empty()) owned = add_first_held(to) || owned;
  return owned;
}

std::size_t delivery_order::give_up() {
  std::size_t held = 0;
  dps_thread* owned = nullptr;
  {
    scoped_lock const lock(mutex_);
    over_ = true;
    held = held_.size();
    if (held > 0 && add_all_held(*thread_)) owned = thread_;
  }
  if (owned != nullptr) owned->own();
  return held;
}

delivery_order::account delivery_order::so_far() {
  scoped_lock const lock(mutex_);
  return account_;
}

void delivery_order::drop_held() {
  scoped_lock const lock(mutex_);
  held_.clear();
}

delivery_orders::delivery_orders(bool notes, std::optional<std::vector<deliveries>> given,
                                 std::function<void()> given_up)
    : notes_(notes), follows_(given.has_value()), given_up_(std::move(given_up)) {
  if (!given) return;
  for (deliveries& one : *given) given_[{one.node, one.thread}] = std::move(one.comes);
}

delivery_order& delivery_orders::of(std::string const& thread, node_id node) {
  scoped_lock const lock(mutex_);
  place const where{node, thread};
  if (auto const known = orders_.find(where); known != orders_.end()) return known->second;
  auto const given = given_.extract(where);
  return orders_.try_emplace(where, notes_, given ? given.mapped() : std::vector<std::uint64_t>()).first->second;
}

bool delivery_orders::give_up(node_id node) {
  std::vector<delivery_order*> of_node;
  {
    scoped_lock const lock(mutex_);
    for (auto& [where, order] : orders_) {
      if (where.first == node) of_node.push_back(&order);
    }
  }
  std::size_t held = 0;
  for (delivery_order* const order : of_node) held += order->give_up();
  if (held == 0) return false;
  bool first = false;
  {
    scoped_lock const lock(mutex_);
    first = !std::exchange(told_, true);
  }
  if (first && given_up_) given_up_();
  return true;
}

delivery_orders::account delivery_orders::so_far() {
  scoped_lock const lock(mutex_);
  account all;
  for (auto& [where, order] : orders_) {
    delivery_order::account one = order.so_far();
    all.noted.push_back({where.second, where.first, std::move(one.noted)});
    if (!follows_) continue;
    all.unknown += one.unknown;
    all.missing += one.missing;
  }
  for (auto const& [where, comes] : given_) all.missing += comes.size();
  return all;
}

}  // namespace ovlp::OVLP_INLINE_CORE
