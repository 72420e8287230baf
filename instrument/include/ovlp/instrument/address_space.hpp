// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/mman.h>

#include <cstddef>

/// What tables of all addresses of a program are made of.
namespace ovlp::instrument {

inline constexpr std::size_t address_bits = 47;  // of user space on x86-64

/// Addresses without memory behind them until they are touched, then zeros; nullptr: refused.
inline void* reserve(std::size_t bytes) {
  void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? nullptr : at;
}

}  // namespace ovlp::instrument
