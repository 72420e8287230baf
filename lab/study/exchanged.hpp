// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <ovlp/records/sink.hpp>
#include <ovlp/threads/partition.hpp>

namespace ovlp::lab::study {

/// What DPS threads exchange and compute, and where they live at first, by the record of a run. They are numbered
/// through all collections in their order; those that have joined later count as those whose place they would have had.
///
/// What objects that stay on their node weigh no record tells: they count as much as others of their port, on average;
/// nothing, where none crosses. Work is what steps compute, whenever they do.
class exchanged final : public record_sink {
 public:
  void begin(run_definitions const& of) override;
  void mapping(mapping_record const& r) override;
  void step(step_record const& r) override;
  void post(post_record const& r) override;
  void send(send_record const& r) override;

  std::size_t count() const;
  std::vector<std::string> names() const;  ///< "COLLECTION[INDEX]"
  /// Errors: config_error, if they are too many.
  shared_memory::partition_problem problem() const;
  std::vector<std::string> const& collections() const { return definitions_.collections; }
  /// Of each collection's threads.
  std::vector<std::vector<std::size_t>> const& nodes() const { return nodes_; }

 private:
  using dps_thread = std::pair<std::uint32_t, std::uint32_t>;            // collection, index
  using port = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // graph, operation, port
  struct posted {
    object_key object;
    dps_thread from, to;
    port from_port;
  };

  std::uint32_t collection_of(operation_place const& at) const;
  std::size_t number(dps_thread const& of) const;

  run_definitions definitions_;
  std::vector<std::vector<std::size_t>> nodes_;
  std::map<dps_thread, double> work_;
  std::vector<posted> posts_;
  std::unordered_map<object_key, double> bytes_;
};

}  // namespace ovlp::lab::study
