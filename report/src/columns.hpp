// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace ovlp::report {

/// Columns of numbers as a page has them: values of 2, 4 or 8 bytes, little endian, regrouped, the lowest bytes of all
/// values first; compressed (zlib), in base64. page/columns.js reads them.
class columns {
 public:
  /// Each returns what the page's JSON says of the column.
  nlohmann::ordered_json add(std::vector<std::uint16_t> const& values);
  nlohmann::ordered_json add(std::vector<std::uint32_t> const& values);
  nlohmann::ordered_json add(std::vector<float> const& values);
  nlohmann::ordered_json add(std::vector<double> const& values);

  /// In the order in which they were added, which is that of their numbers.
  std::vector<std::string> const& packed() const { return packed_; }

 private:
  nlohmann::ordered_json add(char const* type, void const* data, std::size_t count, std::size_t bytes);

  std::vector<std::string> packed_;
};

}  // namespace ovlp::report
