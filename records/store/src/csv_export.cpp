// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/store/exports.hpp>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/streams.hpp>
#include <ovlp/records/names.hpp>

#include "number_list.hpp"
#include "tables.hpp"

namespace ovlp {
namespace {

/// A file of CSV, with quotes where a text needs them (RFC 4180).
class table_file {
 public:
  table_file(std::filesystem::path file, std::vector<std::string_view> const& columns)
      : name_(std::move(file)), out_(base::expect_replaceable(name_.string(), columns.front())) {
    for (std::string_view const column : columns) add(column);
    end_row();
  }

  void add(std::string_view text) {
    separate();
    if (text.find_first_of(",\"\n\r") == std::string_view::npos) {
      out_ << text;
      return;
    }
    out_ << '"';
    for (char c : text) out_ << (c == '"' ? "\"\"" : std::string(1, c));
    out_ << '"';
  }
  /// Digits that give the same number when they are read.
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void add(Number number) {
    std::array<char, 32> digits{};
    auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    separate();
    out_.write(digits.data(), end - digits.data());
  }
  template <class Name>
  requires std::is_enum_v<Name>
  void add(Name name) { add(name_of(name)); }
  void end_row() {
    out_ << '\n';
    first_ = true;
    note_error();
  }
  void flush() {
    out_.flush();
    note_error();
    if (error_ != 0) throw io_error("'" + name_.string() + "': cannot be written: " + std::strerror(error_));
  }

 private:
  void note_error() {
    if (!out_ && error_ == 0) error_ = errno;
  }
  void separate() {
    if (!first_) out_ << ',';
    first_ = false;
  }

  std::filesystem::path name_;
  base::file_writer out_;
  bool first_ = true;
  int error_ = 0;  ///< of the first row that could not be written
};

class csv_export final : public record_sink {
 public:
  csv_export(std::filesystem::path folder, std::string reservation)
      : folder_(std::move(folder)), reservation_(std::move(reservation)) {
    base::make_folder(folder_);
  }

  void begin(run_definitions const& names) override {
    table_file& about = file("run", {"name", "value"});
    if (!reservation_.empty()) row(about, "reservation", reservation_);
    row(about, "application", names.application);
    row(about, "backend", names.backend);
    row(about, "nodes", std::to_string(names.nodes));
    table_file& collections = file("collection", {"number", "name"});
    for (std::size_t c = 0; c < names.collections.size(); ++c) row(collections, c, names.collections[c]);
    table_file& graphs = file("graph", {"number", "name"});
    table_file& operations = file("operation", {"graph", "number", "kind", "name", "collection"});
    for (std::size_t g = 0; g < names.graphs.size(); ++g) {
      row(graphs, g, names.graphs[g].name);
      for (std::size_t o = 0; o < names.graphs[g].operations.size(); ++o) {
        auto const& is = names.graphs[g].operations[o];
        row(operations, g, o, is.kind, is.name, is.collection);
      }
    }
  }
  void step(step_record const& r) override { row_of(r); }
  void wait(wait_record const& r) override { row_of(r); }
  void post(post_record const& r) override { row_of(r); }
  void send(send_record const& r) override { row_of(r); }
  void delivery(delivery_record const& r) override { row_of(r); }
  void transfer(transfer_record const& r) override { row_of(r); }
  void mpi_call(mpi_call_record const& r) override { row_of(r); }
  void kernel(kernel_record const& r) override {
    table_file& to = file("kernel", {"start_s", "end_s", "work_s", "name", "sizes", "call", "node", "graph",
                                     "operation", "thread", "iteration"});
    row(to, r.start_s, r.end_s, r.work_s, r.name, store::to_words(r.sizes), r.at.call, r.at.node, r.at.graph,
        r.at.operation, r.at.thread, r.at.iteration);
  }
  void node(node_record const& r) override { row(file("node", {"node", "change", "at_s"}), r.node, r.change, r.at_s); }
  void mapping(mapping_record const& r) override {
    row(file("mapping", {"collection", "at_s", "nodes"}), r.collection, r.at_s, store::to_words(r.nodes));
  }
  void decision(decision_record const& r) override {
    row(file("decision", {"iteration", "nodes", "reason", "at_s"}), r.iteration, r.nodes, r.reason, r.at_s);
  }
  void call(call_record const& r) override {
    row(file("call", {"call", "graph", "begins", "at_s"}), r.call, r.graph, r.begins ? 1 : 0, r.at_s);
  }
  void flush() override {
    for (auto& [name, table] : tables_) table.flush();
  }

 private:
  table_file& file(std::string const& name, std::vector<std::string_view> const& columns) {
    auto const found = tables_.find(name);
    return found != tables_.end() ? found->second
                                  : tables_.emplace(name, table_file(folder_ / (name + ".csv"), columns)).first->second;
  }
  template <class... Values>
  static void row(table_file& to, Values const&... values) {
    (to.add(values), ...);
    to.end_row();
  }
  template <class Row>
  void row_of(Row const& r) {
    std::vector<std::string_view> columns;
    store::for_each_column<Row>([&](auto const& column) { columns.push_back(column.name); });
    table_file& to = file(std::string(store::table<Row>::name), columns);
    store::for_each_column<Row>([&](auto const& column) { to.add(column.in(r)); });
    to.end_row();
  }

  std::filesystem::path const folder_;
  std::string const reservation_;
  std::map<std::string, table_file> tables_;
};

}  // namespace

std::unique_ptr<record_sink> make_csv_export(std::string const& folder, std::string const& reservation) {
  return std::make_unique<csv_export>(folder, reservation);
}

}  // namespace ovlp
