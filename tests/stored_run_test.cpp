// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/records/run_recorder.hpp>
#include <ovlp/store/exports.hpp>
#include <ovlp/store/stored_run.hpp>

#include <ovlp/base/database.hpp>

#include "support/process.hpp"
#include "support/run_on.hpp"
#include "support/sums.hpp"

namespace {

using namespace ovlp::testing;
using ovlp::stored_run;

/// What an export has written, by file.
std::map<std::string, std::string> tables(std::filesystem::path const& folder) {
  std::map<std::string, std::string> all;
  for (auto const& entry : std::filesystem::directory_iterator(folder))
    all[entry.path().filename()] = contents(entry.path());
  return all;
}

std::size_t rows(std::string const& table) {
  return static_cast<std::size_t>(std::count(table.begin(), table.end(), '\n')) - 1;
}

ovlp::run_definitions const names{
    "app", "simulated", 2, 0, {"all"}, {{"the graph", {{"leaf", "the \"leaf\", quoted", 0}}}}, {1, 0.1}};

void refuse(std::string const& why) { FAIL(why); }

/// So many steps, one after another, and what goes with them.
void emit(ovlp::record_sink& into, std::size_t from, std::size_t to) {
  std::vector<std::int64_t> const sizes{3, -4};
  for (std::size_t i = from; i < to; ++i) {
    double const at_s = static_cast<double>(i) + std::sin(static_cast<double>(i));  // no pattern that packs well
    ovlp::operation_place const place{1, static_cast<std::uint32_t>(i % 2), 0, 0, 7, static_cast<std::int32_t>(i / 10)};
    ovlp::object_key const object{(std::uint64_t{1} << 63) + i, static_cast<std::uint32_t>(i), 0xffffffff};
    into.kernel({place, i % 3 == 0 ? "one" : "two", sizes, at_s, at_s + 0.1, 0.1});
    into.step({place, object, at_s, at_s + 0.2, 0.2, 0.1});
    into.delivery({ovlp::message_kind::control, 1, 0, at_s, {}});
  }
}

struct totals_sink final : ovlp::record_sink {
  void begin(ovlp::run_definitions const& of) override { totals = ovlp::run_totals(of); }
  void step(ovlp::step_record const& r) override { totals.add(r); }
  void wait(ovlp::wait_record const& r) override { totals.add(r); }
  void post(ovlp::post_record const& r) override { totals.add(r); }
  void send(ovlp::send_record const& r) override { totals.add(r); }
  ovlp::run_totals totals;
};

}  // namespace

TEST_CASE("a stored run tells what the run told, to the last bit") {
  temporary_folder const folder;
  std::string const file = folder.path() / "run.sqlite";
  std::shared_ptr<ovlp::record_sink> const direct = ovlp::make_csv_export(folder.path() / "direct");
  simulate_on(3, {"--record", file}, [&](ovlp::engine_base& run) {
    run.attach(direct);
    ovlp::threads<> const master{"master", "node0"}, workers{"workers", run.nodes()};
    auto split = ovlp::split("deal, \"out\"", master.at(0), cut).window(2);
    auto work = ovlp::leaf("work", workers.in_turn(), [](ovlp::here<>& here, Number n) {
      here.iteration(1 + n.value % 4);
      here.kernel("count", {n.value, 2}, [] {});
      return n;
    });
    auto merge = ovlp::merge("sum", master.at(0), add);
    CHECK(run(split >> work >> merge, Range{0, 40}).value == 780);
  });
  std::map<std::string, std::string> const told = tables(folder.path() / "direct");
  stored_run const stored(file);
  CHECK(stored.complete());
  CHECK(stored.about().at("application") == "test");
  CHECK(stored.definitions().nodes == 3);
  auto const again = ovlp::make_csv_export(folder.path() / "again");
  CHECK(stored.read(*again) == "");
  CHECK(tables(folder.path() / "again") == told);
  for (char const* table : {"step", "kernel", "wait", "post", "send", "delivery", "transfer", "node", "mapping", "call",
                            "graph", "operation", "collection"}) {
    CAPTURE(table);
    REQUIRE(told.contains(std::string(table) + ".csv"));
    CHECK(rows(told.at(std::string(table) + ".csv")) > 0);
  }
  CHECK(rows(told.at("kernel.csv")) == 40);
}

