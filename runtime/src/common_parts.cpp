// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/internal/common_parts.hpp>

#include "collections/placement.hpp"
#include "steps/loop_pool.hpp"

namespace ovlp::OVLP_INLINE_CORE {

common_parts::common_parts(program const& known, std::size_t nodes, std::size_t stack_bytes)
    : loops_(std::make_unique<loop_pool>(stack_bytes)), placements_(std::make_unique<ovlp::placements>(known, nodes)) {}

common_parts::~common_parts() = default;

}  // namespace ovlp::OVLP_INLINE_CORE
