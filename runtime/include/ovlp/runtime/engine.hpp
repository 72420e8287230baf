// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <ovlp/flowgraph/chain.hpp>
#include <ovlp/flowgraph/graph.hpp>
#include <ovlp/records/sink.hpp>
#include <ovlp/records/summary.hpp>
#include <ovlp/runtime/execution_mode.hpp>
#include <ovlp/runtime/policy.hpp>

namespace ovlp {

/// What the main program asks of a run, whatever executes it. The linked backend's engine derives from it.
///
///     ovlp::engine run{argc, argv};
///     ovlp::threads<> master{"master", 1}, workers{"workers", run.nodes()};
///     ovlp::graph const squares = ...;      // graphs are built first
///     run.add(other);                       // all but the one called first
///     int const one = run(squares, 10);     // waits
///     auto two = run.async(squares, 20);    // does not
///     auto three = run.async(squares, 30);
///     std::cout << one + two.get() + three.get();
///
/// A function that works on both backends, such as a test, takes an engine_base&.
///
/// In a real run every process runs the same main program. In the process that the user started, a call returns its
/// result; in the others the first call serves the run and never returns. So graphs are built before the first call,
/// from the command line alone, and what only the user's process shall do comes after it.
/// Thread: the thread that made the engine, and no operation; from others calls, changes and summary() throw
///         graph_error.
/// Errors: operation_error when an operation threw, on whatever node; network_error when a process died or a
///         connection broke; stalled when the run can never go on; graph_error when objects of one group were routed
///         to two closers. After one of these the run is over: later calls throw the same. graph_error and
///         config_error for what is asked wrongly: a wrong graph, one that was not added, a refused change. They come
///         at once and end nothing.
class engine_base : private caller {
 public:
  engine_base(engine_base const&) = delete;
  engine_base& operator=(engine_base const&) = delete;
  virtual ~engine_base();

  /// Makes a graph known to all processes. Needed before the first call for each graph but the one called first; also
  /// for those that operations call, but not for what graph::repeat calls. Once is enough.
  /// Errors: graph_error if the graph is wrong, or after the first call.
  template <class In, class Out>
  void add(graph<In, Out> const& known) {
    add_graph(known.definition());
  }

  /// Calls the graph. Blocks: until its result is there. Errors: as above; graph_error for a graph that is not known.
  template <class In, class Out>
  Out operator()(graph<In, Out> const& called, std::type_identity_t<In> input) {
    return async(called, std::move(input)).get();
  }
  template <class In, class Out, detail::no_input_of<In> Other>
  Out operator()(graph<In, Out> const&, Other const&) {
    detail::refuse_input<In>();
  }
  /// Calls a graph of the short form, as the first call of the run only: it makes a graph that is called this once.
  template <class In, class Out>
  Out operator()(chain<In, Out> const& called, std::type_identity_t<In> input) {
    return (*this)(graph<In, Out>(called), std::move(input));
  }
  template <class In, class Out, detail::no_input_of<In> Other>
  Out operator()(chain<In, Out> const&, Other const&) {
    detail::refuse_input<In>();
  }
  /// Starts a call; several run at once, pipelined. The first call of a run waits until its nodes are there.
  template <class In, class Out>
  pending_call<Out> async(graph<In, Out> const& called, std::type_identity_t<In> input) {
    return {*this, begin_call(called.definition(), type_of<In>(), &input)};
  }
  template <class In, class Out, detail::no_input_of<In> Other>
  pending_call<Out> async(graph<In, Out> const&, Other const&) {
    detail::refuse_input<In>();
  }

  /// Changes the number of threads of a collection: those with the highest indices leave or join. Joining ones go
  /// where the first mapping places them. Operations and calls under way go on.
  /// Blocks: until every node routes by the new number. Leaving threads finish what they have, after that.
  /// Errors: config_error as here::resize, which ends nothing.
  template <class State>
  void resize(threads<State> const& collection, std::size_t count) {
    resize_collection(*collection.definition(), count);
  }
  /// Moves threads, with state and queue, to the nodes that the mapping says. Nodes are launched when they are needed,
  /// and released when their last thread has left.
  /// Blocks: until all have moved and every node knows. A thread moves when no operation is suspended in it.
  /// Errors: config_error as here::remap, which ends nothing.
  template <class State>
  void remap(threads<State> const& collection, mapping const& to) {
    remap_collection(*collection.definition(), to);
  }

