// SPDX-License-Identifier: BSD-3-Clause
// ovlp whatif, against simulations on platforms that are changed by hand.
#include <doctest/doctest.h>

#include <signal.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <ovlp/base/text.hpp>
#include <ovlp/machine/platform.hpp>

#include "support/process.hpp"

namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ovlp::base::outcome;
using ovlp::testing::contents;
using ovlp::testing::count;
using ovlp::testing::lines_of;
using ovlp::testing::temporary_folder;
using Lines = std::vector<std::string>;

/// Two kinds of nodes, of which one has links of its own.
json platform() {
  json made = json::parse(ovlp::machine::platform::text_of(PLATFORMS "/gigabit.json"));
  json const node = made["nodes"][0];
  made["nodes"] = {node, node};
  made["nodes"][0]["count"] = 2;
  made["nodes"][1]["speed"] = 0.5;
  made["nodes"][1]["link"] = {{"bandwidth_Bps", 3e7}, {"latency_s", 2e-4}};
  return made;
}

Lines lu(std::string const& platform, Lines const& more = {}) {
  Lines words{LU_SIMULATED,  "--n",     "400",        "--block",    "100",
              "--execution", "partial", "--no-alloc", "--platform", platform};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// As the table shows it.
std::string time_of(temporary_folder const& folder, Lines words) {
  std::string const summary = folder.path() / "summary.json";
  words.insert(words.end(), {"--summary", summary});
  REQUIRE(ovlp::base::run({words}).good());
  return ovlp::base::fixed(json::parse(contents(summary))["time_s"], 6);
}

outcome what_if(Lines changes, Lines const& program) {
  changes.insert(changes.begin(), {OVLP_COMMAND, "whatif"});
  changes.emplace_back("--");
  changes.insert(changes.end(), program.begin(), program.end());
  return ovlp::base::run({changes, "", {}, 60s});
}

/// Columns "before" and "after" of the row with this label.
std::pair<std::string, std::string> row(std::string const& table, std::string const& label) {
  for (std::string const& line : lines_of(table)) {
    if (!line.starts_with(label + " ")) continue;
    Lines const words = ovlp::base::words_of(line.substr(label.size()));
    return {words.at(0), words.at(1)};
  }
  return {};
}

TEST_CASE("a change is what the same change of the platform file by hand is") {
  temporary_folder const folder;
  std::string const file = folder.file("platform.json", platform().dump());
  auto const by_hand = [&](auto const& change, Lines const& more = {"--nodes", "4"}) {
    json changed = platform();
    change(changed);
    return time_of(folder, lu(folder.file("changed.json", changed.dump()), more));
  };
  std::string const before = by_hand([](json&) {});
  auto const check = [&](Lines const& change, std::string const& after) {
    outcome const told = what_if(change, lu(file, {"--nodes=4"}));
    CHECK(told.err == "");
    CHECK(row(told.out, change[0] + " " + change[1]) == std::pair(before, after));
    CHECK(after != before);
    CHECK(count(told.out, "all of these") == 0);
  };
  check({"--bandwidth", "x2"}, by_hand([](json& p) {
          p["network"]["bandwidth_Bps"] = 2 * p["network"]["bandwidth_Bps"].get<double>();
          p["nodes"][1]["link"]["bandwidth_Bps"] = 6e7;
        }));
  check({"--bandwidth", "1e6"}, by_hand([](json& p) {
          p["network"]["bandwidth_Bps"] = 1e6;
          p["nodes"][1]["link"]["bandwidth_Bps"] = 1e6;
        }));
  check({"--latency", "/10"}, by_hand([](json& p) {
          p["network"]["latency_s"] = p["network"]["latency_s"].get<double>() / 10;
          p["nodes"][1]["link"]["latency_s"] = 2e-5;
        }));
  check({"--latency", "0.01"}, by_hand([](json& p) {
          p["network"]["latency_s"] = 0.01;
          p["nodes"][1]["link"]["latency_s"] = 0;
        }));
  check({"--speed", "x1.5"}, by_hand([](json& p) {
          p["nodes"][0]["speed"] = 1.5 * p["nodes"][0]["speed"].get<double>();
          p["nodes"][1]["speed"] = 0.75;
        }));
  check({"--speed", "3"}, by_hand([](json& p) { p["nodes"][0]["speed"] = p["nodes"][1]["speed"] = 3; }));
  check({"--speed", "gemm=/40"}, by_hand([](json& p) {
          json& gemm = p["kernels"]["lu.gemm"];
          gemm["coefficient_s"] = 40 * gemm["coefficient_s"].get<double>();
          if (gemm.contains("offset_s")) gemm["offset_s"] = 40 * gemm["offset_s"].get<double>();
        }));
  check({"--nodes", "8"}, by_hand([](json&) {}, {"--nodes", "8"}));
  check({"--nodes", "/2"}, by_hand([](json&) {}, {"--nodes", "2"}));
}

TEST_CASE("several changes are told each alone and all together") {
  temporary_folder const folder;
  std::string const file = folder.file("platform.json", platform().dump());
  outcome const told = what_if({"--nodes", "x2", "--latency", "x20", "--speed", "lu.trsm=x4", "--speed", "x2"},
                               lu(file, {"--nodes", "3"}));
  CHECK(told.err == "");
  REQUIRE(lines_of(told.out).size() == 6);
  json changed = platform();
  changed["network"]["latency_s"] = 20 * changed["network"]["latency_s"].get<double>();
  changed["nodes"][1]["link"]["latency_s"] = 4e-3;
  CHECK(row(told.out, "--latency x20").second ==
        time_of(folder, lu(folder.file("latency.json", changed.dump()), {"--nodes", "3"})));
  for (json& kind : changed["nodes"]) kind["speed"] = 2 * kind["speed"].get<double>();
  json& trsm = changed["kernels"]["lu.trsm"];
  for (char const* key : {"coefficient_s", "offset_s"})
    if (trsm.contains(key)) trsm[key] = trsm[key].get<double>() / 4;
  CHECK(row(told.out, "all of these").second ==
        time_of(folder, lu(folder.file("all.json", changed.dump()), {"--nodes", "6"})));
  for (char const* label : {"--nodes x2", "--speed lu.trsm=x4", "--speed x2"}) CHECK(row(told.out, label).first != "");
}

TEST_CASE("the speed of a kernel changes its recorded durations") {
  temporary_folder const folder;
  json const one{
      {"sizes", {100, 100, 100}}, {"mean_s", 0.02}, {"count", 9}, {"standard_deviation_s", 0.001}, {"first_s", 0.04}};
  json durations{{"reference_core", "AMD EPYC"}, {"kernels", {{"lu.gemm", {one}}}}};
  std::string const file = folder.file("platform.json", platform().dump());
  outcome const told =
      what_if({"--speed", "gemm=x4"},
              lu(file, {"--durations", folder.file("durations.json", durations.dump()), "--nodes", "2"}));
  CHECK(told.err == "");
  json& gemm = durations["kernels"]["lu.gemm"][0];
  gemm["mean_s"] = 0.005;
  gemm["standard_deviation_s"] = 0.00025;
  gemm["first_s"] = 0.01;
  CHECK(row(told.out, "--speed gemm=x4").second ==
        time_of(folder, lu(file, {"--durations", folder.file("changed.json", durations.dump()), "--nodes", "2"})));
  CHECK(row(told.out, "--speed gemm=x4").second != row(told.out, "--speed gemm=x4").first);
}

TEST_CASE("a change that cannot be made is refused") {
  temporary_folder const folder;
  std::string const file = folder.file("platform.json", platform().dump());
  auto const check = [&](Lines const& changes, Lines const& program, std::string const& message) {
    outcome const told = what_if(changes, program);
    CHECK(told.status == 1);
    CHECK(told.out == "");
    CHECK(told.err == "ovlp: " + message + "\n");
  };
  Lines const good = lu(file, {"--nodes", "2"});
  check({}, good, "whatif: expected one of --bandwidth, --latency, --speed and --nodes before --");
  check({"--nodes", "2"}, {}, "whatif: expected --, and then a program with its arguments");
  check({"--nodes", "2"}, {"/nowhere/lu_sim"},
        "PROGRAM: expected a program, a file or one on PATH, got '/nowhere/lu_sim'");
  check({"--nodes", "2"}, {"/bin/echo"},
        "ended well, but wrote no summary: expected a program that simulates with ovlp");
  for (char const* wrong : {"2x", "x", "x0", "x-1", "/0", "xinf", "-1", "fast", "x2 "})
    check({"--bandwidth=" + std::string(wrong)}, good,
          "--bandwidth: expected xF, /F or a number, such as x2, got '" + std::string(wrong) + "'");
  check({"--speed", "gemm=2"}, good, "--speed gemm=2: expected xF or /F for the speed of a kernel");
  check({"--speed", "fft=x2"}, good,
        "--speed fft=x2: expected a kernel of the run, of lu.copy, lu.gemm, lu.getrf, lu.laswp, lu.subtract, lu.trsm, "
        "got "
        "'fft'");
  check({"--nodes", "/3"}, good,
        "--nodes /3: expected a whole number of nodes from 1 to 1000000, got 0.6666666666666666");
  check({"--speed", "gemm=x2"}, {LU_SIMULATED, "--n", "50", "--block", "50", "--platform", file},
        "--speed gemm=x2: expected --execution partial: this run measures kernels");
  check({"--nodes", "x2"}, {LU_SIMULATED, "--block", "0"}, "lu: --block: expected at least 1, got '0'");
  check({"--nodes", "1"}, lu(file, {"--nodes", "2", "--column-nodes", "2"}),
        "with --nodes 1: lu: --column-nodes: expected 1 to 1 (--nodes), got 2");
  json of_file = platform();
  of_file["network"] = {{"model", "star"}, {"latency_s", 1}};
  check({"--nodes", "1"}, lu(folder.file("wrong.json", of_file.dump())),
        (folder.path() / "wrong.json").string() + ": network.bandwidth_Bps: missing");
}

TEST_CASE("beside each time stands the bound that the critical path gives, but for another number of nodes") {
  temporary_folder const folder;
  std::string const file = folder.file("platform.json", platform().dump());
  auto const numbers = [](std::string const& table, std::string const& label) {
    for (std::string const& line : lines_of(table)) {
      if (line.starts_with(label + " ")) return ovlp::base::words_of(line.substr(label.size()));
    }
    return Lines(6);
  };

  // On one node there is one chain.
  std::string const alone = what_if({"--speed", "x2", "--speed", "gemm=/3"}, lu(file, {"--nodes", "1"})).out;
  CHECK(numbers(alone, "--speed x2").back() == numbers(alone, "--speed x2")[1]);
  CHECK(std::stod(numbers(alone, "all of these").back()) <= std::stod(numbers(alone, "all of these")[1]));

  // A program with other calls after the one that it tells the time of.
  Lines const direct{LU_SIMULATED, "--n", "200", "--block", "50", "--nodes", "2", "--platform", file};
  Lines const same = numbers(what_if({"--bandwidth", "x1"}, direct).out, "--bandwidth x1");
  CHECK(same.back() == same[0]);

  std::string const many =
      what_if({"--bandwidth", "/8", "--latency", "x3", "--speed", "gemm=x3", "--speed", "trsm=/2", "--nodes", "x2"},
              lu(file, {"--nodes", "4"}))
          .out;
  for (auto const* const label : {"--bandwidth /8", "--latency x3", "--speed gemm=x3", "--speed trsm=/2"}) {
    Lines const row = numbers(many, label);
    double const before_s = std::stod(row[0]), after_s = std::stod(row[1]), bound_s = std::stod(row.back());
    CHECK(bound_s <= after_s + 1e-6);
    CHECK(bound_s > 0);
    if (label != std::string("--speed gemm=x3")) CHECK(bound_s > before_s);
  }
  CHECK(numbers(many, "--nodes x2").back() == "-");
  CHECK(numbers(many, "all of these").back() == "-");
}

TEST_CASE("ovlp threads place proposes a mapping only if it is faster, and it is") {
  temporary_folder const folder;
  auto const place = [&](Lines const& program) {
    Lines words{OVLP_COMMAND, "threads", "place", "--"};
    words.insert(words.end(), program.begin(), program.end());
    outcome const ran = ovlp::base::run({words, "", {}, 60s});
    REQUIRE_MESSAGE(ran.good(), ran.complaint());
    return ran.out;
  };
  auto const time_in = [&](std::string const& text, std::string const& row) {
    std::string const line = ovlp::base::last_line(text, row);
    return ovlp::base::words_of(line.substr(row.size())).at(0);
  };
  // All products on node 0: any other mapping is faster. What it has itself on the command line counts as its own.
  Lines program = lu(PLATFORMS "/gigabit.json", {"--nodes", "4", "--mapping", "multipliers=node0*4"});
  std::string const text = place(program);
  CHECK(time_in(text, "as it is") == time_of(folder, program));
  CHECK(std::stod(time_in(text, "mapped")) < std::stod(time_in(text, "as it is")));
  for (std::string const& line : lines_of(text)) {
    if (!line.starts_with("--mapping '")) continue;
    program.insert(program.end(), {"--mapping", line.substr(11, line.size() - 12)});
  }
  CHECK(time_of(folder, program) == time_in(text, "mapped"));

  // On one node there is nothing to be moved.
  std::string const alone = place(lu(PLATFORMS "/gigabit.json", {"--nodes", "1"}));
  CHECK(alone.find("none is faster") != std::string::npos);
  CHECK(alone.find("--mapping") == std::string::npos);
}

TEST_CASE("an interruption ends it, and the program that it runs") {
  temporary_folder const folder;
  ovlp::testing::process asked({{OVLP_COMMAND, "whatif", "--nodes", "x2", "--",
                                 folder.file("program", "#!/bin/sh\nexec sleep 4321.625\n", true)}});
  auto const running = [] { return ovlp::testing::processes_with("4321.625"); };
  REQUIRE(ovlp::testing::eventually(30s, [&] { return !running().empty(); }));
  asked.kill(SIGINT);
  CHECK(asked.wait(20s) == 130);
  CHECK(asked.err() == "ovlp: interrupted\n");
  CHECK(running().empty());
}

}  // namespace
