// SPDX-License-Identifier: BSD-3-Clause
// Files in which one number is another one: programs and commands that read them end soon, in little memory, and say
// what is wrong in a line.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/base/database.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/flowgraph/sanitizers.hpp>

#include "packed_column.hpp"
#include "support/process.hpp"

namespace {

using namespace ovlp::testing;
using ovlp::base::database;
using ovlp::base::outcome;
using ovlp::base::run;
using ovlp::base::statement;

using random_engine = std::mt19937_64;

std::size_t below(random_engine& random, std::size_t limit) {
  return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
}

/// Bits that may stand for anything.
std::uint64_t another(random_engine& random, std::uint64_t value) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::array const all{std::uint64_t{0},
                       ~std::uint64_t{0},
                       std::uint64_t{4294967041},
                       std::uint64_t{1} << 31,
                       std::uint64_t{1} << 63,
                       value + 1,
                       value - 1,
                       value ^ std::uint64_t{1} << below(random, 64),
                       random() >> below(random, 64),
                       std::bit_cast<std::uint64_t>(infinity),
                       std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN()),
                       std::bit_cast<std::uint64_t>(1e300),
                       std::bit_cast<std::uint64_t>(-1e14),
                       std::bit_cast<std::uint64_t>(1e12)};
  return all[below(random, all.size())];
}

/// Of the values of a column, whose width the record does not tell.
std::string mutate_packed(database& record, random_engine& random) {
  statement count = record.prepare("SELECT count(*) FROM packed");
  count.next();
  statement chosen = record.prepare(
      "SELECT packed.number, name, data, rows, kind FROM packed JOIN block ON packed.number / 32 = block.number "
      "LIMIT 1 OFFSET ?");
  if (count.number(0) == 0 ||
      !chosen.with(std::uint64_t{below(random, static_cast<std::size_t>(count.number(0)))}).next())
    return "";
  auto const rows = static_cast<std::size_t>(chosen.number(3));
  for (std::size_t const width : {8U, 4U, 1U}) {
    std::vector<std::byte> values;
    try {
      values = ovlp::store::unpack(chosen.bytes(2), rows, width);
    } catch (ovlp::io_error const&) {
      continue;
    }
    std::size_t const row = below(random, rows);
    std::uint64_t value = 0;
    std::memcpy(&value, values.data() + row * width, width);
    value = another(random, value);
    std::memcpy(values.data() + row * width, &value, width);
    ovlp::store::column_packer packer;
    auto const packed = packer.pack(values, width);
    record.prepare("UPDATE packed SET data = ? WHERE number = ?").with(packed, chosen.number(0)).run();
    return chosen.text(4) + "." + chosen.text(1) + "[" + std::to_string(row) + "] = " + std::to_string(value);
  }
  return "";
}

/// Of a list of numbers in a text one, or the text if it is none.
std::string mutate_words(random_engine& random, std::string const& text) {
  std::vector<std::string> words = ovlp::base::words_of(text);
  std::string number = std::to_string(another(random, below(random, 10)));
  if (words.empty()) return number;
  words[below(random, words.size())] = number;
  return ovlp::base::joined(words, " ");
}

