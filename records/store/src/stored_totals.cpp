// SPDX-License-Identifier: BSD-3-Clause
#include "stored_totals.hpp"

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <ovlp/flowgraph/error.hpp>

#include "packed_column.hpp"

namespace ovlp::store {
namespace {

using support::database;
using support::statement;

constexpr char const* of_call = "call";
constexpr char const* of_node = "node";

/// A number that is to be below another one.
std::uint32_t number_below(std::size_t limit, std::int64_t number, database const& in) {
  if (number < 0 || static_cast<std::size_t>(number) >= limit)
    throw io_error("'" + in.file() + "': sums of a node or an operation that the run does not have");
  return static_cast<std::uint32_t>(number);
}

void read_bins(work_over_time& to, statement const& row) {
  to.origin_s = row.real(2);
  to.width_s = row.real(3);
  auto const count = static_cast<std::size_t>(row.number(4));
  if (count > to.most_bins) throw io_error("a record with too many sums of work over time");
  std::vector<std::byte> const values = unpack(row.bytes(5), count, sizeof(double));
  to.bins_s.resize(count);
  if (count > 0) std::memcpy(to.bins_s.data(), values.data(), values.size());
}

}  // namespace

void write_totals(run_totals const& totals, database& to) {
  to.run("BEGIN");
  auto const table = [&](char const* name, char const* parameters) {
    to.run(std::string("DELETE FROM ") + name);
    return to.prepare(std::string("INSERT INTO ") + name + " VALUES" + parameters);
  };
  statement operation = table("operation_total", "(?, ?, ?, ?, ?)");
  for (std::uint32_t g = 0; g < totals.operations.size(); ++g) {
    for (std::uint32_t o = 0; o < totals.operations[g].size(); ++o) {
      run_totals::operation const& of = totals.operations[g][o];
      operation.with(g, o, of.steps, of.computed_s, of.work_s).run();
    }
  }
  statement iteration = table("iteration_total", "(?, ?, ?, ?, ?)");
  statement bins = table("work_over_time", "(?, ?, ?, ?, ?, ?)");
  column_packer packer;
  auto const write_bins = [&](char const* of, std::uint64_t number, work_over_time const& work) {
    if (work.bins_s.empty()) return;
    auto const packed = packer.pack(std::as_bytes(std::span(work.bins_s)), sizeof(double));
    bins.with(of, number, work.origin_s, work.width_s, std::uint64_t{work.bins_s.size()}, packed).run();
  };
  for (auto const& [call, of] : totals.calls) {
    for (auto const& [index, i] : of.iterations) iteration.with(call, index, i.start_s, i.end_s, i.work_s).run();
    write_bins(of_call, call, of.over_time);
  }
  for (std::uint64_t n = 0; n < totals.nodes.size(); ++n) write_bins(of_node, n, totals.nodes[n]);
  statement wait = table("wait_total", "(?, ?, ?, ?, ?, ?)");
  for (auto const& [what, of] : totals.waited) {
    auto const& [graph, operation_number, cause] = what;
    wait.with(graph, operation_number, static_cast<std::uint32_t>(cause), of.count, of.total_s, of.longest_s).run();
  }
  statement post = table("post_total", "(?, ?, ?, ?, ?)");
  for (auto const& [way, objects] : totals.posted) {
    auto const& [graph, operation_number, port, to_operation] = way;
    post.with(graph, operation_number, port, to_operation, objects).run();
  }
  statement send = table("send_total", "(?, ?, ?, ?, ?)");
  for (auto const& [pair, of] : totals.sent)
    send.with(pair.first, pair.second, of.objects, of.bytes, of.controls).run();
  to.run("COMMIT");
}

void read_totals(database& from, run_totals& totals) {
  auto const number = [&](statement const& row, int column, std::size_t limit) {
    return number_below(limit, row.number(column), from);
  };
  auto const unsigned_number = [](statement const& row, int column) {
    return static_cast<std::uint64_t>(row.number(column));
  };
  for (statement s = from.prepare("SELECT * FROM operation_total"); s.next();) {
    auto& of_graph = totals.operations[number(s, 0, totals.operations.size())];
    of_graph[number(s, 1, of_graph.size())] = {unsigned_number(s, 2), s.real(3), s.real(4)};
  }
  for (statement s = from.prepare("SELECT * FROM iteration_total"); s.next();) {
    totals.calls[unsigned_number(s, 0)].iterations[static_cast<std::int32_t>(s.number(1))] = {s.real(2), s.real(3),
                                                                                              s.real(4)};
  }
  for (statement s = from.prepare("SELECT * FROM work_over_time"); s.next();) {
    bool const is_call = s.text(0) == of_call;
    read_bins(is_call ? totals.calls[unsigned_number(s, 1)].over_time : totals.nodes[number(s, 1, totals.nodes.size())],
              s);
  }
  constexpr std::size_t causes = static_cast<std::size_t>(wait_cause::change) + 1;
  for (statement s = from.prepare("SELECT * FROM wait_total"); s.next();) {
    std::uint32_t const graph = number(s, 0, totals.operations.size());
    std::uint32_t const operation = number(s, 1, totals.operations[graph].size());
    totals.waited[{graph, operation, static_cast<wait_cause>(number(s, 2, causes))}] = {unsigned_number(s, 3),
                                                                                        s.real(4), s.real(5)};
  }
  for (statement s = from.prepare("SELECT * FROM post_total"); s.next();) {
    std::uint32_t const graph = number(s, 0, totals.operations.size());
    totals.posted[{graph, number(s, 1, totals.operations[graph].size()), static_cast<std::uint32_t>(s.number(2)),
                   static_cast<std::uint32_t>(s.number(3))}] = unsigned_number(s, 4);
  }
  for (statement s = from.prepare("SELECT * FROM send_total"); s.next();) {
    totals.sent[{number(s, 0, totals.nodes.size()), number(s, 1, totals.nodes.size())}] = {
        unsigned_number(s, 2), unsigned_number(s, 3), unsigned_number(s, 4)};
  }
}

}  // namespace ovlp::store
