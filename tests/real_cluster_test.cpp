// SPDX-License-Identifier: BSD-3-Clause
// Jobs that are real programs, in real time: docs/cluster.md.
#include <doctest/doctest.h>

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/sockets.hpp>

#include "results/stored_cluster.hpp"
#include "schedulers/scheduler.hpp"
#include "server/real_runs.hpp"
#include "server/server.hpp"
#include "support/process.hpp"

namespace {

using namespace std::chrono_literals;
using namespace ovlp::cluster;
using ovlp::testing::contents;
using Lines = std::vector<std::string>;

/// Sweeps of a plate, checked against ones that are done by one thread.
job heat(std::string name, double arrival_s, std::vector<node_count> possible, node_count requested, int sweeps = 60) {
  job made{.name = std::move(name), .arrival_s = arrival_s, .requested = requested, .possible = std::move(possible)};
  made.requested_s = 60;
  made.expected = forecast::rigid(requested, made.requested_s);
  made.program = {HEAT_PROGRAM,           "--rows",  "240", "--columns", "240", "--strips", "6", "--sweeps",
                  std::to_string(sweeps), "--verify"};
  return made;
}

/// A job that is no program of ours, or behaves as none does.
job script(std::string const& text, double arrival_s = 0) {
  job made = heat("script", arrival_s, {1, 2}, 2);
  made.program = {"sh", "-c", text};
  return made;
}

/// In the environment of this process, and so of all that come from it.
constexpr char const* own_variable = "OVLP_REAL_CLUSTER_TEST";

/// Processes that come from this one and live.
std::size_t left_behind() {
  std::string const sought = std::string(own_variable) + "=" + std::to_string(::getpid());
  std::size_t found = 0;
  for (auto const& entry : std::filesystem::directory_iterator("/proc")) {
    std::string const id = entry.path().filename();
    if (id.find_first_not_of("0123456789") != std::string::npos || id == std::to_string(::getpid())) continue;
    if (contents(entry.path() / "environ").find(sought) != std::string::npos) ++found;
  }
  return found;
}

/// Processes that come from this one, whose command line has both words.
std::vector<pid_t> running(std::string const& program, std::string const& word) {
  std::string const sought = std::string(own_variable) + "=" + std::to_string(::getpid());
  std::vector<pid_t> found;
  for (auto const& entry : std::filesystem::directory_iterator("/proc")) {
    std::string const id = entry.path().filename();
    if (id.find_first_not_of("0123456789") != std::string::npos) continue;
    std::string const words = contents(entry.path() / "cmdline");
    if (words.find(program) == std::string::npos || words.find(word) == std::string::npos) continue;
    if (contents(entry.path() / "environ").find(sought) != std::string::npos) found.push_back(std::stoi(id));
  }
  return found;
}

cluster_run run_really(workload const& of, node_count nodes, std::string const& scheduler, real_cluster const& on) {
  ::setenv(own_variable, std::to_string(::getpid()).c_str(), 1);
  cluster_run made = run_cluster(of, nodes, scheduler, *make_scheduler(scheduler), *make_real_runs(on));
  CHECK(made.real);
  CHECK(left_behind() == 0);
  return made;
}

bool verified(ovlp::testing::temporary_folder const& logs, int number) {
  return contents(logs.path() / (std::to_string(number) + ".txt")).find("verified: equal") != std::string::npos;
}

}  // namespace

TEST_CASE("real programs share nodes: those that come get nodes, and give them back") {
  ovlp::testing::temporary_folder const logs;
  workload const of{
      .name = "w",
      .jobs = {heat("a", 0, {1, 2, 4}, 4, 400), heat("b", 0.3, {1, 2, 4}, 2, 100), heat("rigid", 0.4, {2}, 2)}};
  for (std::string const scheduler : {"equipartition", "fcfs"}) {
    CAPTURE(scheduler);
    cluster_run const run = run_really(of, 4, scheduler, {.logs = logs.path().string()});
    CAPTURE(run.failures.empty() ? "" : run.failures.front());
    REQUIRE(run.failures.empty());
    for (std::size_t j = 0; j < of.jobs.size(); ++j) {
      CAPTURE(j);
      CHECK(run.jobs[j].end == job_result::end_type::completed);
      CHECK(verified(logs, static_cast<int>(j)));
    }
    if (scheduler == "equipartition") CHECK(run.jobs[0].changes > 0);
    if (scheduler == "fcfs") CHECK(run.jobs[1].start_s >= run.jobs[0].end_s);
  }
}

