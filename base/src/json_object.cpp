// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/base/json_object.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/streams.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp::base {

using nlohmann::json;

json parse_json(std::string const& text, std::string const& file) {
  std::vector<std::pair<std::set<std::string>, std::string>> open;  // keys of each object around, and the last one
  auto const look = [&](int, json::parse_event_t event, json& parsed) {
    using happened = json::parse_event_t;
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
    return json::parse(text, look);
  } catch (json::exception const& wrong) {
    std::string const what = wrong.what();  // [json.exception.parse_error.101] parse error at line 1, ...
    throw config_error(file + ": expected JSON: " + what.substr(what.find("] ") + 2));
  }
}

json read_json(std::string const& file) { return parse_json(read_file(file), file); }

namespace {

std::string on_one_line(nlohmann::ordered_json const& value) {
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

/// `line`: an end of one, and the margin of the next.
void append(std::string& to, nlohmann::ordered_json const& value, std::string const& line) {
  if (!value.is_structured() || value.empty()) {
    to += on_one_line(value);
    return;
  }
  bool const is_list = value.is_array();
  bool const is_row = is_list && std::ranges::none_of(value, [](auto const& v) { return v.is_structured(); });
  std::string const inner = line + "  ";
  to += is_list ? '[' : '{';
  if (!is_row) to += inner;
  bool is_first = true;
  for (auto const& [key, of] : value.items()) {
    if (!is_first) to += is_row ? ", " : "," + inner;
    is_first = false;
    if (!is_list) to += on_one_line(key) + ": ";
    append(to, of, inner);
  }
  if (!is_row) to += line;
  to += is_list ? ']' : '}';
}

}  // namespace

std::string json_text(nlohmann::ordered_json const& value) {
  std::string text;
  append(text, value, "\n");
  return text;
}

namespace {

/// "nodes[].link.latency_s": what is in "nodes[].link", and the name.
std::pair<std::string_view, std::string> parent_and_name(std::string_view place) {
  std::size_t const dot = place.rfind('.');
  if (dot == std::string_view::npos) return {"", std::string(place)};
  return {place.substr(0, dot), std::string(place.substr(dot + 1))};
}

}  // namespace

std::vector<json*> values_at(json& of, std::string_view place) {
  if (place.empty()) return {&of};
  bool const entries = place.ends_with("[]");
  if (entries) place.remove_suffix(2);
  auto const [parent, name] = parent_and_name(place);
  std::vector<json*> found;
  for (json* const in : values_at(of, parent)) {
    if (!in->is_object() || !in->contains(name)) continue;
    json& value = (*in)[name];
    if (!entries) found.push_back(&value);
    else if (value.is_array()) std::ranges::transform(value, std::back_inserter(found), [](json& v) { return &v; });
  }
  return found;
}

bool erase_at(json& of, std::string_view place) {
  auto const [parent, name] = parent_and_name(place);
  bool any = false;
  for (json* const in : values_at(of, parent)) any |= in->is_object() && in->erase(name) > 0;
  return any;
}

namespace {

constexpr std::size_t most_count = 1'000'000;
/// Beyond any machine, and far from where sums and products overflow.
constexpr double largest = 1e15;

}  // namespace

json_object::json_object(json const& of, std::string file, std::string place, std::vector<setting>* log)
    : of_(of), file_(std::move(file)), place_(std::move(place)), log_(log) {
  if (!of_.is_object()) fail(place_, "an object", of_);
}

bool json_object::has(std::string const& key) {
  known_.insert(key);
  bool const there = of_.contains(key);
  if (!there) note_missing(key, "none");
  return there;
}

void json_object::note(std::string const& key, json const& value) {
  if (log_ == nullptr || (!log_->empty() && log_->back().key == path(key))) return;  // what is asked for twice
  log_->push_back({path(key), value.is_string() ? value.get<std::string>() : value.dump(), true});
}

/// What holds then is noted.
bool json_object::is_missing(std::string const& key, json const& otherwise) {
  if (has(key)) return false;
  note_missing(key, otherwise.dump());
  return true;
}

void json_object::note_missing(std::string const& key, std::string const& otherwise) {
  if (log_ == nullptr) return;
  if (log_->empty() || log_->back().key != path(key)) log_->push_back({path(key), {}, false});
  log_->back().value = otherwise;
}

json const& json_object::at(std::string const& key) {
  if (!has(key)) throw config_error(file_ + ": " + path(key) + ": missing");
  return of_.at(key);
}

std::string json_object::text(std::string const& key) {
  json const& value = at(key);
  if (!value.is_string()) fail(path(key), "a string", value);
  note(key, value);
  return value;
}

std::vector<std::string> json_object::texts(std::string const& key) {
  json const& value = at(key);
  bool const texts = value.is_array() && std::ranges::all_of(value, [](json const& one) { return one.is_string(); });
  if (!texts) fail(path(key), "a list of texts", value);
  note(key, value);
  return value;
}

bool json_object::flag(std::string const& key, bool otherwise) {
  if (is_missing(key, otherwise)) return otherwise;
  json const& value = of_.at(key);
  if (!value.is_boolean()) fail(path(key), "true or false", value);
  note(key, value);
  return value;
}

double json_object::number_beyond(std::string const& key, double bound, bool above, std::optional<double> otherwise) {
  if (otherwise && is_missing(key, *otherwise)) return *otherwise;
  double const read = number_of(at(key), path(key), bound, above);
  note(key, of_.at(key));
  return read;
}

double json_object::none_or_from(std::string const& key, double least) {
  double const read = number(key, 0, 0);
  if (read > 0 && read < least) {
    text_writer expected;
    expected << "0, or a number from " << least;
    fail(path(key), expected.str(), at(key));
  }
  return read;
}

std::size_t json_object::count(std::string const& key, std::size_t least, std::optional<std::size_t> otherwise) {
  if (otherwise && is_missing(key, *otherwise)) return *otherwise;
  json const& value = at(key);
  if (!value.is_number_unsigned() || value.get<std::size_t>() < least || value.get<std::size_t>() > most_count) {
    fail(path(key), "a whole number from " + std::to_string(least) + " to " + std::to_string(most_count), value);
  }
  note(key, value);
  return value.get<std::size_t>();
}

std::vector<double> json_object::numbers(std::string const& key, double least) {
  json const& list = at(key);
  if (!list.is_array() || list.empty()) fail(path(key), "a list of one number or more", list);
  std::vector<double> read;
  for (std::size_t i = 0; i < list.size(); ++i) {
    read.push_back(number_of(list[i], path(key) + "[" + std::to_string(i) + "]", least, false));
  }
  note(key, list);
  return read;
}

std::vector<std::pair<double, double>> json_object::pairs(std::string const& key, double least_first,
                                                          double least_second) {
  json const& list = at(key);
  if (!list.is_array() || list.empty()) fail(path(key), "a list of one pair of numbers or more", list);
  std::vector<std::pair<double, double>> read;
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::string const where = path(key) + "[" + std::to_string(i) + "]";
    if (!list[i].is_array() || list[i].size() != 2) fail(where, "a list of two numbers", list[i]);
    read.emplace_back(number_of(list[i][0], where + "[0]", least_first, false),
                      number_of(list[i][1], where + "[1]", least_second, false));
  }
  note(key, list);
  return read;
}

