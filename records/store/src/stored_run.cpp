// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/store/stored_run.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <ovlp/base/database.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/base/streams.hpp>
#include <ovlp/base/text.hpp>

#include "number_check.hpp"
#include "packed_column.hpp"
#include "schema.hpp"
#include "stored_totals.hpp"
#include "tables.hpp"

namespace ovlp {
namespace {

using base::database;
using base::statement;

struct kernel_name {
  std::string name;
  std::vector<std::int64_t> sizes;
};

/// What to do with a trace of an MPI program.
std::string hint(std::string const& file) {
  base::file_reader in(file);
  std::string first_line;
  std::getline(in, first_line);
  if (!first_line.starts_with("ovlp mpi trace ") && !first_line.starts_with("#DIMEMAS")) return "";
  return "; this is a trace of an MPI program, of whose replay there is one: ovlp replay " + file +
         " --platform PLATFORM --record RECORD";
}

}  // namespace

struct stored_run::implementation {
  explicit implementation(std::string const& file) : tables(file, database::mode::read) {
    try {
      tables.run("PRAGMA writable_schema = ON");  // else SQLite opens no file that is shorter than it was
      expect_version();
      tables.run("BEGIN");  // as they are at one moment: the run may still write
      expect_tables();
      read_definitions();
      tables.run("COMMIT");
    } catch (io_error const& wrong) {
      std::string const what = wrong.what();
      bool const no_record = what.find("not a database") != std::string::npos;
      throw io_error(no_record ? "'" + file + "': expected a record of a run, as --record writes it" + hint(file)
                               : what);
    }
  }

  std::int64_t number(std::string const& sql) {
    statement asked = tables.prepare(sql);
    return asked.next() ? asked.number(0) : 0;
  }

  /// Empty: there is none.
  std::string fact(std::string const& name) const {
    auto const found = about.find(name);
    return found == about.end() ? "" : found->second;
  }
  double seconds(std::string const& name) const {
    std::vector<double> const all = store::from_words<double>(fact(name));
    return all.empty() ? 0 : all.front();
  }

  void expect_version() {
    if (number("PRAGMA application_id") != store::application_id)
      throw io_error("'" + tables.file() + "': expected a record of a run, as --record writes it");
    if (std::int64_t const version = number("PRAGMA user_version"); version != store::format_version) {
      throw io_error("'" + tables.file() + "': a record of version " + std::to_string(version) + ": expected version " +
                     std::to_string(store::format_version) + ", that of this ovlp");
    }
  }

  /// As they are written: no view or generated column computes what is read.
  void expect_tables() {
    for (statement s = tables.prepare("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"); s.next();) {
      if (std::string_view(store::schema).find(s.text(1)) == std::string_view::npos)
        throw io_error("'" + tables.file() + "': table " + base::quoted(s.text(0)) +
                       ": expected the tables of a record, as --record writes them");
    }
  }

  void read_definitions() {
    for (statement s = tables.prepare("SELECT name, value FROM fact"); s.next();) about[s.text(0)] = s.text(1);
    names.application = about["application"];
    names.backend = about["backend"];
    check.begin("fact");
    names.capacities = check.list<double>("capacities", about["capacities"]);
    for (double const cores : names.capacities) check.seconds("capacities", cores);
    names.nodes = number_of_fact("nodes");
    check.equal("nodes", names.nodes, names.capacities.size());
    names.node = number_of_fact("node");
    if (names.nodes > 0) check.below("node", names.node, names.nodes);
    base::text_reader communicators(about["communicators"]);
    for (std::string members; std::getline(communicators, members);) {
      names.communicators.push_back(check.list<std::uint32_t>("communicators", members));
      for (std::uint32_t const rank : names.communicators.back())
        check.below("communicators", rank, names.communicators.front().size());
    }
    in_order("collection", "SELECT number, name FROM collection ORDER BY number",
             [&](statement const& s) { names.collections.push_back(s.text(1)); });
    in_order("graph", "SELECT number, name FROM graph ORDER BY number", [&](statement const& s) {
      names.graphs.push_back({s.text(1), {}});
    });
    check.begin("operation");
    for (statement s = tables.prepare("SELECT graph, number, kind, name, collection FROM operation "
                                      "ORDER BY graph, number");
         s.next();) {
      check.next();
      auto& operations = names.graphs[check.below("graph", s.number(0), names.graphs.size())].operations;
      check.equal("number", s.number(1), operations.size());
      operations.push_back(
          {s.text(2), s.text(3),
           static_cast<std::uint32_t>(check.below("collection", s.number(4), names.collections.size()))});
    }
    in_order("kernel_name", "SELECT number, name, sizes FROM kernel_name ORDER BY number", [&](statement const& s) {
      kernels.push_back({s.text(1), check.list<std::int64_t>("sizes", s.text(2))});
    });
  }

