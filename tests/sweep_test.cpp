// SPDX-License-Identifier: BSD-3-Clause
// ovlp sweep, and plots of its runs.
#include <doctest/doctest.h>

#include <signal.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <ovlp/base/database.hpp>

#include "support/process.hpp"

namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ovlp::base::database;
using ovlp::base::outcome;
using ovlp::base::process;
using ovlp::base::statement;
using ovlp::testing::contents;
using ovlp::testing::count;
using ovlp::testing::lines_of;
using ovlp::testing::temporary_folder;
using Lines = std::vector<std::string>;

outcome ovlp_command(std::vector<std::string> arguments,
                     std::vector<std::pair<std::string, std::string>> environment = {}) {
  arguments.insert(arguments.begin(), OVLP_COMMAND);
  return ovlp::base::run({std::move(arguments), "", std::move(environment), 60s});
}

/// A program that notes its arguments, and does what `script` says before it writes them as its summary. It gets
/// --summary FILE first.
std::string program(temporary_folder const& folder, std::string const& script = "") {
  return folder.file(
      "program",
      "#!/bin/sh\nsummary=$2; shift 2\necho \"$*\" >> " + (folder.path() / "log").string() + "\n" + script +
          "\necho '{\"backend\": \"simulated\", \"given\": \"'\"$*\"'\", \"list\": [1], \"host\": {\"at\": "
          "'$$'}}' > $summary\n",
      true);
}
Lines log_of(temporary_folder const& folder) { return lines_of(contents(folder.path() / "log")); }

struct swept {
  outcome how;
  std::string file;
};

swept sweep(temporary_folder const& folder, json const& plan, std::vector<std::string> more = {},
            std::string const& name = "runs.sqlite") {
  std::string const file = folder.path() / name;
  std::vector<std::string> arguments{"sweep", folder.file("sweep.json", plan.dump()), "-o", file};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return {ovlp_command(std::move(arguments)), file};
}

/// What a query finds, a line a row.
Lines rows(std::string const& file, std::string const& query) {
  database tables(file, database::mode::read);
  std::string columns;
  for (statement s = tables.prepare("SELECT name FROM pragma_table_info('runs')"); s.next();)
    columns += s.text(0) + ",";
  Lines all;
  if (query == "columns") return {columns};
  for (statement s = tables.prepare(query); s.next();) all.push_back(s.is_null(0) ? "NULL" : s.text(0));
  return all;
}

/// All that a file says of its runs, columns and their order included.
Lines everything(std::string const& file) {
  std::string const columns = rows(file, "columns").front();
  std::string joined;
  for (std::size_t from = 0, to = 0; (to = columns.find(',', from)) != std::string::npos; from = to + 1)
    joined += (from > 0 ? " || '|' || " : "") + ("quote(\"" + columns.substr(from, to - from) + "\")");
  Lines all = rows(file, "SELECT " + joined + " FROM runs");
  all.push_back(columns);
  return all;
}

json lu_plan() {
  return {
      {"program", LU_SIMULATED},
      {"options", {{"n", 400}, {"platform", PLATFORMS "/gigabit.json"}, {"execution", "partial"}, {"no-alloc", true}}},
      {"grid",
       {{"block", {50, 100}}, {"nodes", {2, 3, 4}}, {"graph", {"basic", "pipelined"}}, {"remove", {nullptr, "1@1"}}}},
      {"runs", {{{"block", 0}}}}};
}

