// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace ovlp::lab::validate {

/// A node of a testbed that is slower than it was when it was calibrated, during runs.
struct straggler {
  std::size_t node = 0;
  bool is_link = false;  ///< its link is slow, else its processor
  double factor = 1;     ///< of its speed, or bandwidth: below 1
  double from_s = 0;     ///< of the run
  std::optional<double> to_s = {};

  /// For lab/testbed/run --straggler.
  std::string text() const;
};

/// What a platform file says that knows of it. Errors: config_error, if there is no such node.
nlohmann::json with_straggler(nlohmann::json platform, straggler const& slow);

}  // namespace ovlp::lab::validate
