// SPDX-License-Identifier: BSD-3-Clause
// Orders to a run from outside: --control, ovlp nodes, ovlp status.
#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include <ovlp/base/local_socket.hpp>

#include "support/process.hpp"

namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ovlp::base::outcome;
using ovlp::testing::temporary_folder;
using Lines = std::vector<std::string>;

outcome ovlp_command(Lines words) {
  words.insert(words.begin(), OVLP_COMMAND);
  return ovlp::base::run({words, "", {}, 30s});
}

/// A real run on three nodes that takes orders, for some seconds.
struct running {
  running(temporary_folder const& folder, std::string const& socket, int sweeps, Lines const& more = {})
      : summary(folder.path() / "summary.json") {
    Lines words{HEAT_PROGRAM,
                "--nodes",
                "3",
                "--rows",
                "120",
                "--columns",
                "200",
                "--strips",
                "6",
                "--sweeps",
                std::to_string(sweeps),
                "--verify",
                "--control",
                socket,
                "--summary",
                summary};
    words.insert(words.end(), more.begin(), more.end());
    result = std::async(std::launch::async, [words] { return ovlp::base::run({words, "", {}, 100s}); });
  }
  std::string const summary;
  std::future<outcome> result;
};

/// Once it answers.
json status(std::string const& socket) {
  for (int i = 0; i < 300; ++i) {
    outcome const told = ovlp_command({"status", socket, "--json"});
    if (told.good()) return json::parse(told.out);
    std::this_thread::sleep_for(50ms);
  }
  return {};
}

/// Sooner or later.
bool holds(std::string const& socket, int nodes) {
  for (int i = 0; i < 200; ++i) {
    outcome const told = ovlp_command({"status", socket, "--json"});
    if (told.good() && json::parse(told.out)["held"] == nodes) return true;
    std::this_thread::sleep_for(20ms);
  }
  return false;
}

}  // namespace

TEST_CASE("a run takes orders from outside at its borders, refuses wrong ones, and goes on" * doctest::timeout(110)) {
  temporary_folder const folder;
  std::string const socket = folder.path() / "run.socket";
  running run(folder, socket, 6000);
  json const first = status(socket);
  REQUIRE(first.is_object());
  CHECK(first["application"] == "heat");
  CHECK(first["nodes"] == 3);
  CHECK(first["held"] == 3);
  CHECK(first["ordered"].is_null());

  outcome const ordered = ovlp_command({"nodes", socket, "--set", "1"});
  CHECK(ordered.good());
  CHECK(ordered.out.find("heat: holds ") == 0);
  CHECK(ordered.out.find("ordered: 1") != std::string::npos);
  CHECK(holds(socket, 1));
  outcome const too_many = ovlp_command({"nodes", socket, "--set", "4"});
  CHECK(too_many.status == 1);
  CHECK(too_many.err == "ovlp: '" + socket + "': expected 1 to 3 nodes (--nodes), got 4\n");
  CHECK(holds(socket, 1));
  CHECK(ovlp_command({"nodes", socket, "--set", "2"}).good());
  CHECK(holds(socket, 2));
  outcome const nothing_else = ovlp_command({"nodes", socket, "--follow"});
  CHECK(nothing_else.status == 1);
  CHECK(nothing_else.err.find("expected a run with a plan or a policy to follow") != std::string::npos);
  for (char const* wrong :
       {"", "{}", "[1]", "hold", R"({"do": "x"})", R"({"do": "hold"})", R"({"do": "hold", "nodes": 0})",
        R"({"do": "hold", "nodes": -1})", R"({"do": "status", "more": 1})"}) {
    CAPTURE(wrong);
    CHECK(json::parse(ovlp::base::ask_local_socket(socket, wrong)).contains("error"));
  }

  outcome const ended = run.result.get();
  CAPTURE(ended.err);
  CHECK(ended.good());
  CHECK(ended.out.find("verified: equal to the serial computation") != std::string::npos);
  json const summary = json::parse(ovlp::testing::contents(run.summary));
  REQUIRE(summary["decisions"].size() == 2);
  CHECK(summary["decisions"][0]["nodes"] == 1);
  CHECK(summary["decisions"][0]["reason"] == "order from outside");
  CHECK(summary["decisions"][1]["nodes"] == 2);
  CHECK_FALSE(std::filesystem::exists(socket));
  outcome const gone = ovlp_command({"status", socket});
  CHECK(gone.status == 1);
  CHECK(gone.err.find("no run listens there") != std::string::npos);
}

TEST_CASE("when an order ends, the plan holds again" * doctest::timeout(110)) {
  temporary_folder const folder;
  std::string const socket = folder.path() / "run.socket";
  std::string const plan = folder.file("plan.json", R"({"program": "heat", "changes": [{"after": 1, "nodes": 2}]})");
  running run(folder, socket, 6000, {"--plan", plan});
  REQUIRE(status(socket).is_object());
  CHECK(holds(socket, 2));
  CHECK(ovlp_command({"nodes", socket, "--set", "3"}).good());
  CHECK(holds(socket, 3));
  CHECK(ovlp_command({"nodes", socket, "--follow"}).good());
  CHECK(holds(socket, 2));
  outcome const ended = run.result.get();
  CHECK_MESSAGE(ended.good(), ended.complaint());
  json const decisions = json::parse(ovlp::testing::contents(run.summary))["decisions"];
  REQUIRE(decisions.size() == 3);
  CHECK(decisions[2]["nodes"] == 2);
  CHECK(decisions[2]["reason"] == "plan");
}

TEST_CASE("a socket that another run uses, or a file, is refused; one that was left is taken" * doctest::timeout(110)) {
  temporary_folder const folder;
  std::string const socket = folder.path() / "run.socket";
  auto const refused = [&](std::string const& path, std::string const& why) {
    outcome const told = ovlp::base::run(
        {{HEAT_PROGRAM, "--nodes", "1", "--rows", "20", "--columns", "20", "--sweeps", "3", "--control", path},
         "",
         {},
         30s});
    CAPTURE(told.err);
    CHECK(told.status == 2);
    CHECK(told.err == "heat: --control: '" + path + "': " + why + "\n");
  };
  {
    running first(folder, socket, 4000);
    REQUIRE(status(socket).is_object());
    refused(socket, "another run listens there");
    CHECK(first.result.get().good());
  }
  {  // what stands there at its end is another's
    running first(folder, socket, 2000);
    REQUIRE(status(socket).is_object());
    REQUIRE(std::filesystem::remove(socket));
    folder.file("run.socket", "somebody's");
    CHECK(first.result.get().good());
    CHECK(ovlp::testing::contents(socket) == "somebody's");
    CHECK(std::filesystem::remove(socket));
  }
  refused(folder.file("file", "text"), "expected no file of that name, or a socket that a run has left");
  std::string const deep = folder.path() / std::string(120, 'x');
  refused(deep, "expected a name of at most 107 bytes");

  outcome const note = ovlp::base::run(
      {{HEAT_SIMULATED, "--rows", "20", "--columns", "20", "--sweeps", "3", "--control", socket}, "", {}, 30s});
  CHECK(note.good());
  CHECK(note.err.find("--control") != std::string::npos);  // means nothing to a simulation
}
