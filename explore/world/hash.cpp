// SPDX-License-Identifier: BSD-3-Clause
#include "world/hash.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include <ovlp/flowgraph/writer.hpp>

#include "search/choice.hpp"

namespace ovlp::explore {

std::uint64_t hash_of(object_type const& type, void const* object) {
  writer bytes;
  type.write(bytes, object);
  std::uint64_t hash = 0;
  for (std::span<std::byte const> piece : bytes.segments()) {
    while (!piece.empty()) {
      std::uint64_t word = 0;
      std::size_t const taken = std::min(piece.size(), sizeof word);
      std::memcpy(&word, piece.data(), taken);
      hash = mix(hash, word);
      piece = piece.subspan(taken);
    }
  }
  return hash;
}

}  // namespace ovlp::explore
