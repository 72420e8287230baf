// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <ovlp/support/json_object.hpp>

#include "patterns.hpp"

namespace ovlp::lab::calibrate {

/// Measures what a platform file says, round by round: a host that is slower for some seconds then disturbs one
/// value of each figure and not all values of one. A figure is the median of its values.
/// How each is measured: docs/validation.md.
class calibration {
 public:
  /// `host_log`: what a testbed's monitor writes; empty: there is none.
  calibration(patterns& ask, std::uint32_t nodes, std::string host_log)
      : ask_(ask), nodes_(nodes), host_log_(std::move(host_log)) {}

  /// Before anything else: the first call launches all nodes, at once.
  void launch();
  void round();
  /// Takes the values of an earlier calibration as well: the section `calibration` of its file.
  /// Errors: config_error that names a figure without values.
  void add(support::json_object earlier);

  nlohmann::ordered_json platform(std::string const& name, nlohmann::ordered_json const& testbed) const;
  /// The model of the paper's section 4: a star with equal shares, and CPU time by the number of transfers.
  nlohmann::ordered_json plain_platform(std::string const& name, nlohmann::ordered_json const& testbed) const;

 private:
  measured run(pattern const& what);
  measured each_awaited(std::uint32_t count, std::uint32_t rounds);
  void note(std::string const& figure, double value) { values_[figure].push_back(value); }
  double last(std::string const& figure) const { return values_.at(figure).back(); }
  double middle(std::string const& figure) const;
  double computing_s() const;
  /// Of messages: platform.hpp.
  struct cooling {
    double asleep_s;
    double cooling_s;
  };
  cooling cools() const;

  void node_speed();
  void costs_of_steps();
  void costs_of_messages();
  void messages_after_kernels();
  void awaited_messages();
  void messages_after_pauses();
  void messages_amid_kernels();
  void costs_of_bytes();
  void links();
  void shared_links();
  void all_at_once();

  patterns& ask_;
  std::uint32_t const nodes_;
  std::string const host_log_;
  node_limits limits_;
  std::map<std::string, std::vector<double>> values_;
};

}  // namespace ovlp::lab::calibrate
