// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <ovlp/records/recorded_run.hpp>

namespace ovlp::analysis {

/// A call of the main program, as it is known in any run of the program: which call of that graph it is.
struct call_name {
  std::string graph;
  std::size_t number = 1;  ///< from 1, of those of graphs of this name

  friend auto operator<=>(call_name const&, call_name const&) = default;
  /// "factor", "factor 2"
  std::string text() const;
};

/// A call of a run. Times in seconds on the run's clock.
struct run_call {
  call_name name;
  std::uint64_t call;  ///< as its records say
  std::uint32_t graph;
  double start_s;
  std::optional<double> end_s;  ///< none: it had no result
};

/// The calls of a run, in the order in which they began. Thread: one at a time.
class call_list final : public record_sink {
 public:
  call_list() = default;
  explicit call_list(recorded_run const& run) {
    begin(run.names);
    for (call_record const& r : run.calls) call(r);
  }
  void begin(run_definitions const& names) override;
  void call(call_record const& r) override;

  std::vector<run_call> const& all() const { return calls_; }
  /// By the number in its records; nullptr: there is none.
  run_call const* find(std::uint64_t call) const;
  run_call const* find(call_name const& name) const;

 private:
  std::vector<std::string> graphs_;
  std::map<std::string, std::size_t> made_;  ///< calls of graphs of this name
  std::map<std::uint64_t, std::size_t> places_;
  std::map<call_name, std::size_t> named_;
  std::vector<run_call> calls_;
};

/// What can be compared of several runs of a program: a real run may make calls that a simulated one leaves out, such
/// as one that fills a matrix. Everything that compares two runs does so by this.
struct matched_calls {
  std::vector<call_name> common;               ///< that all runs have made, in the order of the first
  std::vector<call_name> compared;             ///< of those, the ones that have a result in all runs
  std::vector<std::vector<call_name>> others;  ///< of each run, those that are not compared

  /// Whether runs have calls that are not compared.
  bool differ() const;
  /// That they have, in a line: what is compared, and which calls each run has besides; empty if they don't differ.
  std::string note(std::vector<std::string> const& names_of_runs) const;
};
matched_calls match_calls(std::vector<std::vector<run_call>> const& runs);

}  // namespace ovlp::analysis
