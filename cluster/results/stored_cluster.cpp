// SPDX-License-Identifier: BSD-3-Clause
#include "results/stored_cluster.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include <ovlp/base/database.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/streams.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/base/version.hpp>

namespace ovlp::cluster {
namespace {

using base::database;
using base::statement;

constexpr int cluster_format = 2;
constexpr int cluster_application = 0x6f76636c;  // "ovcl"

constexpr std::string_view cluster_schema = R"(
  CREATE TABLE fact(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE job(job INTEGER PRIMARY KEY, name TEXT NOT NULL, user TEXT NOT NULL, arrival_s REAL NOT NULL, requested INTEGER NOT NULL, least INTEGER NOT NULL, most INTEGER NOT NULL, requested_s REAL NOT NULL);
  CREATE TABLE run(run INTEGER PRIMARY KEY, scheduler TEXT NOT NULL, real INTEGER NOT NULL, nodes INTEGER NOT NULL);
  CREATE TABLE result(run INTEGER NOT NULL, job INTEGER NOT NULL, start_s REAL NOT NULL, end_s REAL NOT NULL, end INTEGER NOT NULL, first_nodes INTEGER NOT NULL, most_nodes INTEGER NOT NULL, changes INTEGER NOT NULL, held_node_s REAL NOT NULL, work_node_s REAL NOT NULL, PRIMARY KEY(run, job)) WITHOUT ROWID;
  CREATE TABLE holding(run INTEGER NOT NULL, at_s REAL NOT NULL, job INTEGER NOT NULL, nodes INTEGER NOT NULL);
  CREATE TABLE stretch(run INTEGER NOT NULL, job INTEGER NOT NULL, nodes INTEGER NOT NULL, from_s REAL NOT NULL, to_s REAL NOT NULL, efficiency REAL NOT NULL);
  CREATE TABLE note(run INTEGER NOT NULL, failed INTEGER NOT NULL, note TEXT NOT NULL);
)";

std::int64_t number_of(database& in, std::string const& sql) {
  statement asked = in.prepare(sql);
  return asked.next() ? asked.number(0) : 0;
}

/// Rows of a table, in order, each value checked: a file may be anybody's.
class checked_rows {
 public:
  checked_rows(database& in, std::string table, std::string const& columns)
      : in_(in), table_(std::move(table)), rows_(in.prepare("SELECT " + columns + " FROM " + table_)) {}

  bool next() {
    column_ = 0;
    ++row_;
    return rows_.next();
  }
  std::string text() {
    std::string value = rows_.text(column_++);
    if (base::one_line(value) != value) fail("text without control characters");
    return value;
  }
  double real(double least = std::numeric_limits<double>::lowest()) {
    double const value = rows_.real(column_);
    if (!rows_.is_number(column_++) || !std::isfinite(value) || value < least) fail("a number that can be");
    return value;
  }
  std::uint32_t whole(std::uint32_t least, std::uint64_t below = std::uint64_t{1} << 32) {
    std::int64_t const value = rows_.number(column_);
    if (!rows_.is_number(column_++) || value < least || static_cast<std::uint64_t>(value) >= below)
      fail("a whole number of at least " + std::to_string(least) + " and below " + std::to_string(below));
    return static_cast<std::uint32_t>(value);
  }
  [[noreturn]] void fail(std::string const& expected) const {
    throw io_error("'" + in_.file() + "': table " + table_ + ", row " + std::to_string(row_) + ", column " +
                   std::to_string(column_) + ": expected " + expected);
  }

