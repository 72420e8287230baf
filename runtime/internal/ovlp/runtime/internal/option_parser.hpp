// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

#include <CLI/CLI.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/runtime/options.hpp>

namespace ovlp {

struct options::implementation {
  implementation(std::string name, std::string description) : parser(std::move(description), std::move(name)) {}
  CLI::App parser;
  bool read = false;  ///< by an engine

  /// An option of the program.
  struct described {
    CLI::Option* option;
    /// As the command line would say its value; nothing: not given.
    std::function<std::optional<std::string>(std::string const& name)> words;
    bool may_differ = false;
  };
  std::deque<described> own;
};

// How options are described to CLI11, by the core and by backends: numbers are read as std::from_chars does, and what
// is expected is said alike.

using base::read_number;
template <class Number>
bool read_number(std::string const& text, std::optional<Number>& value) {
  return read_number(text, value.emplace());
}
/// As it is shown in the help.
std::string text_of(double number);
inline std::string text_of(int number) { return std::to_string(number); }
inline std::string text_of(std::size_t number) { return std::to_string(number); }
inline std::string text_of(std::optional<std::size_t> number) { return number ? text_of(*number) : ""; }

template <class Value>
struct plain {
  using type = Value;
};
template <class Value>
struct plain<std::optional<Value>> {
  using type = Value;
};
template <class Value>
inline constexpr bool is_number = std::is_arithmetic_v<typename plain<Value>::type>;

template <class Whole>
CLI::Validator whole_number() {
  return CLI::Validator(
      [](std::string const& given) {
        Whole value{};
        auto const read = std::from_chars(given.data(), given.data() + given.size(), value);
        if (read.ec == std::errc{} && read.ptr == given.data() + given.size()) return std::string();
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

enum class option_of : bool { run, program };
/// Commands of ovlp give these to programs, so a program has none of its own of such a name. With its own options
/// others of the run, which may be new, give way: they are called --ovlp-NAME then.
bool is_reserved(std::string const& name);

/// Adds an option, or a flag. Errors: config_error if the program has one of that name, and that does not give way.
template <class Value>
CLI::Option* add_to(CLI::App& parser, std::string const& names, Value& value, std::string const& meaning,
                    option_of whose = option_of::run) {
  try {
    if constexpr (std::is_same_v<Value, bool>) return parser.add_flag(names, value, meaning);
    else {
      if constexpr (is_number<Value>) {
        using number = typename plain<Value>::type;
        CLI::Option* const added = parser.add_option(
            names, [&value](CLI::results_t const& given) { return read_number(given.back(), value); }, meaning, false,
            [&value] { return text_of(value); });
        added->type_name(CLI::detail::type_name<number>());
        if constexpr (std::is_integral_v<number>) added->check(whole_number<number>());
        return added;
      } else {
        return parser.add_option(names, value, meaning);
      }
    }
  } catch (CLI::OptionAlreadyAdded const&) {
    if (whose == option_of::program) throw config_error(names + " was added before");
    if (is_reserved(names))
      throw config_error(names + " is an option of ovlp: expected another name for the program's own");
    return add_to(parser, "--ovlp-" + names.substr(2), value, meaning);
  }
}
template <class Value>
CLI::Option* add_value(CLI::App& parser, std::string const& names, Value& value, std::string const& meaning,
                       option_of whose = option_of::run) {
  return add_to(parser, names, value, meaning, whose)->capture_default_str();
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
