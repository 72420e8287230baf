// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <ovlp/records/by_call.hpp>
#include <ovlp/records/sink.hpp>
#include <ovlp/records/work_over_time.hpp>

namespace ovlp::analysis {

/// What an iteration did with the nodes that were held. Times in seconds on the run's clock.
///
/// A(t) is the sum of cores x speed over the nodes held at t, in cores of the reference kind; S the first start of a
/// step of the iteration; C_k the largest end of a step of iterations up to k, C_0 the start of the call, and the last
/// interval ends with the call.
///   efficiency = work of the iteration / integral of A over [S, end]
///   interval_efficiency = work executed in (C_{k-1}, C_k] / integral of A over it
/// The first is the paper's, for graphs that separate iterations; the second holds also where iterations overlap: it is
/// at most 1 (but for steps across a border, whose work counts as done evenly: identities.hpp proves it), and its mean,
/// weighted by the integrals, is the efficiency of the call. Source: docs/dynamic-efficiency.md; the paper, section 7.
struct iteration_efficiency {
  std::int32_t index;
  double start_s, end_s;
  double interval_start_s, interval_end_s;
  double work_s;                              ///< of the iteration
  double interval_work_s;                     ///< of any iteration, executed in the interval
  double nodes;                               ///< held from `start_s` to `end_s`, on average
  std::optional<double> efficiency;           ///< none where nothing can be divided: the iteration took no time
  std::optional<double> interval_efficiency;  ///< none of an empty interval: earlier iterations ended later
};

/// What was done with the held nodes in a window of time: work executed in it / integral of A over it.
struct window_efficiency {
  double start_s, end_s;
  double nodes;  ///< held, on average
  double efficiency;
};

/// Dynamic efficiency, added up while records come: memory grows with iterations and with nodes launched and released,
/// not with steps. A step's work is spread evenly over its time.
///
/// Steps must come in the order of their ends, as a simulation emits them; a real run, whose steps are in many
/// processes, gives sums instead. Thread: one at a time.
class dynamic_efficiency final : public record_sink {
 public:
  /// The capacity of each node, cores x speed.
  explicit dynamic_efficiency(std::vector<double> reference_cores);
  ~dynamic_efficiency() override;

  void step(step_record const& record) override;
  void node(node_record const& record) override;
  /// All steps of a call, in their place. What was executed in an interval is then known as well as `over_time` does.
  void add(std::uint64_t call, std::map<std::int32_t, iteration_work> const& iterations, work_over_time over_time);

  /// The integral of A between these times.
  double capacity(double from_s, double to_s) const;
  /// How many nodes were held between these times, on average: a whole number if no node came or went.
  double nodes_held(double from_s, double to_s) const;

  struct report {
    std::vector<iteration_efficiency> iterations;  ///< ascending
    double efficiency = 0;                         ///< work / integral of A over the call
    /// Over time: windows of equal length, each half a window after the last; the first starts and the last ends with
    /// the call. Within a 4096th of the call the place of work is not known.
    std::vector<window_efficiency> windows;
  };
  /// Of a call of the main program that lasted from `start_s` to `end_s`; forgets its steps. `window_s`: about as long
  /// are the windows; 0: a 25th of the call; a thousandth at least.
  report take(std::uint64_t call, double start_s, double end_s, double window_s = 0);

 private:
  struct iteration {
    bool seen = false;
    double start_s = 0;
    double end_s = 0;
    double work_s = 0;
    double closed_s = 0;          ///< C: of iterations up to this one
    double work_by_closed_s = 0;  ///< executed, by any step, up to then
  };
  struct of_call {
    std::vector<iteration> iterations;  ///< from 1
    double work_s = 0;
    work_over_time over_time;
  };
  std::vector<double> reference_cores_;
  std::vector<node_record> changes_;
  by_call<of_call> calls_;
};

}  // namespace ovlp::analysis
