// SPDX-License-Identifier: BSD-3-Clause
// Delivery of small objects, oneTBB flow graph: split -> 4 serial leaves -> serial merge.
// Object k goes to leaf k mod 4, as it would go to one of four DPS threads; the work is empty, so the time is delivery.
//
//   delivery_tbb --objects 1000000 --threads 2
//
// --variant, and what it cost at 1 and 2 threads (ns per object, medians of 11 runs, 2-core virtual Xeon at 2.8 GHz):
//   queueing           254, 526   the default policies: what one writes first, and the rival of the cases
//   lightweight-merge  242, 433   the merge runs in the task of the leaf that calls it
//   lightweight        185, 176   leaves too: all runs inside the split's loop, so that no leaf runs beside another
//   indexer            524, 943   input_node and indexer_node: one more task for each object, and tagged messages
// On an idle machine queueing at 1 thread takes 220 ns. At 2 threads it has taken 190 to 560 ns, as the host placed the
// two virtual cores: the cost is that of moving cache lines between them.
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>

#include "../contestant.hpp"

namespace {

namespace flow = oneapi::tbb::flow;
constexpr int workers = 4;

using router = flow::multifunction_node<int, std::tuple<int, int, int, int>>;

/// Puts object k into port k mod 4.
void put_in_turn(int k, router::output_ports_type& out) {
  switch (k % workers) {
    case 0: std::get<0>(out).try_put(k); break;
    case 1: std::get<1>(out).try_put(k); break;
    case 2: std::get<2>(out).try_put(k); break;
    case 3: std::get<3>(out).try_put(k); break;
  }
}

/// The graph, ready to deliver once `start` is called and `wait_for_all` awaited.
struct delivery {
  virtual ~delivery() = default;
  virtual void start(int objects) = 0;
  flow::graph graph;
  std::int64_t sum = 0;
};

/// Object k leaves by port k mod 4 of a multifunction_node whose body posts all objects, as a split does.
template <typename LeafPolicy, typename MergePolicy>
struct split_delivery : delivery {
  using leaf_node = flow::function_node<int, int, LeafPolicy>;
  using merge_node = flow::function_node<int, flow::continue_msg, MergePolicy>;

  split_delivery() {
    connect<0>(), connect<1>(), connect<2>(), connect<3>();
    for (auto& leaf : leaves) flow::make_edge(leaf, merge);
  }
  void start(int objects) override { split.try_put(objects); }

  router split{graph, flow::serial, [](int objects, router::output_ports_type& out) {
                 for (int k = 0; k < objects; ++k) put_in_turn(k, out);
               }};
  merge_node merge{graph, flow::serial, [this](int object) noexcept { sum += object; }};
  std::array<leaf_node, workers> leaves{leaf(), leaf(), leaf(), leaf()};

 private:
  leaf_node leaf() {
    return {graph, flow::serial, [](int object) noexcept { return object; }};
  }
  template <std::size_t Port>
  void connect() {
    flow::make_edge(flow::output_port<Port>(split), leaves[Port]);
  }
};

/// The objects come one at a time from an input_node, and an indexer_node joins the leaves before the merge.
struct indexed_delivery : delivery {
  using leaf_node = flow::function_node<int, int>;
  using indexer = flow::indexer_node<int, int, int, int>;

  indexed_delivery() {
    flow::make_edge(source, route);
    connect<0>(), connect<1>(), connect<2>(), connect<3>();
    flow::make_edge(join, merge);
  }
  void start(int objects) override { next = 0, end = objects, source.activate(); }

  int next = 0, end = 0;
  flow::input_node<int> source{graph, [this](oneapi::tbb::flow_control& control) {
                                 if (next == end) control.stop();
                                 return next == end ? 0 : next++;
                               }};
  router route{graph, flow::serial, [](int k, router::output_ports_type& out) { put_in_turn(k, out); }};
  std::array<leaf_node, workers> leaves{leaf(), leaf(), leaf(), leaf()};
  indexer join{graph};
  flow::function_node<indexer::output_type> merge{
      graph, flow::serial, [this](const indexer::output_type& object) { sum += flow::cast_to<int>(object); }};

 private:
  leaf_node leaf() {
    return {graph, flow::serial, [](int object) noexcept { return object; }};
  }
  template <std::size_t Port>
  void connect() {
    flow::make_edge(flow::output_port<Port>(route), leaves[Port]);
    flow::make_edge(leaves[Port], flow::input_port<Port>(join));
  }
};

enum class variant { queueing, lightweight_merge, lightweight, indexer };

using inline_body = flow::queueing_lightweight;  // runs in the sender's task; TBB grants it to noexcept bodies only

std::unique_ptr<delivery> make(variant v) {
  switch (v) {
    case variant::lightweight_merge: return std::make_unique<split_delivery<flow::queueing, inline_body>>();
    case variant::lightweight: return std::make_unique<split_delivery<inline_body, inline_body>>();
    case variant::indexer: return std::make_unique<indexed_delivery>();
    case variant::queueing: break;
  }
  return std::make_unique<split_delivery<flow::queueing, flow::queueing>>();
}

/// Seconds in which a fresh graph delivers the objects. Errors: aborts the program when the merge's sum is wrong.
double run(variant v, int objects) {
  const auto d = make(v);
  const auto start = bench::clock::now();
  d->start(objects);
  d->graph.wait_for_all();
  const double seconds = bench::seconds_since(start);
  if (d->sum != std::int64_t{objects} * (objects - 1) / 2) throw std::runtime_error("delivery_tbb: wrong sum");
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  int objects = 1'000'000, threads = 1;
  variant chosen = variant::queueing;
  const std::map<std::string, variant> variants{{"queueing", variant::queueing},
                                                {"lightweight-merge", variant::lightweight_merge},
                                                {"lightweight", variant::lightweight},
                                                {"indexer", variant::indexer}};
  CLI::App app{"Delivery of small objects by a oneTBB flow graph"};
  app.add_option("--objects", objects, "how many objects the split posts")->check(CLI::PositiveNumber);
  app.add_option("--threads", threads, "threads that may run bodies")->check(CLI::PositiveNumber);
  app.add_option("--variant", chosen, "queueing (default), lightweight-merge, lightweight or indexer")
      ->transform(CLI::CheckedTransformer(variants));
  CLI11_PARSE(app, argc, argv);

  const oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism,
                                          static_cast<std::size_t>(threads));
  oneapi::tbb::task_arena arena(threads);
  const double seconds = arena.execute([&] {
    run(chosen, objects);  // warm-up at full size: TBB's pools of tasks and messages then have their final size
    return run(chosen, objects);
  });
  bench::report({{"contestant", "tbb"},
                 {"seconds", seconds},
                 {"objects", objects},
                 {"threads", threads},
                 {"ns_per_object", 1e9 * seconds / objects}});
}