std::string mutate_table(database& record, random_engine& random) {
  constexpr std::array<char const*, 15> tables{
      "fact",  "collection", "graph", "operation",       "kernel_name",     "node",       "mapping",       "call",
      "block", "decision",   "node",  "operation_total", "iteration_total", "send_total", "work_over_time"};
  std::string const table = tables[below(random, tables.size())];
  statement columns = record.prepare("SELECT name FROM pragma_table_info(?)");
  std::vector<std::string> names;
  for (columns.with(std::string_view(table)); columns.next();) names.push_back(columns.text(0));
  std::string column = names[below(random, names.size())];
  std::string const where = table == "fact" ? " WHERE name IN ('nodes', 'node', 'capacities')" : "";
  if (table == "fact") column = "value";
  statement count = record.prepare("SELECT count(*) FROM " + table + where);
  count.next();
  if (count.number(0) == 0 || column == "data") return "";
  auto const row = std::to_string(below(random, static_cast<std::size_t>(count.number(0))));
  std::string const key = "(SELECT " + names[0] + " FROM " + table + where + " LIMIT 1 OFFSET " + row + ")";
  statement old = record.prepare("SELECT " + column + " FROM " + table + " WHERE " + names[0] + " = " + key);
  if (!old.next()) return "";
  std::string value;
  if (old.is_number(0)) {
    std::uint64_t const bits = another(random, static_cast<std::uint64_t>(old.number(0)));
    double const real = std::bit_cast<double>(bits);
    value = column.ends_with("_s") ? (real == real ? std::to_string(real) : "NULL")
                                   : std::to_string(static_cast<std::int64_t>(bits));
    if (real != real || real > 1e308 || real < -1e308) value = column.ends_with("_s") ? "9e999" : value;
  } else {
    value = ovlp::base::sql_text(mutate_words(random, old.text(0)));
  }
  try {
    record.run("UPDATE OR REPLACE " + table + " SET " + column + " = " + value + " WHERE " + names[0] + " = " + key);
  } catch (ovlp::io_error const&) {
    return "";
  }
  return table + "." + column + "[" + row + "] = " + value;
}

#if defined(OVLP_ADDRESS_SANITIZER) || defined(OVLP_THREAD_SANITIZER)  // they reserve terabytes of addresses
std::string const in_little_memory;
#else
std::string const in_little_memory = "ulimit -v 4000000; ";
#endif

/// Runs a command in little memory and time: it ends well, or says in a line why not. `most_lines` that it may print
/// to standard error when it ends well.
void check_ends(std::string const& words, std::size_t most_lines) {
  CAPTURE(words);
  ovlp::base::command limited{{"/bin/sh", "-c", in_little_memory + "exec " + words}};
  limited.time_limit = std::chrono::seconds(60);
  outcome const ended = run(limited);
  CAPTURE(ended.err);
  CHECK_FALSE(ended.timed_out);
  CHECK((ended.status == 0 || ended.status == 1 || ended.status == 2));
  CHECK(lines_of(ended.err).size() <= (ended.status == 0 ? most_lines : 1));
  for (char const* ours : {"std::", "vector", "map::", "basic_string", "[json"})
    CHECK(ended.err.find(ours) == std::string::npos);
}

/// Of the numbers of a text one.
std::string mutate_text(random_engine& random, std::string text) {
  std::vector<std::pair<std::size_t, std::size_t>> numbers;  // place, length
  for (std::size_t at = 0; (at = text.find_first_of("0123456789", at)) != std::string::npos;) {
    std::size_t const end = std::min(text.find_first_not_of("0123456789.e+-", at), text.size());
    numbers.emplace_back(at, end - at);
    at = end;
  }
  constexpr std::array all{"0",          "-1",    "4294967041", "18446744073709551615",
                           "2147483648", "1e300", "1e-300",     "nan",
                           "1e14",       "1e-14", "99999",      "3.5"};
  auto const [place, length] = numbers[below(random, numbers.size())];
  return text.replace(place, length, all[below(random, all.size())]);
}

std::size_t environment(char const* name, std::size_t otherwise) {
  char const* const given = std::getenv(name);
  return given == nullptr ? otherwise : std::strtoul(given, nullptr, 10);
}

}  // namespace

