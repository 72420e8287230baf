// SPDX-License-Identifier: BSD-3-Clause
// Block LU factorization with partial pivoting: the application of the paper, sections 5 and 6.
#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <ovlp/ovlp.hpp>

#include "graph.hpp"
#include "matrix.hpp"

namespace {

constexpr double residual_limit = 10;
constexpr int most_blocks = 1024;  // to a side; the graph has operations for each

struct Options {
  int n = 2592;
  int block = 324;
  std::string graph = "basic";
  std::size_t flow_control = 0;
  int sub_blocks = 0;
  std::size_t column_nodes = 0;  // 0, until complete(): the default
  std::size_t multipliers = 0;
  std::size_t owners = 0;
  std::size_t seed = 1;
  bool verify = false;
  std::vector<std::string> remove, add;  // COUNT@ITERATION

  void describe(ovlp::options& to) {
    to.add("--n", n, "order of the matrix").at_least(1).at_most(1'000'000);
    to.add("--block", block, "order of a block").at_least(1);
    to.add("--graph", graph, "flow graph").one_of({"basic", "pipelined", "owner"});
    to.add("--flow-control", flow_control, "products of a level in circulation at once; 0: no bound");
    to.add("--sub-blocks", sub_blocks,
           "products are cut into line and column blocks of this order and multiplied in parallel; 0: they are not")
        .at_least(0);
    to.add("--column-nodes", column_nodes, "nodes that hold the matrix; default: all").at_least(1);
    to.add("--multipliers", multipliers, "threads that multiply, not in graph owner; default: one per node")
        .at_least(1)
        .at_most(100'000);
    to.add("--owners", owners, "threads that share the columns in graph owner; default: one per column node")
        .at_least(1)
        .at_most(100'000);
    to.add("--seed", seed, "of the matrix");
    to.add(
        "--remove", remove,
        "COUNT@ITERATION: so many multiplying threads leave, and their nodes, when the products of that iteration have "
        "been posted (pipelined) or subtracted (basic); repeatable");
    to.add("--add", add, "COUNT@ITERATION: so many join; repeatable");
    to.add("--verify", verify, "compute the residual; the run fails above 10");
  }
  /// What depends on the number of nodes. Errors: config_error.
  void complete(std::size_t nodes) {
    if (lu::Layout{n, block, 1}.blocks() > most_blocks) {
      throw ovlp::config_error("--block: expected at least " + std::to_string((n + most_blocks - 1) / most_blocks) +
                               " for --n " + std::to_string(n) + ", got " + std::to_string(block));
    }
    if (sub_blocks > block) {
      throw ovlp::config_error("--sub-blocks: expected at most " + std::to_string(block) + " (--block), got " +
                               std::to_string(sub_blocks));
    }
    for (auto const& [option, given, has_effect] : {std::tuple("--sub-blocks", sub_blocks > 0, graph != "owner"),
                                                    std::tuple("--flow-control", flow_control > 0, graph != "owner"),
                                                    std::tuple("--multipliers", multipliers > 0, graph != "owner"),
                                                    std::tuple("--owners", owners > 0, graph == "owner")}) {
      if (!given || has_effect) continue;
      throw ovlp::config_error(std::string(option) + ": expected with --graph " +
                               (graph == "owner" ? "basic or pipelined" : "owner") + ", got " + graph);
    }
    if (column_nodes > nodes) {
      throw ovlp::config_error("--column-nodes: expected 1 to " + std::to_string(nodes) + " (--nodes), got " +
                               std::to_string(column_nodes));
    }
    if (column_nodes == 0) column_nodes = nodes;
    if (multipliers == 0) multipliers = nodes;
    if (owners == 0) owners = column_nodes;
  }
  int last_border() const { return lu::Layout{n, block, 1}.blocks() - 1; }  // iteration with products
  /// --remove and --add, as a plan. Errors: config_error.
  ovlp::plan plan(std::size_t nodes) const {
    std::map<int, std::int64_t> difference;
    for (auto const& [option, list, sign] : {std::tuple("--remove", &remove, -1), std::tuple("--add", &add, 1)}) {
      for (std::string const& text : *list) {
        auto const [count, iteration] = count_at_iteration(option, text, last_border());
        difference[iteration] += sign * count;
      }
    }
    if (!difference.empty() && multipliers > nodes) {
      throw ovlp::config_error("--remove, --add: expected at most one multiplying thread a node, got --multipliers " +
                               std::to_string(multipliers));
    }
    ovlp::plan made;
    if (!difference.empty()) {
      made.changes[0] = {std::max(multipliers, column_nodes),
                         {{"multipliers", multipliers}, {"columns", column_nodes}}};
    }
    auto left = static_cast<std::int64_t>(multipliers);
    for (auto const& [iteration, by] : difference) {
      if (left + by < 1 || left + by > static_cast<std::int64_t>(nodes)) {
        throw ovlp::config_error("--remove, --add: expected 1 to " + std::to_string(nodes) +
                                 " nodes (--nodes) that multiply, got " + std::to_string(left + by) +
                                 " after iteration " + std::to_string(iteration));
      }
      left += by;
      made.changes[iteration] = {static_cast<std::size_t>(left)};
    }
    return made;
  }
  /// Lets the run follow --remove and --add, or --plan. Errors: config_error.
  void follow_plan(ovlp::engine& run) const {
    bool const short_form = !remove.empty() || !add.empty();
    bool const any = short_form || !run.plan().changes.empty() || run.may_change_after(1);
    if (any && graph == "owner") {
      throw ovlp::config_error("--plan, --policy, --remove, --add: expected graph basic or pipelined, got owner");
    }
    if (short_form && !run.plan().changes.empty())
      throw ovlp::config_error("--plan: expected neither --remove nor --add beside it");
    if (short_form) run.follow(plan(run.nodes()));
    run.plan().expect_borders_to(last_border());
  }
  static std::pair<std::int64_t, int> count_at_iteration(char const* option, std::string const& text, int last) {
    int count = 0, iteration = 0, used = 0;
    bool const good = std::sscanf(text.c_str(), "%9d@%9d%n", &count, &iteration, &used) == 2 &&
                      static_cast<std::size_t>(used) == text.size() && count >= 1 && iteration >= 1 &&
                      iteration <= last;
    if (!good) {
      throw ovlp::config_error(std::string(option) +
                               ": expected COUNT@ITERATION, such as 4@1, with an iteration from 1 to " +
                               std::to_string(last) + ", got '" + text + "'");
    }
    return {count, iteration};
  }
  lu::Variant variant(ovlp::engine const& run) const {
    lu::Variant made{graph == "pipelined", flow_control, sub_blocks};
    made.sharing = {std::max<std::size_t>(1, multipliers / run.nodes()), column_nodes};
    for (int k = 1; k <= last_border(); ++k) {
      if (run.may_change_after(k)) made.borders.insert(k);
    }
    if (!made.borders.empty()) made.most_multipliers = run.nodes() * made.sharing.multipliers_per_node;
    return made;
  }
  /// What lives where at first.
  lu::Allocation first(ovlp::engine const& run, lu::Sharing const& sharing) const {
    if (run.may_change_after(0)) return sharing(run.held_at_start());
    return {multipliers, std::min(multipliers, run.nodes()), column_nodes};
  }
  lu::Layout layout() const {
    lu::Layout made{n, block, 1};
    int const blocks = made.blocks();
    made.threads = graph == "owner" ? static_cast<int>(std::min(owners, static_cast<std::size_t>(blocks))) : blocks;
    return made;
  }
};

std::string joined(std::vector<std::string> const& words) {
  std::string all;
  for (std::string const& word : words) all += (all.empty() ? "" : " ") + word;
  return all;
}

int run_lu(int argc, char** argv) {
  Options given;
  ovlp::options options("lu", "Block LU factorization with partial pivoting");
  given.describe(options);
  ovlp::engine run{argc, argv, options};
  given.complete(run.nodes());
  given.follow_plan(run);
  if (given.verify && !run.computes()) {
    throw ovlp::config_error("--verify: expected --execution direct: other modes do not compute the factors");
  }
  lu::use_one_blas_thread();

  lu::Layout const layout = given.layout();
  lu::Variant const variant = given.variant(run);
  lu::Allocation const first = given.first(run, variant.sharing);
  auto const columns = lu::make_columns(layout, first.column_nodes);
  auto const fill = lu::fill_graph(columns);
  auto const factor =
      given.graph == "owner" ? lu::owner_graph(columns, layout) : lu::paper_graph(columns, first, layout, variant);
  auto const checksum = lu::checksum_graph(columns);
  auto const gather = lu::gather_graph(columns);
  run.add(fill);
  run.add(factor);
  run.add(checksum);
  run.add(gather);
  run.record();

  if (run.computes()) run(fill, {given.seed});
  lu::Factored const factored = run(factor, {});
  ovlp::summary figures = run.summary();

  double const operations = 2.0 / 3.0 * std::pow(given.n, 3);
  std::printf("%-10s %d, blocks of %d, graph %s, %zu nodes\n", "LU", given.n, given.block, given.graph.c_str(),
              run.nodes());
  std::printf("%-10s %.6f s\n", "time", figures.time_s);
  std::printf("%-10s %.3f GFlop/s\n", "speed", 1e-9 * operations / figures.time_s);

  if (auto const within = figures.interval_line(); !within.empty())
    std::printf("%-10s %s\n", "interval", within.c_str());
  if (auto const from = figures.estimates_line(); !from.empty()) std::printf("%-10s %s\n", "estimates", from.c_str());

  figures.set("n", given.n);
  figures.set("block", given.block);
  figures.set("graph", given.graph);
  figures.set("flow_control", given.flow_control);
  figures.set("sub_blocks", given.sub_blocks);
  figures.set("column_nodes", given.column_nodes);
  figures.set("seed", given.seed);
  if (!given.remove.empty()) figures.set("remove", joined(given.remove));
  if (!given.add.empty()) figures.set("add", joined(given.add));
  if (run.computes()) {
    char digest[19];
    std::snprintf(digest, sizeof digest, "0x%016" PRIx64, run(checksum, factored).value);
    std::printf("%-10s %s\n", "checksum", digest);
    figures.result("factors_checksum", std::string(digest));
  }

  bool correct = true;
  if (given.verify) {
    double const residual = lu::residual(run(gather, factored), given.seed);
    std::printf("%-10s %.4f\n", "residual", residual);
    figures.result("residual", residual);
    correct = residual <= residual_limit;  // false for a NaN too
    if (!correct) std::fprintf(stderr, "lu: the residual is %g, expected at most %g\n", residual, residual_limit);
  }
  run.write(figures);
  return correct ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_lu(argc, argv);
  } catch (ovlp::config_error const& wrong) {
    std::fprintf(stderr, "lu: %s\n", wrong.what());
    return 2;
  } catch (std::exception const& failed) {
    std::fprintf(stderr, "lu: %s\n", failed.what());
    return 1;
  }
}