TEST_CASE("a sweep runs all combinations of a grid, then its runs, with the options of all") {
  temporary_folder const folder;
  json const plan{{"program", program(folder)},
                  {"options", {{"quick", true}, {"n", 12}, {"slow", false}}},
                  {"arguments", {"a.txt", "b c.txt"}},
                  {"grid", {{"remove", {nullptr, {"1@1", "1@2"}}}, {"block", {{"from", 4}, {"to", 8}, {"step", 3}}}}},
                  {"runs", {{{"graph", "x y"}, {"eps", 0.25}}}}};
  auto const [how, file] = sweep(folder, plan);
  CHECK(how.err == "");
  CHECK(how.out == "5 runs in '" + file + "'\n");
  CHECK(rows(file, "SELECT given FROM runs") ==
        Lines{"--block 4 --n 12 --quick a.txt b c.txt",
              "--block 4 --n 12 --quick --remove 1@1 --remove 1@2 a.txt b c.txt",
              "--block 7 --n 12 --quick a.txt b c.txt",
              "--block 7 --n 12 --quick --remove 1@1 --remove 1@2 a.txt b c.txt",
              "--eps 0.25 --graph x y --n 12 --quick a.txt b c.txt"});
  CHECK(rows(file, "columns") == Lines{"run,block,eps,graph,n,quick,remove,slow,error,backend,given,list,"});
  CHECK(rows(file, "SELECT remove FROM runs") == Lines{"NULL", "1@1 1@2", "NULL", "1@1 1@2", "NULL"});
  CHECK(rows(file, "SELECT block || list FROM runs WHERE run = 3") == Lines{"7[1]"});
  CHECK(rows(file, "SELECT count(*) FROM host WHERE figures LIKE '{\"at\":%}'") == Lines{"5"});
}

TEST_CASE("of options that may be chosen a sweep says which is fastest, and which may be as fast") {
  temporary_folder const folder;
  // Times by option; of n = 3 nothing like them was measured.
  std::string const simulated = folder.file(
      "simulated",
      "#!/bin/sh\nsummary=$2; shift 2; kind='\"time\"'; time=3\n"
      "case \"$*\" in *'z --n 3'*) exit 1 ;; *'--n 3'*) kind=null ;; esac\n"
      "case \"$*\" in *x*) time=2 ;; *y*) time=2.05 ;; esac\n"
      "printf '{\"backend\": \"simulated\", \"time_s\": %s, \"interval_of\": %s, \"prediction_spread\": 0.03, "
      "\"interval_from\": \"nobody measured it\", \"host\": {}}' $time \"$kind\" >$summary\n",
      true);
  json const plan{{"program", simulated},
                  {"options", {{"seed", 7}}},
                  {"grid", {{"graph", {"x", "y", "z"}}, {"n", {1, 3}}}},
                  {"runs", {{{"graph", "x"}, {"n", 2}}}}};
  auto const said = sweep(folder, plan, {"--choose", "graph"}).how;
  CHECK(said.err == "");
  Lines const lines = lines_of(said.out);
  REQUIRE(lines.size() == 5);
  CHECK(lines[1] == "--n 1: fastest is --graph x (2 s); may be as fast: --graph y (2.05 s)");
  CHECK(lines[2] ==
        "--n 3: fastest is --graph x (2 s); no measured error backs this comparison: nobody measured it; 1 failed");
  CHECK(lines[3] == "--n 2: fastest is --graph x (2 s), the only one");
  CHECK(lines[4].starts_with("Not named are those further behind than nine in ten of "));
  auto const all = sweep(folder, plan, {"--choose", "n,graph"}).how;
  CHECK(all.out.find("all: fastest is --graph x --n 1 (2 s); no measured error backs") != std::string::npos);
  CHECK(all.out.find("nine in ten") == std::string::npos);
  auto const wrong = sweep(folder, plan, {"--choose", "seed"}, "none.sqlite").how;
  CHECK(wrong.status == 1);
  CHECK(wrong.err == "ovlp: --choose: expected options by which runs differ, of graph, n, got 'seed'\n");
  CHECK_FALSE(std::filesystem::exists(folder.path() / "none.sqlite"));  // before anything runs
}

