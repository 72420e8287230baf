// SPDX-License-Identifier: BSD-3-Clause
#include "search/tree.hpp"

#include <algorithm>
#include <utility>

#include <boost/dynamic_bitset.hpp>

#include <ovlp/base/expects.hpp>

namespace ovlp::explore {
namespace {

bool has(std::vector<std::uint64_t> const& names, std::uint64_t name) {
  return std::ranges::find(names, name) != names.end();
}

bool has(std::vector<choice> const& choices, std::uint64_t name) {
  return std::ranges::find(choices, name, &choice::name) != choices.end();
}

bool has(std::vector<asleep> const& all, std::uint64_t name) {
  return std::ranges::find(all, name, &asleep::name) != all.end();
}

}  // namespace

tree_path interleaving_tree::path() const {
  tree_path made;
  made.reduces = reduces_;
  for (place const& at : places_) made.chosen.push_back(at.moment.name());
  if (!places_.empty()) made.sleeping = places_.back().sleeping;
  return made;
}

/// Beyond the path that it was given the run is new.
void interleaving_tree::take_in(moments const& run) {
  for (std::size_t i = 0; i < run.size(); ++i) {
    if (i < places_.size()) {
      places_[i].moment = run[i];
      continue;
    }
    place made{run[i], {run[i].name()}, {}};
    if (i > 0 && reduces_) made.sleeping = still_asleep(places_[i - 1].sleeping, run[i - 1].name(), run[i - 1].touched);
    places_.push_back(std::move(made));
  }
}

/// For each two choices that depend on each other, neither of which made the other possible, and with nothing between
/// that orders them: what comes first in a run in which they have changed places is to be chosen, too.
///
/// One that waits might have come before those that it has waited for: L1 locks a mutex, U1 unlocks it, L2 locks it. U1
/// made L2 possible, and orders it after L1, but L1 and L2 may change places.
void interleaving_tree::find_races() {
  using bits = boost::dynamic_bitset<>;
  using kind_type = choice::kind_type;
  auto const chosen = [this](std::size_t at) { return places_[at].moment.possible[places_[at].moment.chosen]; };
  std::size_t const count = places_.size();
  std::vector<bits> before(count, bits(count));  // by place: what happens before
  for (std::size_t j = 0; j < count; ++j) {
    choice const now = chosen(j);
    std::size_t since = j;  // from this moment on it was possible
    while (since > 0 && has(places_[since - 1].moment.possible, now.name)) --since;
    bool const waits = now.kind == kind_type::wait;
    bits ordered(count);  // of one that waits: what happens before, whether it waits or not
    for (std::size_t i = j; waits && i-- > 0;) {
      if (chosen(i).source != now.source) continue;
      ordered = before[i];
      ordered.set(i);
      break;
    }
    std::vector<std::size_t> races;
    for (std::size_t i = j; i-- > 0;) {
      if (waits ? ordered[i] : before[j][i]) continue;
      bool const makes_possible = i + 1 == since;
      bool const depends = depend(places_[i].moment.touched, places_[j].moment.touched);
      if (!makes_possible && reduces_ && !depends) continue;
      kind_type const kind = chosen(i).kind;
      if (!makes_possible && !(waits && depends && kind == kind_type::release)) races.push_back(i);
      if (waits && kind == kind_type::wait) ordered |= before[i];
      before[j] |= before[i];
      before[j].set(i);
    }
    if (waits) before[j] |= ordered;
    for (std::size_t const i : races) {
      // Of what follows i without being ordered after it, and then j: what may come first.
      std::vector<std::size_t> others;
      for (std::size_t k = i + 1; k <= j; ++k) {
        if (k == j || !before[k][i]) others.push_back(k);
      }
      std::vector<std::uint64_t> first;
      for (std::size_t const k : others) {
        bool const after_another = std::ranges::any_of(others, [&](std::size_t o) { return o != k && before[k][o]; });
        if (!after_another) first.push_back(places_[k].moment.name());
      }
      place& at = places_[i];
      if (first.front() == now.name && waits && !has(at.moment.possible, now.name)) continue;  // it would wait, too
      if (std::ranges::any_of(first, [&](std::uint64_t one) { return has(at.to_choose, one); })) continue;
      base::expects(has(at.moment.possible, first.front()), "what depends on nothing before it is possible");
      at.to_choose.push_back(first.front());
    }
  }
}

bool interleaving_tree::next(moments const& run) {
  take_in(run);
  find_races();
  for (; !places_.empty(); places_.pop_back()) {
    place& last = places_.back();
    last.sleeping.push_back({last.moment.name(), last.moment.touched});
    auto const open = std::ranges::find_if(last.to_choose, [&](std::uint64_t one) { return !has(last.sleeping, one); });
    if (open == last.to_choose.end()) continue;
    auto const chosen = std::ranges::find(last.moment.possible, *open, &choice::name);
    last.moment.chosen = static_cast<std::size_t>(chosen - last.moment.possible.begin());
    return true;
  }
  return false;
}

}  // namespace ovlp::explore
