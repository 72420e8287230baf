// SPDX-License-Identifier: BSD-3-Clause
// Programs that are compiled by ovlp-mpicc and so on, run, and looked at: mpi/traced.c, whose accesses can be counted.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <ovlp/base/csv.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/mpi/assemble.hpp>
#include <ovlp/mpi/describe.hpp>
#include <ovlp/mpi/trace_file.hpp>

#include <ovlp/base/text.hpp>

#include "support/process.hpp"

namespace {

using namespace ovlp::mpi;
using ovlp::base::outcome;
using ovlp::testing::temporary_folder;

/// By mpirun, with what it needs to run as root.
ovlp::base::command by_mpirun(std::vector<std::string> const& program, int ranks) {
  ovlp::base::command what{{MPI_LAUNCHER, "-n", std::to_string(ranks)}};
  if (std::string(MPI_LAUNCHER).ends_with("openmpi")) what.words.push_back("--oversubscribe");
  what.words.insert(what.words.end(), program.begin(), program.end());
  what.environment = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
  what.time_limit = std::chrono::seconds(40);
  return what;
}

outcome launch(std::string const& folder, std::vector<std::string> const& program, int ranks = 2) {
  ovlp::base::command what = by_mpirun(program, ranks);
  what.environment.emplace_back("OVLP_TRACE_FOLDER", folder);
  return ovlp::base::run(what);
}

/// What the ranks have written.
std::vector<raw::rank> traced(std::vector<std::string> const& program, int ranks = 2) {
  temporary_folder const folder;
  outcome const ended = launch(folder.path(), program, ranks);
  REQUIRE_MESSAGE(ended.good(), ended.err);
  return raw::read_ranks(folder.path());
}

struct message {
  std::uint64_t begin, end;
  std::vector<std::uint64_t> times;
};

/// The messages of one rank, with their profiles: those that it sent, or got.
template <class Kind>
std::vector<message> messages(raw::rank const& of) {
  std::vector<message> all;
  for (auto const& [place, its] : of.profiles) {
    if (std::holds_alternative<Kind>(of.events[place])) all.push_back({its.begin, its.end, its.times});
  }
  return all;
}

/// So many from this one on, each later by `step`.
std::vector<std::uint64_t> evenly(std::uint64_t first, std::size_t count, std::uint64_t step = 1) {
  std::vector<std::uint64_t> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(first + i * step);
  return all;
}
std::vector<std::uint64_t> operator+(std::vector<std::uint64_t> a, std::vector<std::uint64_t> const& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
std::vector<std::uint64_t> never(std::size_t count) { return std::vector<std::uint64_t>(count, raw::never); }

/// Element i of 64 is stored behind i accesses of others, and loaded backwards with 9 of others before each. The send
/// itself accesses its arguments so often.
void check_exchange(std::vector<raw::rank> const& ranks, std::uint64_t arguments = 0) {
  message const sent = messages<raw::send>(ranks[0]).at(0), got = messages<raw::receive>(ranks[1]).at(0);
  CHECK(sent.begin == 0);  // the rank's start
  REQUIRE(sent.times.size() == 64);
  REQUIRE(got.times.size() == 64);
  for (std::size_t i = 0; i < 64; ++i) {
    // Behind it: for each later element k its k others and itself.
    CHECK(sent.end - sent.times[i] - arguments == 64 * 65 / 2 - (i + 1) * (i + 2) / 2);
    CHECK(got.times[i] - got.begin == 10 * (64 - i));
  }
  CHECK(got.end >= got.begin + 640 + 100);  // the rank's end
}

TEST_CASE("the last store before a send and the first load after a receive are found, to the access") {
  check_exchange(traced({TRACED_C, "exchange"}));
}

#if defined(TRACED_FORTRAN)
TEST_CASE("calls and accesses of a Fortran program are traced, by its module mpi and by mpi_f08") {
  std::vector<raw::rank> ranks;
  SUBCASE("mpi") {
    ranks = traced({TRACED_FORTRAN});
    check_exchange(ranks);
  }
  SUBCASE("mpi_f08") {
    ranks = traced({TRACED_FORTRAN_08});
    // Constants are variables there, which are copied, and buffers have descriptors.
    message const sent = messages<raw::send>(ranks[0]).at(0);
    std::uint64_t const arguments = sent.end - sent.times.at(63);
    CHECK(arguments <= 16);
    check_exchange(ranks, arguments);
  }
  auto const sent = messages<raw::send>(ranks[0]);
  REQUIRE(sent.size() == 3);
  // The first row: 8 stores, of which the second column, stored later, shares an element.
  std::uint64_t const row = sent[1].times.at(0);
  std::vector<std::uint64_t> expected = evenly(row, 8);
  expected[1] = row + 8;
  CHECK(sent[1].times == expected);
  CHECK(sent[2].times == evenly(row + 8, 8));
  auto const& got = std::get<raw::receive>(ranks[1].events.at(2));
  CHECK(got.from == 0);
  CHECK(got.tag == 7);
  CHECK(std::holds_alternative<raw::counted_collective>(ranks[1].events.back()));
}
#endif

#if defined(TRACED_CLANG)
TEST_CASE("a program compiled by Clang has the same profiles") { check_exchange(traced({TRACED_CLANG, "exchange"})); }
#endif

TEST_CASE("an interval lasts from a send of this memory to the next one, whatever the buffers") {
  auto const ranks = traced({TRACED_C, "reuse"});
  auto const sent = messages<raw::send>(ranks[0]);
  REQUIRE(sent.size() == 6);
  std::uint64_t const second = sent[0].end, third = second + 100, fourth = third + 32;
  CHECK(sent[1].begin == second);
  CHECK(sent[1].end == third);
  CHECK(sent[1].times == evenly(second + 11, 32) + never(32));
  CHECK(sent[2].begin == third);
  CHECK(sent[2].end == fourth);
  CHECK(sent[2].times == never(16) + evenly(third + 1, 16));
  // Half of its memory has been sent just before.
  CHECK(sent[3].begin == third);
  CHECK(sent[3].end == fourth);
  CHECK(sent[3].times == evenly(third + 1, 32));
  // The same to another rank, and to it again.
  CHECK(sent[4].begin == third);
  CHECK(sent[4].times == sent[3].times);
  CHECK(sent[5].begin == fourth);
  CHECK(sent[5].times == never(32));
}

TEST_CASE("what is loaded belongs to the message that arrived there last") {
  auto const got = messages<raw::receive>(traced({TRACED_C, "reuse"})[1]);
  REQUIRE(got.size() == 4);
  CHECK(got[0].times == evenly(got[0].begin + 1, 64));
  CHECK(got[0].end == got[0].begin + 64);
  CHECK(got[1].begin == got[0].end);
  CHECK(got[1].times == never(40) + std::vector<std::uint64_t>{got[1].begin + 21} + never(23));
  CHECK(got[1].end == got[1].begin + 21);
  CHECK(got[2].times == never(32));
  CHECK(got[3].times == never(31) + std::vector<std::uint64_t>{got[3].begin + 2});
}

TEST_CASE("derived types are the bytes that they name, however they are made") {
  auto const ranks = traced({TRACED_C, "types"});
  auto const sent = messages<raw::send>(ranks[0]), got = messages<raw::receive>(ranks[1]);
  REQUIRE(sent.size() == 8);
  REQUIRE(got.size() == 8);
  for (std::size_t i = 0; i < 8; ++i) {
    CAPTURE(i);
    CHECK(sent[i].times == evenly(sent[i].times.at(0), 8));
    CHECK(sent[i].end - sent[i].times.at(7) >= 8);  // of the stores beside it none is the last
    CHECK(got[i].times == evenly(got[i].begin + 9, 8));
  }
}

/// Where in the interval, in %, the first element, a quarter, half and all of them are accessed, on average over
/// messages but the first sent, whose interval begins with the rank, and the last received, which is not loaded.
template <class Kind>
std::vector<double> pattern(raw::rank const& of) {
  auto all = messages<Kind>(of);
  REQUIRE(all.size() == 3);
  if constexpr (std::is_same_v<Kind, raw::receive>) std::rotate(all.begin(), all.begin() + 2, all.end());
  std::vector<double> sums(4);
  for (std::size_t i = 1; i < all.size(); ++i) {
    auto times = all[i].times;
    std::sort(times.begin(), times.end());
    // A part has been produced with its last element; having consumed it one can go on until the next one.
    std::size_t const count = times.size(), last = std::is_same_v<Kind, raw::send> ? 1 : 0;
    std::size_t const places[] = {0, count / 4 - last, count / 2 - last, count - 1};
    for (std::size_t part = 0; part < 4; ++part) {
      sums[part] += 100.0 * static_cast<double>(times[places[part]] - all[i].begin) /
                    static_cast<double>(all[i].end - all[i].begin) / static_cast<double>(all.size() - 1);
    }
  }
  return sums;
}

void check_within(std::vector<double> const& expected, std::vector<double> const& measured, double points) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CAPTURE(measured[i]);
    CHECK(std::abs(measured[i] - expected[i]) < points);
  }
}

