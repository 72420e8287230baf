// SPDX-License-Identifier: BSD-3-Clause
#include "search/strategy.hpp"

#include <algorithm>
#include <functional>
#include <utility>

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

given_order::given_order(interleaving exceptions) : exceptions_(std::move(exceptions)) {}

std::size_t given_order::choose(std::span<choice const> possible) {
  for (auto one = exceptions_.begin(); one != exceptions_.end(); ++one) {
    if (one->then != possible.front().name) continue;
    auto const first = std::ranges::find(possible, one->first, &choice::name);
    if (first == possible.end()) continue;
    exceptions_.erase(one);
    return static_cast<std::size_t>(first - possible.begin());
  }
  return 0;
}

std::size_t noted_order::choose(std::span<choice const> possible) {
  std::size_t const chosen = of_.choose(possible);
  if (chosen == give_up) return chosen;
  if (chosen != 0) exceptions_.push_back({possible[chosen].name, possible.front().name});
  names_.push_back(possible[chosen].name);
  return chosen;
}

std::size_t hashed_order::choose(std::span<choice const> possible) {
  std::size_t const chosen = of_.choose(possible);
  if (chosen != give_up) hash_ = mix(hash_, possible[chosen].name);
  return chosen;
}

}  // namespace ovlp::explore
