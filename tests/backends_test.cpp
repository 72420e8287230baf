// SPDX-License-Identifier: BSD-3-Clause
// The examples on both backends: what must be the same, and what a simulation repeats to the last digit.
#include "support/process.hpp"
#include "support/seed.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <tuple>
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

std::string const wave = " --rows 60 --columns 40 --steps 60 --steps-per-iteration 5 --nodes 3";
std::string const wave_plan = " --plan " SOURCE_FOLDER "/examples/wave/plan.json";

struct example {
  std::string real, simulated, arguments;
};
/// What they ask of kernels is the same in every mode.
std::vector<example> const fixed_work{{LU_REAL, LU_SIM, " --n 250 --block 50"},
                                      {HEAT_REAL, HEAT_SIM, " --rows 60 --columns 40 --sweeps 5"},
                                      {WAVE_REAL, WAVE_SIM, " --rows 60 --columns 40 --steps 30"},
                                      {MATMUL_REAL, MATMUL_SIM, " --n 100 --band 10"},
                                      {CG_REAL, CG_SIM, " --n 100 --steps 6"}};

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
  for (std::string const& planned : {std::string(), wave_plan}) {
    compare(WAVE_REAL, WAVE_SIM, wave + planned, "checksum");
  }
  compare(HADAMARD_REAL, HADAMARD_SIM, " --n 64 --nodes 3", "checksum");
  compare(MATMUL_REAL, MATMUL_SIM, " --n 90 --band 20 --nodes 3", "last");
  compare(SAMPLESORT_REAL, SAMPLESORT_SIM, " --n 10000 --nodes 3", "largest_share");
  compare(CG_REAL, CG_SIM, " --n 90 --steps 12 --nodes 3", "residual");
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
  CHECK(summary(WAVE_SIM + wave + wave_plan + shuffle).at("checksum") == summary(WAVE_SIM + wave).at("checksum"));
  for (auto const& [program, result] : {std::pair(SAMPLESORT_SIM, "largest_share"), {CG_SIM, "residual"}}) {
    std::string const command = std::string(program) + " --nodes 3 --n 1000";
    CHECK(summary(command + shuffle).at(result) == summary(command).at(result));
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
  std::string const small = std::string(LU_SIM) + " --n 500 --block 50 --nodes 4 --platform " PLATFORMS
                                                  "/gigabit.json --execution partial --graph pipelined";
  json const with_memory = summary(small);
  CHECK(summary(small + " --no-alloc") == with_memory);
  for (std::string const& planned : {std::string(), wave_plan}) {
    std::string const waves = WAVE_SIM + wave + planned + " --platform " PLATFORMS "/gigabit.json --execution partial";
    CHECK(summary(waves + " --no-alloc") == summary(waves));
  }
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
      "kernels": {"lu.getrf": {"coefficient_s": 1e-8, "exponents": [1, 2]}, "lu.trsm": {"coefficient_s": 1e-8, "exponents": [2, 1]},
        "lu.gemm": {"coefficient_s": 2e-8, "exponents": [1, 1, 1]}, "lu.laswp": {"coefficient_s": 1e-7, "exponents": [1, 1]},
        "lu.subtract": {"coefficient_s": 1e-7, "exponents": [1, 1]}, "lu.copy": {"coefficient_s": 1e-7, "exponents": [1, 1]}}})");
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
      bool const fewer = multipliers == nodes || (multipliers > 1 && below(2) == 0);
      if (fewer && multipliers == 1) continue;
      int const count = 1 + below(fewer ? multipliers - 1 : nodes - multipliers);
      multipliers += fewer ? -count : count;
      command += (fewer ? " --remove " : " --add ") + std::to_string(count) + "@" + std::to_string(iteration);
    }
    run(command);
  }
}

