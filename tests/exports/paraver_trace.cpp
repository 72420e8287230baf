// SPDX-License-Identifier: BSD-3-Clause
// A trace of Paraver, read by its published grammar: each line is matched whole.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

#include <ovlp/base/text.hpp>

#include "../support/process.hpp"
#include "run_summary.hpp"

namespace ovlp::testing {
namespace {

using numbers = std::vector<std::int64_t>;

numbers numbers_of(std::string const& text) {
  numbers all;
  static std::regex const digits("[0-9]+");
  for (std::sregex_iterator n(text.begin(), text.end(), digits); n != std::sregex_iterator(); ++n)
    all.push_back(std::stoll(n->str()));
  return all;
}

/// The .row file: the labels of each level.
std::map<std::string, std::vector<std::string>> read_names(std::string const& file) {
  std::map<std::string, std::vector<std::string>> levels;
  std::vector<std::string> const lines = lines_of(contents(file));
  for (std::size_t i = 0; i < lines.size();) {
    std::smatch found;
    if (lines[i].empty() && ++i > 0) continue;
    REQUIRE_MESSAGE(std::regex_match(lines[i], found, std::regex("LEVEL (CPU|NODE|APPL|TASK|THREAD) SIZE ([0-9]+)")),
                    lines[i]);
    std::vector<std::string>& labels = levels[found[1]];
    CHECK(labels.empty());
    for (std::size_t const last = i + std::stoul(found[2]); i < last;) labels.push_back(lines.at(++i));
    ++i;
  }
  return levels;
}

struct labels {
  std::map<std::int64_t, std::string> states;
  std::map<std::int64_t, std::string> types;
  std::map<std::int64_t, std::map<std::int64_t, std::string>> values;  ///< by type
};

/// The .pcf file.
labels read_labels(std::string const& file) {
  labels all;
  std::string section;
  std::int64_t type = 0;
  std::smatch found;
  for (std::string const& line : lines_of(contents(file))) {
    if (line.empty()) continue;
    CHECK(line.find_first_not_of(" \t") != std::string::npos);
    if (std::regex_match(line, std::regex("DEFAULT_OPTIONS|DEFAULT_SEMANTIC|STATES|STATES_COLOR|EVENT_TYPE|VALUES"))) {
      section = line;
    } else if (section == "DEFAULT_OPTIONS") {
      CHECK(std::regex_match(line, std::regex("LEVEL THREAD|UNITS NANOSEC")));
    } else if (section == "DEFAULT_SEMANTIC") {
      CHECK(line == "THREAD_FUNC State As Is");
    } else if (section == "EVENT_TYPE") {
      REQUIRE_MESSAGE(std::regex_match(line, found, std::regex("0 ([0-9]+) (.+)")), line);
      type = std::stoll(found[1]);
      CHECK(type < 1LL << 31);
      CHECK(all.types.emplace(type, found[2]).second);
    } else if (section == "STATES_COLOR") {
      REQUIRE_MESSAGE(std::regex_match(line, found, std::regex("([0-9]+) \\{[0-9]+,[0-9]+,[0-9]+\\}")), line);
      CHECK(all.states.contains(std::stoll(found[1])));
    } else {
      REQUIRE_MESSAGE(std::regex_match(line, found, std::regex("([0-9]+) (.+)")), line);
      CHECK((section == "STATES" ? all.states : all.values[type]).emplace(std::stoll(found[1]), found[2]).second);
    }
  }
  return all;
}

}  // namespace

run_summary read_paraver(std::string const& prv) {
  std::string const base = std::filesystem::path(prv).replace_extension();
  auto const names = read_names(base + ".row");
  labels const known = read_labels(base + ".pcf");
  std::vector<std::string> const lines = lines_of(contents(prv));
  REQUIRE(lines.size() > 1);

  // The header: nodes with their CPUs, one application, a task for each node.
  std::smatch header;
  REQUIRE_MESSAGE(
      std::regex_match(lines[0], header,
                       std::regex("#Paraver \\([0-9]{2}/[0-9]{2}/[0-9]{4} at [0-9]{2}:[0-9]{2}\\):([0-9]+)_ns:"
                                  "([0-9]+)\\(([0-9]+(?:,[0-9]+)*)\\):1:"
                                  "([0-9]+)\\(([0-9]+:[0-9]+(?:,[0-9]+:[0-9]+)*)\\)")),
      lines[0]);
  std::int64_t const end_ns = std::stoll(header[1]);
  auto const nodes = std::stoul(header[2]);
  numbers const cpus = numbers_of(header[3]), tasks = numbers_of(header[5]);
  REQUIRE(cpus.size() == nodes);
  REQUIRE(std::stoul(header[4]) == nodes);
  REQUIRE(tasks.size() == 2 * nodes);
  std::vector<std::size_t> node_of_cpu{nodes};  // 0 is none
  std::vector<std::vector<std::string>> places(nodes);
  auto label = names.at("THREAD").begin();
  for (std::size_t n = 0; n < nodes; ++n) {
    CHECK(cpus[n] > 0);
    node_of_cpu.resize(node_of_cpu.size() + static_cast<std::size_t>(cpus[n]), n);
    CHECK(tasks[2 * n + 1] == static_cast<std::int64_t>(n) + 1);
    CHECK(tasks[2 * n] > 0);
    for (std::int64_t t = 0; t < tasks[2 * n]; ++t, ++label) {
      REQUIRE(label != names.at("THREAD").end());
      CHECK(label->ends_with(" node" + std::to_string(n)));
      places[n].push_back(*label);
    }
  }
  CHECK(label == names.at("THREAD").end());
  CHECK(names.at("NODE").size() == nodes);
  CHECK(names.at("TASK").size() == nodes);
  CHECK(names.at("APPL").size() == 1);
  CHECK(names.at("CPU").size() == node_of_cpu.size() - 1);

  run_summary all;
  std::map<std::string, std::int64_t> state_until_ns, iteration, busy_by_operation_ns;
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> operation, kernel;  // since when, and which
  auto const place = [&](numbers const& n, std::size_t at) {                       // CPU, application, task, thread
    CHECK(n[at + 1] == 1);
    auto const task = static_cast<std::size_t>(n[at + 2] - 1);
    REQUIRE(task < nodes);
    REQUIRE((n[at + 3] > 0 && n[at + 3] <= static_cast<std::int64_t>(places[task].size())));
    REQUIRE((n[at] >= 0 && n[at] < static_cast<std::int64_t>(node_of_cpu.size())));
    if (n[at] != 0) CHECK(node_of_cpu[static_cast<std::size_t>(n[at])] == task);
    return places[task][static_cast<std::size_t>(n[at + 3] - 1)];
  };
  std::map<std::int64_t, std::int64_t> cpu_until_ns;
  std::int64_t last_ns = 0;
  std::regex const state("1(:[0-9]+){7}"), event("2(:[0-9]+){5}(:[0-9]+:[0-9]+)+"), communication("3(:[0-9]+){14}");
  for (std::size_t l = 1; l < lines.size(); ++l) {
    CAPTURE(lines[l]);
    numbers const n = numbers_of(lines[l]);
    bool const is_state = std::regex_match(lines[l], state), is_event = std::regex_match(lines[l], event);
    REQUIRE((is_state || is_event || std::regex_match(lines[l], communication)));
    std::string const where = place(n, 1);
    CHECK(n[5] >= last_ns);
    last_ns = n[5];
    std::vector<std::size_t> times{5};
    if (is_state) times = {5, 6};
    if (!is_state && !is_event) times = {5, 6, 11, 12};
    for (std::size_t const time : times) CHECK(n[time] <= end_ns);
    if (is_state) {
      CHECK(n[5] < n[6]);
      CHECK(n[5] >= state_until_ns[where]);
      state_until_ns[where] = n[6];
      if (n[7] == 1) {
        CHECK(n[1] != 0);
        CHECK(n[5] >= cpu_until_ns[n[1]]);  // one at a time on a CPU
        cpu_until_ns[n[1]] = n[6];
        all.busy_ns[where] += n[6] - n[5];
      } else {
        CHECK(n[1] == 0);
        REQUIRE(known.states.contains(n[7]));
        static std::map<std::string, std::string> const causes{{"Waiting for an object", "object"},
                                                               {"Waiting for room in a window", "window"},
                                                               {"Waiting for a condition", "condition"},
                                                               {"Waiting for a call", "call"},
                                                               {"Waiting for a change of a collection", "change"}};
        all.waited_ns[causes.at(known.states.at(n[7]))] += n[6] - n[5];
      }
    } else if (is_event) {
      for (std::size_t e = 6; e < n.size(); e += 2) {
        REQUIRE(known.types.contains(n[e]));
        std::string const& type = known.types.at(n[e]);
        if (type == "Iteration") {
          iteration[where] = n[e + 1];
          continue;
        }
        std::string const value = known.values.at(n[e]).at(n[e + 1]);
        auto& [since_ns, which] = (type == "Operation" ? operation : kernel)[where];
        CHECK((which == 0) != (n[e + 1] == 0));
        if (type == "Operation") {
          if (n[e + 1] == 0) {
            busy_by_operation_ns[where] += n[5] - since_ns;
          } else {
            ++all.steps_of_operation[value.substr(0, value.find(" ("))];
            ++all.steps_of_iteration[static_cast<int>(iteration[where])];
            ++all.steps_at[where];
          }
        } else {
          REQUIRE(type == "Kernel");
          CHECK(operation[where].second != 0);
          if (n[e + 1] != 0) ++all.kernels[value.substr(0, value.find(' '))];
          if (n[e + 1] == 0) {
            std::string const ended = known.values.at(n[e]).at(which);
            all.kernel_ns[ended.substr(0, ended.find(' '))] += n[5] - since_ns;
          }
        }
        since_ns = n[5];
        which = n[e + 1];
      }
    } else {
      std::string const to = place(n, 7);
      CHECK((n[5] <= n[6] && n[6] <= n[12] && n[11] == n[12]));
      ++all.messages;
      auto const bytes = static_cast<std::uint64_t>(n[13]);
      all.bytes_out[node_of(where)] += bytes;
      all.bytes_in[node_of(to)] += bytes;
      all.bytes_between[{where, to}] += bytes;
    }
  }
  // Steps that take no time have events, but no state.
  for (auto const& [where, time_ns] : busy_by_operation_ns) all.busy_ns.try_emplace(where, 0);
  CHECK(all.busy_ns == busy_by_operation_ns);
  return all;
}

}  // namespace ovlp::testing
