// SPDX-License-Identifier: BSD-3-Clause
#include "workload/profiles.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

namespace ovlp::cluster {
namespace {

double uniform(std::mt19937_64& random, double from, double to) {
  // std::uniform_real_distribution differs between libraries.
  return from + (to - from) * static_cast<double>(random() >> 11) * 0x1p-53;
}
double log_uniform(std::mt19937_64& random, double from, double to) {
  return std::exp2(uniform(random, std::log2(from), std::log2(to)));
}
/// Box and Muller's.
double normal(std::mt19937_64& random) {
  double const radius = std::sqrt(-2 * std::log(1 - uniform(random, 0, 1)));
  return radius * std::cos(2 * 3.141592653589793 * uniform(random, 0, 1));
}

}  // namespace

double downey_speedup(double average_parallelism, double sigma, double nodes) {
  double const a = average_parallelism, n = nodes;
  if (sigma <= 1) {
    if (n <= a) return a * n / (a + sigma / 2 * (n - 1));
    if (n <= 2 * a - 1) return a * n / (sigma * (a - 0.5) + n * (1 - sigma / 2));
    return a;
  }
  if (n <= a + a * sigma - sigma) return n * a * (sigma + 1) / (sigma * (n + a - 1) + a);
  return a;
}

double amdahl_speedup(double serial_fraction, double nodes) {
  return 1 / (serial_fraction + (1 - serial_fraction) / nodes);
}

void make_like(job& of, job const& other, node_count nodes) {
  forecast const& shape = other.expected;
  double const longer = of.time_s() / other.time_s();
  std::vector<node_count> possible;
  std::vector<std::vector<double>> time_s;
  for (std::size_t i = 0; i < shape.nodes().size(); ++i) {
    std::uint64_t const more = std::uint64_t{shape.nodes()[i]} * of.requested;
    if (more % other.requested != 0 || more / other.requested > nodes) continue;
    possible.push_back(static_cast<node_count>(more / other.requested));
    std::vector<double>& row = time_s.emplace_back();
    for (std::uint32_t k = 1; k <= (shape.equal() ? 1 : shape.iterations()); ++k)
      row.push_back(longer * shape.time_s(i, k));
  }
  of.expected = forecast(possible, std::move(time_s), shape.iterations(), shape.change_s());
  of.possible = std::move(possible);
}

void make_malleable(job& of, node_count nodes, profile_choice const& choice, std::mt19937_64& random) {
  if (!choice.like.empty()) {
    make_like(of, choice.like[random() % choice.like.size()], nodes);
    return;
  }
  double const now_s = of.time_s();
  double const asked = of.requested;
  bool const amdahl = uniform(random, 0, 1) < choice.amdahl_share;
  double const efficiency = uniform(random, 0.5, 0.95), parallelism = log_uniform(random, asked / 2, asked * 4),
               sigma = uniform(random, 0, 2);
  double const serial = asked > 1 ? (1 / efficiency - 1) / (asked - 1) : 0.1;
  auto const speedup = [&](double n) {
    return amdahl ? amdahl_speedup(serial, n) : downey_speedup(std::max(1.0, parallelism), sigma, n);
  };
  std::vector<node_count> possible =
      numbers_between(std::max<node_count>(1, of.requested / 8), std::min(nodes, of.requested * 4));
  if (!std::ranges::binary_search(possible, of.requested)) {
    possible.insert(std::ranges::lower_bound(possible, of.requested), of.requested);
  }
  std::vector<std::vector<double>> time_s;
  for (node_count const n : possible) time_s.push_back({now_s * speedup(asked) / speedup(n) / choice.iterations});
  of.expected = forecast(possible, std::move(time_s), choice.iterations, choice.change_s);
  of.possible = std::move(possible);
}

void make_malleable(workload& of, double share, profile_choice const& choice, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  node_count nodes = of.nodes;
  for (job const& one : of.jobs) nodes = std::max(nodes, one.requested);
  for (job& one : of.jobs) {
    bool const chosen = uniform(random, 0, 1) < share;
    if (chosen && !one.malleable()) make_malleable(one, nodes, choice, random);
  }
}

double offered_load(workload const& of, node_count nodes) {
  double node_s = 0;
  for (job const& one : of.jobs) node_s += one.node_s();
  double const span_s = of.jobs.empty() ? 0 : of.jobs.back().arrival_s - of.jobs.front().arrival_s;
  return span_s > 0 ? node_s / (nodes * span_s) : 0;
}

void scale_to_load(workload& of, node_count nodes, double load) {
  double const first_s = of.jobs.empty() ? 0 : of.jobs.front().arrival_s, stretch = offered_load(of, nodes) / load;
  for (job& one : of.jobs) one.arrival_s = first_s + (one.arrival_s - first_s) * stretch;
}

workload make_synthetic(synthetic_choice const& choice) {
  std::mt19937_64 random(choice.seed);
  workload made{.name = "synthetic, seed " + std::to_string(choice.seed), .nodes = choice.nodes, .jobs = {}};
  int const largest = static_cast<int>(std::log2(std::max<node_count>(1, choice.nodes / 2)));
  for (std::uint32_t j = 0; j < choice.jobs; ++j) {
    auto const nodes = static_cast<node_count>(std::exp2(std::floor(uniform(random, 0, largest + 1))));
    double const time_s = std::clamp(900 * std::exp(std::log(3.0) * normal(random)), 10.0, 86400.0);
    job one{.name = "job " + std::to_string(j + 1), .requested = nodes, .possible = {nodes}};
    one.requested_s = time_s * uniform(random, 1, 5);
    one.expected = forecast::rigid(nodes, time_s);
    made.jobs.push_back(std::move(one));
  }
  double at_s = 0;
  for (job& one : made.jobs) {
    one.arrival_s = at_s;
    at_s -= std::log(1 - uniform(random, 0, 1));
  }
  scale_to_load(made, choice.nodes, choice.load);
  return made;
}

}  // namespace ovlp::cluster
