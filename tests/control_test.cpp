// SPDX-License-Identifier: BSD-3-Clause
// Orders to a run from outside: --control.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/process.hpp"
#include "support/steered_run.hpp"

namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ovlp::base::outcome;
using ovlp::testing::contents;
using ovlp::testing::steered_run;
using ovlp::testing::temporary_folder;

}  // namespace

TEST_CASE("a run takes orders from outside at its borders, refuses wrong ones, and goes on") {
  temporary_folder const folder;
  std::string const socket = folder.path() / "run.socket";
  steered_run run(FAILURES_APP, socket);
  REQUIRE(run.answers());
  json const first = run.tell(R"({"do": "status"})");
  CHECK(first["application"] == "failures_app");
  CHECK(first["nodes"] == 3);
  CHECK(first["held"] == 3);
  CHECK(first["ordered"].is_null());

  CHECK(run.tell(R"({"do": "hold", "nodes": 1})")["ordered"] == 1);
  CHECK(run.holds(1));
  CHECK(run.tell(R"({"do": "hold", "nodes": 4})") == json{{"error", "expected 1 to 3 nodes (--nodes), got 4"}});
  CHECK(run.holds(1));
  CHECK(run.tell(R"({"do": "hold", "nodes": 2})")["ordered"] == 2);
  CHECK(run.holds(2));
  std::string const nothing_else = run.tell(R"({"do": "follow"})")["error"];
  CHECK(nothing_else.find("expected a run with a plan or a policy to follow") != std::string::npos);
  for (char const* wrong :
       {"", "{}", "[1]", "hold", R"({"do": "x"})", R"({"do": "hold"})", R"({"do": "hold", "nodes": 0})",
        R"({"do": "hold", "nodes": -1})", R"({"do": "status", "more": 1})"}) {
    CAPTURE(wrong);
    CHECK(run.tell(wrong).contains("error"));
  }

  outcome const ended = run.end();
  CHECK_MESSAGE(ended.good(), ended.complaint());
  CHECK(ended.out == "result 55\n");
  json const summary = json::parse(contents(run.summary()));
  REQUIRE(summary["decisions"].size() == 2);
  CHECK(summary["decisions"][0]["nodes"] == 1);
  CHECK(summary["decisions"][0]["reason"] == "order from outside");
  CHECK(summary["decisions"][1]["nodes"] == 2);
  CHECK_FALSE(std::filesystem::exists(socket));
}

TEST_CASE("when an order ends, the plan holds again") {
  temporary_folder const folder;
  std::string const plan =
      folder.file("plan.json", R"({"program": "failures_app", "changes": [{"after": 1, "nodes": 2}]})");
  steered_run run(FAILURES_APP, folder.path() / "run.socket", {"--plan", plan});
  REQUIRE(run.answers());
  CHECK(run.holds(2));
  run.tell(R"({"do": "hold", "nodes": 3})");
  CHECK(run.holds(3));
  run.tell(R"({"do": "follow"})");
  CHECK(run.holds(2));
  outcome const ended = run.end();
  CHECK_MESSAGE(ended.good(), ended.complaint());
  json const decisions = json::parse(contents(run.summary()))["decisions"];
  REQUIRE(decisions.size() == 3);
  CHECK(decisions[2]["nodes"] == 2);
  CHECK(decisions[2]["reason"] == "plan");
}

TEST_CASE("a socket that another run uses, or a file, is refused; one that was left is taken") {
  temporary_folder const folder;
  std::string const socket = folder.path() / "run.socket";
  auto const refused = [&](std::string const& path, std::string const& why) {
    outcome const told =
        ovlp::base::run({{FAILURES_APP, "--nodes", "1", "--mode", "borders", "--control", path}, "", {}, 30s});
    CAPTURE(told.err);
    CHECK(told.status == 1);
    CHECK(told.err == "failures_app: --control: '" + path + "': " + why + "\n");
  };
  {
    steered_run first(FAILURES_APP, socket);
    REQUIRE(first.answers());
    refused(socket, "another run listens there");
    CHECK(first.end().good());
  }
  {  // what stands there at its end is another's
    steered_run first(FAILURES_APP, socket);
    REQUIRE(first.answers());
    REQUIRE(std::filesystem::remove(socket));
    folder.file("run.socket", "somebody's");
    CHECK(first.end().good());
    CHECK(contents(socket) == "somebody's");
    CHECK(std::filesystem::remove(socket));
  }
  refused(folder.file("file", "text"), "expected no file of that name, or a socket that a run has left");
  std::string const deep = folder.path() / std::string(120, 'x');
  refused(deep, "expected a name of at most 107 bytes");
}
