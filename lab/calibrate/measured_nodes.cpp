// SPDX-License-Identifier: BSD-3-Clause
#include "measured_nodes.hpp"

#include <vector>

#include <ovlp/base/statistics.hpp>

namespace ovlp::lab::calibrate {
namespace {

constexpr double rest_s = 0.06;

}  // namespace

double measured_nodes::launch_s() {
  ask_.limits();  // the first call launches all but the last
  ask_.rest(rest_s);
  double const launched_s = ask_.launch_last();
  limits_ = ask_.limits().at(1);
  run({{{0, 1, 1000, 10, usual_kernel}, {1, 0, 1000, 10, usual_kernel}}});  // memory is allocated, code is loaded
  return launched_s;
}

measured measured_nodes::run(pattern const& what) {
  ask_.rest(rest_s);
  return ask_.run(what);
}

double measured_nodes::posting_s(std::uint32_t nodes, bool cold) {
  constexpr int times = 8;
  std::vector<double> all_s;
  for (int i = 0; i < times; ++i) {
    ask_.rest(rest_s / times);
    all_s.push_back(ask_.posting_s(nodes, cold));
  }
  return base::median(all_s);
}

}  // namespace ovlp::lab::calibrate
