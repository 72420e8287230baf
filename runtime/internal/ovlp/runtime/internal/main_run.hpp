// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <ovlp/analysis/dynamic_efficiency.hpp>
#include <ovlp/analysis/matched_calls.hpp>
#include <ovlp/records/sink.hpp>
#include <ovlp/runtime/internal/borders.hpp>
#include <ovlp/runtime/internal/engine.hpp>
#include <ovlp/runtime/internal/main_calls.hpp>
#include <ovlp/runtime/internal/process_exit.hpp>
#include <ovlp/runtime/internal/program.hpp>
#include <ovlp/runtime/internal/run_options.hpp>
#include <ovlp/runtime/internal/statistics.hpp>
#include <ovlp/runtime/internal/thread_manager.hpp>

namespace ovlp {
inline namespace OVLP_CORE {

// main/: a run from the outside, from the first option to the last file.
//
// The main program makes an engine, adds graphs, calls them, changes collections between calls, and asks for figures.
// engine (include/ovlp/runtime/engine.hpp) hands all that on to a main_run, of which each backend derives its own.
//
//   options        what the command line says; the same in both backends but for what a backend adds
//   program        graphs and collections, numbered alike in all processes; closed when the run starts
//   main_run       calls, changes, borders, and when files are written
//   main_calls     calls under way, with their times; who may call
//   order_file     --note-order, --follow-order: in which order things come to DPS threads
//   statistics     what this node counts in each call: work, steps, bytes; added up over nodes
//   policies       what may decide at borders: --policy, --plan
//   process_exit   that a run which ends early, or cannot write, does not look like one that ended well
//
// Its state belongs to the main program's thread, which is one: a second OS thread that calls is refused. What nodes
// change meanwhile (results, requests, failures) is in the parts of thread_manager, and the main thread is woken.
// This room includes of the others what calls, asks and ends; nothing of them includes it.

/// A run as the main program sees it: what each backend does in its own way, and what all of them know. main_run.cpp
/// tells when it is asked for what. Thread: that of the main program.
class main_run : public engine_base::implementation, public unfinished {
 public:
  main_run();
  ~main_run() override;

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
  /// Whether a thread of its own looks for steps that take long.
  virtual bool watches_steps() const { return true; }
  /// Whether the process holds all nodes of the run.
  virtual bool holds_all_nodes() const { return true; }
  /// The call has its result.
  virtual void ended(std::uint64_t /*call*/) {}
  /// Errors: what ended the run, of which nothing is left running.
  virtual void throw_if_failed() = 0;
  /// What all nodes did in a call. Once. Errors: as throw_if_failed.
  virtual call_statistics collect(std::uint64_t call) = 0;
  /// What the held nodes did with the time of a call, of which collect() has told.
  virtual analysis::dynamic_efficiency::report efficiency_of(main_call const& of, call_statistics const& all) = 0;
  /// What each node can do in a second, in cores of the reference kind, as far as node 0 knows now.
  virtual std::vector<double> capacities_now() = 0;
  /// Adds what this backend alone knows.
  virtual void complete(ovlp::summary& /*figures*/) {}
  // And end(), which first calls end_changes(), and write_what_is_left() while it can; neither once the run has failed.

  // Here for a backend in which all kernels run.
  bool computes() const override { return true; }
  void estimate(std::string /*kernel*/, kernel_estimate /*seconds*/) override {}
  void execute(std::string /*kernel*/, execution_mode /*mode*/) override {}

  // What is the same in all.
  std::string lost() const override;
  std::size_t nodes() const override { return common_options().nodes; }
  double now_s() override;
  void record() override;
  void attach(std::shared_ptr<record_sink> sink) override;
  void add_graph(std::shared_ptr<graph_definition> const& graph) override;
  std::uint64_t begin_call(std::shared_ptr<graph_definition> const& graph, object_type const& type,
                           void* object) override;
  void finish_call(std::uint64_t call, object_type const& type, void* result_storage) override;
  void resize(collection_definition const& collection, std::size_t count) override;
  void remap(collection_definition const& collection, mapping const& to) override;
  void check(std::string name, std::function<bool()> holds, engine_base::checked when) override;
  void compare(graph_definition const& graph, std::function<bool(void const*, void const*)> same) override;
  ovlp::plan const& plan() const override { return at_borders().plan(); }
  void follow(ovlp::plan followed) override;
  void follow(std::shared_ptr<policy> decides) override;
  held_nodes held_at_start() const override { return at_borders().at_start(); }
  bool may_change_after(int iteration) const override { return at_borders().may_change_after(iteration); }
  void end_of_iteration(int iteration, std::function<void(held_nodes const&)> const& change) override;
  ovlp::summary summary() override;
  void write(ovlp::summary const& figures) override;

  // What all backends know. It outlives what a backend adds, and uses.
  ovlp::program program;
  statistics_sink statistics;
  ovlp::sinks sinks;
  run_definitions names;
  main_calls calls;
  std::unique_ptr<delivery_orders> orders;      ///< where options ask for one
  analysis::call_list made_calls;               ///< where figures are added up
  mutable std::optional<borders> borders_made;  ///< once the options have been read
  std::set<std::string> check_names;
  bool recording = false;                ///< the program asked for it
  std::optional<ovlp::summary> figures;  ///< of the call that ended last, once they have been asked for
  bool written = false;                  ///< what the options ask for
  bool told_order = false;
  bool told_end = false;  ///< to the sinks
  std::jthread watch;     ///< of the steps that take long, once the run has started

  /// Whether figures are added up: for the program, or for an option.
  bool records() const {
    return recording || common_options().ask_for_figures() || (wants_durations() && !durations_need_no_records()) ||
           at_borders().measures();
  }
  bool wants_durations() const { return !common_options().durations_file.empty(); }
  /// Where that is so, and nothing else asks for records, a run is not slowed down by them.
  virtual bool durations_need_no_records() const { return false; }
  /// In start(), when the backend has added its sinks: begins them. `capacities`: as in run_definitions. Returns what
  /// the options of every run say.
  node_settings begin_records(node_id self, std::vector<double> capacities);
  /// Tells the sinks that the run has ended, once, and flushes them. `failure`: why it has failed; empty: it has not.
  void end_records(std::string const& failure, processor_use const& processors = {});
  /// At the end, in each process: the order in which mail came to its DPS threads, and whether it followed the given.
  void end_order(node_id self, double start_s);
  /// Those that options ask for.
  void write_files(ovlp::summary const& figures) const;
  /// In the place of figures.
  void write_failure(std::string const& failure);
  /// Where nothing else has ended it: empty, unless an exception leaves the main program.
  static std::string why_it_ends();
  /// Node 0 of the run, which it starts if nobody has.
  thread_manager& started();
  void wait_for_change(std::uint64_t change, std::optional<held_nodes>* hold = nullptr);
  borders& at_borders() const;
  /// Errors: config_error once the run has started, and in a job of a cluster.
  void expect_may_follow();
  void note_missed() const;
  /// At the end: lets the change under way end, for threads that leave have to do what the program says (on_leave).
  /// Not where the main program is left by an exception, or leaves a call alone. After an error the process will exit
  /// with status 1.
  void end_changes();
  /// What options ask for and the program has not written. After an error the process will exit with status 1.
  void write_what_is_left(std::string const& reference_core);
};

}  // namespace OVLP_CORE
}  // namespace ovlp
