// SPDX-License-Identifier: BSD-3-Clause
// Transfers on the network of a platform, without a runtime.
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <exception>
#include <ovlp/machine/platform.hpp>
#include <ovlp/netmodel/network.hpp>
#include <string>

#include "../contestant.hpp"
#include "pattern.hpp"

int main(int argc, char** argv) try {
  std::uint32_t nodes = 64;
  std::uint64_t each = 1000, at_once = 4;
  std::string platform;
  CLI::App app("transfers on the network of a platform");
  app.add_option("--nodes", nodes)->check(CLI::Range(2, 1'000'000));
  app.add_option("--each", each, "transfers of a node");
  app.add_option("--at-once", at_once, "transfers of a node under way");
  app.add_option("--platform", platform)->required();
  CLI11_PARSE(app, argc, argv);

  const auto network = ovlp::machine::platform::find(platform).make_network(nodes);
  bench::pattern all(nodes, each);
  const double start_cpu_s = bench::process_cpu_s();
  double now_s = 0;
  std::uint64_t ended = 0;
  std::vector<std::uint64_t> sources;
  const auto start = [&](std::uint32_t source) {
    if (!all.has_next(source)) return;
    const auto [destination, bytes] = all.next(source);
    network->start({source, source, destination, bytes}, now_s);
  };
  for (std::uint64_t i = 0; i < at_once; ++i) {
    for (std::uint32_t source = 0; source < nodes; ++source) start(source);
  }
  while (std::isfinite(network->next_event())) {
    now_s = network->next_event();
    sources.clear();
    for (const auto& done : network->advance(now_s)) sources.push_back(done.id);
    ended += sources.size();
    for (const std::uint64_t source : sources) start(static_cast<std::uint32_t>(source));
  }
  const double cpu_s = bench::process_cpu_s() - start_cpu_s;
  bench::report({{"contestant", "ovlp"},
                 {"transfers", ended},
                 {"simulated_s", now_s},
                 {"cpu_s", cpu_s},
                 {"transfers_per_cpu_s", static_cast<double>(ended) / cpu_s}});
} catch (const std::exception& wrong) {
  std::fprintf(stderr, "%s\n", wrong.what());
  return 1;
}
