// SPDX-License-Identifier: BSD-3-Clause
// What files and messages call that which records have as numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <ovlp/records/record.hpp>

namespace ovlp {

inline constexpr std::array<std::string_view, 6> wait_cause_names{"object", "window", "condition",
                                                                  "call",   "change", "handled"};

constexpr std::string_view name_of(wait_cause cause) { return wait_cause_names.at(static_cast<std::size_t>(cause)); }
constexpr std::string_view name_of(node_change change) {
  return std::array<std::string_view, 3>{"launched", "joined", "released"}.at(static_cast<std::size_t>(change));
}
constexpr std::string_view name_of(message_kind kind) { return kind == message_kind::object ? "object" : "control"; }
constexpr std::string_view name_of(message_end end) { return end == message_end::send ? "send" : "receive"; }
inline std::string name_of_node(std::uint32_t number) { return "node" + std::to_string(number); }

}  // namespace ovlp
