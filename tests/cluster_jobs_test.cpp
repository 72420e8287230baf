// SPDX-License-Identifier: BSD-3-Clause
// Jobs of a cluster that are programs: docs/formats/job.md.
#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/process.hpp>

#include "schedulers/scheduler.hpp"
#include "server/foresee.hpp"
#include "server/server.hpp"
#include "support/process.hpp"

namespace {

using namespace std::chrono_literals;
using namespace ovlp::cluster;
using nlohmann::json;
using ovlp::base::process;
using Lines = std::vector<std::string>;

/// A factorization of six iterations, simulated.
job lu(std::string name, double arrival_s, std::vector<node_count> possible, node_count requested) {
  job made{.name = std::move(name), .arrival_s = arrival_s, .requested = requested, .possible = std::move(possible)};
  made.requested_s = 100;
  made.expected = forecast::rigid(requested, made.requested_s);
  made.program = {LU_SIMULATED, "--n", "432", "--block", "72", "--execution", "partial", "--no-alloc"};
  return made;
}

workload three_jobs() {
  return {.name = "three",
          .jobs = {lu("a", 0, {1, 2, 4}, 4), lu("b", 0.01, {1, 2, 4}, 2), lu("c", 0.02, {1, 2, 4}, 4)}};
}

cluster_description four_nodes() { return {.nodes = 4, .launch_s = 0.5, .platform = "gigabit", .patience_s = 60}; }

cluster_run run_under(std::string const& scheduler, workload const& of, cluster_description const& on) {
  return simulate(of, on, scheduler, *make_scheduler(scheduler));
}

/// A job that says what a script says: on descriptor 3, to which the server's answers come, too.
job script(std::string const& text) {
  job made = lu("script", 0, {1, 2}, 2);
  made.program = {"sh", "-c", text};
  return made;
}

TEST_CASE("jobs that are programs take as long as was foreseen of them while no nodes change") {
  workload of = three_jobs();
  foresee_all(of, four_nodes());
  CHECK(of.jobs[0].expected.iterations() == 6);
  CHECK(of.jobs[0].foreseen());
  CHECK(of.jobs[0].expected.change_s() > 0);
  cluster_run const by_programs = run_under("easy", of, four_nodes());
  workload foreseen = of;
  for (job& one : foreseen.jobs) one.program.clear();
  cluster_run const by_forecasts = run_under("easy", foreseen, four_nodes());
  REQUIRE(by_programs.failures.empty());
  for (std::size_t j = 0; j < of.jobs.size(); ++j) {
    CAPTURE(j);
    CHECK(by_programs.jobs[j].start_s == doctest::Approx(by_forecasts.jobs[j].start_s).epsilon(1e-12));
    CHECK(by_programs.jobs[j].end_s == doctest::Approx(by_forecasts.jobs[j].end_s).epsilon(1e-12));
  }
}

TEST_CASE("programs give and take nodes at their borders, and do so again in the same way") {
  workload const of = three_jobs();
  for (std::string const name : {"equipartition", "efficiency"}) {
    CAPTURE(name);
    cluster_run const run = run_under(name, of, four_nodes());
    REQUIRE(run.failures.empty());
    CHECK(run.notes.empty());
    CHECK(csv_of({run}) == csv_of({run_under(name, of, four_nodes())}));
    if (name == "equipartition") CHECK(run.jobs[0].changes > 0);
  }
}

TEST_CASE("a program that dies, is silent, or says what cannot be is a failed job, and the others go on") {
  std::string text, expected;
  cluster_description on = four_nodes();
  std::string const started = R"(echo '{"report":"started","at_s":0,"nodes":[0,1]}' >&3; )";
  SUBCASE("it ends with an error") {
    text = "echo no such matrix >&2; exit 3";
    expected = "has ended: no such matrix";
  }
  SUBCASE("it is killed") {
    text = started + "kill -9 $$";
    expected = "has ended: was ended by signal 9";
  }
  SUBCASE("it says nothing") {
    text = "exec sleep 1000";
    on.patience_s = 4;  // which the other programs need less than, on a busy machine too
    expected = "has reported nothing for 4";
  }
  SUBCASE("it prints for ever") {
    text = "exec yes";
    on.patience_s = 4;
    expected = "has reported nothing for 4";
  }
  SUBCASE("it calls no graph") {
    text = "exit 0";
    expected = "has ended, and has not said so";
  }
  SUBCASE("it says no report") {
    text = "echo hello >&3; exec sleep 1000";
    expected = "its report: ";
  }
  SUBCASE("its time goes back") {
    text = started + R"(echo '{"report":"border","at_s":2,"iteration":1,"efficiency":1}' >&3; read a <&3;)" +
           R"(echo '{"report":"ended","at_s":1}' >&3)";
    expected = "reports a time that goes back";
  }
  SUBCASE("it has more nodes than it was given") {
    text = R"(echo '{"report":"started","at_s":0,"nodes":[0,1,3]}' >&3; exec sleep 1000)";
    expected = "has node 3 at work, expected those below 2";
  }
  SUBCASE("it gives back a node that nobody wants back") {
    text = started + R"(echo '{"report":"released","at_s":1,"node":1}' >&3; exec sleep 1000)";
    expected = "reports that it releases node 1, which nobody wants back";
  }
  SUBCASE("a node joins that is there") {
    text = started + R"(echo '{"report":"joined","at_s":1,"node":1}' >&3; exec sleep 1000)";
    expected = "reports that node 1 joins, which is there";
  }
  workload of = three_jobs();
  of.jobs.push_back(script(text));
  of.jobs.back().arrival_s = 0.03;
  cluster_run const run = run_under("fcfs", of, on);
  REQUIRE(run.failures.size() == 1);
  CHECK(run.failures.front().starts_with("job 'script' " + expected));
  CHECK(run.jobs[3].end == job_result::end_type::failed);
  for (std::size_t j = 0; j < 3; ++j) CHECK(run.jobs[j].end == job_result::end_type::completed);
}

/// At the border after iteration k its only job is to hold holds[k]; it starts on holds[0].
class as_listed final : public scheduler {
 public:
  explicit as_listed(std::vector<node_count> holds) : holds_(std::move(holds)) {}
  void decide(known const& now, std::vector<order>& orders) override {
    for (waiting_job const& one : now.waiting) orders.push_back({order::kind_type::start, one.number, holds_[0]});
    for (running_job const& one : now.running)
      if (one.at_border) orders.push_back({order::kind_type::hold, one.number, holds_.at(one.iterations)});
  }

