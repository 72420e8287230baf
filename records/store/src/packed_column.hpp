// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace ovlp::store {

/// How the values of a column stand in a block: each but the first as its difference from the one before, modulo 2 to
/// the power of its bits, the bits of a real number being taken as an integer; then regrouped, the lowest bytes of all
/// values first; then compressed by zstd. Values of 1, 4 or 8 bytes, little endian.
/// Thread: one at a time.
class column_packer {
 public:
  column_packer();
  ~column_packer();
  column_packer(column_packer const&) = delete;
  column_packer& operator=(column_packer const&) = delete;

  /// Valid until the next one. `values`: `width` bytes each. Errors: io_error, std::bad_alloc.
  std::span<std::byte const> pack(std::span<std::byte const> values, std::size_t width);

 private:
  struct zstd;
  std::unique_ptr<zstd> const zstd_;
  std::vector<std::byte> regrouped_, packed_;
};

/// The values of a packed column. Errors: io_error if these are not `count` values of that width.
std::vector<std::byte> unpack(std::span<std::byte const> packed, std::size_t count, std::size_t width);

}  // namespace ovlp::store
