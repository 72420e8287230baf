// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/store/stored_run.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include <ovlp/flowgraph/error.hpp>
#include <ovlp/support/database.hpp>

#include "number_list.hpp"
#include "packed_column.hpp"
#include "schema.hpp"
#include "stored_totals.hpp"
#include "tables.hpp"

namespace ovlp {
namespace {

using support::database;
using support::statement;

struct kernel_name {
  std::string name;
  std::vector<std::int64_t> sizes;
};

}  // namespace

struct stored_run::implementation {
  explicit implementation(std::string const& file) : tables(file, database::mode::read) {
    try {
      tables.run("PRAGMA writable_schema = ON");  // else SQLite opens no file that is shorter than it was
      expect_version();
      read_definitions();
    } catch (io_error const& wrong) {
      std::string const what = wrong.what();
      bool const no_record = what.find("not a database") != std::string::npos;
      throw io_error(no_record ? "'" + file + "': expected a record of a run, as --record writes it" : what);
    }
  }

  std::int64_t number(std::string const& sql) {
    statement asked = tables.prepare(sql);
    return asked.next() ? asked.number(0) : 0;
  }

  void expect_version() {
    if (number("PRAGMA application_id") != store::application_id)
      throw io_error("'" + tables.file() + "': expected a record of a run, as --record writes it");
    if (std::int64_t const version = number("PRAGMA user_version"); version != store::format_version) {
      throw io_error("'" + tables.file() + "': a record of version " + std::to_string(version) + ": expected version " +
                     std::to_string(store::format_version) + ", that of this ovlp");
    }
  }

  void read_definitions() {
    for (statement s = tables.prepare("SELECT name, value FROM fact"); s.next();) about[s.text(0)] = s.text(1);
    names.application = about["application"];
    names.backend = about["backend"];
    names.nodes = static_cast<std::uint32_t>(std::strtoul(about["nodes"].c_str(), nullptr, 10));
    names.node = static_cast<std::uint32_t>(std::strtoul(about["node"].c_str(), nullptr, 10));
    names.capacities = store::from_words<double>(about["capacities"]);
    for (statement s = tables.prepare("SELECT name FROM collection ORDER BY number"); s.next();)
      names.collections.push_back(s.text(0));
    for (statement s = tables.prepare("SELECT name FROM graph ORDER BY number"); s.next();)
      names.graphs.push_back({s.text(0), {}});
    statement operations = tables.prepare("SELECT graph, kind, name, collection FROM operation ORDER BY graph, number");
    while (operations.next()) {
      auto const graph = static_cast<std::size_t>(operations.number(0));
      if (graph >= names.graphs.size())
        throw io_error("'" + tables.file() + "': an operation of a graph that is missing");
      names.graphs[graph].operations.push_back(
          {operations.text(1), operations.text(2), static_cast<std::uint32_t>(operations.number(3))});
    }
    for (statement s = tables.prepare("SELECT name, sizes FROM kernel_name ORDER BY number"); s.next();)
      kernels.push_back({s.text(0), store::from_words<std::int64_t>(s.text(1))});
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
    while (blocks.next()) {
      auto const count = static_cast<std::size_t>(blocks.number(1));
      if (count > store::block_rows) throw io_error("'" + tables.file() + "': a block of too many rows");
      for (Row const& row : rows_of<Row>(blocks.number(0), count)) function(row);
      if (after_block) after_block(count);
    }
  }

  kernel_name const& kernel(std::uint32_t number) const {
    if (number >= kernels.size()) throw io_error("'" + tables.file() + "': a kernel without a name");
    return kernels[number];
  }

  database tables;
  std::function<void(std::size_t)> after_block;
  run_facts about;
  run_definitions names;
  std::vector<kernel_name> kernels;
};

stored_run::stored_run(std::string const& file) : implementation_(std::make_unique<implementation>(file)) {}
stored_run::~stored_run() = default;

run_definitions const& stored_run::definitions() const { return implementation_->names; }
run_facts const& stored_run::about() const { return implementation_->about; }
bool stored_run::complete() const {
  run_facts const& about = implementation_->about;
  return about.contains("complete") && !about.contains("incomplete");
}

bool stored_run::totals_only() const { return implementation_->about.contains("only"); }

void stored_run::expect_records() const {
  if (!totals_only()) return;
  throw config_error("'" + implementation_->tables.file() +
                     "': keeps sums only (--record-only nodes): expected a record of all that happened");
}

run_totals stored_run::totals() const {
  run_totals all(implementation_->names);
  store::read_totals(implementation_->tables, all);
  return all;
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
  as_far_as_it_goes([&] {
    for (statement s = run.tables.prepare("SELECT node, change, at_s FROM node ORDER BY number"); s.next();)
      into.node({static_cast<std::uint32_t>(s.number(0)), static_cast<node_change>(s.number(1)), s.real(2)});
    for (statement s = run.tables.prepare("SELECT collection, nodes, at_s FROM mapping ORDER BY number"); s.next();) {
      auto const nodes = store::from_words<std::uint32_t>(s.text(1));
      into.mapping({static_cast<std::uint32_t>(s.number(0)), nodes, s.real(2)});
    }
    for (statement s = run.tables.prepare("SELECT iteration, nodes, reason, at_s FROM decision ORDER BY number");
         s.next();) {
      std::string const reason = s.text(2);
      into.decision({static_cast<std::int32_t>(s.number(0)), static_cast<std::size_t>(s.number(1)), reason, s.real(3)});
    }
    for (statement s = run.tables.prepare("SELECT call, graph, begins, at_s FROM call ORDER BY number"); s.next();) {
      into.call({static_cast<std::uint64_t>(s.number(0)), static_cast<std::uint32_t>(s.number(1)), s.number(2) != 0,
                 s.real(3)});
    }
  });
  auto const hand_on = [&]<class Record>(void (record_sink::*take)(Record const&)) {
    as_far_as_it_goes([&] { run.each<Record>([&](Record const& r) { (into.*take)(r); }); });
  };
  hand_on(&record_sink::step);
  as_far_as_it_goes([&] {
    run.each<store::kernel_row>([&](store::kernel_row const& r) {
      kernel_name const& kernel = run.kernel(r.kernel);
      into.kernel({r.at, kernel.name, kernel.sizes, r.start_s, r.end_s, r.work_s});
    });
  });
  hand_on(&record_sink::wait);
  hand_on(&record_sink::post);
  hand_on(&record_sink::send);
  hand_on(&record_sink::delivery);
  hand_on(&record_sink::transfer);
  into.flush();
  return damage;
}

}  // namespace ovlp
