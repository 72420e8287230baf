// SPDX-License-Identifier: BSD-3-Clause
#include "calibration.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <limits>
#include <numeric>
#include <thread>

#include <ovlp/runtime/real.hpp>
#include <ovlp/support/host.hpp>
#include <ovlp/support/statistics.hpp>

#include "testbed/host_log.hpp"
#include "testbed/tick.hpp"

namespace ovlp::lab::calibrate {
namespace {

using json = nlohmann::ordered_json;
using support::median;

/// Of an unused grant, as Linux keeps it for each core: docs/model.md.
constexpr double carry_s = 1e-3;
/// The time slice of the Linux kernel's scheduler (since 6.13; 0.75 ms before) on one core, and how it grows with
/// cores.
double slice_s(double cores) { return 0.7e-3 * (1 + std::floor(std::log2(std::clamp(cores, 1.0, 8.0)))); }
/// Bytes of a large object for which the real runtime wakes up.
/// Rounds of `visit` that take as long as a short kernel of an application, some 0.1 ms, a usual one, 0.5 ms, and a
/// large one. What comes after a kernel finds caches cold, and the colder the longer it was.
constexpr std::uint32_t short_kernel = 8, usual_kernel = 50, large_kernel = 400;
constexpr std::uint32_t kernels = 80;
constexpr std::uint32_t pauses_ratio = 4;
/// Of an object that is longer than any burst, that costs more than its answer, and that a node with a tenth of a core
/// copies before its grant is used up.
constexpr std::uint32_t single_bytes = 1'600'000;
/// A pause in which quotas are granted and buckets fill.
constexpr std::chrono::milliseconds rest{60};

double sum(std::vector<double> const& of) { return std::accumulate(of.begin(), of.end(), 0.0); }

/// So many long kernels on each node, by itself.
pattern kernels_on_all(std::uint32_t nodes, std::uint32_t count) {
  pattern all;
  for (std::uint32_t n = 0; n < nodes; ++n) all.streams.push_back({n, n, 0, count, large_kernel});
  return all;
}

std::string numbered(char const* figure, std::uint32_t number) { return figure + std::to_string(number); }

}  // namespace

measured calibration::run(pattern const& what) {
  std::this_thread::sleep_for(rest);
  return ask_.run(what);
}

double calibration::middle(std::string const& figure) const { return median(values_.at(figure)); }

void calibration::launch() {
  double const start_s = support::monotonic_s();
  limits_ = ask_.limits().at(1);
  note("launch_s", support::monotonic_s() - start_s);
  run({{{0, 1, 1000, 10, usual_kernel}, {1, 0, 1000, 10, usual_kernel}}});  // memory is allocated, code is loaded
}

void calibration::add(support::json_object earlier) {
  for (std::string const& figure : earlier.keys()) {
    if (!earlier.at(figure).is_object()) continue;  // idle_nodes
    std::vector<double> const found = earlier.object(figure).numbers("values", std::numeric_limits<double>::lowest());
    auto& values = values_[figure];
    values.insert(values.begin(), found.begin(), found.end());
  }
}

void calibration::round() {
  double const start_s = support::monotonic_s();
  node_speed();
  costs_of_steps();
  costs_of_messages();
  messages_after_kernels();
  awaited_messages();
  messages_after_pauses();
  messages_amid_kernels();
  costs_of_bytes();
  links();
  shared_links();
  all_at_once();
  host_state const host = read_host_log(host_log_, start_s, support::monotonic_s());
  if (!host.is_known()) return;
  note("product_s", support::mean(host.products_s));
  note("cache_line_s", host.cache_line_s);
}

/// Long kernels on all nodes: what the runtime, which must look for messages meanwhile, leaves of a processor. For as
/// long as a short run: nodes differ more for a moment than for a run.
void calibration::node_speed() {
  constexpr std::uint32_t count = 48;
  measured const together = run(kernels_on_all(nodes_, count));
  note("speed", together.work_s / sum(together.node_cpu_s));
  note("speed_deviation", support::standard_deviation(together.node_cpu_s) / support::mean(together.node_cpu_s));
}

/// A post, a leaf with its result and a wait for each object; then the same with a kernel: what that costs more, beyond
/// the kernel and the thread that looks for messages meanwhile.
void calibration::costs_of_steps() {
  constexpr std::uint32_t count = 4000;
  note("per_step_s", run({{{1, 1, 0, count}}}).node_cpu_s[1] / count / 3);
  measured const local = run({{{1, 1, 0, kernels, usual_kernel}}});
  auto const cold_s = [&](measured const& m, std::uint32_t of) {
    return std::max(0.0, (m.node_cpu_s[1] - m.work_s / last("speed")) / of - 3 * last("per_step_s"));
  };
  note("per_kernel_s", cold_s(local, kernels));
  constexpr std::uint32_t short_count = 400;
  measured const shorter = run({{{1, 1, 0, short_count, short_kernel}}});
  note("per_short_kernel_s", cold_s(shorter, short_count));
  note("short_kernel_s", shorter.work_s / short_count);
  note("kernel_s", local.work_s / kernels);
}

/// Overhead grows with a kernel's length until the caches are cold.
double calibration::computing_s() const {
  double const cold_s = middle("per_kernel_s"), somewhat_s = middle("per_short_kernel_s");
  double const longest_s = middle("kernel_s"), shortest_s = middle("short_kernel_s");
  if (somewhat_s <= 0 || cold_s <= 0) return longest_s;
  return std::clamp(shortest_s * cold_s / somewhat_s, shortest_s, longest_s);
}

/// Many small objects: one sent and one received on either side, and the answers.
void calibration::costs_of_messages() {
  constexpr std::uint32_t count = 400;
  measured const one_way = run({{{0, 1, 0, count}}});
  double const each_s = (one_way.node_cpu_s[0] + one_way.node_cpu_s[1]) / count;
  note("per_message_s", std::max(0.0, each_s - 3 * last("per_step_s")) / 4);
}

/// To a node that sleeps, and to all others: what it costs to send the first message after a kernel, and to wake each.
void calibration::messages_after_kernels() {
  auto const posting_s = [this](std::uint32_t nodes, bool cold) {
    constexpr int times = 8;
    std::vector<double> all_s;
    for (int i = 0; i < times; ++i) {
      std::this_thread::sleep_for(rest / times);
      all_s.push_back(ask_.posting_s(nodes, cold));
    }
    return median(all_s);
  };
  double const first_s = posting_s(1, true);
  double const next_s = nodes_ > 2 ? (posting_s(nodes_ - 1, true) - first_s) / (nodes_ - 2) : posting_s(1, false);
  note("send_wake_s", std::max(0.0, next_s - last("per_message_s") - last("per_step_s")));
  note("cold_s", std::max(0.0, first_s - next_s));
}

/// To another node and back, one at a time: what each one takes beyond the first.
measured calibration::each_awaited(std::uint32_t count, std::uint32_t rounds) {
  measured const many = run({{{0, 1, 0, count, rounds}}, true}), one = run({{{0, 1, 0, 1, rounds}}, true});
  auto const each = [count](double all, double first) { return (all - first) / (count - 1); };
  measured further{each(many.time_s, one.time_s), each(many.work_s, one.work_s), many.node_cpu_s};
  for (std::size_t n = 0; n < nodes_; ++n) further.node_cpu_s[n] = each(many.node_cpu_s[n], one.node_cpu_s[n]);
  return further;
}

/// Each finds threads that sleep.
void calibration::awaited_messages() { note("awaited_s", each_awaited(100, 0).node_cpu_s[0]); }

/// With pauses in which the other node computes: what the node that waits spends more on a message then.
void calibration::messages_after_pauses() {
  auto const measure = [this](std::string const& name, std::uint32_t count, std::uint32_t rounds) {
    measured const each = each_awaited(count, rounds);
    note(name + "_pause_s", each.time_s);
    note(name + "_pause_more_s", std::max(0.0, each.node_cpu_s[0] - last("awaited_s")));
  };
  measure("short", 40, usual_kernel);
  measure("long", 40 / pauses_ratio, usual_kernel * pauses_ratio);
}

/// No figure of the model comes from this: it tells whether a node that computes pays like one that waits. All nodes
/// run long kernels, and pairs of them send each other small objects: CPU time, beside kernels, of each and its answer.
void calibration::messages_amid_kernels() {
  constexpr std::uint32_t count = 24, objects = count / 3;
  pattern alone = kernels_on_all(nodes_, count);
  alone.one_at_a_time = true;
  pattern amid = alone;
  std::uint32_t sent = 0;
  for (std::uint32_t n = 0; n + 1 < nodes_; n += 2, sent += objects) amid.streams.push_back({n, n + 1, 0, objects});
  auto const beside_kernels_s = [this](pattern const& what) {
    measured const found = run(what);
    return sum(found.node_cpu_s) - found.work_s;
  };
  double const alone_s = beside_kernels_s(alone), amid_s = beside_kernels_s(amid);
  note("amid_kernels_s", (amid_s - alone_s) / sent);
}

/// Of the two pauses: more = (cold_s + asleep_s) * (1 - exp(-pause / cooling_s)), for the node that has waited wakes up
/// and then sends.
calibration::cooling calibration::cools() const {
  double const short_more_s = middle("short_pause_more_s"), long_more_s = middle("long_pause_more_s");
  // With x = exp(-short pause / cooling_s) the one is to the other as 1 - x to 1 - x^pauses_ratio.
  double const ratio = short_more_s > 0 ? long_more_s / short_more_s : 1;
  constexpr double slowest = 0.9;
  double x = 0;
  while (x < slowest && (1 - std::pow(x, pauses_ratio)) / (1 - x) < ratio) x += 0.001;
  if (x == 0) return {std::max(0.0, std::max(short_more_s, long_more_s) - middle("cold_s")), 0};
  double const all_s = long_more_s / (1 - std::pow(x, pauses_ratio));
  return {std::max(0.0, all_s - middle("cold_s")), -middle("short_pause_s") / std::log(x)};
}

/// Large objects one way, and their answers.
void calibration::costs_of_bytes() {
  constexpr std::uint32_t count = 10;
  measured const one_way = run({{{0, 1, single_bytes, count}}});
  double const beside_bytes_s = 2 * last("per_message_s") + last("send_wake_s") + 1.5 * last("per_step_s");
  auto const per_byte_s = [&](std::size_t node) {
    return std::max(0.0, one_way.node_cpu_s[node] / count - beside_bytes_s) / single_bytes;
  };
  note("per_byte_s", per_byte_s(0));
  note("receive_per_byte_s", per_byte_s(1));
}

/// Bandwidth: what more is carried in a longer time, one node to some others, so that no receiver holds it up.
/// Burst and latency: single objects over links that were idle, T = rest + (bytes - burst) / bandwidth.
void calibration::links() {
  constexpr std::uint64_t bytes = 800'000;
  auto const others = std::min<std::uint32_t>(nodes_ - 1, 3);
  auto const to_others = [&](std::uint32_t count) {
    pattern out;
    for (std::uint32_t n = 1; n <= others; ++n) out.streams.push_back({0, n, bytes, count});
    return run(out).time_s;
  };
  constexpr std::uint32_t few = 4, many = 12;
  double const shorter_s = to_others(few), longer_s = to_others(many);
  // What comes in between may make the shorter run the longer one; but no link is twice as fast as the longer run.
  double const more_s = std::max(longer_s - shorter_s, longer_s * (many - few) / many / 2);
  note("bandwidth_Bps", static_cast<double>(bytes * others * (many - few)) / more_s);
  note("nothing_s", run({{{0, 1, 0, 1}}}).time_s);
  note("single_s", run({{{0, 1, single_bytes, 1}}}).time_s);
}

/// Cores that a node spends while so many transfers enter it, or leave it.
void calibration::shared_links() {
  constexpr std::uint64_t bytes = 200'000;
  for (std::uint32_t others = 1; others < nodes_; ++others) {
    pattern in, out;
    for (std::uint32_t n = 1; n <= others; ++n) {
      in.streams.push_back({n, 0, bytes, 24 / others + 1});
      out.streams.push_back({0, n, bytes, 24 / others + 1});
    }
    measured const entering = run(in), leaving = run(out);
    note(numbered("incoming ", others), entering.node_cpu_s[0] / entering.time_s);
    note(numbered("outgoing ", others), leaving.node_cpu_s[0] / leaving.time_s);
  }
}

/// No figure of the model comes from these: they tell how far it carries.
void calibration::all_at_once() {
  constexpr std::uint64_t bytes = 200'000;
  pattern in, out, all;
  for (std::uint32_t n = 0; n < nodes_; ++n) {
    if (n > 0) in.streams.push_back({n, 0, bytes, 8});
    if (n > 0) out.streams.push_back({0, n, bytes, 8});
    for (std::uint32_t other = 0; other < nodes_; ++other) {
      if (other != n) all.streams.push_back({n, other, bytes, 8});
    }
  }
  note("all_to_one_s", run(in).time_s);
  note("one_to_all_s", run(out).time_s);
  note("all_to_all_s", run(all).time_s);
}

namespace {

/// The fastest of several: what comes in between makes them slower, and nothing makes them faster.
double least(std::vector<double> const& values) { return *std::min_element(values.begin(), values.end()); }

/// What the kernel lets a connection's send buffer grow to.
double connection_bytes(json const& testbed) {
  if (testbed.contains("buffer_bytes")) return testbed["buffer_bytes"];
  double least = 0, usual = 0, most = 4 << 20;
  std::ifstream("/proc/sys/net/ipv4/tcp_wmem") >> least >> usual >> most;
  return most;
}

}  // namespace

json calibration::platform(std::string const& name, json const& testbed) const {
  double const cores = std::max(1.0, std::ceil(limits_.cores));
  json node{{"count", nodes_},
            {"cores", static_cast<std::size_t>(cores)},
            {"speed", middle("speed")},
            {"speed_deviation", middle("speed_deviation")},
            {"launch_s", middle("launch_s")}};
  if (limits_.period_s > 0) {
    node["quota"] = {{"share", limits_.cores / cores}, {"period_s", limits_.period_s}, {"carry_s", carry_s}};
  }
  double const bandwidth = middle("bandwidth_Bps");
  double const nothing_s = least(values_.at("nothing_s"));
  double const processing_s = 3 * middle("per_step_s") + 4 * middle("per_message_s") + 2 * middle("send_wake_s");
  double const copied_s = (middle("per_byte_s") + middle("receive_per_byte_s")) * single_bytes;
  double const after_burst_s = least(values_.at("single_s")) - nothing_s - copied_s;
  double const burst_bytes = std::max(0.0, single_bytes - bandwidth * std::max(0.0, after_burst_s));
  json made;
  made["name"] = name;
  made["reference_core"] = support::processor_name();
  if (made["reference_core"] != "unknown") made["processor"] = made["reference_core"];
  made["nodes"] = json::array({node});  // {node} alone is a copy to Clang and a list to GCC
  if (testbed.contains("cores")) {
    made["host"] = {{"cores", testbed["cores"]}, {"tick_s", tick_s}, {"time_slice_s", slice_s(testbed["cores"])}};
  }
  made["network"] = {{"model", "max-min"},
                     {"latency_s", std::max(1e-6, (nothing_s - processing_s) / 2)},
                     {"bandwidth_Bps", bandwidth},
                     {"burst_bytes", burst_bytes}};
  made["transport"] = {{"model", "stream"}, {"buffer_bytes", connection_bytes(testbed)}};
  made["comm_cpu"] = {{"incoming", {0}},
                      {"outgoing", {0}},
                      {"per_message_s", middle("per_message_s")},
                      {"per_byte_s", middle("per_byte_s")},
                      {"receive_per_message_s", middle("per_message_s")},
                      {"receive_per_byte_s", middle("receive_per_byte_s")}};
  auto const [asleep_s, cooling_s] = cools();
  made["effects"] = {{{"name", "cache_cooling"},
                      {"send_s", middle("cold_s")},
                      {"receive_s", asleep_s},
                      {"pause_s", cooling_s},
                      {"computing_s", computing_s()}},
                     {{"name", "wakeup"}, {"send_s", middle("send_wake_s")}}};
  made["runtime"] = {{"concurrent_per_pair", 1}, {"per_step_s", middle("per_step_s")}, {"per_object_s", 0}};
  if (!testbed.is_null()) made["testbed"] = testbed;
  json all{{"idle_nodes", limits_.period_s > 0 ? "sleep" : "poll, then sleep"}};
  for (auto const& [figure, values] : values_) {
    auto const [low, high] = std::minmax_element(values.begin(), values.end());
    double const value = median(values);
    all[figure] = {
        {"median", value}, {"spread", value == 0 ? 0 : (*high - *low) / std::abs(value)}, {"values", values}};
  }
  made["calibration"] = all;
  return made;
}

json calibration::plain_platform(std::string const& name, json const& testbed) const {
  double const cores = std::max(1.0, std::ceil(limits_.cores));
  double const share = limits_.cores / cores;
  json const calibrated = platform(name, testbed);
  json made;
  made["name"] = name + "-plain";
  made["reference_core"] = calibrated["reference_core"];
  if (calibrated.contains("processor")) made["processor"] = calibrated["processor"];
  made["nodes"] = {{{"count", nodes_},
                    {"cores", static_cast<std::size_t>(cores)},
                    {"speed", middle("speed") * share},
                    {"launch_s", middle("launch_s")}}};
  made["network"] = {{"model", "star"},
                     {"latency_s", calibrated["network"]["latency_s"]},
                     {"bandwidth_Bps", calibrated["network"]["bandwidth_Bps"]}};
  auto const taken = [&](char const* figure) {
    std::vector<double> all{0};
    for (std::uint32_t n = 1; n < nodes_; ++n) all.push_back(middle(numbered(figure, n)) / share);
    return all;
  };
  std::vector<double> incoming = taken("incoming "), outgoing = taken("outgoing ");
  // Together they must leave something to compute with.
  double const most =
      *std::max_element(incoming.begin(), incoming.end()) + *std::max_element(outgoing.begin(), outgoing.end());
  double const scale = most < 0.9 * cores ? 1 : 0.9 * cores / most;
  for (auto* table : {&incoming, &outgoing}) {
    for (double& entry : *table) entry *= scale;
  }
  made["comm_cpu"] = {{"incoming", incoming}, {"outgoing", outgoing}};
  made["runtime"] = {{"concurrent_per_pair", 1}};
  if (!testbed.is_null()) made["testbed"] = testbed;
  return made;
}

}  // namespace ovlp::lab::calibrate
