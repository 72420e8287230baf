// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ovlp::lab {

/// Of the ticker. At each tick the kernel charges quotas, and chooses anew who computes.
constexpr double tick_s = 0.5e-3;

}  // namespace ovlp::lab
