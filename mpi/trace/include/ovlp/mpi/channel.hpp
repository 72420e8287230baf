// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include <ovlp/mpi/trace.hpp>

namespace ovlp::mpi {

/// Messages of one are received in the order in which they are sent. Source: MPI 3.1, section 3.5, "Order".
struct channel {
  rank_id from, to;
  std::int32_t tag;
  index communicator;
  bool operator==(channel const&) const = default;
};

struct hash_of_channel {
  std::size_t operator()(channel const& c) const {
    std::uint64_t mixed = std::uint64_t{static_cast<std::uint32_t>(c.from)} << 32 | static_cast<std::uint32_t>(c.to);
    mixed ^= (std::uint64_t{c.communicator} << 32 | static_cast<std::uint32_t>(c.tag)) * 0x9e3779b97f4a7c15U;
    mixed *= 0xff51afd7ed558ccdU;
    return static_cast<std::size_t>(mixed ^ mixed >> 32);
  }
};

}  // namespace ovlp::mpi
