// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace ovlp::base {

/// Mixes a value into a hash. Source: its end is the finalizer of splitmix64 (Steele, Lea, Flood, OOPSLA 2014).
constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  std::uint64_t z = hash * 0xd6e8feb86659fd93u + value + 0x9e3779b97f4a7c15u;  // not symmetric in the two
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace ovlp::base
