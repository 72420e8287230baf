// SPDX-License-Identifier: BSD-3-Clause
#include "kernel_times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/base/host.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/flowgraph/context.hpp>
#include <ovlp/simkernel/durations.hpp>
#include <ovlp/simkernel/interpolation.hpp>

namespace ovlp::sim {
namespace {

std::string describe(std::string_view name, std::span<std::int64_t const> sizes) {
  std::string text = "kernel '" + std::string(name) + "' of sizes [";
  for (std::size_t i = 0; i < sizes.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(sizes[i]);
  return text + "]";
}

/// Of a log-normal distribution: never negative, and with the long tail that disturbances make.
double drawn_s(double mean_s, double standard_deviation_s, std::mt19937_64& random) {
  double const ratio = standard_deviation_s / mean_s;
  double const variance = std::log1p(ratio * ratio);
  return mean_s * std::exp(std::normal_distribution(-variance / 2, std::sqrt(variance))(random));
}

}  // namespace

sampling sampling::parse(std::string const& text) {
  sampling parsed;
  bool const percent = text.ends_with('%');
  std::string const digits = text.substr(0, text.size() - (percent ? 1 : 0));
  double value = 0;
  bool const is_number = base::read_number(digits, value) && std::isfinite(value);
  bool const times = value >= 2 && value <= 1e9 && value == std::floor(value);  // once tells nothing of the error
  if (!is_number || !(percent ? value > 0 && value < 100 : times)) {
    throw config_error(
        "--sample: expected a number of times from 2 on, such as 5, or an error below 100%, such as 2%, got '" + text +
        "'");
  }
  if (percent) {
    parsed.relative_error = value / 100;
  } else {
    parsed.count = static_cast<std::uint64_t>(value);
  }
  return parsed;
}

void kernel_times::read(std::string const& file) {
  recorded_durations const recorded = read_durations(file);
  cores_[file] = recorded.reference_core;
  files_.push_back({file, recorded.simulated});
  if (recorded.runtime) {
    runtime_ = recorded.runtime;
    runtime_file_ = files_.size() - 1;
  }
  std::shared_ptr<std::vector<double> const> of_nodes;
  if (recorded.of_nodes.size() == nodes_) of_nodes = std::make_shared<std::vector<double> const>(recorded.of_nodes);
  for (kernel_duration const& one : recorded.kernels) {
    entry& of = kernels_[one.kernel].of_sizes[one.sizes];
    std::size_t const threads = recorded.execution_threads;
    if (threads == 1) of.alone = one;
    if (threads > 1) {
      of.beside = one;
      of.threads_beside = threads;
    }
    bool const is_pair = threads > 0 && of.alone && of.beside;
    kernel_duration const& usual = is_pair ? *of.alone : one;
    of.estimate_s = usual.mean_s;
    of.source = duration_source::durations;
    of.standard_deviation_s = usual.standard_deviation_s;
    of.first_ratio = usual.mean_s > 0 ? usual.first_s / usual.mean_s : 1;
    if (!is_pair) of.files.clear();
    of.files.push_back(files_.size() - 1);
    of.of_nodes = of_nodes;
    of.demand = 0;
    if (is_pair) find_demand(of);
  }
  for (auto const& [name, model] : recorded.models) {
    kernels_[name].model = model;
    kernels_[name].file_of_model = files_.size() - 1;
  }
}

/// Of a kernel that was measured alone and beside others, which got as much each of what the cores share. Where it was
/// slower beside them by no more than its measurements scatter, nothing says that it demands any.
void kernel_times::find_demand(entry& of) {
  auto const variance = [](kernel_duration const& d) {
    return d.standard_deviation_s * d.standard_deviation_s / d.count;
  };
  kernel_duration const &alone = *of.alone, &beside = *of.beside;
  double const longer_s = beside.mean_s - alone.mean_s;
  if (alone.mean_s <= 0 || longer_s <= 2 * std::sqrt(variance(alone) + variance(beside))) return;
  of.demand = std::min(1.0, beside.mean_s / alone.mean_s / static_cast<double>(of.threads_beside));
  cores_of_demands_ = cores_of_demands_ == 0 ? of.threads_beside : std::min(cores_of_demands_, of.threads_beside);
}

bool kernel_times::uses_simulated() const {
  return std::ranges::any_of(files_, [](durations_file const& f) { return f.used && f.simulated; });
}

std::vector<std::string> kernel_times::unused_files() const {
  std::vector<std::string> all;
  for (std::size_t number = 0; number < files_.size(); ++number) {
    if (!files_[number].used && !(runtime_ && number == runtime_file_)) all.push_back(files_[number].name);
  }
  return all;
}

kernel_times::place& kernel_times::find(kernel_call const& what) {
  place& found = places_(what.name, what.sizes);
  if (found.of_name == nullptr) {
    found.of_name = &kernels_[std::string(what.name)];
    found.of_sizes = &found.of_name->of_sizes[{what.sizes.begin(), what.sizes.end()}];
  }
  return found;
}

double kernel_times::charge(entry& of_sizes, kernel_call const& what) {
  bool const varies = varied_ && of_sizes.standard_deviation_s > 0 && *of_sizes.estimate_s > 0;
  double usual_s =
      varies ? drawn_s(*of_sizes.estimate_s, of_sizes.standard_deviation_s, *varied_) : *of_sizes.estimate_s;
  if (of_sizes.of_nodes != nullptr) usual_s *= (*of_sizes.of_nodes)[what.node];
  bool const first = of_sizes.first_ratio != 1 && of_sizes.first(what.node, what.thread);
  return first ? usual_s * of_sizes.first_ratio : usual_s;
}

void kernel_times::find_estimate(kernel& of, entry& of_sizes, kernel_call const& what) {
  if (interpolate(of, of_sizes, what.sizes)) return;
  double estimate_s = 0;
  if (of.model) {
    of_sizes.source = duration_source::durations;
    uses_models_ = true;
    of_sizes.files = {of.file_of_model};
    estimate_s = charged_by(*of.model, files_[of.file_of_model].name, what);
  } else {
    of_sizes.source = of.estimate ? duration_source::program : duration_source::platform;
    estimate_s = of.estimate ? of.estimate(what.sizes) : model(of, what);
  }
  if (!(estimate_s >= 0) || !std::isfinite(estimate_s)) {
    throw config_error("the estimate for " + describe(what.name, what.sizes) +
                       ": expected seconds of at least 0, got " + base::shortest(estimate_s));
  }
  of_sizes.estimate_s = estimate_s;
}

struct kernel_times::kernel::from_files {
  std::vector<entry const*> entries;
  measured_sizes sizes;
};

/// From what files say of sizes around these.
bool kernel_times::interpolate(kernel& of, entry& of_sizes, std::span<std::int64_t const> sizes) {
  auto const above_zero = [](std::span<std::int64_t const> all) {
    return std::ranges::all_of(all, [](std::int64_t size) { return size > 0; });
  };
  auto& measured = of.measured[sizes.size()];
  if (!measured) {
    std::vector<std::span<std::int64_t const>> points;
    std::vector<entry const*> entries;
    for (auto const& [at, there] : of.of_sizes) {
      bool const usable = there.source == duration_source::durations && *there.estimate_s > 0;
      if (!usable || at.size() != sizes.size() || !above_zero(at)) continue;
      points.emplace_back(at);
      entries.push_back(&there);
    }
    measured =
        std::make_shared<kernel::from_files const>(kernel::from_files{std::move(entries), measured_sizes(points)});
  }
  if (measured->entries.empty() || !above_zero(sizes)) return false;
  auto const corners = measured->sizes.around(sizes);
  if (corners.empty()) return false;
  double logarithm = 0, deviation = 0, first_ratio = 0, demand = 0;
  bool all_demand = true;  // else a corner may be one that was measured alone only
  for (auto const& [point, weight] : corners) {
    entry const& corner = *measured->entries[point];
    logarithm += weight * std::log(*corner.estimate_s);
    deviation += weight * corner.standard_deviation_s / *corner.estimate_s;
    first_ratio += weight * corner.first_ratio;
    demand += weight * corner.demand;
    all_demand &= corner.demand > 0;
    of_sizes.files.insert(of_sizes.files.end(), corner.files.begin(), corner.files.end());
  }
  of_sizes.of_nodes = measured->entries[corners.front().first]->of_nodes;  // mostly all are of one file
  of_sizes.estimate_s = std::exp(logarithm);
  of_sizes.source = duration_source::interpolated;
  of_sizes.standard_deviation_s = std::max(0.0, deviation) * *of_sizes.estimate_s;
  of_sizes.first_ratio = std::max(0.0, first_ratio);
  of_sizes.demand = all_demand ? std::clamp(demand, 0.0, 1.0) : 0;
  return true;
}

/// `of`: whose model it is, for a message.
double kernel_times::charged_by(machine::kernel_model const& model, std::string const& of, kernel_call const& what) {
  if (model.exponents.size() != what.sizes.size()) {
    throw config_error(of + ": kernels." + std::string(what.name) + ".exponents: expected " +
                       std::to_string(what.sizes.size()) + " for " + describe(what.name, what.sizes) + ", got " +
                       std::to_string(model.exponents.size()));
  }
  return model(what.sizes);
}

double kernel_times::model(kernel const& of, kernel_call const& what) const {
  auto const& [name, sizes] = std::pair(what.name, what.sizes);
  auto const model = platform_.kernels.find(std::string(name));
  if (model == platform_.kernels.end()) {
    std::size_t recorded = 0;
    std::set<std::size_t> counts_of_sizes;
    for (auto const& [at, known] : of.of_sizes) {
      if (known.source != duration_source::durations) continue;
      ++recorded;
      counts_of_sizes.insert(at.size());
    }
    if (recorded > 0 && !counts_of_sizes.contains(sizes.size())) {
      throw config_error("partial execution has no estimate for " + describe(name, sizes) +
                         ": --durations has it with " + std::to_string(*counts_of_sizes.begin()) + " sizes, expected " +
                         std::to_string(sizes.size()));
    }
    std::string const program = "run.estimate(\"" + std::string(name) + "\", ";
    throw config_error(
        "partial execution has no estimate for " + describe(name, sizes) +
        (recorded > 0
             ? ": --durations has it in " + std::to_string(recorded) + (recorded == 1 ? " size" : " sizes") +
                   ", but these are not between them; expected a recording of sizes around these "
                   "(--record-durations, here with --execution sampled), a model (ovlp fit), or " +
                   program + "seconds)"
             : ": expected one in --durations (--record-durations makes the file, here with --execution sampled), by "
               "the program (" +
                   program + "seconds), or " + program +
                   "0.0) for what is not to be predicted), or a model in the platform '" + platform_.name +
                   "' (ovlp fit makes it)"));
  }
  return charged_by(model->second, "platform '" + platform_.name + "'", what);
}

kernel_times::time kernel_times::measure(function_ref<void()> body) const {
  double const start_s = base::running_cpu_s();
  body();
  double const measured_s = base::running_cpu_s() - start_s;
  return {measured_s * host_speed_, measured_s};
}

/// Runs the body of a kernel that is charged, if it always runs. Returns its CPU seconds where these would be counted
/// as the remainder of the step; else no clock is read.
double kernel_times::run_charged(kernel_call const& what) const {
  if (!what.always_runs) return 0;
  double const start_s = mode_ == execution_mode::direct ? base::running_cpu_s() : 0;
  what.body();
  return mode_ == execution_mode::direct ? base::running_cpu_s() - start_s : 0;
}

void kernel_times::sample::add(double work_s) {
  ++count;
  double const before = work_s - mean_s;
  mean_s += before / static_cast<double>(count);
  squares_s2 += before * (work_s - mean_s);
}

double kernel_times::sample::relative_error() const {
  if (count < 2 || mean_s <= 0) return 0;
  auto const n = static_cast<double>(count);
  return std::sqrt(squares_s2 / (n - 1) / n) / mean_s;
}

bool kernel_times::is_enough(sample const& of) const {
  if (!sample_.relative_error) return of.count >= sample_.count;
  return of.count >= 3 && of.relative_error() <= *sample_.relative_error;
}

kernel_times::time kernel_times::operator()(kernel_call const& what) {
  time made = execute_or_charge(what);
  if (as_in_) made.work_s = as_in_->next_work_s(what).value_or(made.work_s);
  return made;
}

kernel_times::time kernel_times::execute_or_charge(kernel_call const& what) {
  place const& at = find(what);
  kernel& called = *at.of_name;
  entry& of_sizes = *at.of_sizes;
  auto const count = [&](duration_source from) { ++called.counts[static_cast<std::size_t>(from)]; };
  execution_mode const mode = called.mode.value_or(mode_);
  if (mode == execution_mode::partial) {
    if (!of_sizes.estimate_s) find_estimate(called, of_sizes, what);
    count(of_sizes.source);
    for (std::size_t const number : std::exchange(of_sizes.files, {})) files_[number].used = true;
    return {charge(of_sizes, what), run_charged(what), false, of_sizes.demand};
  }
  sample* of = nullptr;
  if (mode == execution_mode::sampled)
    of = of_sizes.first(what.node, what.thread) ? &of_sizes.firsts : &of_sizes.others;
  if (of != nullptr && is_enough(*of)) {
    of->charged = true;
    count(duration_source::sampled);
    return {of->mean_s, run_charged(what), true};
  }
  count(duration_source::measured);
  time const measured = measure(what.body);
  if (of != nullptr) of->add(measured.work_s);
  return measured;
}

bool kernel_times::all_run() const {
  return mode_ == execution_mode::direct && std::all_of(kernels_.begin(), kernels_.end(), [](auto const& k) {
           return k.second.mode.value_or(execution_mode::direct) == execution_mode::direct;
         });
}

duration_counts kernel_times::counts() const {
  duration_counts all;
  for (auto const& [name, called] : kernels_) all[name] = called.counts;
  return all;
}

std::optional<kernel_times::sampled_mean> kernel_times::weakest_mean() const {
  std::optional<sampled_mean> weakest;
  for (auto const& [name, called] : kernels_) {
    for (auto const& [sizes, of_sizes] : called.of_sizes) {
      for (sample const* of : {&of_sizes.firsts, &of_sizes.others}) {
        if (!of->charged || (weakest && of->relative_error() <= weakest->relative_error)) continue;
        weakest = {describe(name, sizes), of->count, of->relative_error()};
      }
    }
  }
  return weakest;
}

bool kernel_times::vary() const {
  return varied_ && std::ranges::any_of(kernels_, [](auto const& k) {
           return std::ranges::any_of(k.second.of_sizes,
                                      [](auto const& of) { return of.second.standard_deviation_s > 0; });
         });
}

}  // namespace ovlp::sim