 private:
  database& in_;
  std::string const table_;
  statement rows_;
  int column_ = 0;
  std::size_t row_ = 0;
};

void expect_cluster_tables(database& in) {
  if (number_of(in, "PRAGMA application_id") != cluster_application)
    throw io_error("'" + in.file() + "': expected runs of a cluster, as ovlp cluster -o writes them");
  if (std::int64_t const version = number_of(in, "PRAGMA user_version"); version != cluster_format)
    throw io_error("'" + in.file() + "': runs of a cluster of version " + std::to_string(version) +
                   ": expected version " + std::to_string(cluster_format) + ", that of this ovlp");
  // As they are written: no view or generated column computes what is read.
  for (statement s = in.prepare("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"); s.next();) {
    if (cluster_schema.find(s.text(1)) == std::string_view::npos)
      throw io_error("'" + in.file() + "': table " + base::quoted(s.text(0)) + ": expected the tables of " +
                     "ovlp cluster -o");
  }
}

void read_jobs(database& in, workload& of) {
  for (checked_rows rows(in, "job", "job, name, user, arrival_s, requested, least, most, requested_s"); rows.next();) {
    if (rows.whole(0) != of.jobs.size()) rows.fail("jobs numbered from 0");
    job one{.name = rows.text(), .user = rows.text(), .arrival_s = rows.real(0)};
    one.requested = rows.whole(1);
    std::uint32_t const least = rows.whole(1, one.requested + std::uint64_t{1}), most = rows.whole(one.requested);
    one.possible = {least};
    for (node_count const nodes : {one.requested, most})
      if (nodes > one.possible.back()) one.possible.push_back(nodes);
    one.requested_s = rows.real(0);
    if (!of.jobs.empty() && one.arrival_s < of.jobs.back().arrival_s) rows.fail("jobs by arrival");
    of.jobs.push_back(std::move(one));
  }
}

void read_runs(database& in, stored_cluster& to) {
  std::size_t const jobs = to.of->jobs.size();
  for (checked_rows rows(in, "run", "run, scheduler, real, nodes"); rows.next();) {
    if (rows.whole(0) != to.runs.size()) rows.fail("runs numbered from 0");
    cluster_run& made = to.runs.emplace_back();
    made.scheduler = rows.text();
    made.real = rows.whole(0, 2) == 1;
    made.nodes = rows.whole(1);
    made.of = to.of.get();
    made.jobs.resize(jobs);
    if (jobs > 0) made.begin_s = made.end_s = to.of->jobs.front().arrival_s;
  }
  std::size_t const runs = to.runs.size();
  if (runs == 0) throw io_error("'" + in.file() + "': has no run");
  for (checked_rows rows(in, "result",
                         "run, job, start_s, end_s, end, first_nodes, most_nodes, changes, held_node_s, work_node_s");
       rows.next();) {
    cluster_run& of = to.runs[rows.whole(0, runs)];
    job_result& one = of.jobs[rows.whole(0, jobs)];
    one.start_s = rows.real();
    one.end_s = rows.real();
    one.end = static_cast<job_result::end_type>(rows.whole(0, 5));
    one.first_nodes = rows.whole(0);
    one.most_nodes = rows.whole(0);
    one.changes = rows.whole(0);
    of.held_node_s += one.held_node_s = rows.real(0);
    of.work_node_s += one.work_node_s = rows.real(0);
    of.end_s = std::max(of.end_s, one.end_s);
  }
  for (checked_rows rows(in, "holding", "run, at_s, job, nodes"); rows.next();) {
    std::vector<holding>& all = to.runs[rows.whole(0, runs)].holdings;
    double const at_s = rows.real();
    job_number const number = rows.whole(0, jobs);
    all.push_back({at_s, number, rows.whole(0)});
  }
  for (checked_rows rows(in, "stretch", "run, job, nodes, from_s, to_s, efficiency"); rows.next();) {
    std::vector<stretch>& all = to.runs[rows.whole(0, runs)].stretches;
    job_number const number = rows.whole(0, jobs);
    node_count const nodes = rows.whole(1);
    double const from_s = rows.real(), to_s = rows.real();
    all.push_back({number, nodes, from_s, to_s, rows.real(0)});
  }
  for (checked_rows rows(in, "note", "run, failed, note"); rows.next();) {
    cluster_run& of = to.runs[rows.whole(0, runs)];
    (rows.whole(0, 2) == 1 ? of.failures : of.notes).push_back(rows.text());
  }
}

}  // namespace

void expect_storable(std::string const& file) {
  std::error_code error;
  if (std::filesystem::exists(file, error) && !is_stored_cluster(file))
    throw config_error("'" + file + "': expected runs of a cluster, or no file yet: it would be replaced");
}

namespace {

void store_anew(std::string const& file, std::vector<cluster_run> const& runs) {
  database to(file, database::mode::create);
  to.run("PRAGMA synchronous = OFF; PRAGMA application_id = " + std::to_string(cluster_application) +
         "; PRAGMA user_version = " + std::to_string(cluster_format) + "; BEGIN; " + std::string(cluster_schema));
  workload const& of = *runs.front().of;
  statement fact = to.prepare("INSERT INTO fact VALUES (?, ?)");
  fact.with("workload", std::string_view(of.name)).run();
  fact.with("version", version()).run();
  statement asked = to.prepare("INSERT INTO job VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  for (std::size_t j = 0; j < of.jobs.size(); ++j) {
    job const& one = of.jobs[j];
    asked.with(j, std::string_view(one.name), std::string_view(one.user), one.arrival_s, one.requested,
               one.possible.front(), one.possible.back(), one.requested_s);
    asked.run();
  }
  statement run = to.prepare("INSERT INTO run VALUES (?, ?, ?, ?)");
  statement result = to.prepare("INSERT INTO result VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  statement held = to.prepare("INSERT INTO holding VALUES (?, ?, ?, ?)");
  statement did = to.prepare("INSERT INTO stretch VALUES (?, ?, ?, ?, ?, ?)");
  statement note = to.prepare("INSERT INTO note VALUES (?, ?, ?)");
  for (std::size_t r = 0; r < runs.size(); ++r) {
    cluster_run const& one = runs[r];
    run.with(r, std::string_view(one.scheduler), one.real ? 1 : 0, one.nodes).run();
    for (std::size_t j = 0; j < one.jobs.size(); ++j) {
      job_result const& got = one.jobs[j];
      result.with(r, j, got.start_s, got.end_s, static_cast<std::uint32_t>(got.end), got.first_nodes, got.most_nodes,
                  got.changes, got.held_node_s, got.work_node_s);
      result.run();
    }
    for (holding const& next : one.holdings) held.with(r, next.at_s, next.job, next.nodes).run();
    for (stretch const& next : one.stretches)
      did.with(r, next.job, next.nodes, next.from_s, next.to_s, next.efficiency).run();
    for (std::string const& text : one.notes) note.with(r, 0, std::string_view(text)).run();
    for (std::string const& text : one.failures) note.with(r, 1, std::string_view(text)).run();
  }
  to.run("COMMIT");
}

}  // namespace

void store_cluster(std::string const& file, std::vector<cluster_run> const& runs) {
  expect_storable(file);
  base::replacement made(file);
  store_anew(made.name(), runs);
  made.take_place();
}

bool is_stored_cluster(std::string const& file) {
  if (!base::is_database(file)) return false;
  constexpr std::streamoff id_at = 68;  // https://www.sqlite.org/fileformat.html, 1.3
  base::file_reader from(file, std::ios::binary);
  std::uint32_t id = 0;
  from.seekg(id_at);
  for (int i = 0; i < 4; ++i) id = id << 8 | static_cast<std::uint32_t>(from.get());
  return from && id == cluster_application;
}

stored_cluster read_cluster(std::string const& file) {
  database in(file, database::mode::read);
  expect_cluster_tables(in);
  stored_cluster made{std::make_unique<workload>(), {}};
  for (statement s = in.prepare("SELECT value FROM fact WHERE name = 'workload'"); s.next();) made.of->name = s.text(0);
  read_jobs(in, *made.of);
  read_runs(in, made);
  for (cluster_run& run : made.runs) {
    run.idle_node_s = run.nodes * run.makespan_s() - run.held_node_s;
    try {
      expect_accounts(run);
    } catch (std::logic_error const& wrong) {
      throw io_error("'" + file + "': scheduler " + base::quoted(run.scheduler) + ": " + base::one_line(wrong.what()));
    }
  }
  return made;
}

stored_cluster read_clusters(std::vector<std::string> const& files) {
  stored_cluster all = read_cluster(files.front());
  auto const asks_the_same = [](job const& a, job const& b) {
    return std::tie(a.name, a.user, a.arrival_s, a.requested, a.possible, a.requested_s) ==
           std::tie(b.name, b.user, b.arrival_s, b.requested, b.possible, b.requested_s);
  };
  for (std::size_t i = 1; i < files.size(); ++i) {
    stored_cluster more = read_cluster(files[i]);
    if (!std::ranges::equal(more.of->jobs, all.of->jobs, asks_the_same))
      throw config_error("'" + files[i] + "': expected runs of the jobs of '" + files.front() + "', got others");
    for (cluster_run& run : more.runs) {
      run.of = all.of.get();
      all.runs.push_back(std::move(run));
    }
  }
  return all;
}

}  // namespace ovlp::cluster
