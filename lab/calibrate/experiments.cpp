// SPDX-License-Identifier: BSD-3-Clause
#include "experiments.hpp"

namespace ovlp::lab::calibrate {
namespace {

constexpr experiment_ptr (*known_experiments[])(){
    measure_nodes,  measure_host,           measure_runtime, measure_costs_of_messages, measure_cache_cooling,
    measure_wakeup, measure_costs_of_bytes, measure_network, measure_transport,         measure_plain_communication,
};

}  // namespace

std::vector<experiment_ptr> all_experiments() {
  std::vector<experiment_ptr> all;
  for (auto const make : known_experiments) all.push_back(make());
  return all;
}

}  // namespace ovlp::lab::calibrate
