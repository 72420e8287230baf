// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include <cstddef>
#include <fstream>
#include <map>

namespace ovlp::tools {
namespace {

struct mean {
  double sum = 0;
  double count = 0;
  void add(double value) {
    sum += value;
    ++count;
  }
  double value() const { return count == 0 ? 0 : sum / count; }
};

}  // namespace

machine_state heard_machine(std::string const& log, double from_s, double to_s) {
  std::map<std::size_t, mean> products;
  mean lines;
  std::ifstream heard(log);
  double at_s = 0, product_s = 0, line_s = 0;
  for (std::size_t core = 0; heard >> at_s >> core >> product_s >> line_s;) {
    if (at_s < from_s || at_s > to_s) continue;
    products[core].add(product_s);
    if (line_s > 0) lines.add(line_s);
  }
  machine_state state;
  for (auto const& [core, product] : products) state.cores_s.push_back(product.value());
  if (products.size() > 1) state.apart_s = lines.value();
  return state;
}

}  // namespace ovlp::tools
