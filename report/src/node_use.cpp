// SPDX-License-Identifier: BSD-3-Clause
#include "node_use.hpp"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

namespace ovlp::report {
namespace {

/// As many as a screen shows, fewer when there are so many nodes that the page would grow.
std::size_t bins_for(std::size_t nodes) {
  constexpr std::size_t most = 600, least = 50, values = 1'000'000;
  return std::clamp(values / std::max<std::size_t>(nodes, 1), least, most);
}

}  // namespace

node_use::node_use(std::size_t nodes, double origin_s, double duration_s)
    : bins_(bins_for(nodes)),
      origin_s_(origin_s),
      width_s_(duration_s / static_cast<double>(bins_)),
      amounts_(nodes * bins_) {}

void node_use::add(std::uint32_t node, double from_s, double to_s, double amount) {
  if (amount == 0 || width_s_ <= 0 || (node + std::size_t{1}) * bins_ > amounts_.size()) return;
  double* const of_node = &amounts_[node * bins_];
  double const most = static_cast<double>(bins_);
  auto const place = [&](double at_s) { return std::clamp((at_s - origin_s_) / width_s_, 0.0, most); };
  auto const bin = [&](double at) { return std::min(static_cast<std::size_t>(at), bins_ - 1); };
  double const from = place(from_s), to = place(to_s);
  std::size_t const first = bin(from), last = bin(to);
  if (first == last) {
    of_node[first] += amount;
    return;
  }
  double const in_a_bin = amount / (to - from);
  of_node[first] += in_a_bin * (static_cast<double>(first + 1) - from);
  for (std::size_t i = first + 1; i < last; ++i) of_node[i] += in_a_bin;
  of_node[last] += in_a_bin * (to - static_cast<double>(last));
}

nlohmann::ordered_json node_use::pack(columns& into) const {
  std::vector<float> a_second;
  a_second.reserve(amounts_.size());
  for (double const amount : amounts_) a_second.push_back(static_cast<float>(width_s_ > 0 ? amount / width_s_ : 0));
  return into.add(a_second);
}

}  // namespace ovlp::report
