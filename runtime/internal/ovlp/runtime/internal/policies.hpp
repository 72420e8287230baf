// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include <ovlp/runtime/policy.hpp>

namespace ovlp {

/// The one that --policy names, with what --plan has read; nullptr: all nodes are held from start to end.
/// Errors: config_error.
std::shared_ptr<policy> make_policy(std::string const& text, plan const& of, std::size_t nodes);

}  // namespace ovlp
