// SPDX-License-Identifier: BSD-3-Clause
// How a run ended: what its record says of that, and all who read it.
#include <doctest/doctest.h>

#include <signal.h>

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <ovlp/base/database.hpp>
#include <ovlp/records/run_recorder.hpp>
#include <ovlp/store/open_run.hpp>

#include "support/process.hpp"

using namespace ovlp::testing;
using ovlp::run_outcome;
using ovlp::base::outcome;
using ovlp::base::run;

namespace {

using words = std::vector<std::string>;

constexpr char const* programs[]{FAILURES_APP, FAILURES_SIMULATED};

std::string first_line(std::string const& text) { return text.substr(0, text.find('\n')); }

outcome ovlp_command(words arguments) {
  arguments.insert(arguments.begin(), OVLP_COMMAND);
  return run({arguments});
}

/// The text of the page's runs, columns aside.
nlohmann::json told_by(std::string const& page) {
  std::string const mark = "id=\"runs\">";
  std::size_t const from = page.find(mark) + mark.size();
  return nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
}

/// A run that fails, and its record.
std::string failed_run(temporary_folder const& folder, std::string const& program, std::string const& mode,
                       words const& more = {}) {
  std::string file = folder.path() / (mode + ".sqlite");
  words all{program, "--nodes", "2", "--mode", mode, "--record", file};
  all.insert(all.end(), more.begin(), more.end());
  CHECK(run({all}).status == 1);
  return file;
}

}  // namespace

TEST_CASE("a record says that the run failed, and why, whatever ended it") {
  temporary_folder const folder;
  for (std::string const program : programs) {
    CAPTURE(program);
    for (auto const& ending : {std::pair{"throw", "deliberately wrong"},
                               {"stall", "the call can never end: nothing runs, nothing is in flight"},
                               {"throw-last", "the merge is wrong"}}) {
      char const *const mode = ending.first, *const why = ending.second;
      CAPTURE(mode);
      // Also where nobody catches it, and the engine is not destroyed.
      for (words const& uncaught : {words{}, words{"--uncaught"}}) {
        auto const stored = ovlp::open_run(failed_run(folder, program, mode, uncaught));
        CHECK((stored->outcome() == run_outcome::failed));
        std::string const said = stored->reservation();
        CAPTURE(said);
        CHECK(said.starts_with("the run failed: "));
        CHECK(said.find(why) != std::string::npos);
        CHECK(lines_of(said).size() == 1);
      }
    }
  }
}

TEST_CASE("a record of a run that has finished says so, and readers nothing") {
  temporary_folder const folder;
  for (std::string const program : programs) {
    std::string const file = folder.path() / "good.sqlite";
    REQUIRE(run({{program, "--nodes", "2", "--record", file}}).good());
    auto const stored = ovlp::open_run(file);
    CHECK((stored->outcome() == run_outcome::finished));
    CHECK(stored->complete());
    CHECK(stored->reservation().empty());
  }
}

TEST_CASE("a record says that a node was lost, and that a run that was killed has not ended") {
  temporary_folder const folder;
  for (bool const driver : {false, true}) {
    std::string const file = folder.path() / (driver ? "driver.sqlite" : "node.sqlite"), marker = file + " marks it";
    ovlp::base::process app(
        {{FAILURES_APP, "--nodes", "2", "--mode", "sleep", "--seconds", "60", "--marker", marker, "--record", file}});
    REQUIRE(prints(app, "is at work", 30s, 2));
    REQUIRE(eventually(30s, [&] { return ovlp::stored_run(file).about().contains("outcome"); }));
    std::string const said = app.err();
    std::size_t const at = said.find(driver ? "node 0 is at work: process " : "node 1 is at work: process ");
    REQUIRE(at != std::string::npos);
    ::kill(std::stoi(said.substr(said.find("process ", at) + 8)), SIGKILL);
    CHECK(eventually(30s, [&] { return processes_with(marker).empty(); }));
    auto const stored = ovlp::open_run(file);
    CAPTURE(stored->reservation());
    CHECK((stored->outcome() == (driver ? run_outcome::running : run_outcome::failed)));
    if (driver) CHECK(stored->reservation() == "the run has not ended, or was killed; this is what it did so far");
    else CHECK(stored->reservation().find("node1 is lost") != std::string::npos);
  }
}

