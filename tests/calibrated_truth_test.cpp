// SPDX-License-Identifier: BSD-3-Clause
// A testbed whose truth is known: the experiments of `ovlp calibrate`, run on simulated nodes, must find their
// platform.
#include "support/process.hpp"
#include "support/run_on.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "calibration.hpp"

namespace {

using ovlp::lab::calibrate::node_limits;
using json = nlohmann::ordered_json;

/// Clocks of nodes that are simulated. One node more than those that are measured lets time pass.
class virtual_clocks final : public ovlp::lab::calibrate::node_clocks {
 public:
  virtual_clocks(ovlp::engine_base& run, json const& node)
      : run_(run), node_(node), clock_("clock", "node" + std::to_string(run.nodes() - 1)), rest_(make_rest()) {
    run.add(rest_);
    run.estimate("rest", [](std::span<std::int64_t const> us) { return static_cast<double>(us[0]) * 1e-6; });
    cpu_s_.resize(run.nodes());
  }

  double node_cpu_s(std::uint32_t node) const override { return cpu_s_[node]; }
  node_limits limits(std::uint32_t) const override {
    double const cores = node_["cores"];
    if (!node_.contains("quota")) return {cores, 0};
    return {cores * node_["quota"]["share"].get<double>(), node_["quota"]["period_s"]};
  }
  /// A thread that does not wait, and that nothing else on its node disturbs: time is CPU time.
  double thread_cpu_s() const override { return run_.now().count(); }
  void rest(double seconds) override { run_(rest_, {std::llround(seconds * 1e6)}); }
  /// The summary's is work of the reference core.
  void ended(ovlp::summary const& call) override {
    std::vector<double> const& work_s = call.simulation->node_cpu_s;
    CHECK(std::accumulate(work_s.begin(), work_s.end(), 0.0) ==
          doctest::Approx(call.work_s + call.overhead_s + call.simulation->communication_cpu_s).epsilon(1e-9));
    for (std::size_t n = 0; n < cpu_s_.size(); ++n) cpu_s_[n] += work_s[n] / node_["speed"].get<double>();
  }

 private:
  struct Pause {
    std::int64_t us;
  };
  struct Over {};
  /// Ends with a message of node 0's and its answer: caches are then as warm as after any other call.
  ovlp::graph<Pause, Over> make_rest() {
    ovlp::graph<Pause, Over> g("rest");
    auto pass = g.leaf("pass", clock_, [](ovlp::here<>& here, Pause p) {
      here.kernel("rest", {p.us}, [] {});
      return p;
    });
    auto wake = g.leaf("wake", node_0_, [](Pause p) { return p; });
    auto answer = g.leaf("answer", clock_, [](Pause) { return Over{}; });
    g.enter(pass, ovlp::at(0));
    g.edge(pass, wake, ovlp::at(0));
    g.edge(wake, answer, ovlp::at(0));
    g.leave(answer);
    return g;
  }

  ovlp::engine_base& run_;
  json const node_;
  ovlp::threads<> node_0_{"node 0", "node0"}, clock_;
  ovlp::graph<Pause, Over> rest_;
  std::vector<double> cpu_s_;
};

/// 0.1 ms for each MiB.
double visit_s(std::span<std::int64_t const> sizes) {
  double const mebibytes = static_cast<double>(sizes[0]) * sizeof(double) / (1 << 20);
  return 0.1e-3 * mebibytes * static_cast<double>(sizes[1]);
}

struct found {
  json platform, plain;
};

/// What calibration says of so many nodes of this platform.
found calibrated(json truth, std::uint32_t nodes) {
  json const measured_node = truth["nodes"][0];
  truth["nodes"][0]["count"] = nodes;
  truth["nodes"].push_back({{"count", 1}, {"cores", 1}, {"speed", 1}});
  json testbed;
  if (truth.contains("transport")) testbed["buffer_bytes"] = truth["transport"]["buffer_bytes"];
  ovlp::testing::temporary_folder const folder;
  std::vector<std::string> const options{"--platform", folder.file("truth.json", truth.dump()), "--execution",
                                         "partial"};
  found all;
  ovlp::testing::simulate_on(nodes + 1, options, [&](ovlp::engine_base& run) {
    run.estimate("visit", visit_s);
    run.estimate("sent", 0);
    virtual_clocks clocks(run, measured_node);
    ovlp::lab::calibrate::patterns ask(run, clocks, nodes);
    ovlp::lab::calibrate::calibration calibration(ask);
    calibration.launch();
    calibration.round();
    all = {calibration.platform("found", testbed), calibration.plain_platform("found", testbed)};
  });
  return all;
}

/// Expects of one of its figures that it was found: but for so much of it, and so much beside.
class expectation {
 public:
  expectation(json truth, json found) : truth_(std::move(truth)), found_(std::move(found)) {}
  double operator[](std::string const& figure) const { return truth_.at(json::json_pointer(figure)); }
  void operator()(std::string const& figure, double relative, double beside = 0) const {
    double const expected = (*this)[figure], got = found_.at(json::json_pointer(figure));
    CHECK_MESSAGE(std::abs(got - expected) <= relative * expected + beside,
                  figure << ": expected " << expected << ", found " << got);
  }