 private:
  std::vector<node_count> holds_;
};

TEST_CASE("a node is held until its program has released it, however late and in whatever order") {
  job const late = [] {
    job made = script(R"(
      say() { echo "$1" >&3; }
      border() { say "{\"report\":\"border\",\"at_s\":$1,\"iteration\":$2,\"efficiency\":1}"; read a <&3; }
      say '{"report":"started","at_s":0,"nodes":[0,1,2,3]}'
      border 10 1
      say '{"report":"released","at_s":12,"node":1}'
      border 20 2
      say '{"report":"joined","at_s":21,"node":1}'
      say '{"report":"released","at_s":22,"node":3}'
      border 30 3
      say '{"report":"released","at_s":34,"node":1}'
      say '{"report":"ended","at_s":40}')");
    made.possible = {1, 2, 4};
    made.requested = 4;
    return made;
  }();
  workload const of{.name = "w", .jobs = {late}};
  as_listed decides({4, 1, 2, 1});
  cluster_description on = four_nodes();
  on.launch_s = 0;
  cluster_run const run = simulate(of, on, "as listed", decides);
  REQUIRE(run.failures.empty());
  // 0 to 3 until node 1 leaves at 12; again with it from 20 on; 3 leaves at 22, 1 at 34, and 2 never.
  CHECK(run.held_node_s == 4 * 12 + 3 * 8 + 4 * 2 + 3 * 12 + 2 * 6);
  CHECK(run.jobs[0].changes == 3);
}

TEST_CASE("a malleable job whose program has no borders runs as a rigid one, which is said once") {
  std::string const text =
      R"(echo '{"report":"started","at_s":0,"nodes":[0,1]}' >&3; echo '{"report":"ended","at_s":5}' >&3)";
  workload of{.name = "w", .jobs = {script(text), script(text)}};
  cluster_run const run = run_under("equipartition", of, four_nodes());
  CHECK(run.failures.empty());
  CHECK(run.notes == Lines{"'sh' says of no iteration that it has ended: its jobs are rigid"});
  CHECK(run.jobs[0].end_s == 5.5);
}

TEST_CASE("a forecast of another program is noticed") {
  workload of{.name = "w", .jobs = {lu("a", 0, {1, 2}, 2)}};
  of.jobs[0].expected = forecast({1, 2}, {{1}, {0.5}}, 9, 0);
  cluster_run const run = run_under("gain", of, four_nodes());
  REQUIRE(run.notes.size() == 1);
  CHECK(run.notes.front() == "the forecast of 'a' is of another program: it has 9 iterations, and its program did 6");
}

TEST_CASE("a program is ended at its limit, with all of its processes") {
  std::string const text =
      R"(echo '{"report":"started","at_s":0,"nodes":[0,1]}' >&3; echo '{"report":"border","at_s":200,"iteration":1,"efficiency":1}' >&3; exec sleep 1234)";
  workload of{.name = "w", .ends_jobs = true, .jobs = {script(text)}};
  cluster_run const run = run_under("fcfs", of, four_nodes());
  CHECK(run.jobs[0].end == job_result::end_type::ended_at_limit);
  CHECK(run.jobs[0].end_s == 100);
}

TEST_CASE("what a program did before its limit counts as work, also if it says something at that moment") {
  job ended = script(R"(
      say() { echo "$1" >&3; }
      say '{"report":"started","at_s":0,"nodes":[0,1,2,3]}'
      say '{"report":"border","at_s":40,"iteration":1,"efficiency":0.5}'; read a <&3
      say '{"report":"released","at_s":100,"node":3}'
      say '{"report":"released","at_s":100,"node":2}'
      say '{"report":"border","at_s":200,"iteration":2,"efficiency":1}'
      exec sleep 1234)");
  ended.possible = {2, 4};
  ended.requested = 4;
  workload const of{.name = "w", .ends_jobs = true, .jobs = {ended}};
  as_listed decides({4, 2});
  cluster_description on = four_nodes();
  on.launch_s = 0;
  cluster_run const run = simulate(of, on, "as listed", decides);
  REQUIRE(run.failures.empty());
  CHECK(run.jobs[0].end_s == 100);
  // At its limit it is about to say that another node has left; of the second iteration nobody knows more.
  CHECK(run.jobs[0].work_node_s == 4 * 40 * 0.5 + 2 * 60 * 0.5);
}

TEST_CASE("a run that is a job takes no plan of its own, and a link that is one") {
  auto const refused = [](Lines const& more, std::string const& link, std::string const& message) {
    Lines words{LU_SIMULATED, "--n", "144", "--block", "72", "--nodes", "2"};
    words.insert(words.end(), more.begin(), more.end());
    auto const ended = ovlp::base::run({words, "", {{"OVLP_CLUSTER", link}}, 30s});
    CHECK(ended.status == 2);
    CHECK(ended.err == "lu: " + message + "\n");
  };
  refused({}, "fd:77", "OVLP_CLUSTER: expected stdin, or fd:N with an open descriptor, got 'fd:77'");
  refused({}, "here", "OVLP_CLUSTER: expected stdin, or fd:N with an open descriptor, got 'here'");
  refused({}, "stdin",
          "this is a simulated program, whose time is not that of a real cluster: expected one that runs for real");
  auto const told = [](std::string const& line, std::string const& message) {
    auto const ended = ovlp::base::run({{HEAT_PROGRAM, "--rows", "100", "--columns", "100", "--nodes", "2"},
                                        line + "\n",
                                        {{"OVLP_CLUSTER", "stdin"}},
                                        30s});
    CHECK(ended.status == 2);
    CHECK(ended.err.starts_with("heat: " + message));
  };
  told("4711", "OVLP_CLUSTER=stdin: the first line of standard input: expected an object");
  told(R"({"address":"127.0.0.1","secret":"s","port":70000,"job":0})",
       "OVLP_CLUSTER=stdin: the first line of standard input: port: expected at most 65535, got 70000");
  told(R"({"address":"127.0.0.1","secret":"s","port":4711,"job":0,"hosts":[{"name":"a"}]})",
       "OVLP_CLUSTER=stdin: the first line of standard input: hosts[0].address: missing");
  refused({"--hold", "3"}, "", "--hold: expected at most the 2 of --nodes, got 3");
  refused({"--hold", "1", "--policy", "efficiency>=0.5"}, "",
          "--hold: expected none with --plan or --policy, which say it themselves");
}

/// A real run whose job the test is the server of.
class real_job {
 public:
  explicit real_job(node_count hold, Lines const& more = {})
      : run_({.words = words(hold, more), .environment = {{"OVLP_CLUSTER", "fd:3"}}, .talks_on = 3}) {}

