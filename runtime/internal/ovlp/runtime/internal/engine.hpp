// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <ovlp/records/sink.hpp>
#include <ovlp/runtime/engine.hpp>
#include <ovlp/runtime/internal/main_calls.hpp>
#include <ovlp/runtime/internal/process_exit.hpp>
#include <ovlp/runtime/internal/program.hpp>
#include <ovlp/runtime/internal/run_options.hpp>
#include <ovlp/runtime/internal/statistics.hpp>
#include <ovlp/runtime/internal/thread_manager.hpp>

namespace ovlp {

/// A run as the main program sees it: what each backend does in its own way, and what all of them know. engine.cpp
/// tells when it is asked for what. Thread: that of the main program.
struct engine_base::implementation {
  implementation() { report_uncaught_errors(); }
  implementation(implementation const&) = delete;
  implementation& operator=(implementation const&) = delete;
  virtual ~implementation() = default;

  // What a backend does.
  virtual run_options const& common_options() const = 0;
  /// Node 0; nullptr until start() has made it.
  virtual thread_manager* driver() = 0;
  /// Before the first call, when all graphs are known. In a launched process it does not return.
  virtual void start() = 0;
  /// Sends an object (moved from) into the graph. Returns the call's number.
  virtual std::uint64_t begin(graph_definition const& graph, object_type const& type, void* object);
  /// Lets the run go on until `done()`. Errors: as throw_if_failed.
  virtual void wait_until(std::function<bool()> const& done) = 0;
  /// The call has its result.
  virtual void ended(std::uint64_t /*call*/) {}
  /// Errors: what ended the run, of which nothing is left running.
  virtual void throw_if_failed() = 0;
  /// What all nodes did in a call. Once. Errors: as throw_if_failed.
  virtual call_statistics collect(std::uint64_t call) = 0;
  /// Adds what this backend alone knows.
  virtual void complete(ovlp::summary& /*figures*/, main_call const& /*of*/) {}
  virtual void write_own(ovlp::summary const& /*figures*/) const {}
  /// Before the destructor: ends the run, and unless it has failed calls write_what_is_left() while it can.
  virtual void end() = 0;

  // As engine_base says; here for a backend in which all kernels run.
  virtual bool computes() const { return true; }
  virtual void estimate(std::string /*kernel*/, kernel_estimate /*seconds*/) {}
  virtual void execute(std::string /*kernel*/, execution_mode /*mode*/) {}

  // What all backends know. It outlives what a backend adds, and uses.
  ovlp::program program;
  statistics_sink statistics;
  ovlp::sinks sinks;
  run_definitions names;
  main_calls calls;
  bool recording = false;                ///< the program asked for it
  std::optional<ovlp::summary> figures;  ///< of the call that ended last, once they have been asked for
  bool written = false;                  ///< what the options ask for

  /// Whether figures are added up: for the program, or for an option.
  bool records() const {
    return recording || common_options().ask_for_figures() || !common_options().durations_file.empty();
  }
  /// In start(), when the backend has added its sinks: begins them. Returns what the options of every run say.
  node_settings begin_records(node_id self);
  /// Node 0 of the run, which it starts if nobody has.
  thread_manager& started();
  void wait_for_change(std::uint64_t change);
  ovlp::summary const& summary();
  void write(ovlp::summary const& figures);
  /// What options ask for and the program has not written. After an error the process will exit with status 1.
  void write_what_is_left(std::string const& reference_core);
};

}  // namespace ovlp
