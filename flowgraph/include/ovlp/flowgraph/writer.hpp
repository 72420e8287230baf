// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include <ovlp/flowgraph/walk.hpp>

namespace ovlp {

/// Turns objects into bytes to be sent: a list of pieces of memory, the inline part first, then the bulk part.
///
///     ovlp::writer to;
///     to.write(row);
///     for (std::span<std::byte const> piece : to.segments()) send(piece);
///
/// The inline part holds the objects; numbers that stand side by side in 1024 bytes or more (a long string or vector)
/// are referred to where they are, the rest is copied. The bulk part refers to the elements of the buffers of 1024
/// bytes or more, in order; of such a buffer the inline part has the size only. Numbers are in the machine's own byte
/// order. The objects must stay alive and unchanged as long as the segments are used.
/// Thread: one at a time.
/// Errors: std::bad_alloc; std::bad_variant_access for a variant that lost its value. Then clear().
/// Cost: one pass, and a copy of what is not referred to; no allocation while copied bytes fit in 256 and nothing is
///       referred to; a cleared writer keeps its memory.
class writer {
 public:
  /// From this size on (units: bytes) elements are referred to, not copied.
  static constexpr std::size_t reference_bytes = detail::bulk_threshold_bytes;

  writer() = default;
  writer(writer const&) = delete;
  writer& operator=(writer const&) = delete;

  /// Adds `object` to both parts, after those before it. A buffer without memory gets it now.
  template <class T>
  void write(T const& object) {
    require_data_object<T>();
    sink visitor{*this};
    detail::walk(visitor, object);
  }

  /// All bytes in order, inline part and then bulk part, none of the pieces empty: what a gathering write takes. The
  /// list and the copied bytes are the writer's, until its next change.
  [[nodiscard]] std::span<std::span<std::byte const> const> segments() {
    segments_.clear();
    if (inline_.empty() && bulk_.empty()) {
      only_ = copied();
      return {&only_, only_.empty() ? std::size_t{0} : std::size_t{1}};
    }
    segments_.reserve(2 * inline_.size() + 1 + bulk_.size());
    std::size_t done = 0;
    for (reference const& one : inline_) {
      add_segment(copied().subspan(done, one.copied_before - done));
      add_segment(one.bytes);
      done = one.copied_before;
    }
    add_segment(copied().subspan(done));
    segments_.insert(segments_.end(), bulk_.begin(), bulk_.end());
    return segments_;
  }

  /// Size of the inline part, copied and referred to. Units: bytes.
  [[nodiscard]] std::size_t inline_bytes() const noexcept { return copied().size() + referred_bytes_; }
  /// Size of the bulk part; the receiver's reader is told it. Units: bytes.
  [[nodiscard]] std::size_t bulk_bytes() const noexcept { return bulk_bytes_; }

  /// Forgets all objects, keeps the memory.
  void clear() noexcept {
    next_ = first_;
    inline_.clear();
    bulk_.clear();
    referred_bytes_ = 0;
    bulk_bytes_ = 0;
  }

 private:
  /// Bytes of the inline part that stay where they are, and where among the copied bytes they belong.
  struct reference {
    std::size_t copied_before;
    std::span<std::byte const> bytes;
  };

  /// The visitor of the walk.
  struct sink {
    static constexpr bool fills = false;
    writer& to;

    template <class T>
    bool scalar(T const& x) {
      to.copy(&x, sizeof(T));
      return true;
    }
    template <class T>
    bool block(std::size_t n, T const* first) {
      std::size_t const bytes = n * sizeof(T);
      if (bytes < reference_bytes) {
        to.copy(first, bytes);
      } else {
        to.inline_.push_back({to.copied().size(), std::as_bytes(std::span(first, n))});
        to.referred_bytes_ += bytes;
      }
      return true;
    }
    template <class T>
    bool elements(buffer<T> const& x) {
      scalar(std::uint64_t{x.size()});
      if (x.size_bytes() < reference_bytes) {
        to.copy(x.data(), x.size_bytes());
      } else {
        to.bulk_.push_back(std::as_bytes(x.view()));
        to.bulk_bytes_ += x.size_bytes();
      }
      return true;
    }
  };

  [[nodiscard]] std::span<std::byte const> copied() const noexcept { return {first_, next_}; }

  void add_segment(std::span<std::byte const> bytes) {
    if (!bytes.empty()) segments_.push_back(bytes);
  }

  void copy(void const* from, std::size_t bytes) {
    if (bytes == 0) return;
    if (bytes > static_cast<std::size_t>(end_ - next_)) grow(bytes);
    std::memcpy(next_, from, bytes);
    next_ += bytes;
  }

  [[gnu::cold, gnu::noinline]] void grow(std::size_t bytes) {
    std::size_t const used = copied().size();
    std::size_t const size = std::max(2 * static_cast<std::size_t>(end_ - first_), used + bytes);
    auto larger = std::make_unique_for_overwrite<std::byte[]>(size);
    std::memcpy(larger.get(), first_, used);
    large_ = std::move(larger);
    first_ = large_.get();
    next_ = first_ + used;
    end_ = first_ + size;
  }

  std::array<std::byte, 256> small_;    // not initialised: only what copy() wrote is read
  std::unique_ptr<std::byte[]> large_;  // instead, once they do not fit
  std::byte* first_ = small_.data();    // the copied bytes are [first_, next_), with room up to end_
  std::byte* next_ = first_;
  std::byte* end_ = first_ + small_.size();
  std::vector<reference> inline_;
  std::vector<std::span<std::byte const>> bulk_;
  std::size_t referred_bytes_ = 0;
  std::size_t bulk_bytes_ = 0;
  std::span<std::byte const> only_;  // what segments() shows when there is but one
  std::vector<std::span<std::byte const>> segments_;
};

}  // namespace ovlp
