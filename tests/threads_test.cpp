// SPDX-License-Identifier: BSD-3-Clause
// Programs that are compiled by ovlp-cc, traced, and looked at; and programs whose threads are put somewhere.
#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sched.h>
#include <signal.h>

#include <doctest/doctest.h>

#include <ovlp/base/files.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/threads/communication_file.hpp>
#include <ovlp/threads/mapping.hpp>

namespace {

using namespace ovlp::shared_memory;
using ovlp::base::outcome;
using ovlp::base::temporary_folder;
using words = std::vector<std::string>;

outcome run(words what, std::vector<std::pair<std::string, std::string>> const& environment = {}) {
  ovlp::base::command command{std::move(what), "", environment};
  command.time_limit = std::chrono::seconds(60);
  return ovlp::base::run(command);
}

struct traced {
  outcome ended;
  communication found;
};

traced trace(words const& options, words const& program,
             std::vector<std::pair<std::string, std::string>> const& environment = {}) {
  temporary_folder const folder;
  std::string const file = folder.path() / "run.json";
  words command{OVLP_COMMAND, "threads", "trace", "-o", file};
  command.insert(command.end(), options.begin(), options.end());
  command.emplace_back("--");
  command.insert(command.end(), program.begin(), program.end());
  traced all{run(command, environment), {}};
  CAPTURE(all.ended.err);
  REQUIRE(std::filesystem::exists(file));
  all.found = read_communication(file);
  return all;
}

using events = std::map<std::pair<std::size_t, std::size_t>, double>;

events events_of(communication_matrix const& of) {
  events all;
  for (std::size_t a = 0; a < of.threads(); ++a)
    for (std::size_t b = a + 1; b < of.threads(); ++b)
      if (of(a, b) != 0) all[{a, b}] = of(a, b);
  return all;
}

/// Of a program whose threads access memory one after the other.
communication in_turns(words turns, words const& options = {}, std::string const& program = INTERLEAVING) {
  turns.insert(turns.begin(), {program, "4"});
  traced all = trace(options, turns);
  CHECK(all.ended.good());
  CAPTURE(all.ended.err);
  CHECK(all.ended.err.empty());
  return all.found;
}

void check_interleavings(std::string const& program) {
  auto const relaxed = [&](words const& turns, words const& options = {}) {
    return events_of(in_turns(turns, options, program).whole().relevant());
  };
  // Loads and stores alike; threads without turns are there, and do nothing.
  CHECK(relaxed({"0w0", "1r0", "0r0", "1w0"}) == events{{{0, 1}, 3}});
  CHECK(relaxed({"0w0", "1r0", "2r0", "3r0", "0r0"}) ==
        events{{{0, 1}, 1}, {{0, 2}, 2}, {{1, 2}, 1}, {{1, 3}, 1}, {{2, 3}, 1}, {{0, 3}, 1}});
  // Of another block, and of the same one though not of the same bytes.
  CHECK(relaxed({"0w0", "1r64", "2b63"}) == events{{{0, 2}, 1}});
  CHECK(relaxed({"0w0", "1r64", "2b63"}, {"--block", "128"}) == events{{{0, 1}, 1}, {{0, 2}, 1}, {{1, 2}, 1}});
  CHECK(relaxed({"0w0", "1r1048568", "2r1048576"}, {"--block", "1048576"}) == events{{{0, 1}, 1}});
  // Over the border of two blocks.
  CHECK(relaxed({"0u60", "1r0", "2r64"}) == events{{{0, 1}, 1}, {{0, 2}, 1}});
  // Eight words by memcpy.
  CHECK(relaxed({"0w0", "1c0", "2r1048576"}) == events{{{0, 1}, 8}, {{1, 2}, 1}});
  // Structures as memcpy: eight words of a block.
  CHECK(relaxed({"0w0", "1m0", "2r1048576"}) == events{{{0, 1}, 8}, {{1, 2}, 1}});
  CHECK(relaxed({"0w0", "1l0", "2r1049536"}) == events{{{0, 1}, 8}, {{1, 2}, 1}});
  CHECK(in_turns({"1l0"}, {}, program).whole().accesses[1] == 256);
}

TEST_CASE("fixed interleavings give the matrices that are computed by hand") { check_interleavings(INTERLEAVING); }

#if defined(INTERLEAVING_CLANG)
TEST_CASE("a program compiled by Clang gives the same matrices") { check_interleavings(INTERLEAVING_CLANG); }
#endif

#if defined(COPIES)
TEST_CASE("arrays that Fortran assigns count as loops over their words, however they are copied") {
  auto const accesses = [](char const* which) {
    traced const all = trace({}, {COPIES, which});
    CHECK_MESSAGE(all.ended.good(), all.ended.complaint());
    return all.found.whole().accesses[0];
  };
  double const others = accesses("0");  // of the main program
  CHECK(accesses("1") - others == 1000);
  CHECK(accesses("2") - others == 2000);
  CHECK(accesses("3") - others == 1998);
  CHECK(accesses("4") - others == 1998);
}
#endif

TEST_CASE("simulated caches tell true and false communication apart") {
  words const tiny{"--definition", "accurate", "--caches", "1K:2:1,1K:2:2,1K:16:4"};
  communication_phase found = in_turns({"0w0", "1r0", "1r8", "2b63", "1r64"}, tiny).whole();
  CHECK(events_of(found.of_kind[0]) == events{{{0, 1}, 1}});
  CHECK(events_of(found.of_kind[1]) == events{{{0, 1}, 1}, {{0, 2}, 1}, {{1, 2}, 1}});
  CHECK(events_of(found.of_kind[2]) == events{});
  CHECK(found.accesses == std::vector<double>{1, 3, 1, 0});
  CHECK(found.private_accesses == std::vector<double>{0, 1, 0, 0});

  // 16 lines fit: 16 others push the first one out.
  words turns{"0w0"};
  for (int line = 1; line <= 16; ++line) turns.push_back("0w" + std::to_string(64 * line));
  turns.emplace_back("1r0");
  found = in_turns(turns, tiny).whole();
  CHECK(events_of(found.of_kind[0]) == events{});
  CHECK(events_of(found.of_kind[2]) == events{{{0, 1}, 1}});
}

TEST_CASE("memory that was freed is another's, if that is asked for") {
  words const turns{"0s", "0f", "1s"};
  CHECK(events_of(in_turns(turns).whole().relevant()) == events{{{0, 1}, 1}});
  CHECK(events_of(in_turns(turns, {"--clear-freed"}).whole().relevant()) == events{});
}

TEST_CASE("what is counted belongs to the phase that the program has begun") {
  communication const found = in_turns({"0w0", "1r0", "0psolve", "2r0", "0pend", "3r64", "0w64"});
  REQUIRE(found.phases.size() == 3);
  CHECK(found.phases[0].name.empty());
  CHECK(found.phases[1].name == "solve");
  CHECK(found.phases[2].name == "end");
  CHECK(events_of(found.phases[0].relevant()) == events{{{0, 1}, 1}});
  CHECK(events_of(found.phases[1].relevant()) == events{{{0, 2}, 1}, {{1, 2}, 1}});
  CHECK(events_of(found.phases[2].relevant()) == events{{{0, 3}, 1}});
  CHECK(found.phases[1].end_s == found.phases[2].begin_s);
  CHECK(found.phases[1].accesses == std::vector<double>{0, 0, 1, 0});
}

TEST_CASE("what was counted is there though the program is aborted") {
  traced const all = trace({}, {INTERLEAVING, "2", "0w0", "1r0", "0a"});
  CHECK(all.ended.status == 134);
  CHECK(all.ended.err.find("ended with status 134; what it counted is in") != std::string::npos);
  CHECK(events_of(all.found.whole().relevant()) == events{{{0, 1}, 1}});
}

TEST_CASE("what a child does is not counted, and that is said") {
  traced const all = trace({}, {INTERLEAVING, "2", "0w0", "1k0", "1r0"});
  CHECK(all.ended.good());
  CHECK(all.ended.err.find("the program forked 1 times: what its children did is not counted") != std::string::npos);
  CHECK(events_of(all.found.whole().relevant()) == events{{{0, 1}, 1}});
}

TEST_CASE("threads beyond those that are told apart are not observed, and that is said") {
  traced const all = trace({}, {MANY_THREADS, "4100"});
  CHECK(all.ended.good());
  CHECK(all.ended.err.find("5 threads beyond the first 4096 were not observed") != std::string::npos);
  CHECK(all.found.threads() == 4096);
  // Thread 0 is main(): the others have one access each, to the word of the two before.
  communication_matrix const matrix = all.found.whole().relevant();
  CHECK(matrix(1, 2) == 1);
  CHECK(matrix(4093, 4095) == 1);
  CHECK(matrix(4092, 4095) == 0);
}

/// Each thread of OpenMP reads what the next one of its team has written.
void check_team(std::string const& program) {
  traced const all = trace({}, {program}, {{"OMP_NUM_THREADS", "4"}});
  CHECK(all.ended.good());
  communication_matrix const matrix = all.found.whole().relevant();
  REQUIRE(matrix.threads() == 4);
  CHECK(matrix(0, 1) >= 1000);
  CHECK(matrix(1, 2) >= 2000);
  CHECK(matrix(2, 3) >= 3000);
  CHECK(matrix(0, 1) < 1500);  // beside what OpenMP itself does
  CHECK(matrix(1, 2) < 2500);
  CHECK(matrix(2, 3) < 3500);
  CHECK(matrix(0, 2) < 100);
  CHECK(matrix(1, 3) < 100);
}

TEST_CASE("threads of OpenMP have the numbers of their team") { check_team(TEAM); }
#if defined(TEAM_CLANG)
TEST_CASE("so have threads of Clang's OpenMP") { check_team(TEAM_CLANG); }
#endif

TEST_CASE("threads of a team that have ended give their numbers to later ones") {
  CHECK(trace({}, {TEAM, "100"}, {{"OMP_NUM_THREADS", "4"}}).found.threads() <
        104);  // 4, if they end in time; 204, if none does
}

TEST_CASE("threads of C are numbered as they are created, and run where a mapping says") {
  traced const all = trace({}, {C11});
  CHECK(all.ended.good());
  CHECK(all.ended.out.find("6 6\n") != std::string::npos);
  communication_matrix const matrix = all.found.whole().relevant();
  REQUIRE(matrix.threads() == 4);
  for (std::size_t t = 1; t < 4; ++t) {
    CHECK(matrix(0, t) >= 1000.0 * static_cast<double>(t));
    CHECK(matrix(0, t) < 1000.0 * static_cast<double>(t) + 100);  // beside their arguments and results
  }
}

TEST_CASE("what handlers of signals do is counted, wherever they leave to") {
  words const accurate{"--definition", "accurate"};
  for (words const& options : {words{}, accurate}) {
    for (char const* how : {"count", "leave"}) {
      CAPTURE(how);
      traced const all = trace(options, {SIGNALS, how});
      CHECK_MESSAGE(all.ended.good(), all.ended.complaint());
      CHECK(all.found.whole().relevant()(0, 1) == std::stod(all.ended.out));
    }
    traced const cancelled = trace(options, {SIGNALS, "cancel"});
    CHECK_MESSAGE(cancelled.ended.good(), cancelled.ended.complaint());
  }
}

TEST_CASE("an interruption is the program's to handle, and what it counted is kept") {
  temporary_folder const folder;
  std::string const file = folder.path() / "run.json";
  ovlp::base::process tracing({{OVLP_COMMAND, "threads", "trace", "-o", file, "--", SIGNALS, "wait"}});
  while (tracing.out().find("ready") == std::string::npos)
    REQUIRE_FALSE(tracing.wait(std::chrono::milliseconds(10)).has_value());
  tracing.kill(SIGTERM);
  std::optional<int> const status = tracing.wait(std::chrono::seconds(30));
  REQUIRE(status.has_value());
  CHECK(*status == 7);
  CHECK(read_communication(file).whole().accesses[0] > 0);
}

TEST_CASE("only the first traced program of a command is counted, and that is said") {
  std::string const program = INTERLEAVING;
  traced const all = trace({"--interval", "0.01"}, {"sh", "-c", program + " 2 0w0 1r0; " + program + " 3 0w0 2r0"});
  CHECK(all.ended.good());
  CHECK(all.ended.err.find("only the first traced program of the command was counted, not 1 that came later") !=
        std::string::npos);
  CHECK(events_of(all.found.whole().relevant()) == events{{{0, 1}, 1}});
}

TEST_CASE("an output that cannot be written is refused before the program runs") {
  temporary_folder const folder;
  std::string const made = folder.path() / "made";
  outcome const refused =
      run({OVLP_COMMAND, "threads", "trace", "-o", folder.path() / "none/run.json", "--", "touch", made});
  CHECK(refused.status == 1);
  CHECK(refused.err.find("cannot be written") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(made));
}

TEST_CASE("a program that was not compiled for it is refused, and so is one that there is not") {
  auto const fails = [](words const& options, words const& program, std::string const& why) {
    temporary_folder const folder;
    words command{OVLP_COMMAND, "threads", "trace", "-o", folder.path() / "run.json"};
    command.insert(command.end(), options.begin(), options.end());
    command.emplace_back("--");
    command.insert(command.end(), program.begin(), program.end());
    outcome const ended = run(command);
    CAPTURE(ended.err);
    CHECK(ended.status != 0);
    CHECK(ovlp::base::lines_of(ended.err).size() == 1);
    CHECK(ended.err.find(why) != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(folder.path() / "run.json"));
  };
  fails({}, {"true"}, "'true' has counted nothing: expected a program that was compiled and linked by ovlp-cc");
  fails({}, {"/no/such/program"}, "'/no/such/program' is not on PATH, or no file");
  fails({}, {}, "expected -- and a program");
  fails({"--block", "100"}, {INTERLEAVING, "1"}, "expected blocks of 64, 128, 256, ... up to 1048576 bytes, got 100");
  fails({"--caches", "1K:1:1"}, {INTERLEAVING, "1"}, "--caches: expected with --definition accurate");
  words const accurate{"--definition", "accurate", "--caches"};
  for (std::string const bad : {"1K:1:1", "1K:1:1,1K:1:1,1K:1:1,1K:1:1", "1G:1:1,1K:1:1,1K:1:1",
                                "1K:1:1,1K:1:1,1K:1:1,", "1K:1:1,1K:1:1,1K:1"}) {
    words options = accurate;
    options.push_back(bad);
    fails(options, {INTERLEAVING, "1"}, "--caches: expected three levels as SIZE:WAYS:SHARED-BY");
  }
  words options = accurate;
  options.emplace_back("1K:3:1,1K:1:1,1K:1:1");
  fails(options, {INTERLEAVING, "1"}, "caches: level 1: expected a size of so many ways");
  options.back() = "2K:1:1,1K:1:1,4K:1:1";
  fails(options, {INTERLEAVING, "1"}, "caches: level 2: expected at least the 2048 bytes of the level above, got 1024");
}

TEST_CASE("a traced program needs no tracer, and what it starts is not traced as it") {
  CHECK(run({INTERLEAVING, "2", "0w0", "1r0"}).good());
  traced const all = trace({}, {"sh", "-c", std::string(INTERLEAVING) + " 2 0w0 1r0"});
  CHECK(events_of(all.found.whole().relevant()) == events{{{0, 1}, 1}});
}

TEST_CASE("ovlp threads show, compare and map print what was found") {
  temporary_folder const folder;
  std::string const file = folder.path() / "run.json", csv = folder.path() / "run.csv",
                    picture = folder.path() / "run.svg", mapping = folder.path() / "mapping.json";
  communication const found = in_turns({"0w0", "3r0", "1w64", "2r64"});
  ovlp::base::write_file(file, json_of(found));
  outcome const shown = run({OVLP_COMMAND, "threads", "show", file, "--csv", csv, "--picture", picture});
  CHECK(shown.good());
  CHECK(shown.out.find("interleaving, 4 threads, blocks of 64 bytes") != std::string::npos);
  CHECK(ovlp::base::read_file(csv) == "0,0,0,1\n0,0,1,0\n0,1,0,0\n1,0,0,0\n");
  CHECK(ovlp::base::read_file(picture).find("<svg") != std::string::npos);
  outcome const compared = run({OVLP_COMMAND, "threads", "compare", file, csv});
  CHECK(compared.good());
  CHECK(compared.out.find("0.0000  " + csv) != std::string::npos);
  outcome const mapped = run({OVLP_COMMAND, "threads", "map", csv, "--topology", "core:2 PU:2", "-o", mapping});
  CHECK(mapped.good());
  CHECK(mapped.out.find("mapped    1.0000\n") != std::string::npos);
  CHECK(mapped.out.find("in order  2.0000\n  by chance 1.6667") != std::string::npos);
  CHECK(read_mapping(mapping).units == std::vector<std::size_t>{0, 2, 3, 1});
  outcome const missing = run({OVLP_COMMAND, "threads", "show", file, "--kind", "temporal_false"});
  CHECK(missing.status == 1);
  CHECK(missing.err.find("expected what was traced with --definition accurate") != std::string::npos);
}

TEST_CASE("a heat map of very many threads shows averages of groups of them") {
  temporary_folder const folder;
  std::string const file = folder.path() / "run.json", picture = folder.path() / "run.svg";
  communication many{"many", definition::relaxed, 64, {}, {{"", 0, 1, {communication_matrix(1500)}, {}, {}, {}}}};
  many.phases[0].accesses.assign(1500, 1);
  for (std::size_t t = 0; t + 1 < 1500; ++t) many.phases[0].of_kind[0].add(t, t + 1, 7);
  ovlp::base::write_file(file, json_of(many));
  outcome const shown = run({OVLP_COMMAND, "threads", "show", file, "--picture", picture});
  CHECK_MESSAGE(shown.good(), shown.complaint());
  std::string const drawn = ovlp::base::read_file(picture);
  CHECK(drawn.find("the average of 6 by 6 threads") != std::string::npos);
}

TEST_CASE("threads run where a mapping says") {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  REQUIRE(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
  std::vector<std::size_t> units;
  for (std::size_t unit = 0; unit < CPU_SETSIZE; ++unit)
    if (CPU_ISSET(unit, &allowed)) units.push_back(unit);
  if (units.size() < 2) return;
  temporary_folder const folder;
  std::string const mapping = folder.path() / "mapping.json";
  ovlp::base::write_file(mapping, json_of(thread_mapping{{units[1], units[0], units[1]}}));
  outcome const ended = run({OVLP_COMMAND, "threads", "run", "--map", mapping, "--", TEAM}, {{"OMP_NUM_THREADS", "3"}});
  CAPTURE(ended.err);
  CHECK(ended.good());
  auto lines = ovlp::base::lines_of(ended.out);
  std::ranges::sort(lines);
  auto const on = [](int thread, std::size_t unit) {
    return std::to_string(thread) + " of 3: " + std::to_string(unit);
  };
  CHECK(lines == words{on(0, units[1]), on(1, units[0]), on(2, units[1])});
  outcome const of_c = run({OVLP_COMMAND, "threads", "run", "--map", mapping, "--", C11});
  CHECK(of_c.out.find("1: " + std::to_string(units[0]) + "\n") != std::string::npos);
  CHECK(of_c.out.find("2: " + std::to_string(units[1]) + "\n") != std::string::npos);

  ovlp::base::write_file(mapping, json_of(thread_mapping{{1023}}));
  outcome const refused = run({OVLP_COMMAND, "threads", "run", "--map", mapping, "--", TEAM});
  CHECK(refused.status == 1);
  CHECK(refused.err.find("thread 0 is to run on unit 1023, which this process may not use or there is not") !=
        std::string::npos);
}

}  // namespace
