// SPDX-License-Identifier: BSD-3-Clause
// The command `ovlp calibrate`: describes the platform that it runs on. An application like any other, so that every
// figure is one of the real runtime between real nodes: testbed/run ovlp calibrate --nodes 8 -o platform.json
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <ovlp/flowgraph/error.hpp>
#include <ovlp/runtime/options.hpp>
#include <ovlp/runtime/real.hpp>

#include "../output.hpp"
#include "../statistics.hpp"
#include "patterns.hpp"
#include "runtime/src/host.hpp"
#include "runtime/src/real/connection.hpp"

namespace {

using namespace ovlp::tools;
using namespace ovlp::tools::calibrate;
using json = nlohmann::ordered_json;

/// Of an unused grant, as Linux keeps it for each core: docs/model.md.
constexpr double carry_s = 1e-3;
/// Bytes of a large object for which the real runtime wakes up: connection.cpp.
constexpr double piece_bytes = ovlp::real::most_awaited_bytes;

/// A figure, and how far its repetitions lie apart.
struct figure {
  double value = 0;
  double spread = 0;  ///< (largest - smallest) / median
};

figure figure_of(std::vector<double> const& values) {
  auto const [least, most] = std::minmax_element(values.begin(), values.end());
  double const middle = median(values);
  return {middle, middle == 0 ? 0 : (*most - *least) / std::abs(middle)};
}

json as_json(figure const& f) { return {{"value", f.value}, {"spread", f.spread}}; }

class calibration {
 public:
  calibration(patterns& ask, std::uint32_t nodes) : ask_(ask), nodes_(nodes) {}

  void launch();
  void node_speed();
  void costs_of_steps();
  void costs_of_messages();
  void wake_up();
  void costs_of_bytes();
  void network();
  void shared_links();

  json platform(std::string const& name, json const& testbed) const;
  json plain_platform(std::string const& name, json const& testbed) const;

 private:
  static constexpr int repetitions = 9;
  static constexpr std::uint32_t cold_rounds = 8;  ///< of visits: some 0.3 ms, as long as a small kernel

