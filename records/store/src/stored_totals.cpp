// SPDX-License-Identifier: BSD-3-Clause
#include "stored_totals.hpp"

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <ovlp/records/names.hpp>

#include "packed_column.hpp"

namespace ovlp::store {
namespace {

using base::database;
using base::statement;

constexpr char const* of_call = "call";
constexpr char const* of_node = "node";

void read_bins(work_over_time& to, statement const& row, number_check const& check) {
  to.origin_s = check.time("origin_s", row.real(2));
  to.width_s = check.seconds("width_s", row.real(3));
  auto const count = check.below("bins", row.number(4), to.most_bins + 1);
  std::vector<std::byte> const values = unpack(row.bytes(5), count, sizeof(double));
  to.bins_s.resize(count);
  if (count > 0) std::memcpy(to.bins_s.data(), values.data(), values.size());
  for (double const work_s : to.bins_s) check.seconds("data", work_s);
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

void read_totals(database& from, number_check& check, run_totals& totals) {
  auto const rows = [&](std::string const& table, auto const& function) {
    check.begin(table);
    for (statement s = from.prepare("SELECT * FROM " + table); s.next();) {
      check.next();
      function(s);
    }
  };
  auto const number = [&](char const* name, statement const& row, int column, std::size_t limit) {
    return static_cast<std::uint32_t>(check.below(name, row.number(column), limit));
  };
  auto const count = [&](char const* name, statement const& row, int column) {
    return check.below(name, row.number(column), std::uint64_t{1} << 63);
  };
  rows("operation_total", [&](statement const& s) {
    auto& of_graph = totals.operations[number("graph", s, 0, totals.operations.size())];
    of_graph[number("operation", s, 1, of_graph.size())] = {
        count("steps", s, 2), check.seconds("computed_s", s.real(3)), check.seconds("work_s", s.real(4))};
  });
  rows("iteration_total", [&](statement const& s) {
    auto const iteration = static_cast<std::int32_t>(number("iteration", s, 1, std::size_t{1} << 31));
    totals.calls[count("call", s, 0)].iterations[iteration] = {
        check.time("start_s", s.real(2)), check.time("end_s", s.real(3)), check.seconds("work_s", s.real(4))};
  });
  rows("work_over_time", [&](statement const& s) {
    read_bins(s.text(0) == of_call ? totals.calls[count("number", s, 1)].over_time
                                   : totals.nodes[number("number", s, 1, totals.nodes.size())],
              s, check);
  });
  constexpr std::size_t causes = wait_cause_names.size();
  rows("wait_total", [&](statement const& s) {
    std::uint32_t const graph = number("graph", s, 0, totals.operations.size());
    std::uint32_t const operation = number("operation", s, 1, totals.operations[graph].size());
    totals.waited[{graph, operation, static_cast<wait_cause>(number("cause", s, 2, causes))}] = {
        count("waits", s, 3), check.seconds("total_s", s.real(4)), check.seconds("longest_s", s.real(5))};
  });
  constexpr std::size_t any = std::size_t{1} << 32;
  rows("post_total", [&](statement const& s) {
    std::uint32_t const graph = number("graph", s, 0, totals.operations.size());
    totals.posted[{graph, number("operation", s, 1, totals.operations[graph].size()), number("port", s, 2, any),
                   number("to_operation", s, 3, any)}] = count("objects", s, 4);
  });
  rows("send_total", [&](statement const& s) {
    totals.sent[{number("source", s, 0, totals.nodes.size()), number("destination", s, 1, totals.nodes.size())}] = {
        count("objects", s, 2), count("bytes", s, 3), count("controls", s, 4)};
  });
}

}  // namespace ovlp::store
