// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/simkernel/durations.hpp>

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include <ovlp/base/host.hpp>
#include <ovlp/base/json_object.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/flowgraph/context.hpp>

namespace ovlp::sim {

recorded_durations read_durations(std::string const& file) {
  nlohmann::json const json = base::read_json(file);
  base::json_object top(json, file);
  recorded_durations all{top.text("reference_core"), {}, {}, 0, {}, {}};
  if (top.has("runtime")) {
    base::json_object runtime = top.object("runtime");
    all.runtime = {runtime.number("per_step_s", 0), runtime.number("per_object_s", 0),
                   runtime.number("per_wake_s", 0, 0)};
    runtime.end();
  }
  if (top.has("execution_threads")) all.execution_threads = top.count("execution_threads", 1);
  all.simulated = top.flag("simulated", false);
  if (top.has("nodes")) {
    for (base::json_object node : top.objects("nodes")) {
      double const number = node.number("node", 0), expected = static_cast<double>(all.of_nodes.size());
      if (number != expected) node.fail(node.path("node"), base::shortest(expected), node.at("node"));
      all.of_nodes.push_back(node.number("relative", 0));
      node.end();
    }
    auto const [least, most] = std::ranges::minmax(all.of_nodes);
    constexpr double rounding = 1e-6;
    if (least > 1 + rounding || most < 1 - rounding)
      top.fail("nodes[].relative", "numbers whose weighted mean is 1", top.at("nodes"));
  }
  base::json_object kernels = top.object("kernels");
  top.skip("fit");  // for people
  for (std::string const& name : kernels.keys()) {
    if (kernels.at(name).is_object()) {
      all.models[name] = machine::kernel_model::read(kernels.object(name));
      continue;
    }
    for (base::json_object list : kernels.objects(name)) {
      kernel_duration read{name, {}, 0, 0, 0, 0};
      auto const& given = list.at("sizes");
      if (!given.is_array()) list.fail(list.path("sizes"), "a list of whole numbers", given);
      for (auto const& size : given) {
        if (!size.is_number_integer()) list.fail(list.path("sizes"), "a list of whole numbers", given);
        read.sizes.push_back(size.get<std::int64_t>());
      }
      if (given.size() > kernel_sizes::most) {
        list.fail(list.path("sizes"), "at most " + std::to_string(kernel_sizes::most) + " numbers", given);
      }
      read.mean_s = list.number("mean_s", 0);
      read.count = list.number("count", 1, 1);
      read.standard_deviation_s = list.number("standard_deviation_s", 0, 0);
      read.first_s = list.number("first_s", 0, read.mean_s);
      list.end();
      all.kernels.push_back(std::move(read));
    }
  }
  top.end();
  return all;
}

bool same_core(std::string const& a, std::string const& b) {
  auto const named = [](std::string const& core) { return core == "this machine" ? base::processor_name() : core; };
  std::string const first = named(a), second = named(b);
  return first == "unknown" || second == "unknown" || first.find(second) != std::string::npos ||
         second.find(first) != std::string::npos;
}

}  // namespace ovlp::sim
