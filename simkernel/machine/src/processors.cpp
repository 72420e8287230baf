// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <functional>
#include <random>
#include <utility>

#include "dedicated_processor.hpp"
#include "host_cores.hpp"
#include "processor.hpp"
#include "quota_budget.hpp"
#include "shared_host.hpp"
#include "unsteady_speed.hpp"

namespace ovlp::machine {
namespace {

/// Where in its first period the quota of a node begins, 0 to 1: spread evenly, whatever the number of nodes.
double even_place(std::size_t node) {
  constexpr double golden = 0.6180339887498949;
  double const place = golden * (static_cast<double>(node) + 1);
  return place - std::floor(place);
}

}  // namespace

std::vector<std::unique_ptr<processor>> make_processors(event_queue& events, platform const& on, std::size_t nodes,
                                                        std::optional<std::uint64_t> vary) {
  std::optional<std::mt19937_64> random;
  if (vary) random.emplace(*vary);
  auto const fraction = [&] { return std::uniform_real_distribution(0.0, 1.0)(*random); };

  std::vector<std::unique_ptr<processor>> made;
  if (on.shares_host_evenly()) {
    auto const host = std::make_shared<host_cores>(events, static_cast<double>(on.host->cores), on.nodes[0].speed);
    for (std::size_t n = 0; n < nodes; ++n) made.push_back(std::make_unique<host_node>(events, host));
    return made;
  }
  std::vector<std::shared_ptr<host_core>> cores;
  for (std::size_t c = 0; on.host && c < on.host->cores; ++c) {
    cores.push_back(std::make_shared<host_core>(on.host->time_slice_s));
  }
  for (std::size_t n = 0; n < nodes; ++n) {
    node_kind const& kind = on.kind_of(n);
    double const place = random ? fraction() : even_place(n);
    double speed = kind.speed;
    if (random) speed *= std::exp(std::normal_distribution(0.0, 1.0)(*random) * kind.speed_deviation);
    auto const cpus = static_cast<double>(kind.cores);
    std::optional<quota_budget> budget;
    if (kind.quota) budget.emplace(*kind.quota, cpus, place * kind.quota->period_s);
    unsteady_speed changing(kind, speed, vary.value_or(0), n);
    if (budget && on.host) {
      made.push_back(std::make_unique<shared_processor>(events, std::move(changing), *budget, cores[n % cores.size()]));
    } else {
      made.push_back(std::make_unique<dedicated_processor>(events, cpus, std::move(changing), budget));
    }
  }
  return made;
}

}  // namespace ovlp::machine
