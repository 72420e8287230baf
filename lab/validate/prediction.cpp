// SPDX-License-Identifier: BSD-3-Clause
#include "prediction.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <ovlp/base/host.hpp>
#include <ovlp/base/statistics.hpp>
#include <ovlp/base/text.hpp>

#include "study/simulator.hpp"

namespace ovlp::lab::validate {

using base::median;
using nlohmann::json;

json durations_of(configuration const& what, measurements const& from) {
  struct kernel_values {
    std::vector<double> means_s, deviations, firsts;  // these two relative to the mean
    std::uint64_t count = 0;
  };
  std::map<std::pair<std::string, std::string>, kernel_values> found;
  for (kernel_measurement const& k : from.kernels()) {
    if (!k.of.repeats(what.testbed, what.application, what.durations)) continue;
    kernel_values& values = found[{k.kernel, k.sizes}];
    values.means_s.push_back(k.mean_s);
    values.deviations.push_back(k.mean_s > 0 ? k.standard_deviation_s / k.mean_s : 0);
    values.firsts.push_back(k.mean_s > 0 ? k.first_s / k.mean_s : 1);
    values.count = k.count;
  }
  json kernels = json::object();
  for (auto& [key, values] : found) {
    std::vector<std::int64_t> sizes;
    for (std::string const& size : base::words_of(key.second)) sizes.push_back(std::stoll(size));
    kernels[key.first].push_back({{"sizes", sizes},
                                  {"mean_s", median(values.means_s)},
                                  {"count", values.count},
                                  {"standard_deviation_s", median(values.means_s) * median(values.deviations)},
                                  {"first_s", median(values.means_s) * median(values.firsts)}});
  }
  return {{"kernels", kernels}};
}

study::simulated_run simulation_of(grid const& of, configuration const& what, std::string const& options,
                                   json const& platform, json durations, places const& where) {
  durations["reference_core"] = platform.at("reference_core");
  words const command = command_of(of.applications.at(what.application).simulated, options, where);
  study::simulated_run run{platform, {std::move(durations)}, {}, command.front(), {command.begin() + 1, command.end()}};
  append(run.other_words, {"--execution", "partial"});
  return run;
}

namespace {

prediction read_prediction(nlohmann::ordered_json const& summary) {
  prediction found{summary.at("time_s"),      summary.at("work_s"), summary.at("held_node_s"), {},
                   summary.value("call", ""), summary.at("nodes")};
  if (auto const kind = summary.find("interval_of"); kind != summary.end() && kind->is_string()) found.kind = *kind;
  for (auto const& i : summary.at("iterations")) {
    double const held_node_s = i.at("held_node_s");
    if (held_node_s > 0) found.efficiency[i.at("index")] = i.at("work_s").get<double>() / held_node_s;
  }
  return found;
}

}  // namespace

prediction predict(grid const& of, configuration const& what, json const& platform, json const& durations,
                   places const& where, words const& without) {
  study::simulated_run run = simulation_of(of, what, what.options, platform, durations, where);
  for (std::string const& part : without) append(run.other_words, {"--without", part});
  std::vector<double> times_s, works_s, held_node_s;
  std::map<int, std::vector<double>> efficiencies;
  std::string call;
  std::size_t nodes = 0;
  study::simulator(base::available_cores(), of.time_limit)
      .run_all(
          of.simulations,
          [&](std::size_t i, std::string const& folder) {
            words command = run.command_with_files_in(folder);
            append(command, {"--vary", std::to_string(i + 1)});
            return command;
          },
          [&](std::size_t, study::simulated const& ran) {
            prediction const one = read_prediction(ran.expect("simulating"));
            times_s.push_back(one.time_s);
            works_s.push_back(one.work_s);
            held_node_s.push_back(one.held_node_s);
            call = one.call;
            nodes = one.nodes;
            for (auto const& [iteration, efficiency] : one.efficiency) efficiencies[iteration].push_back(efficiency);
          });
  prediction found{median(times_s), median(works_s), median(held_node_s), {}, call, nodes};
  for (auto const& [iteration, values] : efficiencies) found.efficiency[iteration] = median(values);
  return found;
}

prediction predict_unvaried(grid const& of, configuration const& what, json const& platform, json const& durations,
                            places const& where) {
  study::simulator const run(1, of.time_limit);
  words const command =
      simulation_of(of, what, what.options, platform, durations, where).command_with_files_in(run.file("files"));
  return read_prediction(run.run(command).expect("simulating"));
}

}  // namespace ovlp::lab::validate
