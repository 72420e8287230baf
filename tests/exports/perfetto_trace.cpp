// SPDX-License-Identifier: BSD-3-Clause
// A trace of Perfetto, decoded by protoc and played as Perfetto plays it: events of a track by time, those of one
// instant in the file's order; slices nest.
#include <doctest/doctest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

#include "../support/process.hpp"
#include "run_summary.hpp"

namespace ovlp::testing {
namespace {

/// What protoc prints of a message.
struct message {
  std::multimap<std::string, std::string> values;
  std::multimap<std::string, message> parts;

  bool has(std::string const& name) const { return values.contains(name) || parts.contains(name); }
  std::string const& text(std::string const& name) const {
    REQUIRE_MESSAGE(values.count(name) == 1, "expected one " << name);
    return values.find(name)->second;
  }
  std::int64_t number(std::string const& name) const { return std::stoll(text(name)); }
  message const& part(std::string const& name) const {
    REQUIRE_MESSAGE(parts.count(name) == 1, "expected one " << name);
    return parts.find(name)->second;
  }
};

message decode(std::istream& lines) {
  message all;
  for (std::string line; std::getline(lines, line);) {
    line.erase(0, line.find_first_not_of(' '));
    if (line == "}") break;
    std::string const name = line.substr(0, line.find_first_of(": "));
    REQUIRE_MESSAGE(std::isdigit(static_cast<unsigned char>(name.at(0))) == 0,
                    "a field that Perfetto has not: " << line);
    if (line.ends_with(" {")) {
      all.parts.emplace(name, decode(lines));
    } else {
      std::string value = line.substr(name.size() + 2);
      if (value.starts_with('"'))
        value = std::regex_replace(value.substr(1, value.size() - 2), std::regex(R"(\\(.))"), "$1");
      all.values.emplace(name, value);
    }
  }
  return all;
}

using names = std::map<std::int64_t, std::string>;
void intern(message const& data, std::string const& kind, names& into) {
  auto const [first, last] = data.parts.equal_range(kind);
  for (auto entry = first; entry != last; ++entry)
    CHECK(into.emplace(entry->second.number("iid"), entry->second.text("name")).second);
}

struct event {
  std::int64_t at_ns;
  message is;
};
struct slice {
  std::string category, name;
  std::int64_t begin_ns;
};
struct counter {
  std::string node, name;
  std::int64_t at_ns = 0, value = 0, sum = 0;  ///< sum: value times nanoseconds
  int changes = 0;
};

}  // namespace

run_summary read_perfetto(std::string const& file) {
  base::outcome const decoded =
      base::run({{PROTOC, "--decode", "Trace", "-I", EXPORTS_FOLDER, "perfetto.proto"}, contents(file)});
  REQUIRE_MESSAGE(decoded.good(), decoded.complaint());
  std::istringstream lines(decoded.out);
  message const trace = decode(lines);

  names categories, event_names, annotations;
  std::map<std::int64_t, std::string> node_of_pid, node_of_track, place_of_track;
  std::map<std::int64_t, counter> counters;
  std::vector<event> events;
  bool first = true;
  auto const [begin, end] = trace.parts.equal_range("packet");
  for (auto p = begin; p != end; ++p) {
    message const& packet = p->second;
    CHECK(packet.number("trusted_packet_sequence_id") == 1);
    CHECK(packet.number("sequence_flags") == (std::exchange(first, false) ? 1 : 2));
    if (packet.has("interned_data")) {
      intern(packet.part("interned_data"), "event_categories", categories);
      intern(packet.part("interned_data"), "event_names", event_names);
      intern(packet.part("interned_data"), "debug_annotation_names", annotations);
    } else if (packet.has("track_descriptor")) {
      message const& track = packet.part("track_descriptor");
      std::int64_t const uuid = track.number("uuid");
      CHECK(!node_of_track.contains(uuid));
      if (track.has("process")) {
        node_of_track[uuid] = track.part("process").text("process_name");
        CHECK(node_of_pid.emplace(track.part("process").number("pid"), node_of_track[uuid]).second);
        continue;
      }
      node_of_track[uuid] = node_of_track.at(track.number("parent_uuid"));
      if (track.has("thread")) {
        CHECK(node_of_pid.at(track.part("thread").number("pid")) == node_of_track[uuid]);
        place_of_track[uuid] = track.part("thread").text("thread_name") + ' ' + node_of_track[uuid];
      } else {
        bool const bytes = track.text("name").starts_with("bytes");
        CHECK(track.part("counter").text("unit") == (bytes ? "UNIT_SIZE_BYTES" : "UNIT_COUNT"));
        counters[uuid] = {node_of_track[uuid], track.text("name")};
      }
    } else {
      events.push_back({packet.number("timestamp"), packet.part("track_event")});
    }
  }
  std::stable_sort(events.begin(), events.end(), [](event const& a, event const& b) { return a.at_ns < b.at_ns; });

  run_summary all;
  std::map<std::int64_t, std::vector<slice>> open;
  std::set<std::string> flows;
  for (auto const& [at_ns, is] : events) {
    std::int64_t const track = is.number("track_uuid");
    std::string const type = is.text("type");
    if (type == "TYPE_COUNTER") {
      counter& c = counters.at(track);
      CHECK(at_ns >= c.at_ns);
      c.sum += c.value * (at_ns - c.at_ns);
      c.at_ns = at_ns;
      if (!c.name.starts_with("bytes")) CHECK(c.value != is.number("counter_value"));
      c.value = is.number("counter_value");
      ++c.changes;
      CHECK(c.value >= 0);
      continue;
    }
    std::string const& place = place_of_track.at(track);
    std::vector<slice>& nested = open[track];
    if (type == "TYPE_SLICE_END") {
      REQUIRE(!nested.empty());
      slice const ended = nested.back();
      nested.pop_back();
      std::int64_t const time_ns = at_ns - ended.begin_ns;
      if (ended.category == "step") {
        CHECK(nested.empty());
        all.busy_ns[place] += time_ns;
      } else if (ended.category == "kernel") {
        CHECK((nested.size() == 1 && nested.back().category == "step"));
        all.kernel_ns[ended.name] += time_ns;
      } else {
        CHECK((nested.empty() && ended.category == "wait" && time_ns > 0));
        all.waited_ns[ended.name.substr(std::string("wait for ").size())] += time_ns;
      }
      continue;
    }
    std::string const category = categories.at(is.number("category_iids"));
    std::string const name = event_names.at(is.number("name_iid"));
    if (type == "TYPE_INSTANT") {
      CHECK((category == "post" && name == "post"));
      CHECK(flows.insert(is.text("flow_ids")).second);
      continue;
    }
    REQUIRE(type == "TYPE_SLICE_BEGIN");
    nested.push_back({category, name, at_ns});
    if (category == "kernel") {
      ++all.kernels[name];
      message const& note = is.part("debug_annotations");
      CHECK(annotations.at(note.number("name_iid")) == "sizes");
      CHECK(note.has("string_value"));
    } else if (category == "step") {
      ++all.steps_of_operation[name];
      ++all.steps_at[place];
      int iteration = 0;
      if (is.has("debug_annotations")) {
        message const& note = is.part("debug_annotations");
        CHECK(annotations.at(note.number("name_iid")) == "iteration");
        iteration = static_cast<int>(note.number("int_value"));
      }
      ++all.steps_of_iteration[iteration];
      // A flow ends once, and has begun before.
      if (is.has("terminating_flow_ids")) CHECK(flows.erase(is.text("terminating_flow_ids")) == 1);
    }
  }
  CHECK(flows.empty());
  for (auto const& [track, nested] : open) CHECK(nested.empty());

  std::map<std::string, std::int64_t> running_ns, busy_ns;
  int arrived = 0;
  for (auto const& [track, c] : counters) {
    if (c.name == "steps running") {
      if (c.sum > 0) running_ns[c.node] = c.sum;
      CHECK(c.value == 0);
    } else if (c.name.starts_with("bytes")) {
      if (c.changes > 0)
        (c.name == "bytes out" ? all.bytes_out : all.bytes_in)[c.node] = static_cast<std::uint64_t>(c.value);
      (c.name == "bytes out" ? all.messages : arrived) += c.changes;
    } else {
      CHECK(c.value == 0);
    }
  }
  CHECK(arrived == all.messages);
  for (auto const& [place, time_ns] : all.busy_ns)
    if (time_ns > 0) busy_ns[node_of(place)] += time_ns;
  CHECK(running_ns == busy_ns);
  return all;
}

}  // namespace ovlp::testing
