// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <ovlp/base/json_object.hpp>

namespace ovlp::lab::calibrate {

/// What has been measured: by name, one value for each round.
class figures {
 public:
  void note(std::string const& figure, double value) { values_[figure].push_back(value); }
  /// Of a figure that has been noted: the value of this round, the median, and the least one.
  double last(std::string const& figure) const { return values_.at(figure).back(); }
  double middle(std::string const& figure) const;
  double least(std::string const& figure) const;

  /// Takes the values of an earlier calibration as well: the section `calibration` of its file.
  /// Errors: config_error that names a figure without values.
  void add(base::json_object earlier);
  /// All of them, each with its median and its spread: (largest - smallest) / median.
  nlohmann::ordered_json json() const;

 private:
  std::map<std::string, std::vector<double>> values_;
};

}  // namespace ovlp::lab::calibrate
