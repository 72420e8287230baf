// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

namespace ovlp::report {

/// Columns of numbers as a page has them: values of 2, 4 or 8 bytes, little endian, regrouped, the lowest bytes of all
/// values first; compressed (zlib), in base64. page/columns.js reads them.
class columns {
 public:
  /// Returns what the page's JSON says of the column. Its type: "u16", "f64", ...
  template <class Number>
  nlohmann::ordered_json add(std::vector<Number> const& values) {
    std::string const type = (std::is_integral_v<Number> ? "u" : "f") + std::to_string(8 * sizeof(Number));
    return add(type, values.data(), values.size(), sizeof(Number));
  }

  /// In the order in which they were added, which is that of their numbers.
  std::vector<std::string> const& packed() const { return packed_; }

 private:
  nlohmann::ordered_json add(std::string const& type, void const* data, std::size_t count, std::size_t bytes);

  std::vector<std::string> packed_;
};

}  // namespace ovlp::report
