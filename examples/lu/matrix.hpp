// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "columns.hpp"

namespace lu {

/// Element (row, column) of the matrix of this seed, uniform in [-0.5, 0.5), however the matrix is distributed.
/// Source: the finalizer of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), applied to the place.
double element(std::uint64_t seed, int row, int column);

/// Puts the matrix into a thread's columns.
void fill(Columns& columns, std::uint64_t seed);

/// A digest of the factors and pivots in a thread's columns. The sum over all threads, modulo 2^64, says whether two
/// factorizations agree to the last bit: each element enters with its place in the matrix, so that neither the
/// distribution nor the order of summation matters.
std::uint64_t checksum(Columns const& columns);

/// ||P A - L U||_1 / (n ||A||_1 2^-53) of the factors of the matrix of this seed. Below 1 if all is well; from 10 on
/// the factors are wrong.
/// Shape: shares[t] is what thread t has. The same factors give the same residual, bit for bit, however distributed.
/// Cost: 2/3 n^3 operations; memory for one block column.
double residual(std::vector<Columns> const& shares, std::uint64_t seed);

}  // namespace lu
