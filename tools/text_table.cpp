// SPDX-License-Identifier: BSD-3-Clause
#include "text_table.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>
#include <utility>

namespace ovlp::tools {

void text_table::add(std::vector<std::string> cells) {
  widths_.resize(std::max(widths_.size(), cells.size()));
  for (std::size_t i = 0; i < cells.size(); ++i) widths_[i] = std::max(widths_[i], cells[i].size());
  rows_.push_back(std::move(cells));
}

std::string text_table::text() const {
  std::string text;
  for (auto const& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::string const room(widths_[i] - row[i].size(), ' ');
      bool const last = i + 1 == row.size();
      text += (i == 0 ? "" : "  ") + (i < left_ ? row[i] + (last ? "" : room) : room + row[i]);
    }
    text += '\n';
  }
  return text;
}

std::string short_number(double number) {
  std::ostringstream text;
  text << std::setprecision(4) << number;
  return text.str();
}

}  // namespace ovlp::tools
