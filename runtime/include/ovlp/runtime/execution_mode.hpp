// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>

namespace ovlp {

/// How a simulation executes kernels. A real run always runs them.
/// Source: the paper, section 4; docs/partial-execution.md.
enum class execution_mode : std::uint8_t {
  direct,   ///< the body runs and is measured
  partial,  ///< the body does not run; its estimate is charged
  sampled   ///< the first bodies of each kernel and sizes run and are measured; then their mean is charged
};

/// How long a kernel of some sizes takes, in seconds on the platform's reference core.
using kernel_estimate = std::function<double(std::span<std::int64_t const> sizes)>;

}  // namespace ovlp
