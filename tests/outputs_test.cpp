// SPDX-License-Identifier: BSD-3-Clause
// What programs and commands write: nobody's file is lost by it.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>

#include "support/process.hpp"

namespace {

using namespace ovlp::testing;
using ovlp::base::outcome;
using ovlp::base::run;

outcome shell_run(std::string const& words) { return run({{"/bin/sh", "-c", words}}); }

}  // namespace

TEST_CASE("a file is replaced by one of its kind only") {
  temporary_folder const folder;
  auto const fault = [&](std::string const& there, std::string const& begins) {
    std::string const file = folder.file("file", there);
    try {
      ovlp::base::expect_replaceable(file, begins);
    } catch (ovlp::config_error const& wrong) {
      return std::string(wrong.what()).substr(file.size());
    }
    return std::string();
  };
  for (auto const& pair : std::vector<std::pair<std::string, std::string>>{
           {"", "{"},
           {"{\"a\": 1}", "{\n  \"a\": 2\n}"},
           {"# application: lu\n# x: 1\n", "# application: heat\n"},
           {"call,x\n1,2\n", "call,y,z\n"},
           {"0,7\n7,0\n", "1.5e3,0\n"},
           {"<!doctype html>\n", "<!DOCTYPE html>\n<html>"},
           {"#DIMEMAS:\"a\":1", "#DIMEMAS:\"b\":2"},
           {"#Paraver (1/1/26 at 1:1):1", "#Paraver ("},
           {std::string("\n\x03\x10\x01", 4), std::string("\n\x05\x08\0\x02", 5)},
           {"\x89PNG\r\n\x1a\n", "\x89PNG\r\n"}}) {
    std::string const &there = pair.first, &begins = pair.second;
    CAPTURE(there);
    CHECK(fault(there, begins) == "");
  }
  for (auto const& pair :
       std::vector<std::pair<std::string, std::string>>{{"Dear diary,\n", "{"},
                                                        {"[1, 2]", "{"},
                                                        {"{\"a\": 1}", "{\n  \"b\": 2\n}"},
                                                        {"{\"a\": 1}", "{}"},
                                                        {"# notes\n", "# application: heat\n"},
                                                        {"name,x\n1,2\n", "call,y,z\n"},
                                                        {"{}", "call,y\n"},
                                                        {"\nsome text\n", std::string("\n\x05\x08\0\x02", 5)},
                                                        {"<html>", "<!DOCTYPE html>"},
                                                        {std::string(10, '\0'), "{"}}) {
    std::string const &there = pair.first, &begins = pair.second;
    CAPTURE(there);
    CHECK(fault(there, begins).starts_with(": expected no file, or one that begins as what is written ('"));
    CHECK(contents(folder.path() / "file") == there);
  }
}

TEST_CASE("no output takes the place of a file of somebody, and each takes that of an earlier one") {
  temporary_folder const folder;
  std::string const at = folder.path().string() + "/", command = OVLP_COMMAND;
  std::string const lu = std::string(OVLP_LU_SIMULATED) +
                         " --n 64 --block 32 --nodes 2 --platform gigabit --execution partial --no-alloc ";
  std::string const record = at + "run.sqlite", csv = at + "efficiency.csv", durations = at + "durations.json",
                    matrix = folder.file("matrix.csv", "0,7,1.5\n7,0,2\n1.5,2,0\n"),
                    trace = folder.file("trace.goal",
                                        "num_ranks 2\nrank 0 {\nsend 10b to 1\n}\nrank 1 {\nrecv 10b from 0\n}\n");
  std::string const measured = folder.file("measured.json", R"({"reference_core": "AMD EPYC", "kernels": {"mine.f": [
    {"sizes": [8], "mean_s": 1e-3}, {"sizes": [16], "mean_s": 2e-3}, {"sizes": [32], "mean_s": 4e-3}]}})");
  REQUIRE(shell_run(lu + "--record " + record + " --efficiency " + csv + " --record-durations " + durations).status ==
          0);
  struct writer {
    std::string command;  ///< and the name of what it writes
    std::string ending;
    std::string writes = {};  ///< that file, if it adds to the name
  };
  std::vector<writer> const writers{
      {lu + "--summary ", ".json"},
      {lu + "--record-durations ", ".json"},
      {lu + "--efficiency ", ".csv"},
      {lu + "--efficiency-over-time ", ".csv"},
      {lu + "--trace ", ".txt"},
      {lu + "--record ", ".sqlite"},
      {command + " metrics " + record + " --json ", ".json"},
      {command + " export " + record + " --to perfetto -o ", ".pftrace"},
      {command + " export " + record + " --to paraver -o ", ".prv"},
      {command + " export " + record + " --to paraver -o " + at + "out.prv #", ".pcf"},
      {command + " export " + record + " --to csv -o " + at + " #step", ".csv", "step.csv"},
      {command + " export " + trace + " --to dimemas -o ", ".dim"},
      {command + " plot efficiency " + csv + " -o ", ".svg"},
      {command + " fit " + measured + " --platform gigabit -o ", ".json"},
      {command + " platform show gigabit --topology ", ".dot"},
      {command + " replay " + trace + " --platform gigabit --summary ", ".json"},
      {command + " replay " + trace + " --platform gigabit --record ", ".sqlite"},
      {command + " threads map " + matrix + " --topology 'package:2 PU:2' -o ", ".json"},
      {command + " advise --goal 'time<=+5%' -o ", ".json"},
  };
  for (writer const& w : writers) {
    CAPTURE(w.command);
    bool const is_advise = w.command.find(" advise ") != std::string::npos;
    std::string const file = w.writes.empty() ? at + "out" + w.ending : at + w.writes;
    std::string const words =
        w.command + (w.command.find('#') == std::string::npos ? file : "") + (is_advise ? " -- " + lu : std::string());
    for (std::string const mine : {"Dear diary,\nnobody is to read, or to lose, this.\n", "{\"mine\": 1}\n"}) {
      std::filesystem::remove(file);
      ovlp::base::write_file(file, mine);
      outcome const refused = shell_run(words);
      CAPTURE(refused.err);
      CHECK((refused.status == 1 || refused.status == 2));
      CHECK(lines_of(refused.err).size() == 1);
      CHECK(refused.err.find("got another, which would be lost") != std::string::npos);
      CHECK(contents(file) == mine);
    }
    std::filesystem::remove(file);
    for (int times = 0; times < 2; ++times) {
      outcome const written = shell_run(words);
      CAPTURE(written.err);
      CHECK(written.status == 0);
      CHECK(std::filesystem::file_size(file) > 0);
    }
  }
}