TEST_CASE("sums in the place of records are those of the same run's records") {
  temporary_folder const folder;
  std::string const file = folder.path() / "run.sqlite";
  auto const told = std::make_shared<totals_sink>();
  ovlp::run_totals const* const all = &told->totals;
  simulate_on(3, {"--record", file, "--record-only", "nodes"}, [&](ovlp::engine_base& run) {
    run.attach(told);
    ovlp::threads<> const master{"master", "node0"}, workers{"workers", run.nodes()};
    auto split = ovlp::split("deal", master.at(0), cut).window(2);
    auto work = ovlp::leaf("work", workers.in_turn(), [](ovlp::here<>& here, Number n) {
      here.iteration(1 + n.value % 4);
      here.kernel("count", {n.value, 2}, [] {});
      return n;
    });
    auto merge = ovlp::merge("sum", master.at(0), add);
    CHECK(run(split >> work >> merge, Range{0, 40}).value == 780);
  });
  stored_run const stored(file);
  CHECK(stored.complete());
  CHECK(stored.totals_only());
  CHECK(stored.records() == 0);
  CHECK_THROWS_WITH_AS(stored.expect_records(), doctest::Contains("run.sqlite': keeps sums only"), ovlp::config_error);
  ovlp::run_totals const totals = stored.totals();
  REQUIRE(totals.operations.size() == 1);
  for (std::size_t o = 0; o < totals.operations[0].size(); ++o) {
    CHECK(totals.operations[0][o].steps == all->operations[0][o].steps);
    CHECK(totals.operations[0][o].steps > 0);
    CHECK(totals.operations[0][o].computed_s == all->operations[0][o].computed_s);
  }
  REQUIRE(totals.calls.size() == 1);
  auto const& [call, work] = *totals.calls.begin();
  CHECK(work.over_time.bins_s == all->calls.at(call).over_time.bins_s);
  CHECK(work.iterations.size() == 4);
  for (auto const& [index, i] : work.iterations) {
    CHECK(i.start_s == all->calls.at(call).iterations.at(index).start_s);
    CHECK(i.end_s == all->calls.at(call).iterations.at(index).end_s);
    CHECK(i.work_s == all->calls.at(call).iterations.at(index).work_s);
  }
  REQUIRE(totals.nodes.size() == 3);
  for (std::size_t n = 0; n < 3; ++n) CHECK(totals.nodes[n].bins_s == all->nodes[n].bins_s);
  CHECK(!totals.waited.empty());
  CHECK(totals.waited.size() == all->waited.size());
  CHECK(totals.posted == all->posted);
  CHECK(!totals.sent.empty());
  for (auto const& [pair, of] : totals.sent) {
    CHECK(of.objects == all->sent.at(pair).objects);
    CHECK(of.bytes == all->sent.at(pair).bytes);
    CHECK(of.controls == all->sent.at(pair).controls);
  }
}

TEST_CASE("sums of two processes add up") {
  totals_sink one, two, both;
  for (totals_sink* sink : {&one, &two, &both}) sink->begin(names);
  emit(one, 0, 500);
  emit(two, 500, 1000);
  emit(both, 0, 1000);
  two.totals.add(one.totals);
  CHECK(two.totals.operations[0][0].steps == 1000);
  CHECK(two.totals.operations[0][0].work_s == doctest::Approx(both.totals.operations[0][0].work_s));
  CHECK(two.totals.calls.at(1).iterations.size() == both.totals.calls.at(1).iterations.size());
  for (auto const& [index, i] : both.totals.calls.at(1).iterations)
    CHECK(two.totals.calls.at(1).iterations.at(index).end_s == i.end_s);
  for (auto const& [from_s, to_s] : {std::pair{-10., 2000.}, {100., 600.}, {499., 501.}}) {
    double const expected = both.totals.calls.at(1).over_time.between(from_s, to_s);
    CHECK(std::abs(two.totals.calls.at(1).over_time.between(from_s, to_s) - expected) < 1000. / 4096 * 0.2);
  }
}

