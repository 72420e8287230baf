// SPDX-License-Identifier: BSD-3-Clause
// The tables of a stored run: which columns there are of each kind of record. docs/formats/record.md says what they
// mean.
#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>

#include <ovlp/records/record.hpp>

namespace ovlp::store {

/// A value in a row, perhaps within a part of it.
template <class... Path>
struct column {
  constexpr explicit column(std::string_view called, Path... to) : name(called), path(to...) {}
  std::string_view name;
  std::tuple<Path...> path;

  template <class Row>
  constexpr auto& in(Row& row) const {
    return std::apply(
        [&](auto... members) -> auto& { return follow(row, members...); }, path);
  }

 private:
  template <class Part, class First, class... Rest>
  static constexpr auto& follow(Part& part, First member, Rest... rest) {
    if constexpr (sizeof...(Rest) == 0) {
      return part.*member;
    } else {
      return follow(part.*member, rest...);
    }
  }
};

template <class Row>
constexpr auto columns_of_place(operation_place Row::*at) {
  using place = operation_place;
  return std::tuple{column("call", at, &place::call),     column("node", at, &place::node),
                    column("graph", at, &place::graph),   column("operation", at, &place::operation),
                    column("thread", at, &place::thread), column("iteration", at, &place::iteration)};
}
template <class Row>
constexpr auto columns_of_object(object_key Row::*object) {
  return std::tuple{column("object_group", object, &object_key::group),
                    column("object_place", object, &object_key::place),
                    column("object_operation", object, &object_key::operation)};
}

/// A kernel_record whose name and sizes are a number.
struct kernel_row {
  operation_place at;
  std::uint32_t kernel;
  double start_s, end_s, work_s;
};

/// `first`, `last`: when what a row tells began and ended.
template <class Row>
struct table;

template <>
struct table<step_record> {
  using row = step_record;
  static constexpr std::string_view name = "step";
  static constexpr auto first = &row::start_s, last = &row::end_s;
  static constexpr auto columns =
      std::tuple_cat(std::tuple{column("start_s", &row::start_s), column("end_s", &row::end_s),
                                column("computed_s", &row::computed_s), column("work_s", &row::work_s)},
                     columns_of_place(&row::at), columns_of_object(&row::input));
};

template <>
struct table<kernel_row> {
  using row = kernel_row;
  static constexpr std::string_view name = "kernel";
  static constexpr auto first = &row::start_s, last = &row::end_s;
  static constexpr auto columns =
      std::tuple_cat(std::tuple{column("start_s", &row::start_s), column("end_s", &row::end_s),
                                column("work_s", &row::work_s), column("kernel", &row::kernel)},
                     columns_of_place(&row::at));
};

template <>
struct table<wait_record> {
  using row = wait_record;
  static constexpr std::string_view name = "wait";
  static constexpr auto first = &row::start_s, last = &row::end_s;
  static constexpr auto columns = std::tuple_cat(
      std::tuple{column("start_s", &row::start_s), column("end_s", &row::end_s), column("cause", &row::cause)},
      columns_of_place(&row::at));
};

template <>
struct table<post_record> {
  using row = post_record;
  static constexpr std::string_view name = "post";
  static constexpr auto first = &row::at_s, last = &row::at_s;
  static constexpr auto columns =
      std::tuple_cat(std::tuple{column("at_s", &row::at_s)}, columns_of_place(&row::at),
                     std::tuple{column("port", &row::port)}, columns_of_object(&row::object),
                     std::tuple{column("to_thread", &row::to_thread), column("to_node", &row::to_node)});
};

template <>
struct table<send_record> {
  using row = send_record;
  static constexpr std::string_view name = "send";
  static constexpr auto first = &row::at_s, last = &row::at_s;
  static constexpr auto columns =
      std::tuple_cat(std::tuple{column("at_s", &row::at_s), column("call", &row::call), column("kind", &row::kind),
                                column("source", &row::source), column("destination", &row::destination),
                                column("bytes", &row::bytes)},
                     columns_of_object(&row::object));
};

template <>
struct table<delivery_record> {
  using row = delivery_record;
  static constexpr std::string_view name = "delivery";
  static constexpr auto first = &row::at_s, last = &row::at_s;
  static constexpr auto columns =
      std::tuple_cat(std::tuple{column("at_s", &row::at_s), column("kind", &row::kind), column("source", &row::source),
                                column("destination", &row::destination)},
                     columns_of_object(&row::object));
};

template <>
struct table<transfer_record> {
  using row = transfer_record;
  static constexpr std::string_view name = "transfer";
  static constexpr auto first = &row::sent_s, last = &row::crossed_s;
  static constexpr auto columns =
      std::tuple_cat(std::tuple{column("sent_s", &row::sent_s), column("started_s", &row::started_s),
                                column("latency_s", &row::latency_s), column("crossed_s", &row::crossed_s),
                                column("source", &row::source), column("destination", &row::destination),
                                column("bytes", &row::bytes)},
                     columns_of_object(&row::object));
};

template <>
struct table<mpi_call_record> {
  using row = mpi_call_record;
  static constexpr std::string_view name = "mpi_call";
  static constexpr auto first = &row::arrived_s, last = &row::arrived_s;
  static constexpr auto columns = std::tuple{column("message", &row::message),
                                             column("end", &row::end),
                                             column("blocks", &row::blocks),
                                             column("rank", &row::rank),
                                             column("partner", &row::partner),
                                             column("communicator", &row::communicator),
                                             column("tag", &row::tag),
                                             column("bytes", &row::bytes),
                                             column("begun_s", &row::begun, &mpi_moment::at_s),
                                             column("begun", &row::begun, &mpi_moment::number),
                                             column("ended_s", &row::ended, &mpi_moment::at_s),
                                             column("ended", &row::ended, &mpi_moment::number),
                                             column("arrived_s", &row::arrived_s)};
};

/// One of each kind of row.
template <template <class> class Of>
using of_each_kind = std::tuple<Of<step_record>, Of<kernel_row>, Of<wait_record>, Of<post_record>, Of<send_record>,
                                Of<delivery_record>, Of<transfer_record>, Of<mpi_call_record>>;

template <class Row, class Function>
constexpr void for_each_column(Function const& function) {
  std::apply([&](auto const&... all) { (function(all), ...); }, table<Row>::columns);
}

}  // namespace ovlp::store