TEST_CASE("of what ratios were not measured of, a sweep says so beside the fastest") {
  temporary_folder const folder;
  auto const said = [&](std::string const& name, std::string const& rest) {
    std::string const simulated = folder.file(name,
                                              "#!/bin/sh\nprintf '{\"backend\": \"simulated\", \"time_s\": 1, "
                                              "\"prediction_spread\": 0.03, \"interval_from\": \"that\"" +
                                                  rest + "}' >$2\n",
                                              true);
    json const plan{{"program", simulated}, {"grid", {{"graph", {nullptr, "y"}}}}};
    return sweep(folder, plan, {"--choose", "graph"}, name + ".sqlite").how;
  };
  CHECK(said("old", "").out.ends_with(
      "all: fastest is without options (1 s); no measured error backs this comparison: the program was built with an "
      "older ovlp\n"));
  CHECK(said("other", ", \"interval_of\": \"time_on_this_machine\"")
            .out.ends_with("ratios of such runs (time_on_this_machine) were not measured\n"));
  CHECK(said("platforms", ", \"interval_of\": \"time\", \"platform\": \"'$$'\"")
            .out.ends_with("ratios of times on several platforms were not measured\n"));
  CHECK(said("none", ", \"interval_of\": 3").err.starts_with("ovlp: run 1: expected a summary of a simulated run: "));
}

TEST_CASE("rows do not depend on how many runs there are at once") {
  temporary_folder const folder;
  auto const one = sweep(folder, lu_plan(), {"--jobs", "1"}, "one.sqlite");
  auto const five = sweep(folder, lu_plan(), {"--jobs", "5"}, "five.sqlite");
  REQUIRE(one.how.good());
  REQUIRE(five.how.good());
  Lines const all = everything(one.file);
  CHECK(all.size() == 26);
  CHECK(all == everything(five.file));
}

TEST_CASE("a row has the figures of the program's own summary") {
  temporary_folder const folder;
  auto const [how, file] = sweep(folder, lu_plan());
  std::string const summary = folder.path() / "summary.json", gigabit = PLATFORMS "/gigabit.json";
  REQUIRE(ovlp::base::run(
              {{LU_SIMULATED, "--n", "400", "--platform", gigabit, "--execution", "partial", "--no-alloc", "--block",
                "100", "--nodes", "3", "--graph", "pipelined", "--remove", "1@1", "--summary", summary}})
              .good());
  json const expected = json::parse(contents(summary));
  database tables(file, database::mode::read);
  statement found = tables.prepare(
      "SELECT time_s, bytes, iterations FROM runs WHERE block = 100 AND nodes = 3 AND graph = 'pipelined' AND remove = "
      "'1@1'");
  REQUIRE(found.next());
  CHECK(found.real(0) == expected["time_s"]);
  CHECK(found.number(1) == expected["bytes"]);
  CHECK(json::parse(found.text(2)) == expected["iterations"]);
  CHECK(!found.next());
}

TEST_CASE("a run that fails stays as a row with its error") {
  temporary_folder const folder;
  json plan{{"grid", {{"case", {"good", "bad", "ugly", "slow", "none", "real"}}}}, {"time_limit_s", 0.5}};
  plan["program"] =
      program(folder,
              "case $2 in bad) echo first >&2; echo wrong case >&2; exit 3;; ugly) kill -9 $$;;\n"
              "slow) sleep 100;; none) exit 0;; real) echo '{\"backend\": \"real\"}' > $summary; exit 0;; esac");
  auto const [how, file] = sweep(folder, plan, {"--jobs", "6"});
  CHECK(how.status == 0);
  CHECK(how.out == "6 runs in '" + file + "', of which 5 failed; the first: wrong case\n");
  CHECK(rows(file, "SELECT error FROM runs") ==
        Lines{"NULL", "wrong case", "was ended by signal 9", "took too long",
              "ended well, but wrote no summary: expected a program that simulates with ovlp",
              "ran for real: expected a program of the simulated backend"});
  CHECK(rows(file, "SELECT given FROM runs WHERE error IS NOT NULL") == Lines{"NULL", "NULL", "NULL", "NULL", "NULL"});

  SUBCASE("and is not run again") {
    CHECK(sweep(folder, plan).how.status == 0);
    CHECK(log_of(folder).size() == 6);
  }
  SUBCASE("if none goes well that is an error") {
    plan["grid"]["case"] = {"bad"};
    outcome const failed = sweep(folder, plan, {}, "bad.sqlite").how;
    CHECK(failed.status == 1);
    CHECK(failed.err == "ovlp: no run went well; the first: wrong case\n");
  }
}