TEST_CASE("a real program that dies, is silent, or says what cannot be fails, nothing of it stays, and others go on") {
  std::string text, expected;
  double patience_s = 20;
  SUBCASE("it ends with an error, and leaves a process behind") {
    text = "setsid sleep 1000 & echo no such matrix >&2; exit 3";
    expected = "has ended: no such matrix";
  }
  SUBCASE("it is killed") {
    text = "kill -9 $$";
    expected = "has ended: was ended by signal 9";
  }
  SUBCASE("it never connects, and does not mind being told to end") {
    text = "trap '' TERM; sleep 1000; sleep 1000";
    patience_s = 5;  // which the other program needs less than, on a busy machine too
    expected = "has not started within 5 s: expected a program built on ovlp";
  }
  SUBCASE("it ends without a word") {
    text = "exit 0";
    expected = "has ended, and has not said so";
  }
  SUBCASE("it is a simulated program") {
    text = std::string("exec ") + LU_SIMULATED + " --nodes 2 --n 144 --block 72";
    expected = "has ended: lu: this is a simulated program, whose time is not that of a real cluster";
  }
  workload const of{.name = "w", .jobs = {script(text), heat("a", 0, {1, 2}, 2)}};
  cluster_run const run = run_really(of, 4, "fcfs", {.patience_s = patience_s});
  REQUIRE(run.failures.size() == 1);
  CHECK(run.failures.front().starts_with("job 'script' " + expected));
  CHECK(run.jobs[0].end == job_result::end_type::failed);
  CHECK(run.jobs[1].end == job_result::end_type::completed);
}

TEST_CASE("a real program that hangs is ended at its limit, with all that it has started") {
  job hangs = heat("hangs", 0, {1, 2}, 2, 1'000'000);
  hangs.requested_s = 1.5;
  workload const of{.name = "w", .ends_jobs = true, .jobs = {hangs, heat("a", 0.1, {2}, 2)}};
  cluster_run const run = run_really(of, 2, "fcfs", {});
  CHECK(run.failures.empty());
  CHECK(run.jobs[0].end == job_result::end_type::ended_at_limit);
  CHECK(run.jobs[0].end_s >= run.jobs[0].start_s + 1.5);
  CHECK(run.jobs[1].end == job_result::end_type::completed);
  CHECK(run.jobs[1].start_s >= run.jobs[0].end_s);
}

namespace {

/// So many hosts, all this machine, that another cluster on it, of another test, has not.
Lines own_hosts(int count) {
  Lines made;
  int const id = static_cast<int>(::getpid());
  for (int k = 1; k <= count; ++k)
    made.push_back("u@127." + std::to_string(k) + "." + std::to_string(id / 256 % 256) + "." +
                   std::to_string(id % 256));
  return made;
}

/// Starts programs on this machine, whatever the host; on those of a name with "dead" in it nothing.
std::string launcher_in(ovlp::testing::temporary_folder const& folder) {
  std::string const script =
      "#!/bin/sh\n"
      "echo \"$1\" >> '" +
      folder.path().string() +
      "/launched'\n"
      "case $1 in *dead*) echo \"no route to $1\" >&2; exit 255;; esac\n"
      "shift; exec \"$@\"\n";
  return folder.file("launch", script, true) + " {host} {program} {arguments}";
}

real_cluster on_hosts(ovlp::testing::temporary_folder const& folder, Lines const& names) {
  real_cluster made{.launch_template = launcher_in(folder)};
  for (std::string const& name : names) made.hosts.push_back(ovlp::base::host_of(name));
  return made;
}

}  // namespace

TEST_CASE("jobs on hosts are launched where the server says, and a host that cannot be reached is used no more") {
  ovlp::testing::temporary_folder const folder;
  Lines names = own_hosts(3);
  SUBCASE("all can be reached") {}
  SUBCASE("one cannot") { names[1] = "dead"; }
  bool const dead = names[1] == "dead";
  real_cluster const on = on_hosts(folder, names);
  workload const of{.name = "w",
                    .jobs = {heat("a", 0, {1, 2}, 2, 200), heat("b", 0, {1}, 1), heat("c", 0.1, {1, 2}, 2),
                             heat("large", 0.2, {3}, 3)}};
  cluster_run const run = run_really(of, 3, "fcfs", on);
  std::string const launched = contents(folder.path() / "launched");
  if (!dead) {
    CHECK(run.failures.empty());
    for (std::string const& name : names) CHECK(launched.find(name) != std::string::npos);
    return;
  }
  CHECK(run.failures == Lines{"job 'large' asks for 3 nodes, and 2 are left"});
  CHECK(run.notes == Lines{"host dead is not used any more: no route to dead"});
  CHECK(run.jobs[0].end == job_result::end_type::completed);
  CHECK(run.jobs[1].end == job_result::end_type::completed);
  CHECK(run.jobs[2].end == job_result::end_type::completed);
  CHECK(run.jobs[3].first_nodes == 0);
}

