// SPDX-License-Identifier: BSD-3-Clause
#include "collections/placement.hpp"

#include <algorithm>
#include <utility>

namespace ovlp::OVLP_INLINE_CORE {

placement::placement(std::vector<node_id> nodes) : node_of_(std::move(nodes)) {
  node_id const last = node_of_.empty() ? 0 : *std::ranges::max_element(node_of_);
  begins_.resize(std::size_t{last} + 2);
  place_of_.reserve(node_of_.size());
  for (node_id const node : node_of_) place_of_.push_back(begins_[node + 1]++);
  for (std::size_t node = 1; node < begins_.size(); ++node) begins_[node] += begins_[node - 1];
  threads_.resize(node_of_.size());
  for (std::uint32_t t = 0; t < node_of_.size(); ++t) threads_[begins_[node_of_[t]] + place_of_[t]] = t;
}

std::span<std::uint32_t const> placement::threads_of(node_id node) const {
  if (std::size_t{node} + 1 >= begins_.size()) return {};
  return std::span(threads_).subspan(begins_[node], begins_[node + 1] - begins_[node]);
}

std::shared_ptr<placement const> placements::first(std::uint32_t collection) {
  {
    scoped_lock const lock(mutex_);
    latest const& known = latest_[collection];
    if (known.is && known.version == 0) return known.is;
  }
  return of(collection, 0, program_.first_mapping(collection, nodes_));
}

std::shared_ptr<placement const> placements::of(std::uint32_t collection, std::uint32_t version,
                                                std::vector<node_id> const& nodes) {
  scoped_lock const lock(mutex_);
  latest& known = latest_[collection];
  if (known.is && known.version == version) return known.is;
  auto made = std::make_shared<placement const>(nodes);
  if (!known.is || known.version < version) known = {version, made};
  return made;
}

}  // namespace ovlp::OVLP_INLINE_CORE
