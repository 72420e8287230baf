// SPDX-License-Identifier: BSD-3-Clause
#include "packed_column.hpp"

#include <zstd.h>

#include <bit>
#include <cstring>
#include <string>

#include <ovlp/base/error.hpp>

namespace ovlp::store {
namespace {

static_assert(std::endian::native == std::endian::little);

template <class Value>
void regroup(std::span<std::byte const> values, std::byte* to) {
  std::size_t const count = values.size() / sizeof(Value);
  Value before = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Value value;
    std::memcpy(&value, values.data() + i * sizeof(Value), sizeof(Value));
    auto difference = static_cast<Value>(value - before);
    before = value;
    for (std::size_t b = 0; b < sizeof(Value); ++b) {
      to[b * count + i] = static_cast<std::byte>(difference & 0xff);
      if constexpr (sizeof(Value) > 1) difference = static_cast<Value>(difference >> 8);
    }
  }
}

template <class Value>
void restore(std::byte const* regrouped, std::size_t count, std::byte* to) {
  Value before = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Value difference = 0;
    for (std::size_t b = sizeof(Value); b-- > 0;) {
      if constexpr (sizeof(Value) > 1) difference = static_cast<Value>(difference << 8);
      difference = static_cast<Value>(difference | static_cast<Value>(regrouped[b * count + i]));
    }
    before = static_cast<Value>(before + difference);
    std::memcpy(to + i * sizeof(Value), &before, sizeof(Value));
  }
}

constexpr int fastest_level = 1;

}  // namespace

struct column_packer::zstd {
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context{::ZSTD_createCCtx(), &ZSTD_freeCCtx};
};

column_packer::column_packer() : zstd_(std::make_unique<zstd>()) {}
column_packer::~column_packer() = default;

std::span<std::byte const> column_packer::pack(std::span<std::byte const> values, std::size_t width) {
  regrouped_.resize(values.size());
  switch (width) {
    case 1: regroup<std::uint8_t>(values, regrouped_.data()); break;
    case 4: regroup<std::uint32_t>(values, regrouped_.data()); break;
    default: regroup<std::uint64_t>(values, regrouped_.data());
  }
  packed_.resize(::ZSTD_compressBound(values.size()));
  std::size_t const bytes = ::ZSTD_compressCCtx(zstd_->context.get(), packed_.data(), packed_.size(), regrouped_.data(),
                                                regrouped_.size(), fastest_level);
  if (::ZSTD_isError(bytes) != 0) throw io_error(std::string("zstd: ") + ::ZSTD_getErrorName(bytes));
  return std::span(packed_).first(bytes);
}

std::vector<std::byte> unpack(std::span<std::byte const> packed, std::size_t count, std::size_t width) {
  std::vector<std::byte> regrouped(count * width), values(count * width);
  std::size_t const bytes = ::ZSTD_decompress(regrouped.data(), regrouped.size(), packed.data(), packed.size());
  if (::ZSTD_isError(bytes) != 0) throw io_error(std::string("zstd: ") + ::ZSTD_getErrorName(bytes));
  if (bytes != regrouped.size()) throw io_error("a column is shorter than its block");
  switch (width) {
    case 1: restore<std::uint8_t>(regrouped.data(), count, values.data()); break;
    case 4: restore<std::uint32_t>(regrouped.data(), count, values.data()); break;
    default: restore<std::uint64_t>(regrouped.data(), count, values.data());
  }
  return values;
}

}  // namespace ovlp::store
