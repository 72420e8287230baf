// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ovlp/base/text.hpp>
#include <ovlp/records/record.hpp>

#include "number_list.hpp"

namespace ovlp::store {

/// Whether numbers of a file can be true of its run: those that refer to something are numbers of that, enumerators are
/// known, times and sizes finite. So whoever reads a record need not ask again.
/// Errors, of all members: io_error "FILE: table TABLE, row ROW: COLUMN: expected ..., got ...".
class number_check {
 public:
  /// Both must live as long, and may grow until the first row is checked.
  number_check(std::string const& file, run_definitions const& names) : file_(file), names_(names) {}

  /// The rows of a table come; then, before each, next().
  void begin(std::string_view table) {
    table_ = table;
    row_ = 0;
  }
  void next() { ++row_; }

  /// What columns of one name hold has one meaning, whatever the record.
  template <class Row>
  void operator()(Row const& r) const {
    if constexpr (requires { r.at; }) place(r.at);
    if constexpr (requires { r.cause; }) known("cause", r.cause, wait_cause::handled);
    if constexpr (requires { r.kind; }) known("kind", r.kind, message_kind::control);
    if constexpr (requires { r.node; }) node_number("node", r.node);
    if constexpr (requires { r.change; }) known("change", r.change, node_change::released);
    if constexpr (requires { r.source; }) node_number("source", r.source);
    if constexpr (requires { r.destination; }) node_number("destination", r.destination);
    if constexpr (requires { r.to_node; }) node_number("to_node", r.to_node);
    if constexpr (requires { r.graph; }) below("graph", r.graph, names_.graphs.size());
    if constexpr (requires { r.bytes; }) within("bytes", static_cast<double>(r.bytes), 0, most);
    if constexpr (requires { r.at_s; }) time("at_s", r.at_s);
    if constexpr (requires { r.start_s; }) {
      time("start_s", r.start_s);
      in_order("end_s", r.start_s, r.end_s);
    }
    if constexpr (requires { r.crossed_s; }) {
      time("sent_s", r.sent_s);
      in_order("started_s", r.sent_s, r.started_s);
      in_order("crossed_s", r.started_s, r.crossed_s);
      seconds("latency_s", r.latency_s);
    }
    if constexpr (requires { r.computed_s; }) seconds("computed_s", r.computed_s);
    if constexpr (requires { r.work_s; }) seconds("work_s", r.work_s);
  }
  void operator()(mpi_call_record const& r) const;
  /// From then on indices of threads of that collection are checked.
  void operator()(mapping_record const& r);
  void operator()(decision_record const& r) const;

  // A number as it stands in a table.

  std::uint64_t below(char const* column, std::int64_t value, std::uint64_t limit) const {
    if (value < 0 || static_cast<std::uint64_t>(value) >= limit) [[unlikely]]
      fail(column, "a whole number from 0, less than " + std::to_string(limit), std::to_string(value));
    return static_cast<std::uint64_t>(value);
  }
  void equal(char const* column, std::int64_t value, std::size_t expected) const {
    if (value < 0 || static_cast<std::uint64_t>(value) != expected) [[unlikely]]
      fail(column, std::to_string(expected), std::to_string(value));
  }
  /// With blanks between.
  template <class Number>
  std::vector<Number> list(char const* column, std::string const& words) const {
    auto read = read_words<Number>(words);
    if (!read) fail(column, "numbers with blanks between", base::quoted(words));
    return std::move(*read);
  }
  double time(char const* column, double value_s) const { return within(column, value_s, -most, most); }
  double seconds(char const* column, double value_s) const { return within(column, value_s, -rounding_s, most); }

 private:
  static constexpr double most = 1e15;  // as in all files: base::json_object
  static constexpr double rounding_s = 1e-9;

  double within(char const* column, double value, double least, double greatest) const {
    if (!(value >= least && value <= greatest)) [[unlikely]]
      fail_range(column, value, least, greatest);
    return value;
  }
  template <class Name>
  void known(char const* column, Name name, Name last) const {
    below(column, static_cast<std::int64_t>(name), static_cast<std::uint64_t>(last) + 1);
  }
  void in_order(char const* column, double first_s, double then_s) const;
  void place(operation_place const& at) const;
  void node_number(char const* column, std::uint32_t node) const { below(column, node, names_.nodes); }
  [[noreturn]] void fail(char const* column, std::string const& expected, std::string const& got) const;
  [[noreturn]] void fail_range(char const* column, double value, double least, double greatest) const;

  std::string const& file_;
  run_definitions const& names_;
  std::vector<std::size_t> threads_{};  ///< by collection: those that it has had at most; 0: not known
  std::string_view table_;
  std::size_t row_ = 0;
};

}  // namespace ovlp::store