TEST_CASE("programs with the patterns of the paper's Table II get its figures") {
  check_within({3.98, 27.98, 51.99, 99.97}, pattern<raw::send>(traced({PATTERNS, "rows"}, 4)[2]), 2);
  auto const faces = traced({PATTERNS, "faces"}, 4);
  check_within({99.1, 99.37, 99.56, 99.98}, pattern<raw::send>(faces[3]), 2);
  check_within({13.68, 13.71, 13.74}, pattern<raw::receive>(faces[3]), 2);
  check_within({66.3, 94.8, 98.2, 99.8}, pattern<raw::send>(traced({PATTERNS, "sweeps"}, 4)[1]), 4);
}

TEST_CASE("memcpy loads and stores word by word") {
  auto const ranks = traced({TRACED_C, "copies"});
  message const sent = messages<raw::send>(ranks[0]).at(0), got = messages<raw::receive>(ranks[1]).at(0);
  CHECK(sent.times == evenly(sent.end - 14, 8, 2));
  CHECK(got.times == evenly(got.begin + 5, 8, 2));
}

std::string line(raw::rank const& of, raw::event const& what) {
  auto const in = [&](std::uint32_t id) { return " in " + of.communicators[id].key; };
  auto const by = [](std::uint32_t request) { return request == none ? "" : " #" + std::to_string(request); };
  if (auto const* its = std::get_if<raw::send>(&what))
    return "send " + std::to_string(its->bytes) + " to " + std::to_string(its->to) + " tag " +
           std::to_string(its->tag) + in(its->communicator) + by(its->request) +
           (its->how == protocol::rendezvous ? " rendezvous" : "");
  if (auto const* its = std::get_if<raw::receive>(&what))
    return "receive " + std::to_string(its->bytes) + " from " + std::to_string(its->from) + " tag " +
           std::to_string(its->tag) + in(its->communicator) + by(its->request);
  if (auto const* its = std::get_if<raw::wait>(&what)) return "wait" + by(its->request);
  auto const& its = std::get<raw::counted_collective>(what);
  std::string text = "collective " + std::to_string(static_cast<int>(its.what)) + " root " + std::to_string(its.root) +
                     " gives " + std::to_string(its.bytes_sent) + " gets " + std::to_string(its.bytes_received);
  for (std::uint64_t const bytes : its.bytes_of_rank) text += " " + std::to_string(bytes);
  return text + by(its.request);
}

