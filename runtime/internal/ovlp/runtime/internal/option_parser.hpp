// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

#include <CLI/CLI.hpp>

#include <ovlp/flowgraph/error.hpp>
#include <ovlp/runtime/options.hpp>

namespace ovlp {

struct options::implementation {
  implementation(std::string name, std::string description) : parser(std::move(description), std::move(name)) {}
  CLI::App parser;
  bool read = false;  ///< by an engine
};

// How options are described to CLI11, by the core and by backends: numbers are read as std::from_chars does, and what
// is expected is said alike.

/// As std::from_chars reads it, and no other way: 010 is ten.
template <class Whole>
CLI::Validator whole_number() {
  return CLI::Validator(
      [](std::string& given) {
        Whole value{};
        auto const read = std::from_chars(given.data(), given.data() + given.size(), value);
        if (read.ec == std::errc{} && read.ptr == given.data() + given.size()) {
          given = std::to_string(value);  // so is it read on
          return std::string();
        }
        using limits = std::numeric_limits<Whole>;
        std::string const bounds = " from " + std::to_string(limits::min()) + " to " + std::to_string(limits::max());
        return "expected a whole number" +
               (read.ec == std::errc::result_out_of_range ? bounds
                : std::is_unsigned_v<Whole>               ? std::string(" of at least 0")
                                                          : std::string()) +
               ", got '" + given + "'";
      },
      "");
}

inline constexpr char const* taken_by_run = " is an option of ovlp: expected another name for the program's own";
inline constexpr char const* taken_by_program = " was added before";

/// Adds an option, or a flag. Errors: config_error if there is one of that name, which `taken` explains.
template <class Value>
CLI::Option* add_to(CLI::App& parser, std::string const& names, Value& value, std::string const& meaning,
                    char const* taken = taken_by_run) {
  try {
    if constexpr (std::is_same_v<Value, bool>) return parser.add_flag(names, value, meaning);
    else {
      CLI::Option* const added = parser.add_option(names, value, meaning);
      if constexpr (std::is_integral_v<Value>) added->transform(whole_number<Value>());
      if constexpr (std::is_same_v<Value, std::optional<std::size_t>>) added->transform(whole_number<std::size_t>());
      return added;
    }
  } catch (CLI::OptionAlreadyAdded const&) {
    throw config_error(names + taken);
  }
}
template <class Value>
CLI::Option* add_value(CLI::App& parser, std::string const& names, Value& value, std::string const& meaning,
                       char const* taken = taken_by_run) {
  return add_to(parser, names, value, meaning, taken)->capture_default_str();
}

/// `shown` stands in the help.
CLI::Validator number(std::string expected, std::string shown, std::function<bool(double)> good);
CLI::Validator at_least_number(double least);
CLI::Validator at_most_number(double most);
CLI::Validator finite_number();
CLI::Validator number_above_zero();
CLI::Validator number_between(double least, double most);
CLI::Validator among(std::vector<std::string> choices);

}  // namespace ovlp
