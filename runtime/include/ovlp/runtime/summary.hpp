// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ovlp {

/// How well an iteration used the nodes that were held; known to a simulation. Times in seconds from the call's start.
/// What is what: ovlp/analysis/dynamic_efficiency.hpp, docs/dynamic-efficiency.md.
struct efficiency_summary {
  double efficiency;
  double interval_efficiency;
  double interval_start_s;
  double interval_end_s;
};

/// What one iteration of a call took. Times in seconds from the call's start.
struct iteration_summary {
  int index;           ///< from 1
  double start_s;      ///< first start of one of its steps
  double end_s;        ///< last end
  double work_s;       ///< CPU seconds in kernels
  std::size_t nodes;   ///< held when it started
  double held_node_s;  ///< seconds for which nodes were held between start and end, added up over nodes
  std::optional<efficiency_summary> efficiency;
};

/// How well the held nodes were used in a window of time; known to a simulation. Times from the call's start.
struct window_summary {
  double start_s;
  double end_s;
  std::size_t nodes;  ///< held when it started
  double efficiency;
};

/// The figures of one call of a graph.
struct summary {
  using value = std::variant<bool, std::int64_t, double, std::string>;

  std::string application;
  std::string backend;
  std::size_t nodes = 0;  ///< of the run
  double time_s = 0;      ///< from call to result
  double work_s = 0;      ///< CPU time in kernels, all nodes
  double overhead_s = 0;  ///< time of all steps less work_s
  std::uint64_t atomic_steps = 0;
  std::uint64_t transfers = 0;  ///< data objects sent between nodes
  std::uint64_t bytes = 0;      ///< of them, as the object walk counts
  std::uint64_t control_messages = 0;
  std::vector<iteration_summary> iterations;
  std::vector<window_summary> over_time;                           ///< each half a window after the last
  std::vector<std::pair<std::string, value>> backend_figures;      ///< that this backend alone knows
  std::vector<std::pair<std::string, value>> application_figures;  ///< in the order of set()
  std::vector<std::pair<std::string, value>> application_results;  ///< in the order of result()
  std::vector<std::pair<std::string, value>> host;                 ///< what may differ from run to run

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