std::vector<std::string> lines(raw::rank const& of) {
  std::vector<std::string> all;
  for (raw::event const& what : of.events) all.push_back(line(of, what));
  return all;
}

std::string in_lines(raw::rank const& of) { return ovlp::base::joined(lines(of), "\n"); }

TEST_CASE("requests of all kinds are written as what came of them, with ranks of all and what wildcards got") {
  auto const ranks = traced({TRACED_C, "requests"});
  CHECK(lines(ranks[0]) ==
        std::vector<std::string>{
            "send 64 to 1 tag 7 in world:0/0:0 #0", "wait #0", "send 64 to 1 tag 7 in world:0/0:0 #1", "wait #1",
            "send 64 to 1 tag 7 in world:0/0:0 #2", "wait #2", "send 32 to 1 tag 8 in world:0/1:1 #3",
            "send 32 to 1 tag 9 in world:0/0:0 #4 rendezvous", "wait #3", "wait #4",
            "receive 64 from 1 tag 11 in world:0 #6", "send 64 to 1 tag 10 in world:0", "wait #6"});
  auto got = lines(ranks[1]);
  REQUIRE(got.size() == 13);
  if (got[8] == "wait #4") std::swap(got[8], got[9]);  // whichever ended first
  CHECK(got == std::vector<std::string>{
                   "receive 64 from 0 tag 7 in world:0/0:0 #0", "wait #0", "receive 64 from 0 tag 7 in world:0/0:0 #1",
                   "wait #1", "receive 64 from 0 tag 7 in world:0/0:0 #2", "wait #2",
                   "receive 32 from 0 tag 8 in world:0/1:1 #3", "receive 32 from 0 tag 9 in world:0/0:0 #4", "wait #3",
                   "wait #4", "receive 64 from 0 tag 10 in world:0 #5", "send 64 to 0 tag 11 in world:0", "wait #5"});
  REQUIRE(ranks[0].communicators.size() == 3);
  CHECK(ranks[0].communicators[2].ranks == std::vector<rank_id>{1, 0});
}

