// SPDX-License-Identifier: BSD-3-Clause
#include "charged_run.hpp"

#include <vector>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/json_object.hpp>

namespace ovlp::sim {
namespace {

std::optional<double> next(std::deque<double>& left) {
  if (left.empty()) return std::nullopt;
  double const first_s = left.front();
  left.pop_front();
  return first_s;
}

}  // namespace

charged_run::charged_run(std::string const& file) try {
  nlohmann::json const all = base::read_json(file);
  for (nlohmann::json const& of : all.at("kernels")) {
    auto const sizes = of.at("sizes").get<std::vector<std::int64_t>>();
    kernels_[{of.at("collection"), of.at("thread")}](of.at("name").get<std::string>(), sizes) =
        of.at("work_s").get<std::deque<double>>();
  }
  for (nlohmann::json const& of : all.at("steps"))
    steps_[{of.at("graph"), of.at("operation"), of.at("thread")}] = of.at("remainder_s").get<std::deque<double>>();
} catch (nlohmann::json::exception const& wrong) {
  throw config_error("--charge-as '" + file + "': " + wrong.what());
}

std::optional<double> charged_run::next_work_s(kernel_call const& what) {
  auto const of = kernels_.find({what.thread.collection, what.thread.index});
  return of == kernels_.end() ? std::nullopt : next(of->second(what.name, what.sizes));
}

std::optional<double> charged_run::next_remainder_s(operation_place const& at) {
  auto const of = steps_.find({at.graph, at.operation, at.thread});
  return of == steps_.end() ? std::nullopt : next(of->second);
}

}  // namespace ovlp::sim
