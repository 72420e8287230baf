// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/threads/arena.hpp>

#include <algorithm>

#include <ovlp/instrument/address_space.hpp>

namespace ovlp::shared_memory {

void* arena::take(std::size_t bytes) {
  constexpr std::size_t alignment = alignof(std::max_align_t), chunk_bytes = std::size_t{1} << 20;
  bytes = (bytes + alignment - 1) / alignment * alignment;
  if (bytes > left_) {
    std::size_t const size = std::max(bytes, chunk_bytes);
    auto* const more = static_cast<char*>(instrument::reserve(size));
    if (more == nullptr) return nullptr;
    chunk_ = more;
    left_ = size;
  }
  left_ -= bytes;
  void* const taken = chunk_;
  chunk_ += bytes;
  return taken;
}

}  // namespace ovlp::shared_memory