TEST_CASE("collective calls are written with what each rank gives and gets") {
  auto const ranks = traced({TRACED_C, "collectives"});
  CHECK(in_lines(ranks[0]) ==
        "collective 1 root 1 gives 0 gets 64\ncollective 7 root 0 gives 32 gets 32\n"
        "collective 4 root 0 gives 8 gets 32 8 24\ncollective 6 root 0 gives 32 gets 32 #0\nwait #0");
  CHECK(lines(ranks[1]).at(3) == "collective 6 root 0 gives 32 gets 0 #0");
}

TEST_CASE("threads that take turns are traced, and no more is granted") {
  auto const ranks = traced({CALLS, "threads"});
  for (raw::rank const& one : ranks) {
    CHECK(one.events.size() == 12);
    CHECK(one.end.compute_s > one.about.when.compute_s);
  }
  trace const made = assemble("threads", ranks, ranks).made;
  CHECK(made.ranks[0].profiles.size() == 12);
}

TEST_CASE("threads that are in MPI at once, although it was not granted, are refused") {
  temporary_folder const folder;
  outcome const ended = launch(folder.path(), {CALLS, "at_once"});
  CHECK_FALSE(ended.good());
  CHECK(ended.err.find("MPI_THREAD_MULTIPLE was asked for: a traced program gets MPI_THREAD_SERIALIZED") !=
        std::string::npos);
  CHECK(ended.err.find("two threads are in MPI at once") != std::string::npos);
}

TEST_CASE("both sides know an intercommunicator by one name, and its collective calls are said to be missing") {
  auto const ranks = traced({CALLS, "groups"});
  CHECK(lines(ranks[0]) ==
        std::vector<std::string>{"send 16 to 1 tag 5 in members 99 0 1/0:0", "collective 1 root 0 gives 8 gets 0"});
  CHECK(lines(ranks[1]) == std::vector<std::string>{"receive 16 from 0 tag 5 in members 99 0 1/0:0",
                                                    "collective 1 root 0 gives 0 gets 8"});
  trace const made = assemble("groups", ranks, ranks).made;
  CHECK(made.left_out ==
        std::vector<left_out_calls>{{"collective calls between the groups of an intercommunicator", 2, 2}});
}