TEST_CASE("whatever number in a record is another one, commands end soon and say so in a line") {
  temporary_folder const folder;
  std::string const whole = folder.path() / "whole.sqlite", sums = folder.path() / "sums.sqlite",
                    record = folder.path() / "run.sqlite", out = folder.path() / "out";
  for (bool const only : {false, true}) {
    std::vector<std::string> words{OVLP_LU_SIMULATED,
                                   "--n",
                                   "96",
                                   "--block",
                                   "32",
                                   "--nodes",
                                   "4",
                                   "--graph",
                                   "pipelined",
                                   "--remove",
                                   "1@1",
                                   "--platform",
                                   "gigabit",
                                   "--execution",
                                   "partial",
                                   "--no-alloc",
                                   "--record",
                                   only ? sums : whole};
    if (only) words.insert(words.end(), {"--record-only", "nodes"});
    outcome const made = run({words});
    CAPTURE(made.err);
    REQUIRE(made.good());
  }
  std::size_t const seed = environment("OVLP_TEST_SEED", 1), rounds = environment("OVLP_TEST_ROUNDS", 24);
  for (std::size_t round = 0; round < rounds; ++round) {
    random_engine random(seed + round);
    std::filesystem::copy_file(round % 6 == 5 ? sums : whole, record,
                               std::filesystem::copy_options::overwrite_existing);
    std::string changed;
    {
      database open(record, database::mode::update);
      for (int tries = 0; changed.empty() && tries < 100; ++tries)
        changed = below(random, 3) == 0 ? mutate_table(open, random) : mutate_packed(open, random);
    }
    CAPTURE(seed + round);
    CAPTURE(changed);
    std::filesystem::remove_all(out + ".otf2");
    for (std::string const& words :
         {"metrics " + record, "report " + record + " -o " + out + ".html", "export " + record + " --to csv -o " + out,
          "export " + record + " --to perfetto -o " + out + ".pftrace",
          "export " + record + " --to paraver -o " + out + ".prv",
          "export " + record + " --to otf2 -o " + out + ".otf2", "threads show " + record}) {
      check_ends(std::string(OVLP_COMMAND) + " " + words, 3);
    }
  }
}

TEST_CASE("whatever number in a file that people write is another one, its reader says so in a line, or takes it") {
  temporary_folder const folder;
  std::string const durations = folder.path() / "whole.json", lu = std::string(OVLP_LU_SIMULATED) +
                                                                   " --n 96 --block 32 --nodes 4 --no-alloc "
                                                                   "--execution partial";
  REQUIRE(run({{"/bin/sh", "-c", lu + " --platform gigabit --record-durations " + durations}}).good());
  struct input {
    std::string name, contents, command;  ///< FILE: its name
    std::size_t most_lines;
  };
  std::string const replay = std::string(OVLP_COMMAND) + " replay FILE --platform gigabit";
  std::vector<input> const inputs{
      {"platform.json", contents(OVLP_PLATFORMS "/gigabit.json"), lu + " --platform FILE", 20},
      {"durations.json", contents(durations), lu + " --platform gigabit --durations FILE", 5},
      {"models.json",
       R"({"reference_core": "any", "kernels": {"lu.gemm": {"coefficient_s": 1e-9, "exponents": [1, 1, 1]}}})",
       lu + " --platform gigabit --durations FILE", 5},
      {"plan.json", R"({"program": "lu", "changes": [{"after": 1, "nodes": 2}]})",
       lu + " --platform gigabit --plan FILE", 5},
      {"trace.goal",
       "num_ranks 2\nrank 0 {\na: send 100b to 1 tag 5\ncalc 1000\n}\nrank 1 {\nrecv 100b from 0 tag 5\n}\n", replay,
       0},
      {"trace.txt",
       "0 init\n1 init\n0 compute 1e6\n0 send 1 7 100 1\n1 recv 0 7 100 1\n0 allreduce 4 2e6 1\n"
       "1 allreduce 4 2e6 1\n0 alltoallv 4 2 2 4 2 2\n1 alltoallv 4 2 2 4 2 2\n0 finalize\n1 finalize\n",
       replay, 0},
      {"trace.dim",
       "#DIMEMAS:\"mini\":1,00000000000000000346:2(1,1),1\nd:1:1:2:0:1\n1:0:0:0.000000001\n20:0:0:60000001:1\n"
       "1:0:0:0.000100000\n2:0:0:1:-1:1000:7:1:0\n1:0:0:0.000050000\n10:0:0:10:1:1:0:8:8:1\n1:0:0:0.000010000\n"
       "20:0:0:60000001:0\n1:1:0:0.000000001\n20:1:0:60000001:1\n3:1:0:0:-1:1000:7:1:0\n1:1:0:0.000050000\n"
       "10:1:0:10:1:0:0:8:8:1\n1:1:0:0.000010000\n20:1:0:60000001:0\ns:0:60\ns:1:212\n",
       replay, 0},
      {"matrix.csv", "0,7,1.5\n7,0,2\n1.5,2,0\n",
       std::string(OVLP_COMMAND) + " threads map FILE --topology 'package:2 core:2'", 0},
      {"topology.json",
       R"({"levels": [{"name": "core", "children": 2}, {"name": "PU", "children": 2}], "units": [0, 1, 2, 3]})",
       std::string(OVLP_COMMAND) + " threads map " + folder.file("whole.csv", "0,7\n7,0\n") + " --topology FILE", 0},
      {"transfers.csv", "start_s,source,destination,bytes\n0,0,1,1000\n0.5,1,0,2000\n",
       std::string(OVLP_COMMAND) + " transfers --platform gigabit FILE -o -", 0},
      {"efficiency.csv", "iteration,nodes,efficiency\n1,2,0.3\n2,2,0.5\n",
       std::string(OVLP_COMMAND) + " plot efficiency FILE -o " + std::string(folder.path() / "plot.svg"), 0},
  };
  std::size_t const seed = environment("OVLP_TEST_SEED", 1), rounds = environment("OVLP_TEST_ROUNDS", 8);
  for (input const& of : inputs) {
    std::string const file = folder.path() / of.name;
    std::string command = of.command;
    command.replace(command.find("FILE"), 4, file);
    for (std::size_t round = 0; round <= rounds; ++round) {
      random_engine random(seed + round);
      ovlp::base::write_file(file, round == 0 ? of.contents : mutate_text(random, of.contents));
      CAPTURE(contents(file));
      check_ends(command, of.most_lines);
      if (round == 0) REQUIRE(run({{"/bin/sh", "-c", command}}).good());  // as it should be
    }
  }
}

