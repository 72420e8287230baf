// SPDX-License-Identifier: BSD-3-Clause
// METG of oneTBB. Tasks are made before the time is taken, and write their outputs where the dependents read them.
//
//   metg_tbb --cores 2 --pattern fft
//
// --variant
//   graph   a flow graph with a continue_node for each task
//   tasks   a task_group; a task counts down what its dependents wait for, goes on with the first that is ready itself
//           and spawns the others: the least that one can do by hand
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "contestant.hpp"

namespace {

using namespace bench::metg;
namespace flow = oneapi::tbb::flow;

/// All tasks of a grid, which may be run again and again with kernels of other sizes.
class all_tasks {
 public:
  explicit all_tasks(const grid& g) : grid_(g), outputs_(std::size_t{g.steps} * g.width) {}
  all_tasks(const all_tasks&) = delete;
  all_tasks& operator=(const all_tasks&) = delete;
  virtual ~all_tasks() noexcept(false) = default;  // that of a task_group may throw

  std::uint64_t run(std::uint64_t iterations) {
    grid_.iterations = iterations;
    run();
    std::uint64_t sum = 0;
    for (std::uint32_t c = 0; c < grid_.width; ++c) sum += outputs_[number(grid_.steps - 1, c)].value;
    return sum;
  }

 protected:
  virtual void run() = 0;

  std::size_t number(std::uint32_t step, std::uint32_t column) const {
    return std::size_t{step} * grid_.width + column;
  }
  void compute(std::uint32_t step, std::uint32_t column) {
    inputs in;
    for_each(grid_.dependencies(step, column), [&](std::uint32_t from) { in.take(outputs_[number(step - 1, from)]); });
    outputs_[number(step, column)] = grid_.compute(step, column, in);
  }

  grid grid_;

 private:
  std::vector<output> outputs_;
};

class as_graph : public all_tasks {
 public:
  explicit as_graph(const grid& g) : all_tasks(g) {
    for (std::uint32_t step = 0; step < g.steps; ++step) {
      for (std::uint32_t column = 0; column < g.width; ++column) {
        nodes_.emplace_back(graph_, [=, this](const flow::continue_msg&) { compute(step, column); });
        for_each(g.dependencies(step, column),
                 [&](std::uint32_t from) { flow::make_edge(nodes_[number(step - 1, from)], nodes_.back()); });
      }
    }
  }

 private:
  void run() override {
    for (std::uint32_t c = 0; c < grid_.width; ++c) nodes_[c].try_put({});
    graph_.wait_for_all();
  }

  flow::graph graph_;
  std::deque<flow::continue_node<flow::continue_msg>> nodes_;
};

class as_tasks : public all_tasks {
 public:
  explicit as_tasks(const grid& g) : all_tasks(g), awaited_(std::size_t{g.steps} * g.width) {}

 private:
  void run() override {
    for (std::uint32_t step = 0; step < grid_.steps; ++step) {
      for (std::uint32_t c = 0; c < grid_.width; ++c)
        awaited_[number(step, c)].store(std::popcount(grid_.dependencies(step, c)), std::memory_order_relaxed);
    }
    for (std::uint32_t c = 0; c < grid_.width; ++c) spawn(0, c);
    group_.wait();
  }
  void spawn(std::uint32_t step, std::uint32_t column) {
    group_.run([=, this] { compute_from(step, column); });
  }
  void compute_from(std::uint32_t step, std::uint32_t column) {
    for (std::optional<std::uint32_t> next = column; next; ++step) {
      compute(step, *next);
      const column_set dependents = grid_.dependents(step, *next);
      next.reset();
      for_each(dependents, [&](std::uint32_t c) {
        if (awaited_[number(step + 1, c)].fetch_sub(1, std::memory_order_acq_rel) != 1) return;
        if (next) spawn(step + 1, c);
        else next = c;
      });
    }
  }

  oneapi::tbb::task_group group_;
  std::vector<std::atomic<int>> awaited_;
};

}  // namespace

int main(int argc, char** argv) try {
  request asked;
  std::string variant = "graph";
  CLI::App app{"Minimum effective task granularity of oneTBB"};
  asked.describe([&](const char* name, auto& variable, const char* text) { app.add_option(name, variable, text); });
  app.add_option("--variant", variant, "graph (default) or tasks")->check(CLI::IsMember({"graph", "tasks"}));
  CLI11_PARSE(app, argc, argv);

  const oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism, asked.cores);
  oneapi::tbb::task_arena arena(static_cast<int>(asked.cores));
  arena.execute([&] {
    const std::unique_ptr<all_tasks> tasks = variant == "graph"
                                                 ? std::unique_ptr<all_tasks>(std::make_unique<as_graph>(asked.grid()))
                                                 : std::make_unique<as_tasks>(asked.grid());
    compete(("tbb-" + variant).c_str(), asked, [&](const grid& g) { return tasks->run(g.iterations); });
  });
} catch (const std::exception& error) {
  std::fprintf(stderr, "metg_tbb: %s\n", error.what());
  return 1;
}
