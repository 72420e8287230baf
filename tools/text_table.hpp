// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ovlp::tools {

/// Rows of cells; the first columns are aligned to the left, the others to the right.
class text_table {
 public:
  explicit text_table(std::size_t left = 1) : left_(left) {}

  void add(std::vector<std::string> cells);
  std::string text() const;

 private:
  std::size_t const left_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> widths_;
};

/// Four digits, for a cell.
std::string short_number(double number);

}  // namespace ovlp::tools