TEST_CASE("a file that never ends is read no further than its reader can use") {
  for (std::string const& words :
       {std::string(OVLP_LU_SIMULATED) + " --plan /dev/zero", std::string(OVLP_LU_SIMULATED) + " --platform /dev/zero",
        std::string(OVLP_LU_SIMULATED) + " --execution partial --durations /dev/zero",
        std::string(OVLP_COMMAND) + " replay /dev/zero --platform gigabit",
        std::string(OVLP_COMMAND) + " threads map /dev/zero", std::string(OVLP_COMMAND) + " metrics /dev/zero",
        std::string(OVLP_COMMAND) + " sweep /dev/zero", std::string(OVLP_LU_REAL) + " --hosts /dev/zero",
        "yes | " + std::string(OVLP_COMMAND) + " transfers - --platform gigabit -o -"}) {
    CAPTURE(words);
    outcome const ended = run({{"/bin/sh", "-c", in_little_memory + words}});
    CAPTURE(ended.err);
    CHECK((ended.status == 1 || ended.status == 2));
    CHECK(lines_of(ended.err).size() == 1);
  }
}

TEST_CASE("a number that the run's definitions do not allow is told with its place") {
  temporary_folder const folder;
  std::string const record = folder.path() / "run.sqlite";
  auto const made = [&] {
    REQUIRE(run({{OVLP_LU_SIMULATED, "--n", "64", "--block", "32", "--nodes", "2", "--platform", "gigabit",
                  "--execution", "partial", "--no-alloc", "--record", record}})
                .good());
  };
  made();
  database(record, database::mode::update).run("UPDATE node SET node = 4294967041 WHERE number = 2");
  outcome const exported = run({{OVLP_COMMAND, "export", record, "--to", "csv", "-o", folder.path() / "out"}});
  CHECK(exported.err == "ovlp export: '" + record +
                            "': table node, row 2: node: expected a whole number from 0, less than 2, got 4294967041; "
                            "what is missing is missing in what was written\n");
  made();
  database(record, database::mode::update).run("UPDATE operation SET collection = 7 WHERE number = 0");
  outcome const refused = run({{OVLP_COMMAND, "metrics", record}});
  CHECK(refused.status == 1);
  CHECK(refused.err.starts_with("ovlp: '" + record + "': table operation, row 1: collection: expected a whole number"));
  made();
  database(record, database::mode::update)
      .run(
          "DROP TABLE call; CREATE VIEW call AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) "
          "SELECT x AS number, x AS call, 0 AS graph, 1 AS begins, 0.0 AS at_s FROM n");
  outcome const view = run({{OVLP_COMMAND, "metrics", record}});
  CHECK(view.err == "ovlp: '" + record + "': table 'call': expected the tables of a record, as --record writes them\n");
}
