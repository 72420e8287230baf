// SPDX-License-Identifier: BSD-3-Clause
// The examples on both backends: what must be the same, and what a simulation repeats to the last digit.
#include "support/process.hpp"
#include "support/seed.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace {

using json = nlohmann::ordered_json;

/// Runs a shell command and returns what it prints; the test fails if the command does.
std::string run(std::string const& command) {
  CAPTURE(command);
  ovlp::testing::shell_outcome const ended = ovlp::testing::shell(command);
  CAPTURE(ended.text);
  REQUIRE(ended.status == 0);
  return ended.text;
}

/// The summary that a command writes, but for what may differ from run to run.
json summary(std::string const& command) {
  ovlp::testing::temporary_folder const folder;
  std::string const file = folder.path() / "summary.json";
  run(command + " --summary " + file);
  json figures = json::parse(ovlp::testing::contents(file));
  figures.erase("host");
  return figures;
}

std::vector<std::string> const lu_variants{
    "--graph basic",
    "--graph pipelined",
    "--graph owner",
    "--graph basic --sub-blocks 16 --multipliers 5",
    "--graph pipelined --flow-control 3 --column-nodes 2",
};

std::vector<std::pair<std::string, std::string>> const real_and_simulated{{LU_REAL, LU_SIM}, {HEAT_REAL, HEAT_SIM}};

}  // namespace

TEST_CASE("direct execution gives the real run's results, with as many transfers and bytes") {
  auto const compare = [](std::string const& real, std::string const& simulated, std::string const& arguments,
                          std::string const& result) {
    CAPTURE(arguments);
    json const expected = summary(real + arguments), got = summary(simulated + arguments);
    CHECK(expected.at("backend") == "real");
    CHECK(got.at("backend") == "simulated");
    for (std::string const& key : {result, std::string("transfers"), std::string("bytes")}) {
      CAPTURE(key);
      CHECK(got.at(key) == expected.at(key));
    }
    CHECK(expected.at("transfers") > 0);
  };
  for (std::string const& variant : lu_variants) {
    compare(LU_REAL, LU_SIM, " --n 250 --block 33 --nodes 3 " + variant, "factors_checksum");
  }
  for (std::string const sync : {"barrier", "neighbours"}) {
    compare(HEAT_REAL, HEAT_SIM, " --rows 60 --columns 40 --sweeps 20 --nodes 3 --sync " + sync, "checksum");
  }
  std::string const words = " --nodes 3 " SOURCE_FOLDER "/README.md " SOURCE_FOLDER "/docs/guide.md";
  CHECK(run(WORDCOUNT_SIM + words) == run(WORDCOUNT_REAL + words));
}

TEST_CASE("the order of simultaneous events changes no result of the examples") {
  std::string const shuffle = " --shuffle " + std::to_string(ovlp::testing::new_seed() % 1'000'000);
  for (std::string const& variant : lu_variants) {
    std::string const command = std::string(LU_SIM) + " --n 250 --block 33 --nodes 3 " + variant;
    CAPTURE(command);
    CHECK(summary(command + shuffle).at("factors_checksum") == summary(command).at("factors_checksum"));
  }
  for (std::string const sync : {"barrier", "neighbours"}) {
    std::string const command = std::string(HEAT_SIM) + " --rows 60 --columns 40 --sweeps 20 --nodes 3 --sync " + sync;
    CHECK(summary(command + shuffle).at("checksum") == summary(command).at("checksum"));
  }
  std::string const words = std::string(WORDCOUNT_SIM) + " --nodes 3 " SOURCE_FOLDER "/README.md";
  CHECK(run(words + shuffle) == run(words));
}

TEST_CASE("partial execution predicts the same from run to run, with and without memory, and in every build") {
  // Made by the commands below, the object "host" left out. When a model changes on
  // purpose: OVLP_WRITE_EXPECTED=1 backends_test writes them anew.
  std::string const partial =
      std::string(LU_SIM) + " --n 2592 --platform fast-ethernet-ultrasparc --execution partial --no-alloc ";
  for (auto const& tried : {
           std::pair<std::string, std::string>{"basic", "--block 216 --nodes 8"},
           {"pipelined", "--block 216 --nodes 8 --graph pipelined --flow-control 8 --sub-blocks 108 --remove 4@3"},
       }) {
    std::string const name = tried.first, arguments = tried.second;
    CAPTURE(name);
    std::string const file = SOURCE_FOLDER "/tests/expected/lu_" + name + ".json";
    json const got = summary(partial + arguments);
    CHECK(summary(partial + arguments) == got);
    if (std::getenv("OVLP_WRITE_EXPECTED") != nullptr) std::ofstream(file) << got.dump(2) << '\n';
    CHECK(got.dump(2) + "\n" == ovlp::testing::contents(file));
  }
  std::string const small =
      std::string(LU_SIM) + " --n 500 --block 50 --nodes 4 --platform gigabit --execution partial --graph pipelined";
  json const with_memory = summary(small);
  CHECK(summary(small + " --no-alloc") == with_memory);
}