  /// 0, if the run has not got so far.
  std::uint32_t number_of_fact(char const* name) {
    auto const read = check.list<std::uint32_t>(name, about[name]);
    return read.empty() ? 0 : read.front();
  }

  /// Rows whose numbers are their places.
  template <class Function>
  void in_order(char const* table, char const* sql, Function const& function) {
    check.begin(table);
    std::size_t place = 0;
    for (statement s = tables.prepare(sql); s.next();) {
      check.next();
      check.equal("number", s.number(0), place++);
      function(s);
    }
  }

  template <class Row>
  std::vector<Row> rows_of(std::int64_t block, std::size_t count) {
    std::vector<Row> rows(count);
    statement asked = tables.prepare("SELECT data FROM packed WHERE number BETWEEN ? AND ? AND name = ?");
    std::int64_t const first = block * store::most_columns, last = first + store::most_columns - 1;
    store::for_each_column<Row>([&](auto const& column) {
      using value = std::remove_cvref_t<decltype(column.in(rows.front()))>;
      if (!asked.with(first, last, column.name).next()) {
        throw io_error("'" + tables.file() + "': block " + std::to_string(block) + " has no column " +
                       std::string(column.name));
      }
      std::vector<std::byte> const values = store::unpack(asked.bytes(0), count, sizeof(value));
      for (std::size_t i = 0; i < count; ++i)
        std::memcpy(&column.in(rows[i]), values.data() + i * sizeof(value), sizeof(value));
    });
    return rows;
  }

  template <class Row, class Function>
  void each(Function const& function) {
    statement blocks = tables.prepare("SELECT number, rows FROM block WHERE kind = ? ORDER BY number");
    blocks.with(store::table<Row>::name);
    check.begin(store::table<Row>::name);
    while (blocks.next()) {
      auto const count = static_cast<std::size_t>(blocks.number(1));
      if (count > store::block_rows) throw io_error("'" + tables.file() + "': a block of too many rows");
      constexpr std::uint64_t most_blocks = std::uint64_t{1} << 40;
      auto const number = static_cast<std::int64_t>(check.below("block", blocks.number(0), most_blocks));
      for (Row const& row : rows_of<Row>(number, count)) {
        check.next();
        check(row);
        if constexpr (requires { row.kernel; }) check.below("kernel", row.kernel, kernels.size());
        function(row);
      }
      if (after_block) after_block(count);
    }
  }

