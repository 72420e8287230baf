// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/flowgraph/walk.hpp>

namespace ovlp {

/// Turns the inline part of what a writer wrote into objects again, and says where the bulk part is to be put.
///
/// The bytes may come from anywhere: whatever they are, objects are made or decode_error is thrown, and no more memory
/// is taken than objects of so many bytes have. Elements of large buffers are not looked at: any bytes are values.
/// Use: construct, read() each object, finish(), then fill the spans of bulk() in order. Only then use the elements.
/// The inline part is needed until finish(). The objects may be moved before their bulk is filled.
///
///     ovlp::reader from(inline_bytes, bulk_size);
///     Row row;
///     from.read(row);
///     from.finish();
///     for (std::span<std::byte> piece : from.bulk()) receive_into(piece);  // the rest of the message
///
/// The bulk part is never in a memory of its own: it is received where the buffers keep their elements.
/// Thread: one at a time. Cost: one pass; elements of small buffers, strings and vectors are copied once.
class reader {
 public:
  /// `inline_part` is not copied. `bulk_bytes` is the size of the bulk part as announced by the sender; buffers that
  /// ask for more are refused.
  /// Units: bytes.
  explicit reader(std::span<std::byte const> inline_part, std::size_t bulk_bytes = 0)
      : inline_(inline_part), left_(inline_part), bulk_bytes_left_(bulk_bytes) {}

  /// Replaces `object` by the next one, of the type that was written; nothing in the bytes tells another.
  /// Errors: decode_error; the object then has some value of its type, and the reader is of no use any more.
  ///         std::bad_alloc.
  template <class T>
  void read(T& object) {
    require_data_object<T>();
    source visitor{*this};
    detail::walk(visitor, object);
  }

  /// Where the bulk part goes: one piece for each large buffer, allocated, in the order of writing.
  /// The pieces live as long as the buffers; the list as long as the reader.
  [[nodiscard]] std::span<std::span<std::byte> const> bulk() const noexcept { return bulk_; }

  /// All objects are read: checks that they used every byte of both parts.
  /// Errors: decode_error.
  void finish() const {
    if (!left_.empty()) refuse("bytes are left over");
    if (bulk_bytes_left_ != 0) refuse("the buffers are smaller than the bulk part");
  }

 private:
  /// The visitor of the walk.
  struct source {
    static constexpr bool fills = true;
    reader& from;

    template <class T, class... None>
    bool scalar(T& x, None const&... /*none*/) {
      if constexpr (detail::is_bool<T>()) {
        std::uint8_t byte = 0;
        from.copy(&byte, 1);
        require(byte <= 1, "a bool is neither 0 nor 1");
        x = static_cast<T>(byte == 1);
      } else {
        from.copy(&x, sizeof(T));
      }
      return true;
    }
    template <class T>
    bool block(std::size_t n, T* first) {
      from.copy(first, n * sizeof(T));  // no overflow: expect() came before
      return true;
    }
    template <class T>
    bool elements(buffer<T>& x) {
      std::uint64_t size = 0;
      scalar(size);
      require(size <= std::numeric_limits<std::size_t>::max() / sizeof(T), "a size is too large");
      std::size_t const bytes = size * sizeof(T);
      if (bytes < detail::bulk_threshold_bytes) {
        expect(size, sizeof(T));
        x = buffer<T>::uninitialized(size);
        from.copy(x.mutate().data(), bytes);
      } else {
        require(bytes <= from.bulk_bytes_left_, "a buffer is larger than the rest of the bulk part");
        x = buffer<T>::uninitialized(size);
        from.bulk_.push_back(std::as_writable_bytes(x.mutate()));
        from.bulk_bytes_left_ -= bytes;
      }
      return true;
    }

    /// Before memory is taken for n elements. So a size in a few wrong bytes can not ask for gigabytes.
    void expect(std::uint64_t n, std::size_t least) const {
      require(n <= from.left_.size() / least, "a size is larger than what is left");
    }
    void require(bool fact, char const* text) const {
      if (!fact) from.refuse(text);
    }
  };

  void copy(void* to, std::size_t bytes) {
    if (bytes > left_.size()) refuse("the end comes too early");
    if (bytes == 0) return;
    std::memcpy(to, left_.data(), bytes);
    left_ = left_.subspan(bytes);
  }

  [[noreturn, gnu::cold, gnu::noinline]] void refuse(char const* text) const {
    throw decode_error("data object, byte " + std::to_string(inline_.size() - left_.size()) + " of " +
                       std::to_string(inline_.size()) + ": " + text);
  }

  std::span<std::byte const> inline_;
  std::span<std::byte const> left_;
  std::size_t bulk_bytes_left_;
  std::vector<std::span<std::byte>> bulk_;
};

}  // namespace ovlp