 private:
  json truth_, found_;
};

json const two_cores = json::parse(R"({
  "name": "two cores", "reference_core": "any",
  "nodes": [{"cores": 2, "speed": 1.25, "launch_s": 0.35}],
  "network": {"model": "max-min", "latency_s": 200e-6, "bandwidth_Bps": 60e6, "burst_bytes": 250e3},
  "transport": {"model": "stream", "buffer_bytes": 4e6},
  "comm_cpu": {"incoming": [0], "outgoing": [0], "per_message_s": 14e-6, "receive_per_message_s": 14e-6,
               "per_byte_s": 0.35e-9, "receive_per_byte_s": 0.6e-9},
  "effects": [{"name": "cache_cooling", "send_s": 25e-6, "receive_s": 18e-6, "pause_s": 20e-3, "computing_s": 1.5e-3},
              {"name": "wakeup", "send_s": 9e-6}],
  "runtime": {"concurrent_per_pair": 1, "per_step_s": 5e-6, "per_object_s": 0}
})");
json const half_a_core = json::parse(R"({
  "name": "half a core", "reference_core": "any",
  "nodes": [{"cores": 1, "speed": 0.8, "launch_s": 0.06, "quota": {"share": 0.5, "period_s": 0.01, "carry_s": 1e-3}}],
  "network": {"model": "max-min", "latency_s": 60e-6, "bandwidth_Bps": 250e6, "burst_bytes": 600e3},
  "transport": {"model": "stream", "buffer_bytes": 1e6},
  "comm_cpu": {"incoming": [0], "outgoing": [0], "per_message_s": 6e-6, "receive_per_message_s": 6e-6,
               "per_byte_s": 0.15e-9, "receive_per_byte_s": 0.2e-9},
  "effects": [{"name": "cache_cooling", "send_s": 60e-6, "receive_s": 10e-6, "pause_s": 9e-3, "computing_s": 0.9e-3},
              {"name": "wakeup", "send_s": 4e-6}],
  "runtime": {"concurrent_per_pair": 1, "per_step_s": 2.5e-6, "per_object_s": 0}
})");
json const plain = json::parse(R"({
  "name": "plain", "reference_core": "any",
  "nodes": [{"cores": 1, "speed": 1, "launch_s": 0.1}],
  "network": {"model": "star", "latency_s": 100e-6, "bandwidth_Bps": 10e6},
  "comm_cpu": {"incoming": [0, 0.3, 0.35, 0.4], "outgoing": [0, 0.1, 0.15, 0.25]}
})");

/// What is given back whether caches cool or not. `costs`: how much of a cost may be missing.
void expect_what_lasts(expectation const& finds, double costs) {
  finds("/nodes/0/cores", 0);
  // Each kernel is done with three steps.
  finds("/nodes/0/speed", 0.002);
  // With the messages by which a node joins.
  finds("/nodes/0/launch_s", 0.02);
  finds("/network/bandwidth_Bps", 0.001);
  finds("/network/burst_bytes", 0.005);
  finds("/transport/buffer_bytes", 0);
  // Per object, with what the call begins and ends with and its figures are asked for.
  finds("/runtime/per_step_s", costs);
  finds("/comm_cpu/per_message_s", costs);
  finds("/comm_cpu/receive_per_message_s", costs);
  finds("/comm_cpu/per_byte_s", costs);
}

}  // namespace

