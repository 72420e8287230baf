// SPDX-License-Identifier: BSD-3-Clause
#include "host_log.hpp"

#include <cstddef>
#include <fstream>
#include <map>

#include <ovlp/base/statistics.hpp>

namespace ovlp::lab {

host_state read_host_log(std::string const& log, double from_s, double to_s) {
  std::map<std::size_t, std::vector<double>> products_s;  // by core
  std::vector<double> latencies_s;
  std::ifstream lines(log);
  double at_s = 0, product_s = 0, latency_s = 0;
  for (std::size_t core = 0; lines >> at_s >> core >> product_s >> latency_s;) {
    if (at_s < from_s || at_s > to_s) continue;
    products_s[core].push_back(product_s);
    if (latency_s > 0) latencies_s.push_back(latency_s);
  }
  host_state state;
  for (auto const& [core, values_s] : products_s) state.products_s.push_back(base::mean(values_s));
  if (products_s.size() > 1 && !latencies_s.empty()) state.cache_line_s = base::mean(latencies_s);
  return state;
}

}  // namespace ovlp::lab