TEST_CASE("a sweep that has been ended goes on where it was") {
  temporary_folder const folder;
  std::string const go = folder.path() / "go";
  json const plan{{"program", program(folder, "if [ $2 = 5 ] && [ ! -e " + go + " ]; then exec sleep 4321.75; fi")},
                  {"grid", {{"i", {{"from", 1}, {"to", 8}}}}}};
  std::string const file = folder.path() / "runs.sqlite";
  process first({{OVLP_COMMAND, "sweep", folder.file("sweep.json", plan.dump()), "-o", file, "--jobs", "1"}});
  auto const fifth = [] { return ovlp::testing::processes_with("4321.75"); };
  REQUIRE(ovlp::testing::eventually(30s, [&] { return !fifth().empty(); }));
  CHECK(rows(file, "SELECT given FROM runs") == Lines{"--i 1", "--i 2", "--i 3", "--i 4"});

  SUBCASE("by SIGKILL") {
    first.kill(SIGKILL);
    CHECK(first.wait(10s) == 128 + SIGKILL);
    for (pid_t left : fifth()) ::kill(left, SIGKILL);
  }
  SUBCASE("by SIGINT, which ends the run that is on its way") {
    first.kill(SIGINT);
    CHECK(first.wait(10s) == 130);
    CHECK(first.err() == "ovlp: interrupted; '" + file + "' with 4 of 8 runs is kept\n");
    CHECK(fifth().empty());
    CHECK(!std::filesystem::exists(file + "-wal"));
  }
  folder.file("go", "");
  swept const again = sweep(folder, plan);
  CHECK(again.how.out == "8 runs in '" + file + "'\n");
  CHECK(rows(file, "SELECT given FROM runs WHERE error IS NULL") ==
        Lines{"--i 1", "--i 2", "--i 3", "--i 4", "--i 5", "--i 6", "--i 7", "--i 8"});
  CHECK(log_of(folder).size() == 9);
}

TEST_CASE("a wrong sweep is refused with file, key and what was expected") {
  temporary_folder const folder;
  std::string const good = program(folder), file = folder.path() / "sweep.json";
  auto const check_refused = [&](json plan, std::string const& message) {
    if (!plan.contains("program")) plan["program"] = good;
    outcome const tried = sweep(folder, plan).how;
    CHECK(tried.status == 1);
    CHECK(tried.err == "ovlp: " + file + ": " + message + "\n");
    CHECK(!std::filesystem::exists(folder.path() / "runs.sqlite"));
  };
  json const grid{{"a", {1}}};
  check_refused({{"grid", grid}, {"rums", 1}},
                "rums: unknown key; expected arguments, grid, options, program, runs, time_limit_s");
  check_refused({{"options", grid}}, "expected a grid, or runs, but there is neither");
  check_refused({{"grid", {{"a", 1}}}}, "grid.a: expected a list of values, or a range, got 1");
  check_refused({{"grid", {{"a", json::array()}}}}, "grid.a: expected a list of values, or a range, got []");
  check_refused({{"grid", {{"a", {1, json::object()}}}}},
                "grid.a[1]: expected a number, a text, true, false, null, or a list of numbers and texts, got {}");
  check_refused({{"grid", {{"a", {{"from", 3}, {"to", 2}}}}}},
                "grid.a.to: expected a whole number from 3 to 1000000, got 2");
  check_refused({{"grid", {{"a", {{"from", 3}, {"until", 2}}}}}}, "grid.a.to: missing");
  check_refused({{"grid", {{"--a", {1}}}}}, "grid.--a: expected the name of an option, without --, got \"--a\"");
  check_refused({{"options", {{"summary", "x"}}}, {"grid", grid}},
                "options.summary: expected other options: the sweep takes the summary itself, got \"summary\"");
  check_refused({{"options", {{"a", 2}}}, {"grid", grid}},
                "grid: expected an option once; it stands in options, too, got \"a\"");
  check_refused({{"grid", grid}, {"runs", {{{"a", 1}}}}},
                "runs[0]: expected each run once; this one is there twice, got {\"a\":1}");
  check_refused({{"grid", {{"a", {{"from", 1}, {"to", 2000}}}, {"b", {{"from", 1}, {"to", 2000}}}}}},
                "grid: expected a million runs at most, got 4000000");
  check_refused({{"grid", grid}, {"program", "/nowhere/lu_sim"}},
                "program: expected a program, a file or one on PATH, got '/nowhere/lu_sim'");
  check_refused({{"grid", grid}, {"time_limit_s", 0}}, "time_limit_s: expected a number above 0, got 0");
}

