// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <ovlp/records/recorded_run.hpp>
#include <ovlp/records/run_recorder.hpp>
#include <ovlp/records/run_totals.hpp>
#include <ovlp/records/sink.hpp>

namespace ovlp {

/// How a run has ended, as far as its record tells.
enum class run_outcome : std::uint8_t {
  unknown,  ///< the record is of an older ovlp, which did not say so
  running,  ///< it has not, or was killed
  finished,
  failed,
};

/// A run that run_recorder has stored. Thread: one at a time.
class stored_run {
 public:
  /// Errors: io_error, if it is no such file, or of another version.
  explicit stored_run(std::string const& file);
  ~stored_run();

  run_definitions const& definitions() const;
  run_facts const& about() const;
  /// All that the run emitted is there.
  bool complete() const;
  run_outcome outcome() const;
  /// What a reader must know first, in a line: that the run has failed, and why; that it has not ended; that records
  /// are missing, or how it ended is not known. Empty of a run that has finished.
  std::string reservation() const;
  /// Of a real run that has ended; zeros if its record does not tell.
  processor_use processors() const;

  /// Hands all records to a sink, begin() first: of each kind in the order in which they were emitted, one kind after
  /// another. Returns what had to be left out because the file is damaged, in a line; empty: nothing.
  /// `each`: is called with the number of records of each block that has been handed on.
  std::string read(record_sink& into, std::function<void(std::size_t)> const& each = {}) const;
  /// The same as a value. `damage`: what read() returns.
  recorded_run load(std::string* damage = nullptr) const;
  /// The time of its first record, on the run's clock; of a simulation 0.
  double begin_s() const;
  /// Whether sums stand in the place of records (--record-only nodes).
  bool totals_only() const;
  /// Errors: config_error if they do.
  void expect_records() const;
  run_totals totals() const;
  /// How many records there are in blocks.
  std::size_t records() const;

 private:
  struct implementation;
  std::unique_ptr<implementation> const implementation_;
};

}  // namespace ovlp