  /// The same figure of several runs of a pattern.
  figure repeated(pattern const& what, std::function<double(measured const&)> const& value) {
    std::vector<double> values;
    for (int i = 0; i < repetitions; ++i) values.push_back(value(run_rested(what)));
    return figure_of(values);
  }
  /// After a pause in which quotas are granted and buckets fill.
  measured run_rested(pattern const& what) {
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    return ask_.run(what);
  }
  void tell(char const* what) {
    std::fprintf(stderr, "ovlp calibrate: %d/7 %s\n", ++told_, what);
    std::fflush(stderr);
  }
  patterns& ask_;
  std::uint32_t const nodes_;
  int told_ = 0;
  node_limits limits_;
  figure launch_, speed_, crowded_speed_, per_step_, per_message_, send_byte_, receive_byte_, wake_, latency_,
      bandwidth_, burst_;
  std::vector<figure> incoming_, outgoing_;  ///< cores that so many transfers take: [0] is for one
  json checks_ = json::array();
};

/// Before anything else: the first call launches all nodes, at once.
void calibration::launch() {
  auto const start = std::chrono::steady_clock::now();
  limits_ = ask_.limits().at(1);
  launch_ = {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 0};
}

/// Long kernels: what the runtime, which must look for messages meanwhile, leaves of a processor.
void calibration::node_speed() {
  tell("speed of nodes");
  pattern const alone{{{1, 1, 0, 25, 400}}};
  ask_.run(alone);
  speed_ = repeated(alone, [](measured const& m) { return m.work_s / m.node_cpu_s[1]; });
  pattern all;
  for (std::uint32_t n = 0; n < nodes_; ++n) all.streams.push_back({n, n, 0, 25, 400});
  crowded_speed_ = repeated(all, [&](measured const& m) {
    return m.work_s / std::accumulate(m.node_cpu_s.begin(), m.node_cpu_s.end(), 0.0);
  });
}

/// Small kernels between steps, since the caches are never warm in an application that computes.
void calibration::costs_of_steps() {
  tell("steps");
  constexpr std::uint32_t count = 400;
  // A post, a leaf with its result, a wait.
  per_step_ = repeated({{{1, 1, 0, count, cold_rounds}}},
                       [&](measured const& m) { return std::max(0.0, m.node_cpu_s[1] - m.work_s) / count / 3; });
}

/// Both ways at once, so that both nodes do the same: each sends and receives an object and an answer.
void calibration::costs_of_messages() {
  tell("messages");
  constexpr std::uint32_t count = 300;
  per_message_ = repeated({{{0, 1, 0, count, cold_rounds}, {1, 0, 0, count, cold_rounds}}}, [&](measured const& m) {
    double const each_s = (m.node_cpu_s[0] + m.node_cpu_s[1] - m.work_s) / (2 * count);
    return std::max(0.0, each_s - 3 * per_step_.value) / 4;
  });
}

/// One object there, one back, nobody does anything else: what that costs more than among others is for waking up.
void calibration::wake_up() {
  tell("waking up");
  constexpr std::uint32_t count = 60;
  wake_ = repeated({{{0, 1, 0, count}}, true}, [&](measured const& m) {
    double const all_s = (m.node_cpu_s[0] + m.node_cpu_s[1]) / count;
    return std::max(0.0, (all_s - 3 * per_step_.value - 4 * per_message_.value) / 2);
  });
}

/// Large objects one way. A receiver that has nothing else to do wakes up for each piece.
void calibration::costs_of_bytes() {
  tell("bytes");
  constexpr std::uint32_t count = 40;
  constexpr double bytes = 400'000;
  pattern const one_way{{{0, 1, static_cast<std::uint64_t>(bytes), count}}};
  double const apart_s = 2 * per_message_.value + 1.5 * per_step_.value;
  send_byte_ =
      repeated(one_way, [&](measured const& m) { return std::max(0.0, m.node_cpu_s[0] / count - apart_s) / bytes; });
  receive_byte_ = repeated(one_way, [&](measured const& m) {
    double const busy = m.node_cpu_s[1] / (m.time_s * limits_.cores);  // then it does not sleep
    double const wakes_s = std::max(0.0, 1 - busy) * wake_.value * std::ceil(bytes / piece_bytes);
    return std::max(0.0, m.node_cpu_s[1] / count - apart_s - wakes_s) / bytes;
  });
}

/// Bandwidth: what more is carried in a longer time, one node to all others, so that no receiver holds it up. Burst and
/// latency: single objects over links that were idle, T = rest + (bytes - burst) / bandwidth; the fastest of several,
/// for what comes in between makes them slower, and nothing makes them faster.
void calibration::network() {
  tell("links");
  constexpr std::uint64_t bytes = 800'000;
  auto const others = static_cast<std::uint32_t>(std::min<std::size_t>(nodes_ - 1, 3));
  auto const to_others = [&](std::uint32_t count) {
    pattern out;
    for (std::uint32_t n = 1; n <= others; ++n) out.streams.push_back({0, n, bytes, count});
    return repeated(out, [](measured const& m) { return m.time_s; });
  };
  constexpr std::uint32_t few = 4, many = 12;
  figure const shorter = to_others(few), longer = to_others(many);
  bandwidth_ = {static_cast<double>(bytes * others * (many - few)) / (longer.value - shorter.value),
                shorter.spread + longer.spread};

  auto const single_s = [&](std::uint64_t size) {
    std::vector<double> times_s;
    for (int i = 0; i < repetitions; ++i) times_s.push_back(run_rested({{{0, 1, size, 1}}}).time_s);
    double const least_s = *std::min_element(times_s.begin(), times_s.end());
    return figure{least_s, median(times_s) / least_s - 1};
  };
  figure const nothing = single_s(0);
  double const processing_s = 3 * per_step_.value + 4 * per_message_.value + 2 * wake_.value;
  latency_ = {std::max(1e-6, (nothing.value - processing_s) / 2), nothing.spread};
  for (std::uint64_t size = 100'000; size <= 3'200'000; size *= 2) {
    figure const some = single_s(size);
    double const copied = std::min(static_cast<double>(size), piece_bytes);
    double const copies_s = (send_byte_.value + receive_byte_.value) * copied;
    double const carried = bandwidth_.value * std::max(0.0, some.value - nothing.value - copies_s);
    burst_ = {std::max(0.0, static_cast<double>(size) - carried), some.spread};
    if (carried > 0.5 * static_cast<double>(size)) break;  // most of it was not in the burst
  }
}

/// Several transfers into one node, and out of one.
void calibration::shared_links() {
  tell("shared links");
  constexpr std::uint64_t bytes = 200'000;
  for (std::uint32_t others = 1; others < nodes_; ++others) {
    pattern in, out;
    auto const count = static_cast<std::uint32_t>(30 / others + 1);
    for (std::uint32_t n = 1; n <= others; ++n) {
      in.streams.push_back({n, 0, bytes, count});
      out.streams.push_back({0, n, bytes, count});
    }
    auto const taken = [](measured const& m) { return m.node_cpu_s[0] / m.time_s; };
    auto const sample = [&](pattern const& what) {
      std::vector<double> values;
      for (int i = 0; i < 3; ++i) values.push_back(taken(run_rested(what)));
      return figure_of(values);
    };
    incoming_.push_back(sample(in));
    outgoing_.push_back(sample(out));
  }
  pattern in, out, all;
  for (std::uint32_t n = 0; n < nodes_; ++n) {
    if (n > 0) in.streams.push_back({n, 0, bytes, 8});
    if (n > 0) out.streams.push_back({0, n, bytes, 8});
    for (std::uint32_t other = 0; other < nodes_; ++other) {
      if (other != n) all.streams.push_back({n, other, bytes, 8});
    }
  }
  for (auto const& [name, what] :
       {std::pair("all to one", &in), std::pair("one to all", &out), std::pair("all to all", &all)}) {
    figure const time = repeated(*what, [](measured const& m) { return m.time_s; });
    double total = 0;
    for (stream const& s : what->streams) total += static_cast<double>(s.bytes) * s.count;
    checks_.push_back(
        {{"pattern", name}, {"time_s", time.value}, {"spread", time.spread}, {"total_Bps", total / time.value}});
  }
}

json calibration::platform(std::string const& name, json const& testbed) const {
  json node{{"count", nodes_},
            {"cores", static_cast<std::size_t>(std::max(1.0, std::ceil(limits_.cores)))},
            {"speed", crowded_speed_.value},
            {"launch_s", launch_.value}};
  if (limits_.period_s > 0) {
    node["quota"] = {{"share", limits_.cores / std::max(1.0, std::ceil(limits_.cores))},
                     {"period_s", limits_.period_s},
                     {"carry_s", carry_s}};
  }
  json made;
  made["name"] = name;
  made["reference_core"] = ovlp::processor_name();
  made["nodes"] = {node};
  made["network"] = {{"model", "max-min"},
                     {"latency_s", latency_.value},
                     {"bandwidth_Bps", bandwidth_.value},
                     {"burst_bytes", burst_.value}};
  made["comm_cpu"] = {{"incoming", {0}},
                      {"outgoing", {0}},
                      {"per_message_s", per_message_.value},
                      {"per_byte_s", send_byte_.value},
                      {"receive_per_message_s", per_message_.value},
                      {"receive_per_byte_s", receive_byte_.value},
                      {"piece_bytes", piece_bytes},
                      {"wake_s", wake_.value}};
  made["runtime"] = {
      {"concurrent_per_pair", 1}, {"control_in_order", true}, {"per_step_s", per_step_.value}, {"per_object_s", 0}};
  if (!testbed.is_null()) made["testbed"] = testbed;
  made["calibration"] = {{"idle_nodes", limits_.period_s > 0 ? "sleep" : "poll, then sleep"},
                         {"speed_alone", as_json(speed_)},
                         {"speed_all_nodes", as_json(crowded_speed_)},
                         {"per_step_s", as_json(per_step_)},
                         {"per_message_s", as_json(per_message_)},
                         {"per_byte_s", as_json(send_byte_)},
                         {"receive_per_byte_s", as_json(receive_byte_)},
                         {"wake_s", as_json(wake_)},
                         {"latency_s", as_json(latency_)},
                         {"bandwidth_Bps", as_json(bandwidth_)},
                         {"burst_bytes", as_json(burst_)},
                         {"together", checks_}};
  return made;
}

/// The model of the paper's section 4: a star with equal shares, and CPU time by the number of transfers.
json calibration::plain_platform(std::string const& name, json const& testbed) const {
  double const cores = std::max(1.0, std::ceil(limits_.cores));
  double const share = limits_.cores / cores;
  json made;
  made["name"] = name + "-plain";
  made["reference_core"] = ovlp::processor_name();
  made["nodes"] = {{{"count", nodes_},
                    {"cores", static_cast<std::size_t>(cores)},
                    {"speed", crowded_speed_.value * share},
                    {"launch_s", launch_.value}}};
  made["network"] = {{"model", "star"}, {"latency_s", latency_.value}, {"bandwidth_Bps", bandwidth_.value}};
  // Together they must leave something to compute with.
  double most = 0;
  for (auto const* table : {&incoming_, &outgoing_}) {
    double largest = 0;
    for (figure const& f : *table) largest = std::max(largest, f.value / share);
    most += largest;
  }
  double const scale = most < 0.9 * cores ? 1 : 0.9 * cores / most;
  auto const table = [&](std::vector<figure> const& measured) {
    json all{0};
    for (figure const& f : measured) all.push_back(scale * f.value / share);
    return all;
  };
  made["comm_cpu"] = {{"incoming", table(incoming_)}, {"outgoing", table(outgoing_)}};
  made["runtime"] = {{"concurrent_per_pair", 1}};
  if (!testbed.is_null()) made["testbed"] = testbed;
  return made;
}

json read_testbed(std::string const& file) {
  if (file.empty()) return {};
  std::ifstream from(file);
  json read = json::parse(from, nullptr, false);
  if (!from.good() && !from.eof()) throw ovlp::config_error("--testbed: '" + file + "' cannot be read");
  if (!read.is_object()) throw ovlp::config_error("--testbed: '" + file + "': expected a JSON object");
  return read;
}

}  // namespace