TEST_CASE("runs go to no file but one of the same sweep") {
  temporary_folder const folder;
  json plan{{"program", program(folder)}, {"grid", {{"a", {1, 2}}}}};
  std::string const file = sweep(folder, plan).file;
  plan["time_limit_s"] = 9;
  CHECK(sweep(folder, plan).how.good());
  plan["grid"]["a"] = {1, 3};
  outcome const other = sweep(folder, plan).how;
  CHECK(other.status == 1);
  CHECK(other.err == "ovlp: '" + file + "': has runs of another sweep than that of '" +
                         (folder.path() / "sweep.json").string() + "'; expected runs of this one, or no file\n");
  std::string const text = folder.file("text", "this is no database, and long enough for one that is not");
  CHECK(sweep(folder, plan, {}, "text").how.err ==
        "ovlp: '" + text + "': expected runs of a sweep, as ovlp sweep writes them\n");
  CHECK(log_of(folder).size() == 2);
}

TEST_CASE("progress is shown on a terminal, and on no pipe") {
  temporary_folder const folder;
  json const plan{{"program", program(folder, "sleep 0.8")}, {"grid", {{"i", {1, 2, 3}}}}};
  CHECK(sweep(folder, plan, {"--jobs", "1"}).how.err == "");
  std::string const command = std::string(OVLP_COMMAND) + " sweep " + (folder.path() / "sweep.json").string() + " -o " +
                              (folder.path() / "again.sqlite").string() + " --jobs 1";
  outcome const shown = ovlp::base::run({{"script", "-qec", command, "/dev/null"}, "", {{"TERM", "xterm"}}, 60s});
  CHECK(shown.status == 0);
  CHECK(count(shown.out, "ovlp sweep: 1 of 3 runs, ") > 0);
  CHECK(count(shown.out, " s left\r\x1b[K") > 0);
  CHECK(shown.out.ends_with("\r\x1b[K3 runs in '" + (folder.path() / "again.sqlite").string() + "'\r\n"));
}

// ovlp plot columns

struct plotted {
  outcome how;
  std::string script;  ///< for gnuplot
};

/// With a gnuplot that draws nothing and gives back what it is to draw.
plotted plot(temporary_folder const& folder, std::vector<std::string> arguments) {
  folder.file("gnuplot", "#!/bin/sh\nexec /bin/cat\n", true);
  std::string const picture = folder.path() / "plot.svg";
  arguments.insert(arguments.begin(), {"plot", "columns", (folder.path() / "runs.sqlite").string(), "-o", picture});
  outcome how = ovlp_command(std::move(arguments), {{"PATH", folder.path().string()}});
  return {std::move(how), contents(picture)};
}

/// Runs with y = i + 10 j, in group j; of j = 3 none goes well.
void make_runs(temporary_folder const& folder) {
  std::string const squares = folder.file("squares",
                                          "#!/bin/sh\n[ $6 = 3 ] && exit 1\n"
                                          "echo '{\"backend\": \"simulated\", \"y\": '$(($4 + 10 * $6 + $8))'}' > $2\n",
                                          true);
  json const plan{{"program", squares}, {"grid", {{"i", {8, 2, 1}}, {"j", {1, 2, 3}}, {"k", {0, 1, 5}}}}};
  REQUIRE(sweep(folder, plan).how.good());
}

