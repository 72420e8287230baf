// SPDX-License-Identifier: BSD-3-Clause
#include "run_table.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/base/version.hpp>

namespace ovlp::lab::study {
namespace {

using base::database;
using base::statement;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr int format_version = 1;
constexpr int application_id = 0x6f767377;  // "ovsw"

constexpr char const* schema = R"(
  CREATE TABLE fact(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE run(number INTEGER PRIMARY KEY, options TEXT NOT NULL, error TEXT, summary TEXT);
  CREATE TABLE host(number INTEGER PRIMARY KEY, figures TEXT NOT NULL);
)";

std::string expected_runs(database const& tables) {
  return "'" + tables.file() + "': expected runs of a sweep, as ovlp sweep writes them";
}

/// Errors: io_error, also for what is no database.
std::int64_t number(database& in, std::string const& sql) {
  try {
    statement asked = in.prepare(sql);
    return asked.next() ? asked.number(0) : 0;
  } catch (io_error const& wrong) {
    bool const is_another = std::string(wrong.what()).find("not a database") != std::string::npos;
    throw io_error(is_another ? expected_runs(in) : wrong.what());
  }
}

/// Errors: io_error.
void expect_version(database& tables) {
  if (number(tables, "PRAGMA application_id") != application_id) throw io_error(expected_runs(tables));
  if (std::int64_t const version = number(tables, "PRAGMA user_version"); version != format_version) {
    throw io_error("'" + tables.file() + "': runs of version " + std::to_string(version) + ": expected version " +
                   std::to_string(format_version) + ", that of this ovlp");
  }
}

std::string text_of(ordered_json const& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string text_of(option_values const& options) {
  ordered_json plain = ordered_json::object();
  for (auto const& [name, value] : options) plain[name] = value.is_array() ? json(as_text(value)) : value;
  return text_of(plain);
}

/// The columns of the view `runs`, each name once, whatever its case: SQL knows none.
class column_list {
 public:
  void add(std::string name, std::string const& from) {
    std::replace(name.begin(), name.end(), '-', '_');
    std::string lower = name;
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (!taken_.insert(lower).second) return;
    text_ += (text_.empty() ? "" : ", ") + from + " AS " + base::sql_name(name);
  }
  /// The value of `key` in the JSON of a column.
  void add_from(std::string const& column, std::string const& key) {
    if (key.find('"') != std::string::npos) return;  // a path of JSON can not say it
    add(key, "json_extract(" + column + ", " + base::sql_text("$.\"" + key + "\"") + ")");
  }
  std::string const& text() const { return text_; }

 private:
  std::set<std::string> taken_;
  std::string text_;
};

}  // namespace

run_table::run_table(std::string file, sweep_plan const& plan) : tables_(std::move(file), database::mode::update) {
  if (number(tables_, "PRAGMA schema_version") == 0) make(plan);
  expect_version(tables_);
  expect_plan(plan);
  // A run that was added stays if this process is killed; if the machine stops, the last ones may be missing.
  tables_.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  for (statement s = tables_.prepare("SELECT number FROM run"); s.next();)
    there_.insert(static_cast<std::size_t>(s.number(0)));
}

run_table::~run_table() {
  try {
    make_columns();
    tables_.run("PRAGMA journal_mode = DELETE");
  } catch (error const& wrong) {
    std::fprintf(stderr, "ovlp sweep: %s\n", wrong.what());
  }
}

void run_table::make(sweep_plan const& plan) {
  tables_.run("PRAGMA application_id = " + std::to_string(application_id) +
              "; PRAGMA user_version = " + std::to_string(format_version) + "; BEGIN; " + schema);
  statement fact = tables_.prepare("INSERT INTO fact VALUES (?, ?)");
  fact.with("sweep", std::string_view(plan.text)).run();
  fact.with("options", std::string_view(text_of(plan.options))).run();
  fact.with("program", std::string_view(plan.program)).run();
  fact.with("runs", std::string_view(std::to_string(plan.runs.size()))).run();
  fact.with("version", version()).run();
  tables_.run("COMMIT");
  make_columns();
}

void run_table::expect_plan(sweep_plan const& plan) const {
  statement fact = tables_.prepare("SELECT value FROM fact WHERE name = 'sweep'");
  if (fact.next() && fact.text(0) == plan.text) return;
  throw config_error("'" + tables_.file() + "': has runs of another sweep than that of '" + plan.file +
                     "'; expected runs of this one, or no file");
}

void run_table::add(std::size_t number, option_values const& options, ordered_json const& summary,
                    ordered_json const& host) {
  tables_.run("BEGIN");
  tables_.prepare("INSERT INTO run VALUES (?, ?, NULL, ?)")
      .with(std::uint64_t{number}, std::string_view(text_of(options)), std::string_view(text_of(summary)))
      .run();
  tables_.prepare("INSERT INTO host VALUES (?, ?)").with(std::uint64_t{number}, std::string_view(text_of(host))).run();
  tables_.run("COMMIT");
  bool const first = there_.empty();
  there_.insert(number);
  if (first) make_columns();
}

void run_table::add_failure(std::size_t number, option_values const& options, std::string const& error) {
  tables_.prepare("INSERT INTO run VALUES (?, ?, ?, NULL)")
      .with(std::uint64_t{number}, std::string_view(text_of(options)), std::string_view(error))
      .run();
  there_.insert(number);
}

std::optional<ordered_json> run_table::summary(std::size_t number) const {
  statement asked = tables_.prepare("SELECT summary FROM run WHERE number = ? AND error IS NULL");
  asked.with(std::uint64_t{number});
  return asked.next() ? std::optional(ordered_json::parse(asked.text(0))) : std::nullopt;
}

std::size_t run_table::failed() const {
  return static_cast<std::size_t>(number(tables_, "SELECT count(*) FROM run WHERE error IS NOT NULL"));
}

std::string run_table::first_failure() const {
  statement asked = tables_.prepare("SELECT error FROM run WHERE error IS NOT NULL ORDER BY number LIMIT 1");
  return asked.next() ? asked.text(0) : "";
}

/// Options, then figures in the order of the first summary that has them: that of the runs' numbers, not of their ends.
void run_table::make_columns() {
  column_list columns;
  columns.add("run", "number");
  for (statement s = tables_.prepare("SELECT DISTINCT key FROM run, json_each(run.options) ORDER BY key"); s.next();)
    columns.add_from("options", s.text(0));
  columns.add("error", "error");
  statement figures = tables_.prepare(
      "SELECT key FROM (SELECT run.number AS number, key, row_number() OVER (PARTITION BY run.number ORDER BY id) AS "
      "place FROM run, json_each(run.summary)) GROUP BY key ORDER BY min(number * 100000 + place)");
  while (figures.next()) columns.add_from("summary", figures.text(0));
  tables_.run("BEGIN; DROP VIEW IF EXISTS runs; CREATE VIEW runs AS SELECT " + columns.text() +
              " FROM run ORDER BY number; COMMIT");
}

database open_runs(std::string const& file) {
  database opened(file, database::mode::read);
  expect_version(opened);
  return opened;
}

std::vector<std::string> columns_of(database& runs) {
  std::vector<std::string> names;
  for (statement s = runs.prepare("SELECT name FROM pragma_table_info('runs')"); s.next();) names.push_back(s.text(0));
  return names;
}

}  // namespace ovlp::lab::study
