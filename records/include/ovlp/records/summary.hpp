// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <ovlp/records/record.hpp>

namespace ovlp {

/// What one iteration of a call took, and how well it used the nodes that were held. Times in seconds from the call's
/// start. Efficiencies: ovlp/analysis/dynamic_efficiency.hpp, docs/dynamic-efficiency.md.
struct iteration_summary {
  int index;                         ///< from 1
  double start_s;                    ///< first start of one of its steps
  double end_s;                      ///< last end
  double work_s;                     ///< CPU seconds in kernels
  double nodes;                      ///< held between start and end, on average
  double held_node_s;                ///< seconds for which nodes were held between start and end, added up over nodes
  std::optional<double> efficiency;  ///< none of an iteration that took no time
  std::optional<double> interval_efficiency;  ///< none of an empty interval
  double interval_start_s;
  double interval_end_s;
};

/// How well the held nodes were used in a window of time. Times from the call's start.
struct window_summary {
  double start_s;
  double end_s;
  double nodes;  ///< held, on average
  double efficiency;
};

/// What the run was to hold from the end of an iteration on. Times from the call's start.
struct decision_summary {
  int iteration;
  std::size_t nodes;
  std::string reason;  ///< "plan", or what a policy says
  double at_s;
};

/// What may differ from run to run of the same command.
struct host_summary {
  std::string machine;  ///< node 0's name
  std::string processor;
  std::size_t cores = 0;          ///< that node 0's process may use
  double wall_s = 0;              ///< of the call
  processor_use processors = {};  ///< of a real run: since the last call of which figures were asked for, or the begin
  std::int64_t peak_memory_bytes = 0;
};

/// What was in the memory of a node, of those whose platform says how much they have.
struct memory_summary {
  std::size_t node;
  std::size_t bytes;       ///< that the node has
  std::size_t peak_bytes;  ///< objects and states, at most, since the run began
};

struct time_interval {
  double low_s, high_s;
};

/// What only a simulation knows of a call.
struct simulation_summary {
  std::string platform;
  std::string execution;           ///< direct, partial or sampled
  double communication_cpu_s = 0;  ///< CPU time that communication took from all nodes
  /// CPU time of each node during the call, by number: of steps and communication. Alone, the call's work_s +
  /// overhead_s + communication_cpu_s is their sum.
  std::vector<double> node_cpu_s{};
  std::uint64_t network_flips = 0;       ///< how often what limits a pair of nodes changed: the network model's cost
  std::optional<double> sampling_error;  ///< largest relative standard error of a mean that was charged
  /// By kernel: how many of them took their duration from where ("measured", "durations", "interpolated", ...:
  /// docs/formats/summary.md). Empty if all were measured.
  std::map<std::string, std::map<std::string, std::uint64_t>> estimates;
  /// Where overhead came from: "measured", "durations" or "platform".
  std::string overhead_from;
  std::vector<memory_summary> memory;
  std::vector<std::string> without_effect;  ///< settings of the platform's file that changed nothing, and why
  std::vector<std::string> warnings;        ///< why the prediction may be weak
  /// In which nine of ten measured times are; none: nothing like this run was measured.
  std::optional<time_interval> interval{};
  double prediction_spread = 0;  ///< analysis::spread_of_predictions() of the platform
  std::string interval_of{};     ///< analysis::key_of() the kind of run that this is; empty: no such runs are measured
  std::string interval_from{};   ///< of which measurements the interval is, or why there are none
  std::string platform_from{};   ///< of "local": when and where its figures were measured; else empty
};

/// The figures of one call of a graph.
///
///     ovlp::summary figures = run.summary();  // of the call that ended last
///     figures.set("n", n);                    // a figure of the program's own
///     run.write(figures);                     // to the file of --summary, if it is given
///
/// A value, without ties to the run. Format of the file: docs/formats/summary.md.
struct summary {
  using value = std::variant<bool, std::int64_t, double, std::string>;

  std::string application;
  std::string backend;
  std::string call;       ///< which: its graph's name, and if it is not the first call of it a number: "factor 2"
  std::size_t nodes = 0;  ///< of the run
  std::string failure;    ///< why the run has failed, in a line; then there are no figures
  double time_s = 0;      ///< from call to result; simulated seconds of a simulation
  double work_s = 0;      ///< CPU time in kernels, all nodes; of a simulation on the platform's reference core
  double overhead_s = 0;  ///< CPU time of all steps less work_s
  double polling_s = 0;   ///< CPU time of the processes outside steps; of a real run
  std::uint64_t atomic_steps = 0;
  std::uint64_t transfers = 0;         ///< data objects sent between nodes
  std::uint64_t bytes = 0;             ///< of them, as the object walk counts
  std::uint64_t control_messages = 0;  ///< of groups: where a closer is, totals, credits
  double efficiency = 0;               ///< work over what the held nodes could have done
  double held_node_s = 0;              ///< seconds for which nodes were held during the call, added up over nodes
  std::vector<decision_summary> decisions;
  std::vector<iteration_summary> iterations;
  std::vector<window_summary> over_time;         ///< each half a window after the last
  std::optional<simulation_summary> simulation;  ///< of a simulated run
  host_summary host;
  std::vector<std::pair<std::string, value>> application_figures;  ///< in the order of set()
  std::vector<std::pair<std::string, value>> application_results;  ///< in the order of result()

  /// Adds a result of the application's own.
  template <class Value>
  void result(std::string name, Value figure) {
    application_results.emplace_back(std::move(name), as_value(std::move(figure)));
  }
  /// Adds a figure of the application's own that tells one run from another: an option.
  template <class Value>
  void set(std::string name, Value figure) {
    application_figures.emplace_back(std::move(name), as_value(std::move(figure)));
  }

  /// As a JSON object, in a fixed order.
  std::string json() const;
  /// The iterations as a table, a line each, as --iterations prints it.
  std::string iterations_table() const;
  /// Where a simulation took the durations of kernels from, in one line; empty if all were measured, and of a real run.
  std::string estimates_line() const;
  /// Of a simulated run, within what the time is to be expected, and how that is known; empty of a real one. A line.
  std::string interval_line() const;

 private:
  template <class Value>
  static value as_value(Value given) {
    if constexpr (std::is_same_v<Value, bool>) {
      return given;
    } else if constexpr (std::is_integral_v<Value>) {
      return static_cast<std::int64_t>(given);
    } else if constexpr (std::is_floating_point_v<Value>) {
      return static_cast<double>(given);
    } else {
      return std::string(std::move(given));
    }
  }
};

}  // namespace ovlp