TEST_CASE("of a record of an older ovlp it is said that how the run ended is not known") {
  temporary_folder const folder;
  std::string const file = folder.path() / "old.sqlite";
  REQUIRE(run({{FAILURES_SIMULATED, "--nodes", "2", "--record", file}}).good());
  {
    ovlp::base::database opened(file, ovlp::base::database::mode::update);
    opened.run("DELETE FROM fact WHERE name IN ('outcome', 'ended_s')");
  }
  ovlp::stored_run const stored(file);
  CHECK((stored.outcome() == run_outcome::unknown));
  CHECK(stored.complete());
  CHECK(stored.reservation() == "whether the run finished or failed is not recorded");
  CHECK(first_line(ovlp_command({"metrics", file}).out) == stored.reservation());
}

TEST_CASE("who reads the record of a failed run says so first") {
  temporary_folder const folder;
  for (std::string const program : programs) {
    CAPTURE(program);
    std::string const file = failed_run(folder, program, "throw"), page = folder.path() / "page.html";
    std::string const why = ovlp::open_run(file)->reservation();

    outcome const metrics = ovlp_command({"metrics", file});  // no call has ended: there are no figures
    CHECK(metrics.status == 1);
    CHECK(metrics.out.empty());
    CHECK(metrics.err.find("'" + file + "': " + why) != std::string::npos);

    outcome const report = ovlp_command({"report", file, "-o", page});
    if (report.good()) {  // else built without pages
      CHECK(first_line(report.err).find(why) != std::string::npos);
      nlohmann::json const told = told_by(contents(page)).at(0);
      CHECK(told.at("reservation") == why);
      nlohmann::json const& call = told.at("calls").at(0);
      CHECK(call.at("ended") == false);
      CHECK(call.at("efficiency").is_null());
      CHECK(call.at("windows").empty());
      for (auto const& i : call.at("iterations")) CHECK(i.at("efficiency").is_null());
    }

    for (auto const& each : {std::tuple{"csv", "tables", "tables/run.csv"},
                             {"paraver", "run.prv", "run.row"},
                             {"perfetto", "run.pftrace", "run.pftrace"}}) {
      auto const* const format = std::get<0>(each);
      auto const *const output = std::get<1>(each), *const where = std::get<2>(each);
      outcome const exported = ovlp_command({"export", file, "--to", format, "-o", folder.path() / output});
      CAPTURE(format);
      CHECK(exported.good());
      CHECK(first_line(exported.err) == "ovlp export: '" + file + "': " + why);
      std::string written = contents(folder.path() / where);
      std::erase(written, '"');  // of CSV
      std::string quoted = why;
      std::erase(quoted, '"');
      CHECK(written.find(quoted) != std::string::npos);
    }
  }
}

TEST_CASE("the files that options ask for say that the run failed, and plots of them too") {
  temporary_folder const folder;
  for (std::string const program : programs) {
    CAPTURE(program);
    std::string const summary = folder.file("summary.json", R"({"application": "of an earlier run"})"),
                      csv = folder.path() / "e.csv";
    std::string const trace = folder.path() / "trace";
    failed_run(folder, program, "throw", {"--summary", summary, "--efficiency", csv, "--trace", trace});
    CHECK(count(contents(trace), " node0 failed operation 'work' in thread ") == 1);
    nlohmann::json const said = nlohmann::json::parse(contents(summary));
    CHECK(said.at("failure").get<std::string>().find("deliberately wrong") != std::string::npos);
    CHECK_FALSE(said.contains("efficiency"));
    CHECK_FALSE(said.contains("time_s"));
    outcome const plot = ovlp_command({"plot", "efficiency", csv, "-o", folder.path() / "e.svg"});
    CHECK(plot.status == 1);
    CHECK(plot.err.starts_with("ovlp: " + csv + ": the run failed: "));
    CHECK(plot.err.find("deliberately wrong") != std::string::npos);
  }
}
