// SPDX-License-Identifier: BSD-3-Clause
// What stands in a stored run beside the blocks. docs/formats/record.md
#pragma once

#include <cstddef>
#include <cstdint>

namespace ovlp::store {

constexpr int format_version = 3;
constexpr std::size_t block_rows = 65536;
/// Columns of a block are numbered from its number times this. So they stand in the file as they came, and of a file
/// that is cut only the last are lost; an index would be anywhere.
constexpr std::int64_t most_columns = 32;
/// Of SQLite's header: "file" then says "ovlp record" where it knows.
constexpr int application_id = 0x6f766c70;  // "ovlp"

// Facts of how the run ended. A record of an older ovlp has none of them.
constexpr char const* outcome_fact = "outcome";
constexpr char const* running = "running";
constexpr char const* finished = "finished";
constexpr char const* failed = "failed";
constexpr char const* failure_fact = "failure";
constexpr char const* end_fact = "ended_s";
constexpr char const* cpu_fact = "cpu_s";
constexpr char const* waited_fact = "waited_s";

constexpr char const* schema = R"(
  CREATE TABLE fact(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE collection(number INTEGER PRIMARY KEY, name TEXT NOT NULL);
  CREATE TABLE graph(number INTEGER PRIMARY KEY, name TEXT NOT NULL);
  CREATE TABLE operation(graph INTEGER, number INTEGER, kind TEXT NOT NULL, name TEXT NOT NULL,
    collection INTEGER NOT NULL, PRIMARY KEY(graph, number)) WITHOUT ROWID;
  CREATE TABLE kernel_name(number INTEGER PRIMARY KEY, name TEXT NOT NULL, sizes TEXT NOT NULL);
  CREATE TABLE node(number INTEGER PRIMARY KEY, node INTEGER NOT NULL, change INTEGER NOT NULL, at_s REAL NOT NULL);
  CREATE TABLE mapping(number INTEGER PRIMARY KEY, collection INTEGER NOT NULL, at_s REAL NOT NULL,
    nodes TEXT NOT NULL);
  CREATE TABLE call(number INTEGER PRIMARY KEY, call INTEGER NOT NULL, graph INTEGER NOT NULL, begins INTEGER NOT NULL,
    at_s REAL NOT NULL);
  CREATE TABLE decision(number INTEGER PRIMARY KEY, iteration INTEGER NOT NULL, nodes INTEGER NOT NULL,
    reason TEXT NOT NULL, at_s REAL NOT NULL);
  CREATE TABLE block(number INTEGER PRIMARY KEY, kind TEXT NOT NULL, rows INTEGER NOT NULL, first_s REAL NOT NULL,
    last_s REAL NOT NULL);
  CREATE TABLE operation_total(graph INTEGER, operation INTEGER, steps INTEGER, computed_s REAL, work_s REAL);
  CREATE TABLE iteration_total(call INTEGER, iteration INTEGER, start_s REAL, end_s REAL, work_s REAL);
  CREATE TABLE wait_total(graph INTEGER, operation INTEGER, cause INTEGER, waits INTEGER, total_s REAL, longest_s REAL);
  CREATE TABLE post_total(graph INTEGER, operation INTEGER, port INTEGER, to_operation INTEGER, objects INTEGER);
  CREATE TABLE send_total(source INTEGER, destination INTEGER, objects INTEGER, bytes INTEGER, controls INTEGER);
  CREATE TABLE work_over_time(of TEXT, number INTEGER, origin_s REAL, width_s REAL, bins INTEGER, data BLOB);
  CREATE TABLE packed(number INTEGER PRIMARY KEY, name TEXT NOT NULL, data BLOB NOT NULL);
)";

}  // namespace ovlp::store