TEST_CASE("a job on hosts is ended at its limit, and its hosts are free when its processes have ended") {
  ovlp::testing::temporary_folder const folder;
  job hangs = heat("hangs", 0, {2}, 2, 1'000'000);
  hangs.requested_s = 2;
  workload const of{.name = "w", .ends_jobs = true, .jobs = {hangs, heat("a", 0.1, {2}, 2)}};
  cluster_run const run = run_really(of, 2, "fcfs", on_hosts(folder, own_hosts(2)));
  CHECK(run.failures.empty());
  CHECK(run.jobs[0].end == job_result::end_type::ended_at_limit);
  CHECK(run.jobs[1].end == job_result::end_type::completed);
}

TEST_CASE("a host that is lost while jobs run ends those that hold it, and the others go on") {
  ovlp::testing::temporary_folder const folder;
  Lines const names = own_hosts(2);
  real_cluster const on = on_hosts(folder, names);
  workload const of{.name = "w",
                    .jobs = {heat("a", 0, {1}, 1, 1'000'000), heat("b", 0, {1}, 1, 300), heat("large", 0, {2}, 2),
                             heat("c", 0.1, {1}, 1)}};
  // The first job has the first host; what watches that dies.
  std::jthread const kills([&] {
    ovlp::testing::eventually(30s, [&] {
      std::string const launched = contents(folder.path() / "launched");
      return launched.find(names[0], launched.find(names[1])) != std::string::npos;  // the job, after both watches
    });
    for (pid_t const id : running("ovlp-host", names[0].substr(2))) ::kill(id, SIGKILL);
  });
  std::string scheduler = "fcfs";
  SUBCASE("under a scheduler of ours") {}
  SUBCASE("under one of the user's, which is told of the job that can never start") { scheduler = EASY_SCHEDULER; }
  cluster_run const run = run_really(of, 2, scheduler, on);
  CHECK(run.failures ==
        Lines{"job 'large' asks for 2 nodes, and 1 are left", "job 'a' its host " + names[0] + " is lost"});
  CHECK(run.jobs[0].end == job_result::end_type::failed);
  CHECK(run.jobs[1].end == job_result::end_type::completed);
  CHECK(run.jobs[3].end == job_result::end_type::completed);
  REQUIRE(run.notes.size() == 1);
  CHECK(run.notes[0].starts_with("host " + names[0] + " is not used any more: "));
}

TEST_CASE("two servers do not use one host") {
  ovlp::testing::temporary_folder const folder;
  Lines const names = own_hosts(3);
  auto const first = make_real_runs(on_hosts(folder, {names[0], names[1]}));
  CHECK_THROWS_WITH_AS(make_real_runs(on_hosts(folder, {names[2], names[1]})),
                       doctest::Contains(("--hosts: " + names[1] + " is used by another cluster's server").c_str()),
                       ovlp::config_error);
  make_real_runs(on_hosts(folder, {names[2]}));
}

TEST_CASE("whoever connects to a cluster's server and does not know its secret is dropped, which is said") {
  Lines said;
  // The job hands on where the server listens, and says itself what a job would not.
  ovlp::testing::temporary_folder const folder;
  std::string const told = folder.path().string() + "/told";
  job intruder = script("read line; echo \"$line\" > " + told + ".new; mv " + told + ".new " + told + "; sleep 1000");
  workload const of{.name = "w", .jobs = {intruder}};
  std::jthread const connects([&] {
    if (!ovlp::testing::eventually(30s, [&] { return !contents(told).empty(); })) return;
    auto const line = nlohmann::json::parse(contents(told));
    int const link = ovlp::base::connect_to("127.0.0.1", line["port"]);
    std::string const hello = R"({"job":0,"secret":"guessed"})"
                              "\n";
    CHECK(::write(link, hello.data(), hello.size()) == static_cast<ssize_t>(hello.size()));
    char byte = 0;
    CHECK(::read(link, &byte, 1) <= 0);
    ::close(link);
  });
  cluster_run const run =
      run_really(of, 2, "fcfs", {.patience_s = 3, .complain = [&](std::string const& line) { said.push_back(line); }});
  CHECK(run.failures.size() == 1);
  CHECK(said == Lines{"a connection from 127.0.0.1 is dropped: it does not know the secret of this cluster"});
}