TEST_CASE("every combination of variants and changes of the allocation comes to its end") {
  std::mt19937_64 random(ovlp::testing::new_seed());
  auto const below = [&](int limit) { return static_cast<int>(random() % static_cast<std::uint64_t>(limit)); };
  auto const one_of = [&](std::vector<std::string> const& list) {
    return list[static_cast<std::size_t>(below(static_cast<int>(list.size())))];
  };
  ovlp::testing::temporary_folder const folder;
  for (int round = 0; round < 40; ++round) {
    int const block = 2592 / (2 + below(12)), nodes = 1 + below(9);
    // 0: objects overtake each other; 1: they do not.
    std::string const file = folder.file("platform.json", R"({"name": "p", "reference_core": "any",
      "nodes": [{"count": 1, "cores": )" + one_of({"1", "2"}) +
                                                              R"(, "speed": 1, "launch_s": )" + one_of({"0", "1"}) +
                                                              R"(}],
      "network": {"model": "star", "latency_s": )" + one_of({"0", "1e-4", "0.1"}) +
                                                              R"(, "bandwidth_Bps": 12.5e6},
      "comm_cpu": {"incoming": [0, 0.3], "outgoing": [0, 0.15], "per_byte_s": )" +
                                                              one_of({"0", "2e-8"}) + R"(},
      "runtime": {"concurrent_per_pair": )" + one_of({"0", "1", "3"}) +
                                                              R"(},
      "kernels": {"getrf": {"coefficient_s": 1e-8, "exponents": [1, 2]}, "trsm": {"coefficient_s": 1e-8, "exponents": [2, 1]},
        "gemm": {"coefficient_s": 2e-8, "exponents": [1, 1, 1]}, "laswp": {"coefficient_s": 1e-7, "exponents": [1, 1]},
        "subtract": {"coefficient_s": 1e-7, "exponents": [1, 1]}, "copy": {"coefficient_s": 1e-7, "exponents": [1, 1]}}})");
    std::string command = std::string(LU_SIM) + " --n 2592 --execution partial --no-alloc --platform " + file +
                          " --block " + std::to_string(block) + " --nodes " + std::to_string(nodes) + " --graph " +
                          one_of({"basic", "pipelined", "pipelined"}) + " --shuffle " + std::to_string(below(1000)) +
                          one_of({"", " --flow-control 1", " --flow-control 5"}) +
                          one_of({"", " --column-nodes " + std::to_string(1 + below(nodes))}) +
                          one_of({"", "", " --execution-threads cores"}) +
                          one_of({"", " --sub-blocks " + std::to_string(1 + block / (1 + below(4)) / 2)});
    int multipliers = nodes;
    for (int iteration = 1; iteration < 2592 / block; ++iteration) {
      if (below(3) != 0) continue;
      bool const fewer = multipliers > 1 && below(2) == 0;
      int const count = fewer ? 1 + below(multipliers - 1) : 1 + below(4);
      multipliers += fewer ? -count : count;
      command += (fewer ? " --remove " : " --add ") + std::to_string(count) + "@" + std::to_string(iteration);
    }
    run(command);
  }
}

TEST_CASE("durations that one run records, another charges") {
  ovlp::testing::temporary_folder const folder;
  std::string const file = folder.path() / "durations.json";
  for (auto const& [real, simulated] : real_and_simulated) {
    bool const lu = real == LU_REAL;
    std::string const arguments = lu ? " --n 250 --block 50" : " --rows 60 --columns 40 --sweeps 5";
    json const recorded = summary(real + arguments + " --record-durations " + file);
    if (!lu) {  // the first sweep of each strip, of two
      json const sweep = json::parse(ovlp::testing::contents(file)).at("kernels").at("sweep").at(0);
      CHECK(sweep.at("count") == 2 * 4);
      CHECK(sweep.at("first_s") > 0);
    }
    std::string const partial = simulated + arguments + " --execution partial --no-alloc --durations " + file;
    json const charged = summary(partial);
    CHECK(charged.at("work_s").get<double>() == doctest::Approx(recorded.at("work_s").get<double>()).epsilon(1e-6));
    CHECK(summary(partial) == charged);
    CHECK(summary(simulated + arguments + " --execution sampled --sample 3").contains("sampling_error"));
  }
}
