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
void interleaving_tree::find_races() {
  std::size_t const count = places_.size();
  std::vector<boost::dynamic_bitset<>> before(count, boost::dynamic_bitset<>(count));  // by place: what happens before
  for (std::size_t j = 0; j < count; ++j) {
    std::uint64_t const name = places_[j].moment.name();
    std::size_t since = j;  // from this moment on it was possible
    while (since > 0 && has(places_[since - 1].moment.possible, name)) --since;
    std::vector<std::size_t> races;
    for (std::size_t i = j; i-- > 0;) {
      if (before[j][i]) continue;
      bool const makes_possible = i + 1 == since;
      if (!makes_possible && reduces_ && !depend(places_[i].moment.touched, places_[j].moment.touched)) continue;
      if (!makes_possible) races.push_back(i);
      before[j] |= before[i];
      before[j].set(i);
    }
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