  database tables;
  std::function<void(std::size_t)> after_block;
  run_facts about;
  run_definitions names;
  std::vector<kernel_name> kernels;
  store::number_check check{tables.file(), names};
};

stored_run::stored_run(std::string const& file) : implementation_(std::make_unique<implementation>(file)) {}
stored_run::~stored_run() = default;

run_definitions const& stored_run::definitions() const { return implementation_->names; }
run_facts const& stored_run::about() const { return implementation_->about; }
bool stored_run::complete() const {
  run_facts const& about = implementation_->about;
  return about.contains("complete") && !about.contains("incomplete");
}

run_outcome stored_run::outcome() const {
  std::string const is = implementation_->fact(store::outcome_fact);
  if (is == store::finished) return run_outcome::finished;
  if (is == store::failed) return run_outcome::failed;
  return is == store::running ? run_outcome::running : run_outcome::unknown;
}

std::string stored_run::reservation() const {
  if (outcome() == run_outcome::failed) return "the run failed: " + implementation_->fact(store::failure_fact);
  std::string const incomplete = implementation_->fact("incomplete");
  if (outcome() == run_outcome::running || (!complete() && incomplete.empty()))
    return "the run has not ended, or was killed; this is what it did so far";
  if (!complete()) return "not all is there of what " + incomplete + " did";
  return outcome() == run_outcome::unknown ? "whether the run finished or failed is not recorded" : "";
}

processor_use stored_run::processors() const {
  return {implementation_->seconds(store::cpu_fact), implementation_->seconds(store::waited_fact)};
}

bool stored_run::totals_only() const { return implementation_->about.contains("only"); }

void stored_run::expect_records() const {
  if (!totals_only()) return;
  throw config_error("'" + implementation_->tables.file() +
                     "': keeps sums only (--record-only nodes): expected a record of all that happened");
}

run_totals stored_run::totals() const {
  run_totals all(implementation_->names);
  store::read_totals(implementation_->tables, implementation_->check, all);
  return all;
}

double stored_run::begin_s() const {
  if (definitions().backend == "simulated") return 0;
  statement first = implementation_->tables.prepare(
      "SELECT min(at_s) FROM (SELECT first_s AS at_s FROM block UNION ALL SELECT at_s FROM node UNION ALL "
      "SELECT at_s FROM mapping UNION ALL SELECT at_s FROM call)");
  return first.next() ? first.real(0) : 0;
}

std::size_t stored_run::records() const {
  return static_cast<std::size_t>(implementation_->number("SELECT sum(rows) FROM block"));
}

std::string stored_run::read(record_sink& into, std::function<void(std::size_t)> const& each) const {
  implementation& run = *implementation_;
  run.after_block = each;
  std::string damage;
  auto const as_far_as_it_goes = [&](auto const& function) {
    try {
      function();
    } catch (io_error const& wrong) {
      if (damage.empty()) damage = wrong.what();
    }
  };
  into.begin(run.names);
  store::number_check& check = run.check;
  // A row of one of the tables that are no blocks.
  auto const hand_over = [&](auto const& record, auto function) {
    check(record);
    (into.*function)(record);
  };
  auto const rows = [&](char const* table, std::string const& columns, auto const& function) {
    as_far_as_it_goes([&] {
      check.begin(table);
      for (statement s = run.tables.prepare("SELECT " + columns + " FROM " + table + " ORDER BY number"); s.next();) {
        check.next();
        function(s);
      }
    });
  };
  constexpr std::uint64_t numbers = std::uint64_t{1} << 32;
  rows("node", "node, change, at_s", [&](statement const& s) {
    hand_over(node_record{static_cast<std::uint32_t>(check.below("node", s.number(0), numbers)),
                          static_cast<node_change>(check.below("change", s.number(1), 256)), s.real(2)},
              &record_sink::node);
  });
  rows("mapping", "collection, nodes, at_s", [&](statement const& s) {
    auto const nodes = check.list<std::uint32_t>("nodes", s.text(1));
    hand_over(
        mapping_record{static_cast<std::uint32_t>(check.below("collection", s.number(0), numbers)), nodes, s.real(2)},
        &record_sink::mapping);
  });
  rows("decision", "iteration, nodes, reason, at_s", [&](statement const& s) {
    std::string const reason = s.text(2);
    hand_over(decision_record{static_cast<std::int32_t>(check.below("iteration", s.number(0), numbers / 2)),
                              static_cast<std::size_t>(s.number(1)), reason, s.real(3)},
              &record_sink::decision);
  });
  rows("call", "call, graph, begins, at_s", [&](statement const& s) {
    hand_over(call_record{static_cast<std::uint64_t>(s.number(0)),
                          static_cast<std::uint32_t>(check.below("graph", s.number(1), numbers)), s.number(2) != 0,
                          s.real(3)},
              &record_sink::call);
  });
  auto const hand_on = [&]<class Record>(void (record_sink::*take)(Record const&)) {
    as_far_as_it_goes([&] { run.each<Record>([&](Record const& r) { (into.*take)(r); }); });
  };
  hand_on(&record_sink::step);
  as_far_as_it_goes([&] {
    run.each<store::kernel_row>([&](store::kernel_row const& r) {
      kernel_name const& kernel = run.kernels[r.kernel];
      into.kernel({r.at, kernel.name, kernel.sizes, r.start_s, r.end_s, r.work_s});
    });
  });
  hand_on(&record_sink::wait);
  hand_on(&record_sink::post);
  hand_on(&record_sink::send);
  hand_on(&record_sink::delivery);
  hand_on(&record_sink::transfer);
  hand_on(&record_sink::mpi_call);
  if (run_outcome const is = outcome(); is == run_outcome::finished || is == run_outcome::failed) {
    std::string const failure = run.fact(store::failure_fact);
    into.end({run.seconds(store::end_fact), failure, processors()});
  }
  into.flush();
  return damage;
}

recorded_run stored_run::load(std::string* damage) const {
  run_collector all;
  std::string const lost = read(all);
  if (damage != nullptr) *damage = lost;
  return all.take();
}

}  // namespace ovlp
