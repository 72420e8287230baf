// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace ovlp::base {

/// Errors: config_error "FILE: ..." for what is no JSON, or has a key twice in one object.
nlohmann::json parse_json(std::string const& text, std::string const& file);
/// Errors: config_error, as parse_json() and read_file().
nlohmann::json read_json(std::string const& file);

/// Indented, lists of numbers or texts on one line. Names are the user's: what is no UTF-8 becomes the sign for that.
std::string json_text(nlohmann::ordered_json const& value);

/// What stands at a place such as "nodes[].link.latency_s", where "[]" is each entry of a list: all that is there.
std::vector<nlohmann::json*> values_at(nlohmann::json& of, std::string_view place);
/// Removes it. Returns whether any was there.
bool erase_at(nlohmann::json& of, std::string_view place);

/// An entry of a table of what a file can name: json_object::choice().
template <class Value>
struct named {
  char const* name;
  Value value;
};

/// What was read of a file, value by value.
struct setting {
  std::string key;    ///< its place in the file
  std::string value;  ///< a text, or as JSON; "none" for what may be missing and is
  bool given;         ///< in the file; else the value is a default
};

/// A JSON object of a file that people write: every key is asked for by name, and those that nobody asked for are
/// errors. Errors, of all members: config_error "FILE: KEY: expected ..., got ...".
class json_object {
 public:
  /// `of` must live as long. `place`: of the object in the file, "" at the top. `log`: gets what is asked for.
  json_object(nlohmann::json const& of, std::string file, std::string place = {}, std::vector<setting>* log = nullptr);

  bool has(std::string const& key);
  nlohmann::json const& at(std::string const& key);
  /// Something that is for others.
  void skip(std::string const& key) { known_.insert(key); }
  std::string text(std::string const& key);
  std::vector<std::string> texts(std::string const& key);
  /// The entry of a table whose `name` stands there.
  template <class Table>
  auto const& choice(std::string const& key, Table const& table) {
    std::string const name = text(key);
    std::string expected;
    std::size_t left = table.size();
    for (auto const& entry : table) {
      if (name == entry.name) return entry;
      --left;
      expected += "\"" + std::string(entry.name) + "\"" + (left > 1 ? ", " : left == 1 ? " or " : "");
    }
    fail(path(key), expected, at(key));
  }
  bool flag(std::string const& key, bool otherwise);
  double number(std::string const& key, double least, std::optional<double> otherwise = {}) {
    return number_beyond(key, least, false, otherwise);
  }
  double number_above(std::string const& key, double bound, std::optional<double> otherwise = {}) {
    return number_beyond(key, bound, true, otherwise);
  }
  /// 0, or at least as much.
  double none_or_from(std::string const& key, double least);
  std::size_t count(std::string const& key, std::size_t least, std::optional<std::size_t> otherwise = {});
  std::vector<double> numbers(std::string const& key, double least);
  template <class Number = std::size_t>
  std::vector<Number> whole_numbers(std::string const& key, double least = 0) {
    std::vector<Number> read;
    for (double const one : numbers(key, least)) {
      bool const fits = one == std::floor(one) && one <= static_cast<double>(std::numeric_limits<Number>::max());
      if (!fits) fail(path(key), "whole numbers", at(key));
      read.push_back(static_cast<Number>(one));
    }
    return read;
  }
  /// A list of lists of two numbers.
  std::vector<std::pair<double, double>> pairs(std::string const& key, double least_first, double least_second);
  json_object object(std::string const& key);
  /// One that may be missing, and has nothing in it then.
  json_object object_or_empty(std::string const& key);
  std::vector<json_object> objects(std::string const& key);
  std::vector<std::string> keys() const;
  /// Call when all keys have been asked for.
  void end() const;

  [[noreturn]] void fail(std::string const& where, std::string const& expected, nlohmann::json const& got) const;
  std::string path(std::string const& key) const { return place_.empty() ? key : place_ + "." + key; }
  std::string const& file() const { return file_; }

 private:
  double number_beyond(std::string const& key, double bound, bool above, std::optional<double> otherwise);
  double number_of(nlohmann::json const& value, std::string const& where, double bound, bool above) const;
  void note(std::string const& key, nlohmann::json const& value);
  bool is_missing(std::string const& key, nlohmann::json const& otherwise);
  void note_missing(std::string const& key, std::string const& otherwise);

  nlohmann::json const& of_;
  std::string file_;
  std::string place_;
  std::set<std::string> known_;
  std::vector<setting>* log_;
};

}  // namespace ovlp::base
