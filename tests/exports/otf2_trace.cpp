// SPDX-License-Identifier: BSD-3-Clause
// An archive of OTF2, as otf2-print shows it.
#include <doctest/doctest.h>

#include <regex>

#include <ovlp/base/text.hpp>

#include "../support/process.hpp"
#include "run_summary.hpp"

namespace ovlp::testing {
namespace {

std::vector<std::string> printed(std::vector<std::string> command) {
  base::outcome const all = base::run({std::move(command)});
  CHECK(all.err == "");
  REQUIRE_MESSAGE(all.good(), all.complaint());
  return lines_of(all.out);
}

struct region {
  std::string name, kind;
};

}  // namespace

run_summary read_otf2(std::string const& archive) {
  std::string const anchor = archive + "/traces.otf2";
  std::map<std::string, region> regions;
  std::map<std::string, std::string> threads, homes;
  std::map<std::string, int> expected_events, events;
  std::smatch found;
  std::int64_t end_ns = 0;
  for (std::string const& line : printed({OTF2_PRINT, "-G", anchor})) {
    if (std::regex_match(line, found,
                         std::regex("REGION +([0-9]+) +Name: \"(.*?)\" <[0-9]+>.*Descr.: \"(.*)\" <[0-9]+>, Role.*"))) {
      regions[found[1]] = {found[2], found[3]};
    } else if (std::regex_match(line, found,
                                std::regex("LOCATION +([0-9]+) +Name: \"(.*)\" <[0-9]+>, Type: CPU_THREAD, # Events: "
                                           "([0-9]+), Group: \"(.*)\" <[0-9]+>"))) {
      threads[found[1]] = found[2];
      if (found[3] != "0") expected_events[found[1]] = std::stoi(found[3]);
      homes[found[1]] = found[4];
    } else if (std::regex_match(
                   line, found,
                   std::regex("CLOCK_PROPERTIES .*Ticks per Seconds: 1000000000, .*Length: ([0-9]+),.*"))) {
      end_ns = std::stoll(found[1]);
    }
  }
  REQUIRE(end_ns > 0);

  run_summary all;
  struct state {
    std::vector<std::pair<std::string, std::int64_t>> open;  ///< regions, and since when
    std::int64_t last_ns = 0;
    std::string node;
    int iteration = 0;
  };
  std::map<std::string, state> states;
  // Of messages the partner is known when they are put together: first come, first served, as in MPI.
  std::map<std::pair<std::string, std::string>, std::vector<std::pair<std::string, std::uint64_t>>> sent, received;
  std::regex const line_of("([A-Z_0-9]+) +([0-9]+) +([0-9]+)  (.*)");
  for (std::string const& line : printed({OTF2_PRINT, anchor})) {
    CAPTURE(line);
    if (line.empty() || !std::regex_match(line, found, line_of)) continue;
    std::string const type = found[1], location = found[2], rest = found[4];
    std::int64_t const at_ns = std::stoll(found[3]);
    ++events[location];
    state& s = states[location];
    CHECK((s.last_ns <= at_ns && at_ns <= end_ns));
    s.last_ns = at_ns;
    if (type == "ENTER" || type == "LEAVE") {
      REQUIRE(std::regex_match(rest, found, std::regex("Region: \"(.*)\" <([0-9]+)>")));
      std::string const number = found[2];
      region const& of = regions.at(number);
      if (type == "ENTER") {
        CHECK(s.open.size() == (of.kind == "kernel" ? 1u : 0u));
        s.open.emplace_back(number, at_ns);
        if (of.kind == "kernel") ++all.kernels[of.name];
        else if (of.kind != "wait") ++all.steps_of_operation[of.name];
        continue;
      }
      REQUIRE(!s.open.empty());
      CHECK(s.open.back().first == number);
      std::int64_t const time_ns = at_ns - s.open.back().second;
      s.open.pop_back();
      if (of.kind == "kernel") {
        all.kernel_ns[of.name] += time_ns;
      } else if (of.kind == "wait") {
        all.waited_ns[of.name.substr(std::string("wait for ").size())] += time_ns;
      } else {
        all.busy_ns[threads.at(location) + ' ' + s.node] += time_ns;
        ++all.steps_at[threads.at(location) + ' ' + s.node];
        ++all.steps_of_iteration[std::exchange(s.iteration, 0)];
      }
    } else if (type.starts_with("PARAMETER")) {
      REQUIRE(std::regex_match(rest, found, std::regex("Parameter: \"(node|iteration)\" <[0-9]+>, Value: ([0-9]+)")));
      if (found[1] == "node") {
        if (s.node.empty()) CHECK(homes.at(location) == "node" + std::string(found[2]));
        s.node = "node" + std::string(found[2]);
      } else {
        CHECK(s.open.size() == 1);
        s.iteration = std::stoi(found[2]);
      }
    } else {
      REQUIRE((type == "MPI_SEND" || type == "MPI_RECV"));
      REQUIRE(std::regex_match(rest, found,
                               std::regex("(?:Receiver|Sender): [0-9]+ \\(\"(.*)\" <([0-9]+)>\\), Communicator: "
                                          "\"all threads\" <0>, Tag: 0, Length: ([0-9]+)")));
      CHECK(threads.at(found[2]) == found[1]);
      std::string const partner = found[2];
      auto const bytes = std::stoull(found[3]);
      bool const is_sent = type == "MPI_SEND";
      (is_sent ? sent[{location, partner}] : received[{partner, location}]).emplace_back(s.node, bytes);
      (is_sent ? all.bytes_out : all.bytes_in)[s.node] += bytes;
    }
  }
  CHECK(events == expected_events);
  for (auto const& [location, s] : states) CHECK(s.open.empty());
  CHECK(sent.size() == received.size());
  for (auto const& [way, all_sent] : sent) {
    auto const& all_received = received[way];
    REQUIRE(all_sent.size() == all_received.size());
    all.messages += static_cast<int>(all_sent.size());
    for (std::size_t i = 0; i < all_sent.size(); ++i)
      all.bytes_between[{threads.at(way.first) + ' ' + all_sent[i].first,
                         threads.at(way.second) + ' ' + all_received[i].first}] += all_sent[i].second;
  }
  return all;
}

}  // namespace ovlp::testing