TEST_CASE("calibration finds the platform that nodes stand on") {
  for (std::uint32_t const nodes : {2U, 4U}) {
    for (json const& truth : {two_cores, half_a_core}) {
      CAPTURE(nodes);
      CAPTURE(truth.at("name").get<std::string>());
      json const platform = calibrated(truth, nodes).platform;
      expectation const finds(truth, platform);
      expect_what_lasts(finds, 0.02);
      if (truth["nodes"][0].contains("quota")) CHECK(platform["nodes"][0]["quota"] == truth["nodes"][0]["quota"]);
      CHECK(platform["nodes"][0]["speed_deviation"] < 0.01);

      // Even what is sent and received at once finds caches that have cooled for a round trip, which formulas leave
      // out.
      double const send_s = finds["/effects/0/send_s"], receive_s = finds["/effects/0/receive_s"];
      double const processing_s =
          3 * finds["/runtime/per_step_s"] + 4 * finds["/comm_cpu/per_message_s"] + 2 * finds["/effects/1/send_s"];
      double const round_trip_s = 2 * finds["/network/latency_s"] + processing_s / finds["/nodes/0/speed"];
      double const cooled = 1 - std::exp(-round_trip_s / finds["/effects/0/pause_s"]);
      finds("/network/latency_s", 0.01, cooled * (send_s + receive_s) / finds["/nodes/0/speed"]);
      // Of two nodes, the message that stands for a further one is one that follows a round trip.
      finds("/effects/0/send_s", 0.01, nodes == 2 ? cooled * send_s : 0);
      finds("/effects/1/send_s", 0.02, nodes == 2 ? cooled * send_s : 0);
      finds("/effects/0/receive_s", 0, 0.01 * (send_s + receive_s) + (nodes == 2 ? cooled * send_s : 0));
      finds("/effects/0/pause_s", 0.05);
      finds("/comm_cpu/receive_per_byte_s", 0.015);
      // computing_s cannot be found here: calibration takes it from what kernels cost beside themselves where no
      // message is sent, and the simulator charges nothing for that.
    }
  }
}

TEST_CASE("where caches do not cool, calibration finds all that remains to a hundredth") {
  for (std::uint32_t const nodes : {2U, 4U}) {
    for (json truth : {two_cores, half_a_core}) {
      truth["effects"][0]["send_s"] = truth["effects"][0]["receive_s"] = 0;
      CAPTURE(nodes);
      CAPTURE(truth.at("name").get<std::string>());
      expectation const finds(truth, calibrated(truth, nodes).platform);
      expect_what_lasts(finds, 0.01);
      finds("/network/latency_s", 0.01);
      finds("/comm_cpu/receive_per_byte_s", 0.01);
      finds("/effects/0/send_s", 0, 0.1e-6);
      finds("/effects/0/receive_s", 0, 0.1e-6);
      finds("/effects/1/send_s", 0.01);
    }
  }
}

TEST_CASE("calibration finds what transfers take from nodes of the plain model") {
  for (std::uint32_t const nodes : {2U, 4U}) {
    CAPTURE(nodes);
    expectation const finds(plain, calibrated(plain, nodes).plain);
    finds("/nodes/0/speed", 0.001);
    finds("/nodes/0/launch_s", 0.02);
    finds("/network/latency_s", 0.01);
    finds("/network/bandwidth_Bps", 0.001);
    for (std::string const direction : {"incoming", "outgoing"}) {
      // The latencies of the first object and of the last answer belong to the time, and nothing is taken then.
      for (std::uint32_t others = 1; others < nodes; ++others)
        finds("/comm_cpu/" + direction + "/" + std::to_string(others), 0.02);
    }
  }
}
