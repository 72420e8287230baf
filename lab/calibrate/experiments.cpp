// SPDX-License-Identifier: BSD-3-Clause
#include "experiments.hpp"

namespace ovlp::lab::calibrate {
namespace {

constexpr experiment const* known_experiments[]{&of_nodes,  &of_host,  &of_runtime, &of_messages,  &of_cooling,
                                                &of_wakeup, &of_bytes, &of_network, &of_transport, &of_plain_model};

}  // namespace

std::span<experiment const* const> all_experiments() { return known_experiments; }

}  // namespace ovlp::lab::calibrate