TEST_CASE("collective calls of neighbours are messages between them") {
  auto const ranks = traced({CALLS, "neighbours"});
  // Which of several messages between two ranks is which, MPIs see in two ways.
  bool const by_direction = std::string(MPI_LAUNCHER).ends_with("openmpi");
  std::string const in = " in world:0/0:0 beside #", down = "0", up = by_direction ? "1" : "0";
  std::vector<std::string> expected;
  int request = 0;
  for (std::string const bytes : {"16", "24"}) {
    int const first = request;
    for (std::string const& tag : {up, down})
      expected.push_back("receive " + bytes + " from 1 tag " + tag + in + std::to_string(request++));
    for (std::string const& tag : {down, up})
      expected.push_back("send " + bytes + " to 1 tag " + tag + in + std::to_string(request++));
    for (int ended = first; ended < request; ++ended) expected.push_back("wait #" + std::to_string(ended));
  }
  expected.push_back("collective 5 root 0 gives 24 gets 16 8 16");
  CHECK(lines(ranks[0]) == expected);
  trace const made = assemble("neighbours", ranks, ranks).made;
  CHECK(made.left_out.empty());
  CHECK(made.communicators.size() == 3);
}

TEST_CASE("messages are received in the order in which they were matched") {
  auto const ranks = traced({CALLS, "matched"});
  CHECK(lines(ranks[1]) == std::vector<std::string>{"receive 8 from 0 tag 4 in world:0/0:0 #0",
                                                    "receive 16 from 0 tag 4 in world:0/0:0 #1", "wait #1", "wait #0"});
  assemble("matched", ranks, ranks);
}

/// Names of functions, from the lines of a command's output.
std::vector<std::string> names(std::vector<std::string> command, std::string const& pattern) {
  outcome const ended = ovlp::base::run({std::move(command)});
  REQUIRE_MESSAGE(ended.good(), ended.err);
  std::regex const name(pattern);
  std::set<std::string> all;
  for (std::sregex_iterator n(ended.out.begin(), ended.out.end(), name); n != std::sregex_iterator(); ++n)
    all.insert((*n)[1]);
  return {all.begin(), all.end()};
}

TEST_CASE("each function of MPI is traced, or said to be left out, or concerns this rank alone") {
  temporary_folder const folder;
  auto const declared =
      names({MPI_COMPILER, "-E", folder.file("all.c", "#include <mpi.h>\n")}, "\\b(MPI_[A-Z]\\w*) *\\(");
  CHECK(declared.size() > 350);
  auto const ours = names({"nm", "-D", "--defined-only", TRACER}, " [TWi] (MPI_\\w+)");
  std::regex const alone(
      // Whole groups of functions, which also have names that are larger
      "MPI_((T|Info|Op|Group|Type|Errhandler|Error|Add|Attr|Keyval|Status|Grequest|Get_(address|count|elements|"
      "library_version|processor_name|version|hw_resource)|Pack|Unpack|Aint|Message|Request_(c2f|f2c|get_status)|"
      "Win_(attach|detach|shared_query|call_errhandler)|File_(seek|call_errhandler)|Is_thread|Query_thread|Wt)\\w*|"
      // What asks for properties, or sets those of an object here
      "(Comm|Win|File|Session)_(get|set|c2f|f2c|call_errhandler|create_errhandler|create_keyval|delete_attr|free_"
      "keyval|"
      "compare|group|rank|size|remote_group|remote_size|test_inter|finalize)\\w*|"
      "(Cart|Graph|Dist_graph)_(coords|get|map|rank|shift|neighbors\\w*)|Cartdim_get|Graphdims_get|Dims_create|Topo_"
      "test|"
      "Abort|Alloc_mem|Free_mem|Buffer_\\w+|Cancel|Test_cancelled|Initialized|Finalized|Pcontrol|Register_datarep\\w*|"
      "Reduce_local(_c)?|Open_port|Close_port|Publish_name|Unpublish_name|Lookup_name|"
      "(COMM|WIN|TYPE)\\w*|DUP_FN|\\w*_function\\w*|\\w*_fn)");
  for (std::string const& name : declared) {
    CAPTURE(name);
    CHECK((std::binary_search(ours.begin(), ours.end(), name) || std::regex_match(name, alone)));
  }
}

