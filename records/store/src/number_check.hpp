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
#include "tables.hpp"

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

  void operator()(step_record const& r) const;
  void operator()(kernel_row const& r, std::size_t kernels) const;
  void operator()(wait_record const& r) const;
  void operator()(post_record const& r) const;
  void operator()(send_record const& r) const;
  void operator()(delivery_record const& r) const;
  void operator()(transfer_record const& r) const;
  void operator()(mpi_call_record const& r) const;
  void operator()(node_record const& r) const;
  /// From then on indices of threads of that collection are checked.
  void operator()(mapping_record const& r);
  void operator()(decision_record const& r) const;
  void operator()(call_record const& r) const;

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