json_object json_object::object(std::string const& key) { return json_object(at(key), file_, path(key), log_); }

json_object json_object::object_or_empty(std::string const& key) {
  static json const empty = json::object();
  known_.insert(key);
  return json_object(of_.contains(key) ? of_.at(key) : empty, file_, path(key), log_);
}

std::vector<json_object> json_object::objects(std::string const& key) {
  json const& list = at(key);
  if (!list.is_array() || list.empty()) fail(path(key), "a list of one object or more", list);
  std::vector<json_object> read;
  for (std::size_t i = 0; i < list.size(); ++i) {
    read.emplace_back(list[i], file_, path(key) + "[" + std::to_string(i) + "]", log_);
  }
  return read;
}

std::vector<std::string> json_object::keys() const {
  std::vector<std::string> all;
  for (auto const& [key, value] : of_.items()) all.push_back(key);
  return all;
}

void json_object::end() const {
  for (auto const& [key, value] : of_.items()) {
    if (known_.contains(key)) continue;
    throw config_error(file_ + ": " + path(key) + ": unknown key; expected " + joined({known_.begin(), known_.end()}));
  }
}

void json_object::fail(std::string const& where, std::string const& expected, json const& got) const {
  constexpr std::size_t longest = 100;
  std::string text = got.dump();
  if (text.size() > longest) text = text.substr(0, longest) + "...";
  throw config_error(file_ + ": " + (where.empty() ? "" : where + ": ") + "expected " + expected + ", got " + text);
}

double json_object::number_of(json const& value, std::string const& where, double bound, bool above) const {
  bool const good = value.is_number() && std::isfinite(value.get<double>()) && (above ? value > bound : value >= bound);
  if (!good) {
    text_writer expected;
    expected << "a number " << (above ? "above " : "of at least ") << bound;
    fail(where, expected.str(), value);
  }
  auto const number = value.get<double>();
  if (number > largest) fail(where, "a number up to 1e15", value);
  if (above && number < 1 / largest) fail(where, "a number from 1e-15", value);
  return number;
}

}  // namespace ovlp::base
