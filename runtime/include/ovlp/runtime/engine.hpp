// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <ovlp/flowgraph/chain.hpp>
#include <ovlp/flowgraph/graph.hpp>
#include <ovlp/records/sink.hpp>
#include <ovlp/runtime/execution_mode.hpp>
#include <ovlp/runtime/summary.hpp>

namespace ovlp {

/// What the main program asks of a run, whatever executes it. The linked backend's engine derives from it.
///
/// In a real run every process runs the same main program. In the process that the user started, a call returns its
/// result; in the others the first call serves the run and never returns. So graphs are built before the first call,
/// from the command line alone, and what only the user's process shall do comes after it.
/// Thread: the thread that made the engine.
/// Errors: operation_error when an operation of the call threw, on whatever node; network_error when a process died
///         or a connection broke; stalled when the call can never end; graph_error and config_error for wrong input.
///         After one of them the run is over: later calls throw the same.
class engine_base : private caller {
 public:
  engine_base(engine_base const&) = delete;
  engine_base& operator=(engine_base const&) = delete;
  virtual ~engine_base() = default;

  /// Makes a graph known to all processes. Needed before the first call for each graph but the one called first.
  template <class In, class Out>
  void add(graph<In, Out> const& known) {
    add_graph(known.definition());
  }

  /// Calls the graph. Blocks: until its result is there.
  template <class In, class Out>
  Out operator()(graph<In, Out> const& called, std::type_identity_t<In> input) {
    return async(called, std::move(input)).get();
  }
  template <class In, class Out>
  Out operator()(chain<In, Out> const& called, std::type_identity_t<In> input) {
    return (*this)(graph<In, Out>(called), std::move(input));
  }
  /// Starts a call; several run at once, pipelined.
  template <class In, class Out>
  pending_call<Out> async(graph<In, Out> const& called, std::type_identity_t<In> input) {
    return {*this, begin_call(called.definition(), type_of<In>(), &input)};
  }

  /// Changes the number of threads of a collection: those with the highest indices leave or join.
  /// Blocks: until every node routes by the new number.
  template <class State>
  void resize(threads<State> const& collection, std::size_t count) {
    resize_collection(*collection.definition(), count);
  }
  /// Moves threads, with state and queue, to the nodes that the mapping says. Blocks: until all have moved.
  template <class State>
  void remap(threads<State> const& collection, mapping const& to) {
    remap_collection(*collection.definition(), to);
  }

  /// The number of nodes of the run, as the command line says. Known before the first call.
  virtual std::size_t nodes() const = 0;

  /// Whether all kernels run, so that results mean something. A simulation may charge their durations instead.
  virtual bool computes() const = 0;

  /// What a simulation charges for a kernel of this name, where --durations has no figure for its sizes, nor for sizes
  /// around them.
  /// A real run takes no notice. Before the first call. Errors: config_error in the kernel for negative seconds.
  virtual void estimate(std::string kernel, kernel_estimate seconds) = 0;
  void estimate(std::string kernel, double seconds) {
    estimate(std::move(kernel), [seconds](std::span<std::int64_t const>) { return seconds; });
  }
  /// How a simulation executes kernels of this name, whatever --execution says of the others.
  /// A real run takes no notice. Before the first call.
  virtual void execute(std::string kernel, execution_mode mode) = 0;

  /// The figures of the call that ended last, as often as one likes. Blocks: until all nodes have reported.
  /// Errors: config_error before a call has ended, and unless the run records (an option such as --summary, or record()
  ///         before the first call).
  virtual ovlp::summary summary() = 0;
  /// Records figures also when no option asks for it.
  virtual void record() = 0;
  /// Hands all that happens to the sink, as records, until the engine ends: in a real run in each process what happens
  /// there. Before the first call. Errors: config_error after it.
  virtual void attach(std::shared_ptr<record_sink> sink) = 0;
  /// Writes and prints the figures as --summary, --iterations and the like ask. Errors: io_error.
  virtual void write(ovlp::summary const& figures) const = 0;

 protected:
  engine_base() = default;

 private:
  virtual void add_graph(std::shared_ptr<graph_definition> const& graph) = 0;
  virtual std::uint64_t begin_call(std::shared_ptr<graph_definition> const& graph, object_type const& type,
                                   void* object) = 0;
  virtual void resize_collection(collection_definition const& collection, std::size_t count) = 0;
  virtual void remap_collection(collection_definition const& collection, mapping const& to) = 0;
};

}  // namespace ovlp
