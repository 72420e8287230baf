// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ovlp/runtime/engine.hpp>
#include <ovlp/runtime/options.hpp>

namespace ovlp::real {

/// Runs graphs for real: on as many processes as the run has nodes, joined by TCP.
///
///     ovlp::real::engine run{argc, argv};  // app --nodes 4, or app --nodes 4 --hosts FILE
///     Result const result = run(graph, input);
///     std::cout << result;                 // in the process that the user started only
///
/// The process that the user starts is node 0. It launches the others: at the first call those to which a collection
/// is mapped, later those that a change needs. They end when the last thread has left them, when the engine is
/// destroyed, or when this process ends, however. The others run the same program with the same command line; there
/// the first call, resize or remap serves the run and the process ends in it, so what stands after it is done once, by
/// node 0. A program that does not link ovlp::sim has it as ovlp::engine.
///
/// Operations run in OS threads of the library, as many at once on a node as --execution-threads says. Nothing is
/// restarted: when a process is lost the run ends.
/// Blocks: calls block the main program's thread; on node 0 operations run beside it.
/// Thread: that which made it, for calls, changes and summary(): graph_error from another one.
/// Errors: as engine_base; at the first call also config_error (hosts file, --listen, --launch, mappings),
///         network_error, io_error and error if the run cannot start.
/// Source: the paper, section 2 (deployment, thread managers); docs/architecture.md.
class engine final : public engine_base {
 public:
  /// Reads the command line: `--nodes N` and what `--help` shows. The program ends on --help (status 0) and on wrong
  /// options (status 2). Launches nothing yet.
  /// Errors: error if the system gives no threads or memory.
  engine(int argc, char** argv);
  /// The same with options of the application's own.
  engine(int argc, char** argv, options& application);
  /// Ends the processes of the run. Unless the run failed it writes first what options ask for and the program has not
  /// written; if that fails, the process exits with status 1.
  /// Blocks: until the others have ended, as long as they say that they live.
  ~engine() override;

 private:
  struct implementation;
};

}  // namespace ovlp::real