  /// Its next report.
  json next() {
    std::string line;
    auto const heard = run_.hear(line, 60s);
    if (heard != process::heard::line) FAIL("no report:\n" << run_.out() << run_.err());
    return json::parse(line);
  }
  /// Its next report; notes what is at work.
  json note() {
    json told = next();
    if (told["report"] == "started") nodes = told["nodes"].get<std::set<int>>();
    if (told["report"] == "joined") nodes.insert(told["node"].get<int>());
    if (told["report"] == "released") nodes.erase(told["node"].get<int>());
    return told;
  }
  /// Its next border, or its end.
  json next_border() {
    for (;;) {
      json told = note();
      if (told["report"] == "border" || told["report"] == "ended") return told;
    }
  }
  void hold(node_count n) { run_.say(json{{"hold", n}}.dump(), 20s); }
  std::optional<int> wait() { return run_.wait(60s); }
  std::string text() { return run_.out() + run_.err(); }

  std::set<int> nodes;  ///< at work

 private:
  static Lines words(node_count hold, Lines const& more) {
    Lines all{HEAT_PROGRAM, "--rows", "300",      "--columns", "300", "--strips", "6",
              "--sweeps",   "40",     "--verify", "--nodes",   "3",   "--hold",   std::to_string(hold)};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  process run_;
};

TEST_CASE("two real runs exchange nodes through a server that answers when it likes") {
  real_job a(3), b(1);
  REQUIRE(a.next_border()["report"] == "border");
  REQUIRE(b.next_border()["report"] == "border");
  CHECK(a.nodes == std::set{0, 1, 2});
  CHECK(b.nodes == std::set{0});
  std::this_thread::sleep_for(300ms);  // both stand at a border: nothing may take that for a stall
  a.hold(1);
  bool asks = false;  // at the next border it waits, until its nodes have left
  while (a.nodes.size() > 1) asks = a.note()["report"] == "border" || asks;
  if (asks) a.hold(1);
  b.hold(3);
  for (real_job* const one : {&b, &a}) {
    node_count const held = one == &b ? 3 : 1;
    while (one->next_border()["report"] == "border") one->hold(held);
    CHECK(one->wait() == 0);
    CHECK(one->text().find("verified: equal") != std::string::npos);
  }
  CHECK(b.nodes == std::set{0, 1, 2});
}

TEST_CASE("a real run tells how efficient its iterations are, by what all of its nodes have done") {
  ovlp::testing::temporary_folder const folder;
  std::string const summary = folder.path() / "summary.json";
  real_job one(3, {"--summary", summary});
  double efficient_s = 0, before_s = 0, first_s = 0;
  for (json told = one.next_border(); told["report"] == "border"; told = one.next_border()) {
    double const at_s = told["at_s"];
    if (before_s == 0) {
      first_s = at_s;
    } else {
      efficient_s += told["efficiency"].get<double>() * (at_s - before_s);
    }
    before_s = at_s;
    one.hold(3);
  }
  REQUIRE(one.wait() == 0);
  double const of_the_call = json::parse(ovlp::base::read_file(summary))["efficiency"];
  // Without the first iteration and the last, which may take longer; the work of one node would be a third.
  CHECK(efficient_s / (before_s - first_s) == doctest::Approx(of_the_call).epsilon(0.3));
}

TEST_CASE("a real run ends when its server has gone") {
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
  ::fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  process run({.words = {HEAT_PROGRAM, "--rows", "100", "--columns", "100", "--nodes", "2", "--hold", "2"},
               .environment = {{"OVLP_CLUSTER", "fd:" + std::to_string(ends[1])}}});
  ::close(ends[1]);
  char byte = 0;
  CHECK(::recv(ends[0], &byte, 1, 0) == 1);  // it has started
  ::close(ends[0]);
  CHECK(run.wait(60s) == 1);
  CHECK(run.err().find("the server of the cluster has gone") != std::string::npos);
}

}  // namespace
