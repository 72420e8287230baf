// SPDX-License-Identifier: BSD-3-Clause
#include "prediction.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/flowgraph/error.hpp>

#include "../command.hpp"
#include "../output.hpp"
#include "../statistics.hpp"

namespace ovlp::tools::validate {

using nlohmann::json;

json durations_of(configuration const& what, machine_model const& machine, measurements const& from) {
  struct kernel_values {
    std::vector<double> means_s, deviations, firsts;  // these two relative to the mean
    std::uint64_t count = 0;
  };
  std::map<std::pair<std::string, std::string>, kernel_values> found;
  for (kernel_measurement const& k : from.kernels()) {
    if (!k.of.repeats(what.testbed, what.application, what.durations)) continue;
    machine_state const& then = from.run(k.of).machine;
    double const slower = then.is_known() ? machine.kernels_factor(what.application, then.cores_s.front()) : 1;
    kernel_values& values = found[{k.kernel, k.sizes}];
    values.means_s.push_back(k.mean_s / slower);
    values.deviations.push_back(k.mean_s > 0 ? k.standard_deviation_s / k.mean_s : 0);
    values.firsts.push_back(k.mean_s > 0 ? k.first_s / k.mean_s : 1);
    values.count = k.count;
  }
  json kernels = json::object();
  for (auto& [key, values] : found) {
    std::vector<std::int64_t> sizes;
    for (std::string const& size : split(key.second)) sizes.push_back(std::stoll(size));
    kernels[key.first].push_back({{"sizes", sizes},
                                  {"mean_s", median(values.means_s)},
                                  {"count", values.count},
                                  {"standard_deviation_s", median(values.means_s) * median(values.deviations)},
                                  {"first_s", median(values.means_s) * median(values.firsts)}});
  }
  return {{"kernels", kernels}};
}

namespace {

prediction simulate(grid const& of, configuration const& what, std::size_t seed, scratch const& files,
                    places const& where) {
  application const& program = of.applications.at(what.application);
  words command = command_of(program.simulated, what.options, where);
  append(command, {"--platform", files.platform, "--execution", "partial", "--durations", files.durations, "--summary",
                   files.summary, "--vary", std::to_string(seed)});
  outcome const ran = run({std::move(command), "", {}, of.patience});
  if (!ran.good()) throw io_error("simulating: " + ran.complaint());
  json const summary = read_json(files.summary);
  prediction found{summary.at("time_s"), summary.at("work_s"), {}};
  for (json const& i : summary.at("iterations")) {
    double const held_node_s = i.at("held_node_s");
    if (held_node_s > 0) found.efficiency[i.at("index")] = i.at("work_s").get<double>() / held_node_s;
  }
  return found;
}

}  // namespace

prediction predict(grid const& of, configuration const& what, json const& platform, json const& durations,
                   places const& where) {
  scratch const files;
  write_output(files.platform, platform.dump());
  json recorded = durations;
  recorded["reference_core"] = platform.at("reference_core");
  write_output(files.durations, recorded.dump());
  std::vector<double> times_s, works_s;
  std::map<int, std::vector<double>> efficiencies;
  for (std::size_t seed = 1; seed <= of.simulations; ++seed) {
    prediction const one = simulate(of, what, seed, files, where);
    times_s.push_back(one.time_s);
    works_s.push_back(one.work_s);
    for (auto const& [iteration, efficiency] : one.efficiency) efficiencies[iteration].push_back(efficiency);
  }
  prediction found{median(times_s), median(works_s), {}};
  for (auto const& [iteration, values] : efficiencies) found.efficiency[iteration] = median(values);
  return found;
}

}  // namespace ovlp::tools::validate
