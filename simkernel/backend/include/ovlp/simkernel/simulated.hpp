// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ovlp/runtime/engine.hpp>
#include <ovlp/runtime/options.hpp>

namespace ovlp::sim {

/// Predicts how graphs run on the nodes of a platform: all nodes in this process, time and network simulated.
///
///     ovlp::sim::engine run{argc, argv};  // app --nodes 8 --platform fast-ethernet-ultrasparc --execution partial
///     run.record();
///     Result const result = run(graph, input);
///     double const predicted_s = run.summary().time_s;
///
/// The same calls as of real::engine, and the same command line; `--platform`, `--execution` and the other options of
/// the simulation are shown by `--help`. A program that links ovlp::sim has it as ovlp::engine.
///
/// The application and the runtime are executed; processors, network and time are those of a virtual machine.
/// Operations run one at a time, in the OS thread that calls. Nodes that are launched cost simulated time, no
/// processes.
///
/// Simulations are independent: several may live in one process. A run is the same each time, but for the times that
/// direct and sampled execution measure.
/// Blocks: a call returns when it has been simulated to its result; get() of async simulates as far as that.
/// Thread: that which made it, for calls, changes and summary(): graph_error from another one. Engines are made one at
///         a time.
/// Errors: as engine_base; no network_error. A run that can never end is stalled at once.
/// Source: the paper, sections 3 and 4; docs/simulation.md, docs/model.md.
class engine final : public engine_base {
 public:
  /// Reads the command line. The program ends on --help (status 0) and on wrong options (status 2).
  /// Errors: config_error for what --platform, --durations and --sample say; io_error for the file of --trace.
  engine(int argc, char** argv);
  /// The same with options of the application's own.
  engine(int argc, char** argv, options& application);
  /// Unwinds operations that are suspended. Unless the run failed it writes what options ask for and the program has
  /// not written; if that fails, the process exits with status 1. Warns on standard error of what weakens the
  /// prediction.
  ~engine() override;

 private:
  struct implementation;
  static std::unique_ptr<engine_base::implementation> make_run(int argc, char** argv, options& application);
};

}  // namespace ovlp::sim