TEST_CASE("the trace of a run has the times of another one, and the accesses evenly in each burst") {
  auto const recorded = traced({TRACED_C, "exchange"});
  temporary_folder const folder;
  outcome const ended = launch(folder.path(), {"env", "LD_PRELOAD=" + recorded[0].library, PLAIN_C, "exchange"});
  REQUIRE_MESSAGE(ended.good(), ended.err);
  auto timed = raw::read_ranks(folder.path());
  CHECK(timed[0].about.instrumented == 0);
  CHECK(timed[0].profiles.empty());

  // Rank 0: barrier, send. From its start to the barrier 1 s, to the send 4 s more.
  REQUIRE(timed[0].events.size() == 2);
  CHECK(timed[0].about.when.compute_s > 0);  // loading the program and MPI_Init
  timed[0].about.when.compute_s = 2;
  std::get<raw::counted_collective>(timed[0].events[0]).when.compute_s = 3;
  std::get<raw::send>(timed[0].events[1]).when.compute_s = 7;
  timed[0].end.compute_s = 8;
  trace const made = assemble("exchange", recorded, timed).made;
  auto const& records = made.ranks[0].records;
  REQUIRE(records.size() == 5);
  CHECK(std::get<compute>(records[0]).duration_s == doctest::Approx(1));
  CHECK(std::get<compute>(records[2]).duration_s == doctest::Approx(4));
  CHECK(std::get<compute>(records[4]).duration_s == doctest::Approx(1));
  auto const& sent = std::get<send>(records[3]);
  auto const& profile = made.ranks[0].profiles.at(sent.profile);
  CHECK(profile.begin_s == 0);
  CHECK(profile.end_s == doctest::Approx(5));
  // The burst has the 1 of `rank`, 64 and 2080 accesses; the last element is stored by its last one.
  CHECK(profile.shares.back() == doctest::Approx(1));
  CHECK(profile.shares.front() == doctest::Approx((1 + 4 * (1 + 64 + 1) / 2145.0) / 5));
}

void expect_refused(std::string const& why, auto const& what) {
  try {
    what();
    FAIL("expected: " << why);
  } catch (ovlp::config_error const& refused) {
    CAPTURE(refused.what());
    CHECK(std::string(refused.what()).find(why) != std::string::npos);
  }
}

TEST_CASE("a program that was not compiled for it is refused") {
  temporary_folder const folder;
  CHECK(launch(folder.path(), {PLAIN_C, "exchange"}).good());
  expect_refused("no rank has begun a trace", [&] { raw::read_ranks(folder.path()); });
}

TEST_CASE("the trace of a rank that died is refused, and so is every part of a trace") {
  temporary_folder const folder;
  CHECK_FALSE(launch(folder.path(), {TRACED_C, "dies"}).good());
  expect_refused("cut short", [&] { raw::read_ranks(folder.path()); });

  CHECK_FALSE(launch(folder.path(), {TRACED_C, "requests"}).good());  // somebody is those ranks already
  temporary_folder const other;
  CHECK(launch(other.path(), {TRACED_C, "requests"}).good());
  std::string const whole = ovlp::base::read_file(other.path() / "rank-1.raw");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    std::string const cut = folder.file("cut.raw", whole.substr(0, length));
    CHECK_THROWS_AS(raw::read_rank(cut), ovlp::config_error);
  }
}

TEST_CASE("ranks that disagree, and runs that do, are refused with the first call that differs") {
  auto const recorded = traced({TRACED_C, "collectives"});
  auto other = recorded;
  std::get<raw::counted_collective>(other[1].events[1]).what = operation::scan;
  expect_refused("rank 1, call 2: scan", [&] { assemble("x", other, other); });
  other = recorded;
  std::get<raw::counted_collective>(other[1].events[0]).what = operation::scan;
  expect_refused("its call 1 is the collective call broadcast where accesses, and the collective call scan where times",
                 [&] { assemble("x", recorded, other); });
  other = recorded;
  other[0].communicators[0].ranks = {1, 0};
  expect_refused("has other members than the other ranks say", [&] { assemble("x", other, other); });
}

