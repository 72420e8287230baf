// SPDX-License-Identifier: BSD-3-Clause
// What stored runs become for other tools, read back by readers that are not ours.
#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <ovlp/flowgraph/sanitizers.hpp>
#include <ovlp/records/run_recorder.hpp>
#include <ovlp/store/stored_run.hpp>

#include "exports/run_summary.hpp"
#include "support/process.hpp"
#include "support/run_on.hpp"
#include "support/sums.hpp"

namespace {

using namespace ovlp::testing;

struct Bin {
  std::vector<int> seen;
};

/// Objects go over a slow network to threads with state that move to other nodes between two calls, and on to a second
/// collection; operations wait for objects and for room in a window, and other operations run in their threads.
void store_run(temporary_folder const& folder, std::string const& file) {
  std::string const platform = folder.file("platform.json", R"({"name": "test", "reference_core": "any",
    "nodes": [{"count": 3, "cores": 2, "speed": 1}],
    "network": {"model": "star", "latency_s": 0.001, "bandwidth_Bps": 100000},
    "runtime": {"per_step_s": 1.3e-7, "per_object_s": 3.1e-7},
    "kernels": {"sort": {"coefficient_s": 1.7e-4, "exponents": [1]}, "scan": {"coefficient_s": 3.3e-5, "exponents": [0]}}})");
  simulate_on(3, {"--record", file, "--platform", platform, "--execution", "partial"}, [](ovlp::engine_base& run) {
    ovlp::threads<> const master{"master", "node0"}, second{"second, \"quoted\"", 2};
    ovlp::threads<Bin> bins{"bins", "node0 node1 node2 node1"};
    auto deal = ovlp::split("deal", master.at(0), cut).window(5);
    auto put = ovlp::leaf("put", bins.in_turn(), [](ovlp::here<Bin>& here, Number n) {
      here.iteration(1 + n.value / 10);
      here.state.seen.push_back(n.value);
      here.kernel("sort", {1 + n.value % 5}, [] {});
      here.kernel("scan", {1}, [] {});
      here.kernel("sort", {2}, [] {});
      return n;
    });
    auto pass = ovlp::leaf("pass", second.in_turn(), same);
    auto sum = ovlp::merge("sum", master.at(0), add);
    ovlp::graph const all = deal >> put >> pass >> sum;
    CHECK(run(all, Range{0, 30}).value == 435);
    run.remap(bins, "node2*2 node0*2");
    CHECK(run(all, Range{30, 40}).value == 345);
  });
}

ovlp::base::outcome export_run(std::string const& file, std::string const& format, std::string const& output,
                               std::vector<std::string> const& more = {}) {
  std::vector<std::string> words{OVLP_COMMAND, "export", file, "--to", format, "-o", output};
  words.insert(words.end(), more.begin(), more.end());
  return ovlp::base::run({std::move(words)});
}

/// All formats, by their readers.
void check_exports(temporary_folder const& folder, std::string const& file, run_summary const& expected,
                   std::vector<std::string> const& more = {}) {
  auto const write = [&](std::string const& format, std::string const& name) {
    std::string output = folder.path() / name;
    ovlp::base::outcome const done = export_run(file, format, output, more);
    CHECK(done.out == "");
    CHECK(done.err == "");
    REQUIRE(done.status == 0);
    return output;
  };
  SUBCASE("perfetto") { compare(read_perfetto(write("perfetto", "trace.pftrace")), expected); }
  SUBCASE("paraver") { compare(read_paraver(write("paraver", "trace.prv")), expected); }
#ifdef OTF2_PRINT
  SUBCASE("otf2") { compare(read_otf2(write("otf2", "otf2")), expected); }
#endif
}

void refuse(std::string const& why) { FAIL(why); }

}  // namespace

TEST_CASE("other tools read of a simulated run what it did, to the nanosecond") {
  temporary_folder const folder;
  std::string const file = folder.path() / "run.sqlite";
  store_run(folder, file);
  kept_records told;
  CHECK(ovlp::stored_run(file).read(told) == "");
  run_summary const expected = told.summary();
  // What is to be exported is there.
  CHECK(expected.kernels.at("sort") == 80);
  CHECK(expected.waited_ns.at("object") > 0);
  CHECK(expected.waited_ns.at("window") > 0);
  CHECK(expected.steps_of_iteration.at(4) > 0);
  for (char const* place : {"bins[0] node0", "bins[0] node2", "bins[3] node1", "bins[3] node0"})
    CHECK(expected.steps_at.contains(place));
  CHECK(expected.messages > 50);
  check_exports(folder, file, expected);
}

namespace {

/// As parts of a real run that have been joined: a clock that began somewhere, and no transfers.
struct joined_run {
  explicit joined_run(std::string const& file)
      : recorder(ovlp::make_run_recorder(file, {}, ovlp::emitters::one_thread, refuse)) {
    recorder->begin(names);
    recorder->mapping({0, nodes, start_s});
  }