int main(int argc, char** argv) try {
  std::string output, name = "calibrated", testbed_file;
  ovlp::options options{"ovlp calibrate",
                        "Measure a platform, with the real runtime between real nodes, and describe it"};
  options.add("-o,--output", output, "platform file to write; with -plain before .json the paper's plain model")
      .required();
  options.add("--name", name, "of the platform");
  options.add("--testbed", testbed_file, "description of the testbed that it runs on, to be kept with it");
  ovlp::real::engine run{argc, argv, options};
  if (run.nodes() < 2) throw ovlp::config_error("--nodes: expected at least 2, got " + std::to_string(run.nodes()));
  bool const is_json = output.size() > 5 && output.ends_with(".json");
  if (!is_json) throw ovlp::config_error("--output: expected a file that ends in .json, got '" + output + "'");

  patterns ask(run);
  calibration found(ask, static_cast<std::uint32_t>(run.nodes()));
  found.launch();  // from here on in node 0 only
  found.node_speed();
  json const testbed = read_testbed(testbed_file);
  found.costs_of_steps();
  found.costs_of_messages();
  found.wake_up();
  found.costs_of_bytes();
  found.network();
  found.shared_links();
  write_output(output, found.platform(name, testbed).dump(2) + "\n");
  write_output(output.substr(0, output.size() - 5) + "-plain.json", found.plain_platform(name, testbed).dump(2) + "\n");
  return 0;
} catch (ovlp::config_error const& wrong) {
  std::fprintf(stderr, "ovlp calibrate: %s\n", wrong.what());
  return 2;
} catch (std::exception const& failed) {
  std::fprintf(stderr, "ovlp calibrate: %s\n", failed.what());
  return 1;
}