namespace {

std::string workload_file(ovlp::testing::temporary_folder const& folder) {
  auto const program = [](int sweeps) {
    return nlohmann::json{HEAT_PROGRAM, "--rows", "240",      "--columns",           "240",
                          "--strips",   "6",      "--sweeps", std::to_string(sweeps)};
  };
  nlohmann::json const nodes{{"requested", 2}, {"least", 1}, {"most", 2}};
  nlohmann::json jobs;
  jobs.push_back(
      {{"name", "short"}, {"arrival_s", 0}, {"nodes", nodes}, {"requested_s", 60}, {"program", program(10)}});
  jobs.push_back(
      {{"name", "long"}, {"arrival_s", 0}, {"nodes", nodes}, {"requested_s", 60}, {"program", program(1'000'000)}});
  jobs.push_back(
      {{"name", "later"}, {"arrival_s", 900}, {"nodes", nodes}, {"requested_s", 60}, {"program", program(10)}});
  return folder.file("w.json", nlohmann::json{{"workload", "w"}, {"nodes", 4}, {"jobs", jobs}}.dump());
}

}  // namespace

TEST_CASE("a cluster that is interrupted ends its jobs, and what is done is in its record") {
  ovlp::testing::temporary_folder const folder;
  std::string const record = folder.path() / "run.sqlite", logs = folder.path() / "logs";
  ::setenv(own_variable, std::to_string(::getpid()).c_str(), 1);
  ovlp::base::process server({.words = {OVLP_COMMAND, "cluster", workload_file(folder), "--real", "--scheduler", "fcfs",
                                        "-o", record, "--logs", logs}});
  auto const first_is_stored = [&] {
    try {
      return read_cluster(record).runs.front().jobs[0].end == job_result::end_type::completed;
    } catch (ovlp::error const&) {
      return false;
    }
  };
  REQUIRE(ovlp::testing::eventually(60s, first_is_stored));  // what is done is there, should the server be killed
  server.kill(SIGINT);
  CHECK(server.wait(60s) == 130);
  CHECK(left_behind() == 0);
  stored_cluster const kept = read_cluster(record);
  REQUIRE(kept.runs.size() == 1);
  CHECK(kept.runs[0].real);
  CHECK(kept.runs[0].jobs[0].end == job_result::end_type::completed);
  CHECK(kept.runs[0].jobs[1].end == job_result::end_type::unfinished);
  CHECK(kept.runs[0].jobs[2].end == job_result::end_type::unfinished);
  CHECK(kept.runs[0].jobs[2].first_nodes == 0);
}

TEST_CASE("of a server that is killed nothing is left on its hosts") {
  ovlp::testing::temporary_folder const folder;
  Lines const names = own_hosts(2);
  nlohmann::json const nodes{{"requested", 2}};
  nlohmann::json const stays{{"name", "stays"},
                             {"arrival_s", 0},
                             {"nodes", nodes},
                             {"requested_s", 60},
                             {"program", {"sh", "-c", "setsid sleep 1000 & sleep 1000"}}};
  std::string const workload =
      folder.file("w.json", nlohmann::json{{"workload", "w"}, {"nodes", 2}, {"jobs", {stays}}}.dump());
  std::string const hosts = folder.file("hosts", names[0] + "\n" + names[1] + "\n");
  ::setenv(own_variable, std::to_string(::getpid()).c_str(), 1);
  ovlp::base::process server({.words = {OVLP_COMMAND, "cluster", workload, "--real", "--scheduler", "fcfs", "--hosts",
                                        hosts, "--launch", launcher_in(folder), "--listen", "127.0.0.1"}});
  REQUIRE(ovlp::testing::eventually(60s, [&] { return running("sleep", "1000").size() >= 2; }));
  CHECK(!running("ovlp-host", names[0].substr(2)).empty());
  server.kill(SIGKILL);  // not its group: those that it has started are told by nobody
  CHECK(ovlp::testing::eventually(60s, [&] { return left_behind() == 0; }));
}
