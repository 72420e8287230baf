// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace ovlp::machine {

/// What has to happen in a run before a parameter has an effect.
enum class cause : std::uint8_t {
  none,             ///< it always has
  held_node,        ///< of this kind, as in all that follow of nodes
  launch,           ///< while the program runs
  throttling,       ///< by a quota
  variation,        ///< from run to run
  slowdown,         ///< that comes by chance
  change_of_speed,  ///< at a time that the file says
  change_of_link,
  message,
  object,
  unmeasured_step,  ///< one whose overhead nobody else says
};

/// What is known of a parameter of platforms, once and for all: whoever reads, shows, leaves out or changes it asks
/// here. So is a section of the file, as far as something is known of it as a whole.
struct parameter {
  /// Its place in the file, "nodes[].quota.carry_s"; "[]" is any entry of a list, "*" any name.
  std::string_view key;
  std::string_view unit = {};
  std::optional<double> neutral = {};  ///< what holds if the file does not say; none: there is no such number
  cause needs = cause::none;
  std::string_view part = {};  ///< the part of the model that goes with it, as --without names it; empty: none

  enum class range : std::uint8_t { from_least, above_least, zero_or_from_least };
  double least = 0;
  range allowed = range::from_least;
};

/// All of them, in the order of docs/formats/platform.md.
std::span<parameter const> parameters();
/// Of the value or section at a place such as "nodes[1].quota"; nullptr: nothing is known of it by itself.
parameter const* find_parameter(std::string_view place);
/// Of it, or of the section that it is a part of; "" if it has none.
std::string_view unit_of(std::string_view place);

}  // namespace ovlp::machine