TEST_CASE("columns are drawn one over the other, with median and range of several runs") {
  temporary_folder const folder;
  make_runs(folder);
  auto const [how, script] = plot(folder, {"--x", "i", "--y", "y", "--group", "j"});
  CHECK(how.err == "ovlp: note: 9 of 27 runs failed, and are not drawn: ended with status 1\n");
  CHECK(count(script, "$points0 << END\n1 12 11 16\n2 13 12 17\n8 19 18 23\nEND\n") == 1);
  CHECK(count(script, "$points1 << END\n1 22 21 26\n2 23 22 27\n8 29 28 33\nEND\n") == 1);
  CHECK(count(script, "points2") == 0);
  CHECK(count(script, "set ylabel 'y (median and range of up to 3 runs)'") == 1);
  CHECK(count(script, "title 'j = 2'") == 1);

  SUBCASE("all in one line without a group") {
    std::string const all = plot(folder, {"--x", "k", "--y", "y"}).script;
    CHECK(count(all, "$points0 << END\n0 19.5 11 28\n1 20.5 12 29\n5 24.5 16 33\nEND\n") == 1);
    CHECK(count(all, "title 'y'") == 1);
  }
  SUBCASE("on axes of logarithms") {
    std::string const both = plot(folder, {"--x", "i", "--y", "y", "--log", "x", "--log", "y"}).script;
    for (std::string const axis : {"x", "y"}) CHECK(count(both, "set logscale " + axis + " 10\n") == 1);
  }
  SUBCASE("texts beside each other") {
    std::string const texts = plot(folder, {"--x", "backend", "--y", "y"}).script;
    CHECK(count(texts, "set xtics nomirror ('simulated' 0)\n") == 1);
    CHECK(count(texts, "\n0 21.5 11 33\n") == 1);
  }
  SUBCASE("by gnuplot itself") {
    std::string const picture = folder.path() / "real.svg";
    outcome const drawn = ovlp_command({"plot", "columns", (folder.path() / "runs.sqlite").string(), "-o", picture,
                                        "--x", "i", "--y", "y", "--group", "j"});
    CHECK(drawn.err == how.err);
    CHECK(count(contents(picture), ">j = 1<") == 1);
  }
}

TEST_CASE("predicted times are drawn with their intervals, where measurements back them") {
  temporary_folder const folder;
  // The second run has none.
  std::string const times = folder.file(
      "times",
      "#!/bin/sh\nlow=0.9 high=1.2; [ $4 = 2 ] && low=null high=null\n"
      "echo '{\"backend\": \"simulated\", \"time_s\": 1, \"time_low_s\": '$low', \"time_high_s\": '$high'}' > $2\n",
      true);
  REQUIRE(sweep(folder, {{"program", times}, {"grid", {{"i", {1, 2}}}}}).how.good());
  std::string const drawn = plot(folder, {"--x", "i", "--y", "time_s"}).script;
  CHECK(count(drawn, "$points0 << END\n1 1 0.9 1.2\n2 1 1 1\nEND\n") == 1);
  CHECK(count(drawn, "with 90 % intervals'") == 1);
}

TEST_CASE("a plot of columns that are not there, or have nothing to draw, is refused") {
  temporary_folder const folder;
  make_runs(folder);
  std::string const runs = "ovlp: '" + (folder.path() / "runs.sqlite").string() + "': ";
  CHECK(plot(folder, {"--x", "i", "--y", "z"}).how.err ==
        runs + "--y: expected a column of run, i, j, k, error, backend, y, got 'z'\n");
  CHECK(plot(folder, {"--x", "i", "--y", "backend"}).how.err ==
        runs + "--y: expected a column with numbers; 'backend' has none\n");
  CHECK(plot(folder, {"--x", "i", "--y", "y", "--group", "\"y"}).how.status == 1);
  CHECK(!std::filesystem::exists(folder.path() / "plot.svg"));
}

}  // namespace
