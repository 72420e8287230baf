// SPDX-License-Identifier: BSD-3-Clause
#include "prediction.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/host.hpp>
#include <ovlp/base/json_object.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/run_many.hpp>
#include <ovlp/base/statistics.hpp>
#include <ovlp/base/text.hpp>

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

void write_inputs(json const& platform, json durations, scratch const& files) {
  base::write_file(files.platform, platform.dump());
  durations["reference_core"] = platform.at("reference_core");
  base::write_file(files.durations, durations.dump());
}

namespace {

base::command simulation(grid const& of, configuration const& what, std::size_t seed, scratch const& files,
                         std::string const& summary, places const& where, words const& without) {
  application const& program = of.applications.at(what.application);
  words command = command_of(program.simulated, what.options, where);
  append(command, {"--platform", files.platform, "--execution", "partial", "--durations", files.durations, "--summary",
                   summary, "--vary", std::to_string(seed)});
  for (std::string const& part : without) append(command, {"--without", part});
  return {std::move(command), "", {}, of.time_limit};
}

prediction read_prediction(base::outcome const& ran, std::string const& file) {
  if (!ran.good()) throw io_error("simulating: " + ran.complaint());
  json const summary = base::read_json(file);
  prediction found{
      summary.at("time_s"), summary.at("work_s"), summary.at("held_node_s"), {}, summary.value("call", "")};
  for (json const& i : summary.at("iterations")) {
    double const held_node_s = i.at("held_node_s");
    if (held_node_s > 0) found.efficiency[i.at("index")] = i.at("work_s").get<double>() / held_node_s;
  }
  return found;
}

}  // namespace

prediction predict(grid const& of, configuration const& what, json const& platform, json const& durations,
                   places const& where, words const& without) {
  scratch const files;
  write_inputs(platform, durations, files);
  std::vector<double> times_s, works_s, held_node_s;
  std::map<int, std::vector<double>> efficiencies;
  std::string call;
  auto const summary = [&](std::size_t place) { return files.summary + std::to_string(place); };
  base::run_many(
      of.simulations, base::available_cores(),
      [&](std::size_t i, std::size_t place) {
        return simulation(of, what, i + 1, files, summary(place), where, without);
      },
      [&](std::size_t, std::size_t place, base::outcome const& ran) {
        prediction const one = read_prediction(ran, summary(place));
        times_s.push_back(one.time_s);
        works_s.push_back(one.work_s);
        held_node_s.push_back(one.held_node_s);
        call = one.call;
        for (auto const& [iteration, efficiency] : one.efficiency) efficiencies[iteration].push_back(efficiency);
      });
  prediction found{median(times_s), median(works_s), median(held_node_s), {}, call};
  for (auto const& [iteration, values] : efficiencies) found.efficiency[iteration] = median(values);
  return found;
}

}  // namespace ovlp::lab::validate
