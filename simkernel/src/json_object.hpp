// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <ovlp/flowgraph/error.hpp>

namespace ovlp::sim {

/// A JSON object of a file that people write: every key is asked for by name, and those that nobody asked for are
/// errors. Errors, of all members: config_error "FILE: KEY: expected ..., got ...".
class json_object {
 public:
  /// `place`: of the object in the file, "" at the top.
  json_object(nlohmann::json const& of, std::string file, std::string place = {})
      : of_(of), file_(std::move(file)), place_(std::move(place)) {
    if (!of_.is_object()) fail(place_, "an object", of_);
  }

  bool has(std::string const& key) {
    known_.insert(key);
    return of_.contains(key);
  }
  nlohmann::json const& at(std::string const& key) {
    if (!has(key)) throw config_error(file_ + ": " + path(key) + ": missing");
    return of_.at(key);
  }
  std::string text(std::string const& key) {
    auto const& value = at(key);
    if (!value.is_string()) fail(path(key), "a string", value);
    return value;
  }
  double number(std::string const& key, double least) { return number_of(at(key), path(key), least, false); }
  double number(std::string const& key, double least, double otherwise) {
    return has(key) ? number(key, least) : otherwise;
  }
  bool flag(std::string const& key, bool otherwise) {
    if (!has(key)) return otherwise;
    auto const& value = of_.at(key);
    if (!value.is_boolean()) fail(path(key), "true or false", value);
    return value;
  }
  /// 0, or at least as much.
  double none_or_from(std::string const& key, double least) {
    double const read = number(key, 0, 0);
    if (read > 0 && read < least) {
      std::ostringstream expected;
      expected << "0, or a number from " << least;
      fail(path(key), expected.str(), at(key));
    }
    return read;
  }
  double number_above(std::string const& key, double bound) { return number_of(at(key), path(key), bound, true); }
  std::size_t count(std::string const& key, std::size_t least) {
    auto const& value = at(key);
    if (!value.is_number_unsigned() || value.get<std::size_t>() < least || value.get<std::size_t>() > most_count) {
      fail(path(key), "a whole number from " + std::to_string(least) + " to " + std::to_string(most_count), value);
    }
    return value.get<std::size_t>();
  }
  std::vector<double> numbers(std::string const& key, double least) {
    auto const& list = at(key);
    if (!list.is_array() || list.empty()) fail(path(key), "a list of one number or more", list);
    std::vector<double> read;
    for (std::size_t i = 0; i < list.size(); ++i) {
      read.push_back(number_of(list[i], path(key) + "[" + std::to_string(i) + "]", least, false));
    }
    return read;
  }
  json_object object(std::string const& key) { return json_object(at(key), file_, path(key)); }
  std::vector<json_object> objects(std::string const& key) {
    auto const& list = at(key);
    if (!list.is_array() || list.empty()) fail(path(key), "a list of one object or more", list);
    std::vector<json_object> read;
    for (std::size_t i = 0; i < list.size(); ++i)
      read.emplace_back(list[i], file_, path(key) + "[" + std::to_string(i) + "]");
    return read;
  }
  std::vector<std::string> keys() const {
    std::vector<std::string> all;
    for (auto const& [key, value] : of_.items()) all.push_back(key);
    return all;
  }
  /// Call when all keys have been asked for.
  void end() const {
    for (auto const& [key, value] : of_.items()) {
      if (known_.contains(key)) continue;
      std::string expected;
      for (std::string const& k : known_) expected += (expected.empty() ? "" : ", ") + k;
      throw config_error(file_ + ": " + path(key) + ": unknown key; expected " + expected);
    }
  }
  [[noreturn]] void fail(std::string const& where, std::string const& expected, nlohmann::json const& got) const {
    constexpr std::size_t longest = 100;
    std::string text = got.dump();
    if (text.size() > longest) text = text.substr(0, longest) + "...";
    throw config_error(file_ + ": " + (where.empty() ? "" : where + ": ") + "expected " + expected + ", got " + text);
  }
  std::string path(std::string const& key) const { return place_.empty() ? key : place_ + "." + key; }
  std::string const& file() const { return file_; }

  static nlohmann::json parse(std::string const& text, std::string const& file) {
    std::vector<std::pair<std::set<std::string>, std::string>> open;  // keys of each object around, and the last one
    auto const look = [&](int, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
      using happened = nlohmann::json::parse_event_t;
      if (event == happened::object_start) open.emplace_back();
      if (event == happened::object_end) open.pop_back();
      if (event != happened::key) return true;
      auto& [keys, last] = open.back();
      last = parsed.get<std::string>();
      if (keys.insert(last).second) return true;
      std::string place;
      for (auto const& around : open) place += (place.empty() ? "" : ".") + around.second;
      throw config_error(file + ": " + place + ": expected once, but given again");
    };
    try {
      return nlohmann::json::parse(text, look);
    } catch (nlohmann::json::exception const& wrong) {
      std::string const what = wrong.what();  // [json.exception.parse_error.101] parse error at line 1, ...
      throw config_error(file + ": expected JSON: " + what.substr(what.find("] ") + 2));
    }
  }

 private:
  static constexpr std::size_t most_count = 1'000'000;
  /// Beyond any machine, and far from where sums and products overflow.
  static constexpr double largest = 1e15;

  double number_of(nlohmann::json const& value, std::string const& where, double bound, bool above) const {
    bool const good =
        value.is_number() && std::isfinite(value.get<double>()) && (above ? value > bound : value >= bound);
    if (!good) {
      std::ostringstream expected;
      expected << "a number " << (above ? "above " : "of at least ") << bound;
      fail(where, expected.str(), value);
    }
    auto const number = value.get<double>();
    if (number > largest) fail(where, "a number up to 1e15", value);
    if (above && number < 1 / largest) fail(where, "a number from 1e-15", value);
    return number;
  }

  nlohmann::json const& of_;
  std::string file_;
  std::string place_;
  std::set<std::string> known_;
};

/// The contents of a file. Errors: config_error.
std::string read_file(std::string const& file);

}  // namespace ovlp::sim
