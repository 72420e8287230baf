// SPDX-License-Identifier: BSD-3-Clause
#include "search/strategy.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include <ovlp/base/expects.hpp>

namespace ovlp::explore {

std::size_t random_order::choose(std::span<choice const> possible) {
  state_ = mix(state_, 1);
  return static_cast<std::size_t>(state_ % possible.size());
}

priority_order::priority_order(std::uint64_t seed, std::size_t depth, std::size_t length) : seed_(seed) {
  for (std::size_t i = 1; i < depth; ++i) changes_.push_back(mix(seed, i) % std::max(length, std::size_t{1}));
  std::ranges::sort(changes_, std::greater{});
}

std::size_t priority_order::choose(std::span<choice const> possible) {
  auto const priority = [this](choice const& one) {
    auto const known = lowered_.find(one.source);
    // What is drawn has the upper bit, so that all that is lowered is lower.
    return known != lowered_.end() ? known->second : mix(seed_, one.source) | std::uint64_t{1} << 63;
  };
  auto const highest = [&] { return std::ranges::max_element(possible, {}, priority) - possible.begin(); };
  std::size_t const now = made_++;
  while (!changes_.empty() && changes_.back() <= now) {
    lowered_[possible[static_cast<std::size_t>(highest())].source] = changes_.size();
    changes_.pop_back();
  }
  return static_cast<std::size_t>(highest());
}

given_order::given_order(interleaving const& differs) {
  for (held_back const& one : differs) {
    held_[one.then] = one.first;
    waits_for_.emplace(one.first, one.then);
    not_come_up_.insert(one.then);
  }
}

std::size_t given_order::choose(std::span<choice const> possible) {
  auto const free = std::ranges::find_if(possible, [&](choice const& one) { return !held_.contains(one.name); });
  std::size_t const chosen = free == possible.end() ? 0 : static_cast<std::size_t>(free - possible.begin());
  auto const [first, last] = waits_for_.equal_range(possible[chosen].name);
  for (auto one = first; one != last; ++one) held_.erase(one->second);
  if (!held_.contains(possible[chosen].name)) not_come_up_.erase(possible[chosen].name);
  return chosen;
}

bool depend(std::span<resource const> a, std::span<resource const> b) {
  return std::ranges::find_first_of(a, b, conflict) != a.end();
}

std::vector<asleep> still_asleep(std::span<asleep const> sleeping, std::uint64_t chosen,
                                 std::span<resource const> touched) {
  std::vector<asleep> all;
  for (asleep const& one : sleeping) {
    if (one.name != chosen && !depend(one.touched, touched)) all.push_back(one);
  }
  return all;
}

path_order::path_order(tree_path path) : path_(std::move(path)) {}

std::size_t path_order::choose(std::span<choice const> possible) {
  std::size_t chosen = 0;
  if (depth_ < path_.chosen.size()) {
    auto const known = std::ranges::find(possible, path_.chosen[depth_], &choice::name);
    base::expects(known != possible.end(), "the same choices are the same run");
    chosen = static_cast<std::size_t>(known - possible.begin());
  } else {
    auto const awake = std::ranges::find_if(possible, [&](choice const& one) {
      return std::ranges::find(path_.sleeping, one.name, &asleep::name) == path_.sleeping.end();
    });
    if (awake == possible.end()) return give_up;
    chosen = static_cast<std::size_t>(awake - possible.begin());
  }
  chosen_ = possible[chosen].name;
  return chosen;
}

void path_order::happened(std::span<resource const> touched) {
  if (++depth_ < path_.chosen.size()) return;
  path_.sleeping = path_.reduces ? still_asleep(path_.sleeping, chosen_, touched) : std::vector<asleep>{};
}

std::size_t noted_order::choose(std::span<choice const> possible) {
  std::size_t const chosen = of_.choose(possible);
  if (chosen != give_up) run_.push_back({{possible.begin(), possible.end()}, chosen});
  return chosen;
}

void noted_order::happened(std::span<resource const> touched) {
  run_.back().touched.assign(touched.begin(), touched.end());
  of_.happened(touched);
}

}  // namespace ovlp::explore
