// SPDX-License-Identifier: BSD-3-Clause
// What DPS threads exchange, from the records of a run.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "study/exchanged.hpp"
#include "support/process.hpp"

namespace {

char const* const gigabit = PLATFORMS "/gigabit.json";

using namespace ovlp;
using lab::study::exchanged;
using ovlp::base::outcome;
using ovlp::testing::contents;
using ovlp::testing::temporary_folder;

operation_place place(std::uint32_t operation, std::uint32_t thread) { return {1, 0, 0, operation, thread, 0}; }

/// A master on node 0 that splits to three workers on nodes 0, 1 and 1, and merges what they give.
void begin(ovlp::run_collector& made) {
  run_definitions of{};
  of.nodes = 2;
  of.collections = {"master", "workers"};
  of.graphs = {{"g", {{"split", "ask", 0}, {"leaf", "work", 1}, {"merge", "collect", 0}}}};
  made.begin(of);
  std::vector<std::uint32_t> const master{0}, workers{0, 1, 1}, later{1, 0, 0};
  made.mapping({0, master, 0});
  made.mapping({1, workers, 0});
  made.mapping({1, later, 1});
}

}  // namespace

TEST_CASE("threads have exchanged what crossed between them, and what stayed counts as others of its port") {
  ovlp::run_collector records;
  begin(records);
  std::size_t const bytes[] = {0, 100, 300};
  for (std::uint32_t t = 0; t < 3; ++t) {
    object_key const asked{1, t, 1}, given{1, t, 2};
    records.post({place(0, 0), 0, asked, t, t == 0 ? 0U : 1U, 0});
    if (t > 0) records.send({1, message_kind::object, 0, 1, bytes[t], 0, asked});
    records.step({place(1, t), asked, 0, 1, 0.5 * (t + 1), 0});
    records.post({place(1, t), 0, given, 0, 0, 0});
    if (t > 0) records.send({1, message_kind::object, 1, 0, 10, 0, given});
  }
  records.send({0, message_kind::control, 0, 1, 0, 0, {}});
  ovlp::recorded_run const run = records.take();
  exchanged const seen(run);
  CHECK(seen.names() == std::vector<std::string>{"master[0]", "workers[0]", "workers[1]", "workers[2]"});
  CHECK(seen.nodes() == std::vector<std::vector<std::size_t>>{{0}, {0, 1, 1}});
  shared_memory::partition_problem const found = seen.problem();
  CHECK(found.nodes == 2);
  CHECK(found.bytes(0, 1) == 200 + 10);  // on the averages of what the others got and gave
  CHECK(found.bytes(0, 2) == 100 + 10);
  CHECK(found.bytes(0, 3) == 300 + 10);
  CHECK(found.bytes.sum() == 630);
  CHECK(found.work == std::vector<double>{0, 0.5, 1, 1.5});
}

TEST_CASE("a thread that joined later counts as the one whose place it would have had") {
  ovlp::run_collector records;
  begin(records);
  object_key const asked{1, 0, 1};
  records.post({place(0, 0), 0, asked, 4, 1, 0});
  records.send({1, message_kind::object, 0, 1, 8, 0, asked});
  ovlp::recorded_run const run = records.take();
  CHECK(exchanged(run).problem().bytes(0, 2) == 8);
}

TEST_CASE("ovlp threads show prints what the threads of a record have exchanged") {
  temporary_folder const folder;
  auto const file = [&](std::string const& name) { return (folder.path() / name).string(); };
  auto const run = [](std::vector<std::string> const& words) { return ovlp::base::run({words}); };
  REQUIRE(run({HEAT_SIMULATED, "--nodes", "3", "--strips", "3", "--rows", "60", "--columns", "50", "--sweeps", "4",
               "--platform", gigabit, "--record", file("run.sqlite")})
              .good());
  outcome const shown = run({OVLP_COMMAND, "threads", "show", file("run.sqlite"), "--csv", file("matrix.csv"),
                             "--picture", file("matrix.svg"), "-o", file("matrix.html")});
  REQUIRE_MESSAGE(shown.good(), shown.complaint());
  CHECK(shown.out.find("4 DPS threads") != std::string::npos);
  CHECK(shown.out.find("strips[0]           strips[1]") != std::string::npos);
  // Three strips, the program's main thread; strips that are not neighbours exchange only sums.
  CHECK(contents(file("matrix.svg")).find("<svg") != std::string::npos);
  CHECK(contents(file("matrix.html")).find("How much threads exchange") != std::string::npos);
  outcome const compared = run({OVLP_COMMAND, "threads", "compare", file("matrix.csv"), file("matrix.csv")});
  CHECK(compared.good());

  outcome const refused = run({OVLP_COMMAND, "threads", "show", file("run.sqlite"), "--phase", "1"});
  CHECK(refused.status == 1);
  CHECK(refused.err.find("--phase, --kind: expected what ovlp threads trace has written") != std::string::npos);
}
