// SPDX-License-Identifier: BSD-3-Clause
#include "number_check.hpp"

#include <algorithm>
#include <cmath>

#include <ovlp/base/error.hpp>
#include <ovlp/base/streams.hpp>

namespace ovlp::store {

void number_check::fail(char const* column, std::string const& expected, std::string const& got) const {
  std::string const row = row_ == 0 ? "" : ", row " + std::to_string(row_);  // facts have names
  throw io_error("'" + file_ + "': table " + std::string(table_) + row + ": " + column + ": expected " + expected +
                 ", got " + got);
}

void number_check::fail_range(char const* column, double value, double least, double greatest) const {
  base::text_writer expected, got;
  expected << "a number from " << (least == -rounding_s ? 0 : least) << " to " << greatest;
  got << value;
  fail(column, expected.str(), got.str());
}

void number_check::in_order(char const* column, double first_s, double then_s) const {
  time(column, then_s);
  if (then_s >= first_s - rounding_s * (1 + std::abs(first_s))) return;
  base::text_writer expected, got;
  expected.precision(12);
  got.precision(12);
  expected << "at least " << first_s << ", when it began";
  got << then_s;
  fail(column, expected.str(), got.str());
}

void number_check::place(operation_place const& at) const {
  node_number("node", at.node);
  below("graph", at.graph, names_.graphs.size());
  auto const& operations = names_.graphs[at.graph].operations;
  below("operation", at.operation, operations.size());
  below("iteration", at.iteration, std::uint64_t{1} << 31);
  std::uint32_t const collection = operations[at.operation].collection;
  if (collection < threads_.size() && threads_[collection] > 0) below("thread", at.thread, threads_[collection]);
}

void number_check::operator()(mpi_call_record const& r) const {
  std::size_t const ranks = names_.communicators.empty() ? 0 : names_.communicators.front().size();
  known("end", r.end, message_end::receive);
  below("rank", r.rank, ranks);
  below("partner", r.partner, ranks);
  below("communicator", r.communicator, names_.communicators.size());
  within("bytes", static_cast<double>(r.bytes), 0, most);
  time("begun_s", r.begun.at_s);
  in_order("ended_s", r.begun.at_s, r.ended.at_s);
  time("arrived_s", r.arrived_s);
}

void number_check::operator()(mapping_record const& r) {
  below("collection", r.collection, names_.collections.size());
  for (std::uint32_t const node : r.nodes) node_number("nodes", node);
  time("at_s", r.at_s);
  threads_.resize(names_.collections.size());
  threads_[r.collection] = std::max(threads_[r.collection], r.nodes.size());
}

void number_check::operator()(decision_record const& r) const {
  below("iteration", r.iteration, std::uint64_t{1} << 31);
  below("nodes", static_cast<std::int64_t>(r.nodes), std::uint64_t{names_.nodes} + 1);
  time("at_s", r.at_s);
}

}  // namespace ovlp::store