  /// What --plan says, or follow(plan); else nothing.
  ovlp::plan const& plan() const;
  /// Lets a plan or a policy of the program's own decide what is held, in place of --plan. Before the first call, in
  /// every process. Errors: config_error after it; of a plan as plan::expect.
  void follow(ovlp::plan followed);
  void follow(std::shared_ptr<policy> decides);
  /// What the run holds from the start: all its nodes, unless the plan or policy says otherwise. By it, programs place
  /// their collections.
  held_nodes held_at_start() const;
  /// Whether what is held may change when this iteration has ended. So programs leave out borders that nobody needs.
  bool may_change_after(int iteration) const;
  /// As here::end_of_iteration, for iterations that are calls of the main program.
  void end_of_iteration(int k, std::function<void(held_nodes const&)> const& change);

  /// The number of nodes of the run, as the command line says. Known before the first call.
  std::size_t nodes() const;

  /// The run's own clock: the time since its first call began, real or simulated; 0 before. As here::now, and with the
  /// same zero, so what operations and the main program read can be compared. In a simulation no time passes in the
  /// main program itself.
  /// Units: seconds; `.count()` is a double.
  std::chrono::duration<double> now() const;

  /// Whether all kernels run, so that results mean something. A simulation may charge their durations instead: if
  /// --execution is not direct, or execute() has said otherwise of a kernel.
  bool computes() const;

  /// What a simulation charges for a kernel of this name, where --durations has no figure for its sizes, nor for sizes
  /// around them.
  /// A real run takes no notice. Before the first call. Errors: config_error in the kernel for negative seconds.
  void estimate(std::string kernel, kernel_estimate seconds);
  void estimate(std::string kernel, double seconds) {
    estimate(std::move(kernel), [seconds](std::span<std::int64_t const>) { return seconds; });
  }
  /// How a simulation executes kernels of this name, whatever --execution says of the others.
  /// A real run takes no notice. Before the first call.
  void execute(std::string kernel, execution_mode mode);

  /// What must hold, whatever happens first: `ovlp explore` asks it in each order that it tries, after each step and
  /// arrival or when nothing may happen any more (docs/explore.md). It runs in the one process of all nodes, so it may
  /// look at what is on any; no other run takes notice. Before the first call.
  enum class checked : std::uint8_t { at_each_step, at_the_end };
  void check(std::string name, std::function<bool()> holds, checked when = checked::at_the_end);
  /// Results of this graph are equal if `same` says so: ovlp explore compares their bytes otherwise. As check.
  template <class In, class Out>
  void compare(graph<In, Out> const& called, std::function<bool(Out const&, Out const&)> same) {
    compare_results(*called.definition(), [same = std::move(same)](void const* one, void const* other) {
      return same(*static_cast<Out const*>(one), *static_cast<Out const*>(other));
    });
  }

  /// The figures of the call that ended last, as often as one likes. Blocks: until all nodes have reported.
  /// Errors: config_error before a call has ended, and unless the run records (an option such as --summary, or record()
  ///         before the first call).
  ovlp::summary summary();
  /// Records figures also when no option asks for it. Costs some time for each atomic step. Before the first call.
  /// Errors: config_error after it.
  void record();
  /// Hands all that happens to the sink, as records, until the engine ends: in a real run in each process what happens
  /// there. Before the first call. Errors: config_error after it, and for no sink.
  void attach(std::shared_ptr<record_sink> sink);
  /// Writes and prints the figures as --summary, --iterations and the like ask. Errors: io_error.
  void write(ovlp::summary const& figures) const;

  struct implementation;  ///< of backends

 protected:
  explicit engine_base(std::unique_ptr<implementation> run);

 private:
  void add_graph(std::shared_ptr<graph_definition> const& graph);
  std::uint64_t begin_call(std::shared_ptr<graph_definition> const& graph, object_type const& type, void* object);
  void finish_call(std::uint64_t call, object_type const& type, void* result_storage) override;
  void compare_results(graph_definition const& graph, std::function<bool(void const*, void const*)> same);
  void resize_collection(collection_definition const& collection, std::size_t count);
  void remap_collection(collection_definition const& collection, mapping const& to);

  std::unique_ptr<implementation> run_;
};

}  // namespace ovlp