TEST_CASE("durations that one run records, another charges") {
  ovlp::testing::temporary_folder const folder;
  std::string const file = folder.path() / "durations.json";
  for (auto const& [real, simulated, arguments] : fixed_work) {
    json const recorded = summary(real + arguments + " --record-durations " + file);
    if (real == HEAT_REAL) {  // the first sweep of each strip, of two
      json const sweep = json::parse(ovlp::testing::contents(file)).at("kernels").at("heat.sweep").at(0);
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

TEST_CASE("sizes that only more nodes have are measured by a sampled simulation of these") {
  ovlp::testing::temporary_folder const folder;
  std::string const one = folder.path() / "one.json", four = folder.path() / "four.json";
  std::string const simulated = std::string(CG_SIM) + " --n 200 --steps 6 --nodes 4 --execution ";
  run(std::string(CG_REAL) + " --n 200 --steps 6 --record-durations " + one);
  auto const unknown = ovlp::testing::shell(simulated + "partial --durations " + one);
  CHECK(unknown.status != 0);
  CHECK(unknown.text.find("--record-durations, here with --execution sampled") != std::string::npos);
  run(simulated + "sampled --record-durations " + four);
  json const figures = summary(simulated + "partial --no-alloc --durations " + one + " --durations " + four);
  for (json const& from : figures.at("estimates")) {
    CHECK(from.size() == 1);
    CHECK(from.contains("durations"));
  }
}

TEST_CASE("the iterations of the conjugate gradients hold all of their work, in both backends") {
  for (std::string const program : {CG_REAL, CG_SIM}) {
    json const figures = summary(program + " --n 300 --steps 5 --nodes 2");
    CHECK(figures.at("iterations").size() == 5);
    double work_s = 0;
    for (json const& iteration : figures.at("iterations")) work_s += iteration.at("work_s").get<double>();
    CHECK(work_s == doctest::Approx(figures.at("work_s").get<double>()));
  }
}

// What every program does with its command line and its output.

namespace {

/// A program refuses its command line.
void refuses(std::string const& command, std::string const& why) {
  CAPTURE(command);
  ovlp::testing::shell_outcome const ended = ovlp::testing::shell(command);
  CHECK(ended.status == 2);
  CHECK(ended.text == "lu: " + why + "\n");
}

}  // namespace

TEST_CASE("output that cannot be written is an error that says so") {
  for (std::string const program : {LU_REAL, LU_SIM}) {
    ovlp::testing::shell_outcome const full = ovlp::testing::shell("(" + program + " --n 40 --block 20 >/dev/full)");
    CHECK(full.status == 1);
    CHECK(full.text == "lu: standard output: cannot be written: No space left on device\n");
    ovlp::testing::shell_outcome const closed = ovlp::testing::shell("(" + program + " --n 40 --block 20 >&-)");
    CHECK(closed.status == 1);
    for (std::string const option : {"--help", "--version"}) {
      CHECK(ovlp::testing::shell("(" + program + " " + option + " >/dev/full)").status == 1);
    }
  }
  std::string const sample = std::string(SOURCE_FOLDER) + "/examples/wordcount/sample.txt";
  for (std::string const program : {WORDCOUNT_REAL, WORDCOUNT_SIM}) {
    CHECK(ovlp::testing::shell("(" + program + " " + sample + " >/dev/full)").status == 1);
    for (auto const& [option, named] : {std::pair<std::string, std::string>{"--summary", "/dev/full"},
                                        {"--record-durations", "/dev/full"},
                                        {"--trace", "--trace: '/dev/full'"}}) {
      ovlp::testing::shell_outcome const full =
          ovlp::testing::shell(program + " " + sample + " " + option + " /dev/full");
      CHECK(full.status == 1);
      CHECK(full.text.find("wordcount: " + named + ": cannot be written: No space left on device") !=
            std::string::npos);
    }
  }
  CHECK(ovlp::testing::shell(std::string(LU_SIM) + " --n 40 --block 20 | head -c 1").status == 0);
}

TEST_CASE("each backend shows its own options, and notes those of the other, so that one command serves both") {
  auto const own_options = [](std::string const& program) {
    std::istringstream help(run(program + " --help"));
    std::vector<std::string> names;
    bool own = false;
    for (std::string line; std::getline(help, line);) {
      if (!line.empty() && line[0] != ' ') own = line.rfind("Run (", 0) == 0;
      std::size_t const at = line.find("--");
      if (own && at == 2) names.push_back(line.substr(at, line.find_first_of(" =,", at) - at));
    }
    return names;
  };
  for (auto const& [of, other, backend] :
       {std::tuple(LU_REAL, LU_SIM, "simulated"), std::tuple(LU_SIM, LU_REAL, "real")}) {
    std::vector<std::string> const names = own_options(of);
    CHECK(names.size() >= 6);
    for (std::string const& name : names) {
      std::string const value = name == "--no-alloc" ? "" : " 1";
      ovlp::testing::shell_outcome const ran =
          ovlp::testing::shell(std::string(other) + " --n 8 --block 4 " + name + value);
      CAPTURE(name);
      CHECK(ran.status == 0);
      CHECK(ran.text.find("lu: note: " + name + " means nothing to the " + backend + " backend\n") !=
            std::string::npos);
    }
  }
}

TEST_CASE("numbers on the command line mean what they say, or are refused") {
  std::string const lu = std::string(LU_SIM) + " --block 4 ";
  CHECK(run(lu + "--n 010").find("LU         10, blocks of 4") != std::string::npos);
  refuses(lu + "--n 1e3", "--n: expected a whole number, got '1e3'");
  refuses(lu + "--n 0x10", "--n: expected a whole number, got '0x10'");
  refuses(lu + "--n 99999999999", "--n: expected a whole number from -2147483648 to 2147483647, got '99999999999'");
  refuses(lu + "--seed 99999999999999999999",
          "--seed: expected a whole number from 0 to 18446744073709551615, got '99999999999999999999'");
  refuses(lu + "--seed -1", "--seed: expected a whole number of at least 0, got '-1'");
  refuses(lu + "--multipliers 99999999", "--multipliers: expected at most 100000, got '99999999'");
  refuses(lu + "--host-speed 1e-320", "--host-speed: expected 1e-06 to 1000000, got '1e-320'");
  refuses(lu + "--shuffle 1.5", "--shuffle: expected a whole number of at least 0, got '1.5'");
}

TEST_CASE("a run has one node unless it is told otherwise, in both backends") {
  for (std::string const program : {LU_REAL, LU_SIM}) {
    CHECK(summary(program + " --n 40 --block 20 --platform " PLATFORMS "/gigabit.json").at("nodes") == 1);
  }
}

TEST_CASE("every program prints the table of its iterations, or that it has none") {
  for (std::string const program : {HEAT_REAL, HEAT_SIM}) {
    std::string const text = run(program + " --rows 20 --columns 20 --sweeps 3 --iterations");
    CAPTURE(text);
    CHECK(text.find("\niteration    from [s]      to [s]    work [s]  nodes") != std::string::npos);
    CHECK(text.find("\n        3 ") != std::string::npos);
  }
  std::string const sample = std::string(SOURCE_FOLDER) + "/examples/wordcount/sample.txt";
  CHECK(run(std::string(WORDCOUNT_REAL) + " --iterations " + sample)
            .find("no iterations: no operation of this call says here.iteration(k)") != std::string::npos);
}

TEST_CASE("durations are recorded over all calls of a program") {
  ovlp::testing::temporary_folder const folder;
  std::string const file = folder.path() / "durations.json";
  for (std::string const program : {HEAT_REAL, HEAT_SIM}) {
    run(program + " --rows 60 --columns 40 --sweeps 5 --nodes 2 --record-durations " + file);
    json const kernels = json::parse(ovlp::testing::contents(file)).at("kernels");
    for (std::string const kernel : {"heat.fill", "heat.sweep", "heat.checksum"}) {
      CAPTURE(kernel);
      CHECK(kernels.contains(kernel));
    }
  }
}

TEST_CASE("a prediction from poor measurements warns on stderr") {
  ovlp::testing::temporary_folder const folder;
  std::string const file = folder.file("d.json", R"({"reference_core": "abacus", "kernels": {}})");
  std::string const sample = std::string(SOURCE_FOLDER) + "/examples/wordcount/sample.txt";
  CHECK(run(std::string(WORDCOUNT_SIM) + " --window 1 " + sample)
            .find("wordcount: warning: --window had no effect: expected with --efficiency-over-time or --summary\n") !=
        std::string::npos);
  std::string const text =
      run(std::string(LU_SIM) +
          " --n 40 --block 20 --platform " PLATFORMS "/gigabit.json --execution partial --durations " + file);
  CHECK(text.find("lu: warning: " + file +
                  " has durations of 'abacus', but the platform's reference core is 'AMD EPYC'") != std::string::npos);
  CHECK(text.find("lu: warning: --durations had no effect: no kernel that it knows was done\n") != std::string::npos);
  CHECK(text.find("estimates  platform gigabit: lu.copy, lu.gemm") != std::string::npos);
}
