// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <ovlp/records/recorded_run.hpp>
#include <ovlp/threads/partition.hpp>

namespace ovlp::lab::study {

/// What DPS threads exchange and compute, and where they live at first, by the record of a run. They are numbered
/// through all collections in their order; those that have joined later count as those whose place they would have had.
///
/// What objects that stay on their node weigh no record tells: they count as much as others of their port, on average;
/// nothing, where none crosses. Work is what steps compute, whenever they do.
/// The run outlives it.
class exchanged {
 public:
  explicit exchanged(recorded_run const& run);

  std::size_t count() const;
  std::vector<std::string> names() const;  ///< "COLLECTION[INDEX]"
  /// Errors: config_error, if they are too many.
  shared_memory::partition_problem problem() const;
  std::vector<std::string> const& collections() const { return run_.names.collections; }
  /// Of each collection's threads.
  std::vector<std::vector<std::size_t>> const& nodes() const { return nodes_; }

 private:
  std::size_t number(std::uint32_t collection, std::uint32_t index) const;
  /// Of what was sent; none: it stayed on its node.
  std::optional<double> bytes_of(std::uint32_t object) const;

  recorded_run const& run_;
  std::vector<std::vector<std::size_t>> nodes_;
};

}  // namespace ovlp::lab::study