  ovlp::operation_place place(std::uint32_t node, std::uint32_t thread) const { return {1, node, 0, 0, thread, 0}; }
  void step(std::uint32_t node, std::uint32_t thread, double from_s, double to_s,
            ovlp::object_key const& input = {}) const {
    recorder->step({place(node, thread), input, start_s + from_s, start_s + to_s, 0, 0});
  }
  void send(std::uint32_t source, std::uint32_t destination, double at_s, ovlp::object_key const& object) const {
    recorder->send({1, ovlp::message_kind::object, source, destination, 100 + object.place, start_s + at_s, object});
  }
  void deliver(std::uint32_t source, std::uint32_t destination, double at_s, ovlp::object_key const& object) const {
    recorder->delivery({ovlp::message_kind::object, source, destination, start_s + at_s, object});
  }

  void finish() const {
    recorder->end({start_s, "", {}});
    recorder->flush();
  }

  static constexpr double start_s = 71234.5;
  std::vector<std::uint32_t> const nodes{0, 1};
  ovlp::run_definitions const names{"app", "real", 3, 0, {"all"}, {{"graph", {{"leaf", "one", 0}}}}, {1, 0, 0}};
  std::shared_ptr<ovlp::record_sink> const recorder;
};

}  // namespace

TEST_CASE("of a real run messages are sends that were delivered, each way of a forwarded object") {
  temporary_folder const folder;
  std::string const file = folder.path() / "run.sqlite";
  ovlp::object_key const plain{7, 0, 0}, forwarded{7, 1, 0}, lost{7, 2, 0}, result{8, 3, 0xffffffff};
  {
    joined_run const run(file);
    run.step(0, 0, 0, 0.25);
    for (ovlp::object_key const& object : {plain, forwarded, lost})
      run.recorder->post({run.place(0, 0), 0, object, 1, 1, run.start_s + 0.25});
    run.step(1, 1, 0.5, 0.75, plain);
    run.step(2, 1, 1, 1.125, forwarded);  // it has moved
    run.send(0, 1, 0.25, plain);
    run.send(0, 1, 0.25, forwarded);
    run.send(0, 1, 0.25, lost);
    run.send(1, 2, 0.5, forwarded);
    run.send(1, 0, 0.75, result);
    run.recorder->send({1, ovlp::message_kind::control, 1, 0, 0, run.start_s, {}});
    run.deliver(0, 1, 0.375, forwarded);
    run.deliver(0, 1, 0.4375, plain);
    run.deliver(1, 2, 0.875, forwarded);
    run.deliver(1, 0, 1.5, result);
    run.recorder->delivery({ovlp::message_kind::control, 1, 0, run.start_s, {}});
    run.finish();
  }
  run_summary expected;
  expected.steps_of_operation = {{"one", 3}};
  expected.steps_of_iteration = {{0, 3}};
  expected.steps_at = {{"all[0] node0", 1}, {"all[1] node1", 1}, {"all[1] node2", 1}};
  expected.busy_ns = {{"all[0] node0", 250'000'000}, {"all[1] node1", 250'000'000}, {"all[1] node2", 125'000'000}};
  expected.messages = 4;
  expected.bytes_out = {{"node0", 201}, {"node1", 204}};
  expected.bytes_in = {{"node0", 103}, {"node1", 201}, {"node2", 101}};
  expected.bytes_between = {{{"all[0] node0", "all[1] node1"}, 201},
                            {{"all[1] node1", "all[1] node2"}, 101},
                            {{"runtime node1", "runtime node0"}, 103}};
  check_exports(folder, file, expected);
}

TEST_CASE("of a window there is what touches it") {
  temporary_folder const folder;
  std::string const file = folder.path() / "run.sqlite";
  {
    joined_run const run(file);
    ovlp::object_key const early{7, 0, 0}, late{7, 1, 0}, later{7, 2, 0};
    run.step(0, 0, 0, 0.25);
    run.step(1, 1, 0.5, 0.75, early);
    run.step(0, 0, 1, 1.125);
    for (ovlp::object_key const& object : {early, late, later})
      run.recorder->post({run.place(0, 0), 0, object, 1, 1, run.start_s + 0.25});
    run.send(0, 1, 0.25, early);
    run.deliver(0, 1, 0.375, early);
    run.send(0, 1, 0.25, late);
    run.deliver(0, 1, 0.5, late);
    run.send(0, 1, 0.875, later);
    run.deliver(0, 1, 1, later);
    run.finish();
  }
  run_summary expected;
  expected.steps_of_operation = {{"one", 1}};
  expected.steps_of_iteration = {{0, 1}};
  expected.steps_at = {{"all[1] node1", 1}};
  expected.busy_ns = {{"all[1] node1", 250'000'000}};
  expected.messages = 1;
  expected.bytes_out = {{"node0", 101}};
  expected.bytes_in = {{"node1", 101}};
  expected.bytes_between = {{{"all[0] node0", "all[1] node1"}, 101}};
  check_exports(folder, file, expected, {"--from", "0.4", "--until", "0.8"});
}