TEST_CASE("many blocks come back in order") {
  temporary_folder const folder;
  std::string const file = folder.path() / "run.sqlite";
  std::size_t const many = 200'000;
  {
    auto const recorder = ovlp::make_run_recorder(file, {{"more", "than, this"}}, ovlp::emitters::one_thread, refuse);
    recorder->begin(names);
    emit(*recorder, 0, many);
    recorder->flush();
  }
  auto const direct = ovlp::make_csv_export(folder.path() / "direct"),
             again = ovlp::make_csv_export(folder.path() / "again");
  direct->begin(names);
  emit(*direct, 0, many);
  direct->flush();
  stored_run const stored(file);
  CHECK(stored.about().at("more") == "than, this");
  std::size_t handed_on = 0, blocks = 0;
  CHECK(stored.read(*again, [&](std::size_t records) {
    handed_on += records;
    ++blocks;
  }) == "");
  CHECK(handed_on >= many);
  CHECK(handed_on == stored.records());
  CHECK(blocks > 3);
  CHECK((tables(folder.path() / "again") == tables(folder.path() / "direct")));
}

TEST_CASE("of a run that is killed everything is there up to its last block") {
  temporary_folder const folder;
  std::string const file = folder.path() / "run.sqlite";
  pid_t const child = ::fork();
  if (child == 0) {
    auto const recorder = ovlp::make_run_recorder(file, {}, ovlp::emitters::one_thread, refuse);
    recorder->begin(names);
    emit(*recorder, 0, 70'000);
    recorder->flush();
    emit(*recorder, 70'000, 80'000);
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  stored_run const stored(file);
  CHECK_FALSE(stored.complete());  // as it was when it was flushed
  auto const found = ovlp::make_csv_export(folder.path() / "found");
  CHECK(stored.read(*found) == "");
  CHECK(rows(tables(folder.path() / "found").at("step.csv")) == 70'000);
}

TEST_CASE("of a run that is killed while it writes, what was whole is there") {
  temporary_folder const folder;
  std::string const file = folder.path() / "run.sqlite";
  pid_t const child = ::fork();
  if (child == 0) {
    {
      auto const recorder = ovlp::make_run_recorder(file, {}, ovlp::emitters::one_thread, refuse);
      recorder->begin(names);
      emit(*recorder, 0, 70'000);
      recorder->flush();
    }
    ovlp::base::database open(file, ovlp::base::database::mode::update);
    open.run("PRAGMA cache_size = 1; BEGIN; DELETE FROM fact; DELETE FROM packed");  // more than it keeps in memory
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(std::filesystem::exists(file + "-journal"));
  auto const again = ovlp::make_csv_export(folder.path() / "again");
  stored_run const stored(file);
  CHECK(stored.complete());
  CHECK(stored.read(*again) == "");
  CHECK(rows(tables(folder.path() / "again").at("step.csv")) == 70'000);
}

TEST_CASE("no record takes the place of one that another run writes") {
  temporary_folder const folder;
  std::string const file = folder.path() / "run.sqlite";
  {
    auto const first = ovlp::make_run_recorder(file, {}, ovlp::emitters::one_thread, refuse);
    first->begin(names);
    CHECK_THROWS_WITH_AS(ovlp::make_run_recorder(file, {}, ovlp::emitters::one_thread, refuse),
                         doctest::Contains("run.sqlite': another run writes it"), ovlp::io_error);
    emit(*first, 0, 1000);
    first->flush();
    CHECK((stored_run(file).outcome() == ovlp::run_outcome::running));  // who reads it does no harm
    first->end({1, "", {}});
  }
  CHECK((stored_run(file).outcome() == ovlp::run_outcome::finished));
  ovlp::make_run_recorder(file, {}, ovlp::emitters::one_thread, refuse);  // it has ended
}

TEST_CASE("no record takes the place of what is no file") {
  temporary_folder const folder;
  std::string const pipe = folder.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THROWS_WITH_AS(ovlp::make_run_recorder(pipe, {}, ovlp::emitters::one_thread, refuse),
                       doctest::Contains("pipe': expected a file, or none yet"), ovlp::io_error);
  CHECK(std::filesystem::is_fifo(pipe));
}

TEST_CASE("a file that has been cut opens up to its last whole block") {
  temporary_folder const folder;
  std::string const file = folder.path() / "run.sqlite";
  {
    auto const recorder = ovlp::make_run_recorder(file, {}, ovlp::emitters::one_thread, refuse);
    recorder->begin(names);
    emit(*recorder, 0, 150'000);
    recorder->flush();
  }
  std::filesystem::resize_file(file, std::filesystem::file_size(file) * 3 / 4);
  stored_run const stored(file);
  auto const found = ovlp::make_csv_export(folder.path() / "found");
  std::string const damage = stored.read(*found);
  CAPTURE(damage);
  CHECK(damage.find("malformed") != std::string::npos);
  std::size_t const left = rows(tables(folder.path() / "found").at("step.csv"));
  CHECK(left > 0);
  CHECK(left < 150'000);
  CHECK(left % 65'536 == 0);
}

TEST_CASE("what is no record, or of another version, is refused in a line") {
  temporary_folder const folder;
  auto const refused = [](std::string const& file, std::string const& why) {
    std::string said;
    try {
      stored_run const stored(file);
    } catch (ovlp::io_error const& wrong) {
      said = wrong.what();
    }
    CAPTURE(said);
    CHECK(said.find(why) != std::string::npos);
    CHECK(said.find('\n') == std::string::npos);
    CHECK(said.find(file) != std::string::npos);
  };
  refused("/no/such.sqlite", "cannot be read: No such file");
  refused(folder.file("empty", ""), "expected a record of a run");
  refused(folder.file("text", std::string(5000, 'x')), "expected a record of a run");
  std::string const file = folder.path() / "run.sqlite";
  ovlp::make_run_recorder(file, {}, ovlp::emitters::one_thread, refuse)->begin(names);
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(63);  // the last byte of SQLite's user_version
  bytes.put(9);
  bytes.close();
  refused(file, "a record of version 9: expected version 3");
}

TEST_CASE("when the disk is full the run goes on, and what was stored is there") {
  temporary_folder const folder;
  std::string const file = folder.path() / "run.sqlite";
  std::string said;
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  auto const old = std::signal(SIGXFSZ, SIG_IGN);
  {
    auto const recorder =
        ovlp::make_run_recorder(file, {}, ovlp::emitters::one_thread, [&](std::string const& why) { said += why; });
    recorder->begin(names);
    emit(*recorder, 0, 70'000);
    recorder->flush();
    rlimit full = before;
    full.rlim_cur = std::filesystem::file_size(file);
    ::setrlimit(RLIMIT_FSIZE, &full);
    emit(*recorder, 70'000, 300'000);
    recorder->flush();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old);
  CHECK(said.starts_with("--record: '" + file + "': "));
  CHECK(said.ends_with("; what the run did from then on is missing there"));
  CHECK(said.find("--record", 1) == std::string::npos);  // once
  stored_run const stored(file);
  auto const found = ovlp::make_csv_export(folder.path() / "found");
  CHECK(stored.read(*found) == "");
  CHECK(rows(tables(folder.path() / "found").at("step.csv")) >= 70'000);
}
