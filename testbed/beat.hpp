// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ovlp::testbed {

/// Of the metronome. At each beat the kernel charges quotas, and chooses anew who computes.
constexpr double beat_s = 0.5e-3;

}  // namespace ovlp::testbed