TEST_CASE("limits of other tools are said, and times beyond those of exports refused") {
  temporary_folder const folder;
  std::string const file = folder.path() / "run.sqlite";
  auto const wide = [&](std::uint32_t threads) {
    joined_run const run(file);
    run.recorder->mapping({0, std::vector<std::uint32_t>(threads, 0), run.start_s});
    run.step(0, 0, 0, 1);
    run.finish();
  };
  auto const says = [&](std::string const& format, std::string const& text) {
    ovlp::base::outcome const done = export_run(file, format, folder.path() / format);
    CHECK(done.good());
    CHECK(done.err == (text.empty() ? "" : "ovlp export: " + text + "\n"));
  };
  wide(65534);  // and one on node1, and node2 for itself
  says("paraver", "Paraver as it is usually built reads 65535 objects of a kind at most: these are 65536 threads");
  wide(65533);
  says("paraver", "");
#if defined(OTF2_PRINT) && !defined(OVLP_THREAD_SANITIZER) && !defined(OVLP_ADDRESS_SANITIZER)  // minutes with them
  wide(5000);
  says("otf2", "an archive of OTF2 has two files for each thread: here 10002");
#endif
  {
    joined_run const run(file);
    run.step(0, 0, 0, 9.3e9);
    run.finish();
  }
  ovlp::base::outcome const tried = export_run(file, "paraver", folder.path() / "long");
  CHECK(tried.status == 1);
  CHECK(tried.err.find("expected less than 9.2e9 s") != std::string::npos);
  CHECK(count(tried.err, "\n") == 1);
}

TEST_CASE("who exports a trace of an MPI program to a format of runs is told to replay it") {
  temporary_folder const folder;
  std::string const trace =
      folder.file("cg.mpitrace", "ovlp mpi trace 1\nname cg\ncommunicator 0\nrank 0\ncompute 1\nend 1\n");
  ovlp::base::outcome const tried = export_run(trace, "perfetto", folder.path() / "cg.pftrace");
  CHECK(tried.status == 1);
  CHECK(tried.err.find("ovlp replay " + trace + " --platform PLATFORM --record RECORD") != std::string::npos);
  CHECK(count(tried.err, "\n") == 1);
}

TEST_CASE("a page that cannot be written whole leaves the one before") {
  temporary_folder const folder;
  std::string const file = folder.path() / "run.sqlite", page = folder.file("page.html", "<!doctype html>before");
  joined_run(file).finish();
  ovlp::base::outcome const tried = ovlp::base::run(
      {{"/bin/sh", "-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" report \"$1\" -o \"$2\"", OVLP_COMMAND, file, page}});
  CHECK(tried.status == 1);
  CHECK(tried.err.ends_with("ovlp: " + page + ": cannot be written: File too large\n"));
  CHECK(contents(page) == "<!doctype html>before");
  CHECK_FALSE(std::filesystem::exists(page + ".new"));
}

TEST_CASE("a thread that tells by two clocks does one thing at a time") {
  temporary_folder const folder;
  std::string const file = folder.path() / "run.sqlite";
  {
    joined_run const run(file);
    run.step(1, 1, 0, 0.5);
    run.step(2, 1, 0.25, 1);  // here the clock is behind
    run.step(2, 1, 1, 1.25);
    run.finish();
  }
  run_summary expected;
  expected.steps_of_operation = {{"one", 3}};
  expected.steps_of_iteration = {{0, 3}};
  expected.steps_at = {{"all[1] node1", 1}, {"all[1] node2", 2}};
  expected.busy_ns = {{"all[1] node1", 500'000'000}, {"all[1] node2", 750'000'000}};
  check_exports(folder, file, expected);
}

TEST_CASE("what cannot be written is said in a line") {
  temporary_folder const folder;
  std::string const file = folder.path() / "run.sqlite", taken = folder.file("file", "");
  joined_run(file).finish();
  auto const refused = [&](std::string const& format, std::string const& output, std::string const& why) {
    ovlp::base::outcome const tried = export_run(file, format, output);
    CHECK(tried.status == 1);
    CHECK(tried.out == "");
    CHECK(tried.err == "ovlp: " + why + "\n");
  };
  refused("perfetto", "/no/such/trace", "'/no/such/trace': cannot be written: No such file or directory");
  refused("perfetto", "/dev/full", "'/dev/full': cannot be written: No space left on device");
  refused("paraver", "/no/such/trace", "'/no/such/trace.prv': cannot be written: No such file or directory");
#ifdef OTF2_PRINT
  refused("otf2", taken + "/x", "'" + taken + "/x': cannot be made: Not a directory");
  REQUIRE(export_run(file, "otf2", folder.path() / "otf2").status == 0);
  refused("otf2", folder.path() / "otf2",
          "'" + (folder.path() / "otf2").string() +
              "': an archive is there already: expected a new folder, or an empty one");
#else
  refused("otf2", folder.path() / "otf2",
          "OTF2 was not there when this ovlp was built: install libopen-trace-format2-dev and build again");
#endif
}
