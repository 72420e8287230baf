// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include <cstddef>
#include <fstream>
#include <map>

namespace ovlp::tools {

std::vector<double> machine_s(std::string const& log, double from_s, double to_s) {
  struct heard {
    double sum_s = 0;
    double count = 0;
  };
  std::map<std::size_t, heard> cores;
  std::ifstream lines(log);
  double at_s = 0, product_s = 0;
  for (std::size_t core = 0; lines >> at_s >> core >> product_s;) {
    if (at_s < from_s || at_s > to_s) continue;
    cores[core].sum_s += product_s;
    cores[core].count += 1;
  }
  std::vector<double> means_s;
  for (auto const& [core, of] : cores) means_s.push_back(of.sum_s / of.count);
  return means_s;
}

}  // namespace ovlp::tools