TEST_CASE("two outputs of a run are two files") {
  temporary_folder const folder;
  std::string const lu = std::string(OVLP_LU_SIMULATED) + " --n 64 --block 32 --execution partial --platform gigabit ";
  std::string const file = " " + (folder.path() / "out").string();
  std::vector<std::string> const options{
      "--summary", "--record-durations", "--efficiency", "--efficiency-over-time", "--trace", "--record"};
  for (std::string const& a : options) {
    for (std::string const& b : options) {
      if (a == b) continue;
      outcome const refused = shell_run(lu + a + file + " " + b + file);
      CAPTURE(refused.err);
      CHECK(refused.status == 2);
      CHECK(refused.err.find("expected another file than that of --") != std::string::npos);
      CHECK(!std::filesystem::exists(folder.path() / "out"));
    }
  }
}

TEST_CASE("models that ovlp fit writes are durations, and a known platform brings none of other programs") {
  temporary_folder const folder;
  std::string const at = folder.path().string() + "/";
  std::string const lu = std::string(OVLP_LU_SIMULATED) + " --nodes 2 --no-alloc --execution partial ";
  std::string inputs;
  for (std::string const block : {"16", "32", "48"}) {
    REQUIRE(
        shell_run(lu + "--n 192 --block " + block + " --platform gigabit --record-durations " + at + block + ".json")
            .status == 0);
    inputs += " " + at + block + ".json";
  }
  std::string const fit = std::string(OVLP_COMMAND) + " fit" + inputs;
  REQUIRE(shell_run(fit + " -o " + at + "models.json").status == 0);
  std::string const cluster = folder.file("cluster.json", R"({"name": "c", "reference_core": "AMD EPYC",
    "nodes": [{"count": 8, "cores": 1, "speed": 1}],
    "network": {"model": "star", "latency_s": 3e-5, "bandwidth_Bps": 117e6}})");
  outcome const fitted = shell_run(lu + "--n 240 --block 24 --platform " + cluster + " --durations " + at +
                                   "models.json --summary " + at + "summary.json");
  CAPTURE(fitted.err);
  CHECK(fitted.status == 0);
  CHECK(fitted.err == "");
  CHECK(contents(at + "summary.json").find("\"durations\"") != std::string::npos);

  std::string const others = folder.file("others.json", R"({"reference_core": "AMD EPYC", "kernels": {"mine.f": [
    {"sizes": [8], "mean_s": 1e-3}, {"sizes": [16], "mean_s": 2e-3}, {"sizes": [32], "mean_s": 4e-3}]}})");
  REQUIRE(
      shell_run(std::string(OVLP_COMMAND) + " fit " + others + " --platform gigabit -o " + at + "mine.json").status ==
      0);
  CHECK(contents(at + "mine.json").find("\"mine.f\"") != std::string::npos);
  CHECK(contents(at + "mine.json").find("\"lu.gemm\"") == std::string::npos);
}

TEST_CASE("files beside a record that look like parts of it and are none stay") {
  temporary_folder const folder;
  std::string const record = folder.path() / "run.sqlite", other = folder.file("run.sqlite.node1", "mine");
  outcome const ran = run({{OVLP_LU_SIMULATED, "--n", "64", "--block", "32", "--record", record}});
  CAPTURE(ran.err);
  CHECK(ran.good());
  CHECK(contents(other) == "mine");
}

TEST_CASE("why nothing can be written is said") {
  temporary_folder const folder;
  std::string const record = folder.path() / "run.sqlite";
  REQUIRE(run({{OVLP_LU_SIMULATED, "--n", "64", "--block", "32", "--platform", "gigabit", "--record", record}}).good());
  std::filesystem::create_directories(folder.path() / "out" / "step.csv");
  outcome const blocked = run({{OVLP_COMMAND, "export", record, "--to", "csv", "-o", folder.path() / "out"}});
  CHECK(blocked.status == 1);
  CHECK(blocked.err.find("step.csv': cannot be written: Is a directory") != std::string::npos);
  for (std::string const words :
       {"replay x.goal --platform gigabit --record ''", "report x.sqlite -o ''", "metrics x.sqlite --json ''"}) {
    outcome const unnamed = shell_run(std::string(OVLP_COMMAND) + " " + words);
    CAPTURE(words);
    CHECK(unnamed.status == 2);
    CHECK(lines_of(unnamed.err).size() == 1);
    CHECK(unnamed.err.find("expected a value, got ''") != std::string::npos);
  }
}