outcome ovlp_trace(std::string const& folder, std::vector<std::string> const& options,
                   std::vector<std::string> const& program, int ranks = 2) {
  ovlp::base::command what = by_mpirun(program, ranks);
  std::vector<std::string> words{OVLP_COMMAND, "trace", "-o", folder};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back("--");
  what.words.insert(what.words.begin(), words.begin(), words.end());
  return ovlp::base::run(what);
}

/// These ranks on a machine that takes 5 ns for each access, whatever this one took.
std::vector<raw::rank> five_ns_an_access(std::vector<raw::rank> ranks) {
  auto const set = [](raw::moment& when) { when.compute_s = 5e-9 * static_cast<double>(when.clock); };
  for (raw::rank& one : ranks) {
    set(one.about.when);
    for (raw::event& what : one.events) std::visit([&](auto& its) { set(its.when); }, what);
    set(one.end);
  }
  return ranks;
}

/// How much faster a program of the patterns would be on the paper's machine, with six buses, by the pattern that it
/// has.
double gain_by_overlap(std::string const& pattern) {
  temporary_folder const folder;
  std::string const platform = folder.file("platform.json", R"({"name": "six buses", "reference_core": "any",
    "nodes": [{"count": 4, "cores": 1, "speed": 1}],
    "network": {"model": "bus", "latency_s": 8e-6, "bandwidth_Bps": 250e6, "buses": 6}})");
  auto const recorded = traced({PATTERNS, pattern}, 4);
  std::string const file = (folder.path() / "pattern.mpitrace").string();
  write_trace(assemble(pattern, recorded, five_ns_an_access(recorded)).made, file);
  outcome const studied =
      ovlp::base::run({{OVLP_COMMAND, "overlap", "study", file, "--platform", platform, "--csv", "-"}});
  REQUIRE_MESSAGE(studied.good(), studied.err);
  ovlp::base::csv_reader rows(studied.out, "csv", {"original_s", "measured_s"},
                              ovlp::base::csv_reader::other_columns::skipped);
  REQUIRE(rows.next());
  return rows.number(0) / rows.number(1) - 1;
}

TEST_CASE("a wavefront gains most by overlap, rows that are exchanged less, and faces packed before the send least") {
  double const rows = gain_by_overlap("rows"), faces = gain_by_overlap("faces"), sweeps = gain_by_overlap("sweeps");
  CHECK(sweeps > rows);
  CHECK(rows > faces);
  CHECK(rows > 0.05);
}

TEST_CASE("ovlp trace runs a program twice, and writes its trace") {
  temporary_folder const folder;
  outcome const ended = ovlp_trace(folder.path(), {"--untraced", PLAIN_C}, {TRACED_C, "exchange"});
  REQUIRE_MESSAGE(ended.good(), ended.err);
  trace const made = read_trace(folder.path() / "trace.mpitrace");
  REQUIRE(made.ranks.size() == 2);
  REQUIRE(made.ranks[0].profiles.size() == 1);
  CHECK(made.ranks[0].profiles[0].shares.size() == 64);
  CHECK(made.ranks[0].profiles[0].shares.back() == doctest::Approx(1));
  CHECK(std::filesystem::exists(folder.path() / "times" / "rank-1.raw"));
}

TEST_CASE("a program that makes more steps in the other run is traced as far as both go") {
  temporary_folder const folder;
  outcome const ended = ovlp_trace(folder.path(), {"--untraced", PLAIN_CALLS}, {CALLS, "steps"});
  REQUIRE_MESSAGE(ended.good(), ended.err);
  CHECK(
      ended.err.find("its call 10 is the collective call broadcast where accesses, and a send of 64 bytes where times "
                     "were recorded; the trace has what they have in common, up to collective call 2 of all ranks: ") !=
      std::string::npos);
  trace const made = read_trace(folder.path() / "trace.mpitrace");
  for (trace_of_rank const& rank : made.ranks) CHECK(std::ranges::count_if(rank.records, is_call) == 4);
}

