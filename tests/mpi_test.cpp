// SPDX-License-Identifier: BSD-3-Clause
// Runs whose processes mpirun starts and whose messages go over MPI. MPI_LAUNCHER is mpirun of the library under test.
#include <doctest/doctest.h>
#include <signal.h>

#include <chrono>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "support/process.hpp"

namespace {

using namespace std::chrono_literals;
using ovlp::base::outcome;
using words = std::vector<std::string>;

// A machine of few cores, on which tests run as root.
std::vector<std::pair<std::string, std::string>> const environment{{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                                                                   {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                                                                   {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
                                                                   {"OMPI_MCA_hwloc_base_binding_policy", "none"}};

words started(int processes, words const& program) {
  words all{MPI_LAUNCHER, "-n", std::to_string(processes)};
  all.insert(all.end(), program.begin(), program.end());
  return all;
}
words over_mpi(int processes, words program) {
  program.insert(program.end(), {"--transport", "mpi"});
  return started(processes, program);
}
/// Processes with command lines of their own.
words each_over_mpi(std::vector<words> const& programs) {
  words all{MPI_LAUNCHER};
  for (words const& program : programs) {
    if (all.size() > 1) all.emplace_back(":");
    all.insert(all.end(), {"-n", "1"});
    all.insert(all.end(), program.begin(), program.end());
  }
  return all;
}
outcome run(words const& command, std::vector<std::pair<std::string, std::string>> more = {}) {
  more.insert(more.begin(), environment.begin(), environment.end());
  return ovlp::base::run({command, "", more, 100s});
}

bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

/// Of the result, as the program prints it.
std::string checksum(outcome const& done) {
  CAPTURE(done.err);
  CAPTURE(done.out);
  CHECK(done.good());
  std::smatch found;
  REQUIRE(std::regex_search(done.out, found, std::regex("checksum +((0x)?[0-9a-f]+)")));
  return found[1];
}

words const lu{LU_PROGRAM, "--n", "512", "--block", "64"};
words with(words command, words const& more) {
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

void check_refused(outcome const& tried, std::string const& line) {
  CAPTURE(tried.err);
  CHECK(tried.status != 0);
  CHECK(!tried.timed_out);
  CHECK(tried.out == "");
  CHECK(ovlp::testing::count(tried.err, line) == 1);  // not by each process
}

}  // namespace

TEST_CASE("a program gives over MPI what it gives over TCP") {
  for (words const& program :
       {lu, with(lu, {"--graph", "pipelined", "--flow-control", "4"}), words{HADAMARD_PROGRAM, "--n", "256"},
        words{HEAT_PROGRAM, "--rows", "200", "--columns", "200", "--sweeps", "20"}}) {
    CAPTURE(program[0]);
    std::string const over_tcp = checksum(run(with(program, {"--nodes", "3"})));
    CHECK(checksum(run(over_mpi(3, program))) == over_tcp);
  }
}

TEST_CASE("nodes leave, wait, and join again, several times") {
  words const program = with(lu, {"--graph", "pipelined", "--flow-control", "4", "--remove", "2@2", "--add", "2@3",
                                  "--remove", "3@4", "--add", "1@5"});
  std::string const alone = checksum(run(lu));
  CHECK(checksum(run(over_mpi(4, program))) == alone);
}

TEST_CASE("processes that are no node, or never become one, wait for the end") {
  std::string const alone = checksum(run(lu));
  CHECK(checksum(run(over_mpi(4, with(lu, {"--nodes", "2"})))) == alone);
  CHECK(checksum(run(over_mpi(1, lu))) == alone);
}

TEST_CASE("objects larger than any buffer of the library's arrive whole") {
  // Two blocks of 2048: 32 MiB each.
  words const large{LU_PROGRAM, "--n", "4096", "--block", "2048"};
  CHECK(checksum(run(over_mpi(2, large))) == checksum(run(large)));
}

TEST_CASE("objects with much outside of buffers, in them, or in neither, arrive whole and in order") {
  words const load{FAILURES_APP, "--mode", "load", "--tasks", "20", "--lines", "20000"};
  outcome const over_tcp = run(with(load, {"--nodes", "3"}));
  REQUIRE(over_tcp.good());
  outcome const done = run(over_mpi(3, load));
  CAPTURE(done.err);
  CHECK(done.good());
  CHECK(done.out == over_tcp.out);
}

TEST_CASE("what an operation throws ends the run with its name, and what ends it by itself, too") {
  outcome const thrown = run(over_mpi(3, {FAILURES_APP, "--mode", "throw", "--node", "1"}));
  CAPTURE(thrown.err);
  CHECK(thrown.status != 0);
  CHECK(!thrown.timed_out);
  CHECK(contains(thrown.err + thrown.out, "deliberately wrong"));
  CHECK(contains(thrown.err + thrown.out, "node1"));
  outcome const ended = run(over_mpi(3, {FAILURES_APP, "--mode", "exit", "--node", "1"}));
  CHECK(ended.status != 0);
  CHECK(!ended.timed_out);
}

TEST_CASE("a run that can never end is ended with what waits") {
  outcome const stalled = run(over_mpi(2, {FAILURES_APP, "--mode", "stall"}));
  CAPTURE(stalled.err);
  CHECK(stalled.status != 0);
  CHECK(!stalled.timed_out);
  CHECK(contains(stalled.err + stalled.out, "the call can never end"));
}

TEST_CASE("a process that is killed, or goes on no more, ends the run") {
  int signal = 0;
  SUBCASE("killed") { signal = SIGKILL; }
  SUBCASE("stopped") { signal = SIGSTOP; }
  CAPTURE(signal);
  words const program =
      over_mpi(3, {FAILURES_APP, "--mode", "sleep", "--seconds", "60", "--tasks", "3", "--peer-timeout", "1.5"});
  ovlp::base::process run({program, "", environment});
  std::smatch found;
  std::string number;
  for (int i = 0; i < 300 && number.empty(); ++i) {
    std::string const said = run.err() + run.out();
    if (std::regex_search(said, found, std::regex("node 1 is at work: process ([0-9]+)\\."))) number = found[1];
    run.wait(100ms);
  }
  REQUIRE(!number.empty());
  ::kill(std::stoi(number), signal);
  auto const status = run.wait(40s);
  CAPTURE(run.err());
  REQUIRE(status.has_value());
  CHECK(*status != 0);
  if (signal == SIGSTOP) {  // node 0 sees it, or another node first
    CHECK(contains(run.err() + run.out(), "node1 is lost: "));
    CHECK(contains(run.err() + run.out(), "it has been silent"));
  }
  ::kill(std::stoi(number), SIGKILL);  // should it be left
}

TEST_CASE("processes that differ end the run with a line that says in what") {
  words first, second;
  std::string line;
  words const heat{HEAT_PROGRAM, "--rows", "100", "--sweeps", "4", "--transport", "mpi"};
  words const work{FAILURES_APP, "--transport", "mpi"};
  SUBCASE("options") {
    first = with(heat, {"--columns", "100"});
    second = with(heat, {"--columns", "50"});
    line = "heat: node1 was started with --columns 50, node0 with --columns 100\n";
  }
  SUBCASE("numbers of nodes") {
    first = with(heat, {"--nodes", "2"});
    second = with(heat, {"--nodes", "1"});
    line = "heat: node1 was started with --nodes 1, node0 with --nodes 2\n";
  }
  SUBCASE("parameters of operations") {
    first = work;
    second = work;
    second.insert(second.begin(), {"env", "FAILURES_OTHER_NUMBER=1"});
    line = "is 0.30000000000000004 on node1, 0.3 on node0\n";
  }
  SUBCASE("programs") {
    first = work;
    second = heat;
    line = "failures_app: node1 runs another program than node0: ";
  }
  outcome const tried = run(each_over_mpi({first, second}));
  CAPTURE(tried.out);
  CAPTURE(tried.err);
  CHECK(tried.status != 0);
  CHECK(!tried.timed_out);
  CHECK(ovlp::testing::count(tried.err + tried.out, line) == 1);
  CHECK(!contains(tried.out, "checksum"));
  CHECK(!contains(tried.out, "result"));
}

TEST_CASE("a process that ends before MPI has begun ends the run within --launch-timeout") {
  words const good = with(lu, {"--transport", "mpi", "--launch-timeout", "2"});
  std::string said;
  words bad;
  SUBCASE("with a wrong option") {
    bad = with(good, {"--bogus"});
    said = "--bogus";
  }
  SUBCASE("without --transport") {
    bad = lu;
    said = "lu: this is one of 3 processes that mpirun or srun has started: expected --transport mpi";
  }
  SUBCASE("with its help") {
    bad = with(good, {"--help"});
    said = "has not ended within the 2 s of --launch-timeout: others have not come to theirs\n";
  }
  for (int which = 0; which < 3; ++which) {
    std::vector<words> all(3, good);
    all[static_cast<std::size_t>(which)] = bad;
    auto const start = std::chrono::steady_clock::now();
    outcome const tried = run(each_over_mpi(all));
    CAPTURE(which);
    CAPTURE(tried.out);
    CAPTURE(tried.err);
    CHECK(tried.status != 0);
    CHECK(!tried.timed_out);
    CHECK(ovlp::testing::seconds_since(start) < 30);
    // Open MPI's mpirun may see it before the others do.
    CHECK((contains(tried.err, said) || contains(tried.err, "exiting improperly")));
  }
}

TEST_CASE("what is wrong with how MPI is used is said in a line") {
  words const alone = with(lu, {"--transport", "mpi"});
  check_refused(run(alone), "lu: --transport mpi: expected to be started by mpirun or srun");
  check_refused(run(started(2, lu)),
                "lu: this is one of 2 processes that mpirun or srun has started: expected --transport mpi");
  check_refused(run(over_mpi(2, with(lu, {"--nodes", "3"}))),
                "lu: --nodes 3: expected at most 2, as many processes as mpirun has started");
  check_refused(run(over_mpi(2, with(lu, {"--hosts", "/dev/null"}))),
                "lu: --hosts: expected none with --transport mpi");
  check_refused(run(over_mpi(2, lu), {{"OVLP_MODULE_DIR", "/nowhere"}}), "there is no module for it (/nowhere/ovlp_");
  // One process that says that it is one of three: another MPI's mpirun.
  check_refused(run(alone, {{MPI_SIZE_VARIABLE, "3"}}),
                "were started: expected mpirun and the MPI library to be of one");
}
