// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <ovlp/flowgraph/object_type.hpp>

namespace ovlp::explore {

/// Of a data object's bytes, as it would be sent.
std::uint64_t hash_of(object_type const& type, void const* object);

}  // namespace ovlp::explore
