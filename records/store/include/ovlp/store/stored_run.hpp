// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <ovlp/records/run_recorder.hpp>
#include <ovlp/records/run_totals.hpp>
#include <ovlp/records/sink.hpp>

namespace ovlp {

/// A run that run_recorder has stored. Thread: one at a time.
class stored_run {
 public:
  /// Errors: io_error, if it is no such file, or of another version.
  explicit stored_run(std::string const& file);
  ~stored_run();

  run_definitions const& definitions() const;
  run_facts const& about() const;
  /// The run has ended, and all that it emitted is there.
  bool complete() const;

  /// Hands all records to a sink, begin() first: of each kind in the order in which they were emitted, one kind after
  /// another. Returns what had to be left out because the file is damaged, in a line; empty: nothing.
  /// `each`: is called with the number of records of each block that has been handed on.
  std::string read(record_sink& into, std::function<void(std::size_t)> const& each = {}) const;
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