TEST_CASE("who uses a trace says which calls it does not have") {
  temporary_folder const folder;
  outcome const ended = ovlp_trace(folder.path(), {}, {CALLS, "one_sided"});
  REQUIRE_MESSAGE(ended.good(), ended.err);
  std::string const left_out =
      "MPI_Put (1 call of 1 rank), MPI_Win_allocate_shared (2 of 2), MPI_Win_fence (4 of 2), MPI_Win_free (2 of 2)\n";
  CHECK(ended.err.find("ovlp trace: not in the trace: " + left_out) != std::string::npos);
  std::string const record = folder.path() / "replay.sqlite", platform = "gigabit";
  auto const says = [&](std::vector<std::string> words) {
    words.insert(words.begin(), OVLP_COMMAND);
    outcome const done = ovlp::base::run({words});
    REQUIRE_MESSAGE(done.good(), done.err);
    CAPTURE(done.err);
    CHECK(done.err.find(left_out) != std::string::npos);
  };
  says({"replay", folder.path(), "--platform", platform, "--record", record});
  says({"overlap", "study", folder.path(), "--platform", platform});
  says({"overlap", "potential", folder.path()});
  says({"export", folder.path(), "--to", "dimemas", "-o", folder.path() / "trace.dim"});
  says({"export", record, "--to", "csv", "-o", folder.path() / "tables"});
  says({"report", record, "-o", folder.path() / "page.html"});
}

TEST_CASE("programs are compiled and traced wherever ovlp is installed, also in folders with blanks in their names") {
  temporary_folder const folder;
  auto const made = folder.path() / "a prefix", program = made / "a program";
  std::filesystem::path const tracers = made / INSTALLED_TRACERS;
  std::filesystem::create_directories(made / "bin");
  std::filesystem::create_directories(tracers.parent_path());
  std::filesystem::create_directory_symlink(TRACERS, tracers);
  std::filesystem::copy_file(INSTALLED_WRAPPER, made / "bin/ovlp-mpicc");
  std::filesystem::permissions(made / "bin/ovlp-mpicc", std::filesystem::perms::owner_all);
  ovlp::base::command compile{{made / "bin/ovlp-mpicc", "-O1", "-w", "-o", program, SOURCE}};
  compile.environment = {{"OVLP_mpicc", MPI_COMPILER}};
  outcome const compiled = ovlp::base::run(compile);
  REQUIRE_MESSAGE(compiled.good(), compiled.complaint());
  check_exchange(traced({program, "exchange"}));
}

TEST_CASE("ovlp overlap study draws what a traced program would gain") {
  temporary_folder const folder;
  REQUIRE(ovlp_trace(folder.path(), {}, {PATTERNS, "rows"}, 4).good());
  std::string const picture = folder.path() / "gain.svg", platform = PLATFORMS "/10-gigabit.json";
  auto const study = [&](std::vector<std::string> const& more) {
    std::vector<std::string> words{OVLP_COMMAND, "overlap", "study",     folder.path(),
                                   "--platform", platform,  "--picture", picture};
    words.insert(words.end(), more.begin(), more.end());
    return ovlp::base::run({words});
  };
  outcome const alone = study({});
  CHECK(alone.status == 1);
  CHECK(alone.err.find("--picture: expected with --bandwidths") != std::string::npos);
  outcome const drawn = study({"--bandwidths", "1e7,1e8"});
  REQUIRE_MESSAGE(drawn.good(), drawn.complaint());
  CHECK(ovlp::base::read_file(picture).find("measured, latency 15 us") != std::string::npos);
}

TEST_CASE("ovlp trace says in one line what is wrong, and writes no trace") {
  temporary_folder const folder;
  auto const fails = [&](std::vector<std::string> const& options, std::string const& program, std::string const& why) {
    outcome const ended = ovlp_trace(folder.path(), options, {program, "exchange"});
    CAPTURE(ended.err);
    CHECK(ended.status == 1);
    CHECK(ovlp::testing::count(ended.err, "\n") == 1);
    CHECK(ended.err.find(why) != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(folder.path() / "trace.mpitrace"));
  };
  fails({}, PLAIN_C, "no rank has begun a trace");
  fails({"--untraced", "/bin/true"}, TRACED_C, "no rank has begun a trace");
}

}  // namespace
