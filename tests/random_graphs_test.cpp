// SPDX-License-Identifier: BSD-3-Clause
// Random flow graphs, called several at a time while their collections change, against a serial evaluation.
#include "support/random_graphs.hpp"

#include "support/process.hpp"
#include "support/run_on.hpp"
#include "support/seed.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace ovlp::testing::random_graphs;

/// OVLP_TEST_ROUNDS if set, else as many; a part of that where all takes ten times as long.
uint64_t rounds(uint64_t usual) {
  char const* const given = std::getenv("OVLP_TEST_ROUNDS");  // NOLINT(concurrency-mt-unsafe): one thread
  return given != nullptr ? std::strtoull(given, nullptr, 10) : usual / ROUNDS_DIVIDED_BY;
}

}  // namespace

TEST_CASE("random graphs give in simulation what a serial evaluation gives, whatever changes meanwhile") {
  ovlp::testing::temporary_folder const folder;
  uint64_t const first = ovlp::testing::new_seed();
  for (uint64_t seed = first; seed < first + rounds(400); ++seed) {
    INFO("repeat with OVLP_TEST_SEED=" << seed << " OVLP_TEST_ROUNDS=1");
    plan const p = make_plan(seed);
    maker random(seed + 2);
    auto const one_of = [&](std::vector<std::string> const& list) { return list[random.below(list.size())]; };
    std::string const platform =
        folder.file("platform.json",
                    R"({"name": "p", "reference_core": "any",
        "nodes": [{"count": 4, "cores": )" +
                        one_of({"1", "2"}) + R"(, "speed": )" + one_of({"1", "2"}) + R"(, "launch_s": )" +
                        one_of({"0", "1e-3"}) + R"(}], "network": {"model": "star", "latency_s": )" +
                        one_of({"0", "1e-4"}) + R"(, "bandwidth_Bps": 1e6}, "comm_cpu": {"incoming": )" +
                        one_of({"[0]", "[0, 0.2]"}) + R"(, "outgoing": )" + one_of({"[0]", "[0, 0.1, 0.2]"}) +
                        R"(, "per_message_s": )" + one_of({"0", "1e-5"}) + R"(}, "runtime": {"concurrent_per_pair": )" +
                        one_of({"0", "1"}) + R"(, "per_step_s": )" + one_of({"0", "1e-5"}) + "}}");
    ovlp::testing::simulate_on(p.nodes,
                               {"--platform", platform, "--execution", "partial", "--shuffle",
                                std::to_string(seed % 1000), "--execution-threads", one_of({"1", "2", "3", "cores"})},
                               [&](engine& run) { CHECK(play(p, seed, run) == ""); });
  }
}

TEST_CASE("random graphs give on real nodes what a serial evaluation gives, whatever changes meanwhile") {
  uint64_t const first = ovlp::testing::new_seed();
  ::setenv("OVLP_TEST_SEED", std::to_string(first).c_str(), 1);  // the other processes build the same graphs
  for (uint64_t seed = first; seed < first + rounds(12); ++seed) {
    INFO("repeat with OVLP_TEST_SEED=" << seed << " OVLP_TEST_ROUNDS=1");
    plan const p = make_plan(seed);
    ovlp::testing::really_run_on(
        p.nodes, {}, [&](engine& run) { CHECK(play(p, seed, run) == ""); }, ovlp::testing::checks::stored);
  }
}
