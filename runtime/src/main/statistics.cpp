// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/internal/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include <ovlp/base/files.hpp>
#include <ovlp/base/host.hpp>
#include <ovlp/base/json_object.hpp>

namespace ovlp::OVLP_INLINE_CORE {

void call_statistics::sample::add(sample const& more) {
  count += more.count;
  sum_s += more.sum_s;
  sum_of_squares_s2 += more.sum_of_squares_s2;
}

namespace {

void widen(iteration_work& to, iteration_work const& more) {
  to.start_s = std::min(to.start_s, more.start_s);
  to.end_s = std::max(to.end_s, more.end_s);
  to.work_s += more.work_s;
}

}  // namespace

iteration_work& call_statistics::add_iteration(std::int32_t index, iteration_work const& more) {
  auto const [mine, made] = iterations.emplace(index, more);
  if (!made) widen(mine->second, more);
  return mine->second;
}

void call_statistics::add(call_statistics const& other) {
  atomic_steps += other.atomic_steps;
  transfers += other.transfers;
  bytes += other.bytes;
  control_messages += other.control_messages;
  work_s += other.work_s;
  steps_s += other.steps_s;
  polling_s += other.polling_s;
  runtime.add(other.runtime);
  for (auto const& [index, more] : other.iterations) add_iteration(index, more);
  over_time.add(other.over_time);
  processors.add(other.processors);
  for (auto const& [kernel, by_sizes] : other.kernels) {
    for (auto const& [sizes, of_nodes] : by_sizes) {
      for (auto const& [node, more] : of_nodes) {
        durations& mine = kernels[kernel][sizes][node];
        mine.firsts.add(more.firsts);
        mine.others.add(more.others);
      }
    }
  }
}

void statistics_sink::begin(run_definitions const& definitions) {
  for (run_definitions::graph const& graph : definitions.graphs) {
    std::vector<std::uint32_t>& of_graph = collections_.emplace_back();
    for (run_definitions::operation const& operation : graph.operations) of_graph.push_back(operation.collection);
  }
}

process_time statistics_sink::process_now() const { return {base::process_cpu_s(), in_steps_s_}; }

process_time statistics_sink::until_now() {
  if (!accounts_) return {};
  scoped_lock const lock(mutex_);
  return process_now();
}

void statistics_sink::call_began(std::uint64_t call, process_time before) {
  if (!accounts_) return;
  scoped_lock const lock(mutex_);
  calls_[call].before = before;
}

runtime_cost_collector& statistics_sink::collect_runtime_costs() {
  if (!costs_) costs_ = std::make_unique<runtime_cost_collector>();
  return *costs_;
}

statistics_sink::call_figures& statistics_sink::figures_of(std::uint64_t call) {
  call_figures& figures = calls_[call];
  if (accounts_ && !figures.before) [[unlikely]]
    figures.before = process_now();
  return figures;
}

void statistics_sink::delivery(delivery_record const& record) {
  if (!accounts_ || record.call == 0) return;
  scoped_lock const lock(mutex_);
  figures_of(record.call);
}

void statistics_sink::call(call_record const& record) {
  if (!accounts_ || record.begins) return;
  scoped_lock const lock(mutex_);
  figures_of(record.call).after = process_now();
}

void statistics_sink::step(step_record const& record) {
  scoped_lock const lock(mutex_);
  call_figures& figures = calls_[record.at.call];
  if (accounts_ && !figures.before) [[unlikely]] {
    figures.before = process_now();
    figures.before->all_s -= record.computed_s;  // of this call, too
  }
  call_statistics& call = figures.all;
  in_steps_s_ += record.computed_s;
  ++call.atomic_steps;
  call.work_s += record.work_s;
  call.steps_s += record.computed_s;
  if (keeps_work_over_time_) call.over_time.add(record.start_s, record.end_s, record.work_s);
  if (record.at.iteration == 0) return;
  iteration_work const more{record.start_s, record.end_s, record.work_s};
  if (figures.of_last != nullptr && figures.last_iteration == record.at.iteration) {
    widen(*figures.of_last, more);
  } else {
    figures.last_iteration = record.at.iteration;
    figures.of_last = &call.add_iteration(record.at.iteration, more);
  }
}

void statistics_sink::kernel(kernel_record const& record) {
  scoped_lock const lock(mutex_);
  thread_address const thread{collections_[record.at.graph][record.at.operation], record.at.thread};
  kernel_figures& of = kernels_(record.name, record.sizes);
  bool const first = of.first(record.at.node, thread);
  if (record.is_mean) return;
  (first ? of.durations.firsts : of.durations.others).add({1, record.work_s, record.work_s * record.work_s});
}

void statistics_sink::send(send_record const& record) {
  scoped_lock const lock(mutex_);
  call_statistics& call = figures_of(record.call).all;
  ++(record.kind == message_kind::object ? call.transfers : call.control_messages);
  call.bytes += record.bytes;
}

/// That a thread has done a kernel stays known.
call_statistics statistics_sink::take_of_all() {
  call_statistics taken;
  if (costs_) taken.runtime = costs_->take();
  kernels_.for_each([&](std::string const& name, std::vector<std::int64_t> const& sizes, kernel_figures& of) {
    call_statistics::durations const durations = std::exchange(of.durations, {});
    if (durations.firsts.count + durations.others.count > 0) taken.kernels[name][sizes][self_] = durations;
  });
  return taken;
}

call_statistics statistics_sink::take(std::uint64_t call) {
  scoped_lock const lock(mutex_);
  if (call == all_calls) return take_of_all();
  return finished(calls_.take(call).value_or(call_figures{}));
}

call_statistics statistics_sink::finished(call_figures figures) const {
  if (figures.before) {
    process_time const after = figures.after ? *figures.after : process_now();
    double const in_steps_s = after.in_steps_s - figures.before->in_steps_s;
    figures.all.polling_s = std::max(0.0, after.all_s - figures.before->all_s - in_steps_s);
  }
  return std::move(figures.all);
}

std::map<std::uint64_t, call_statistics> statistics_sink::take_all() {
  scoped_lock const lock(mutex_);
  std::map<std::uint64_t, call_statistics> taken;
  for (auto& [call, figures] : calls_.take_all()) taken.emplace(call, finished(std::move(figures)));
  taken.emplace(all_calls, take_of_all());
  return taken;
}

void statistics_sink::node(node_record const& record) {
  if (record.change == node_change::joined) return;  // it has been held since its launch
  scoped_lock const lock(mutex_);
  nodes_.push_back(record);
}

void statistics_sink::decision(decision_record const& record) {
  scoped_lock const lock(mutex_);
  decisions_.push_back({record.iteration, record.nodes, std::string(record.reason), record.at_s});
}

std::vector<decision_summary> statistics_sink::decisions(double from_s, double to_s) {
  scoped_lock const lock(mutex_);
  std::vector<decision_summary> found;
  for (decision_summary const& d : decisions_) {
    if (d.at_s < from_s || d.at_s > to_s) continue;
    found.push_back(d);
    found.back().at_s -= from_s;
  }
  return found;
}

std::vector<node_record> statistics_sink::node_changes() {
  scoped_lock const lock(mutex_);
  return nodes_;
}

double statistics_sink::held_node_s(double from_s, double to_s) {
  scoped_lock const lock(mutex_);
  double sum_s = 0;  // of what remains until to_s from when a node is held, less that from when it is not
  for (node_record const& n : nodes_) {
    double const rest_s = std::max(0.0, to_s - std::max(from_s, n.at_s));
    sum_s += n.change == node_change::launched ? rest_s : -rest_s;
  }
  return sum_s;
}

void fill(summary& figures, call_statistics const& all, analysis::dynamic_efficiency::report const& efficiency,
          double start_s, statistics_sink& on_node_0) {
  figures.work_s = all.work_s;
  figures.overhead_s = std::max(0.0, all.steps_s - all.work_s);
  figures.polling_s = all.polling_s;
  figures.atomic_steps = all.atomic_steps;
  figures.transfers = all.transfers;
  figures.bytes = all.bytes;
  figures.control_messages = all.control_messages;
  auto found = efficiency.iterations.begin();  // of the same iterations
  for (auto const& [index, i] : all.iterations) {
    double const from_s = std::max(start_s, i.start_s);  // clocks of other machines are not known to the last digit
    analysis::iteration_efficiency const& e = *found++;
    figures.iterations.push_back({index, from_s - start_s, i.end_s - start_s, i.work_s, e.nodes,
                                  on_node_0.held_node_s(from_s, i.end_s), e.efficiency, e.interval_efficiency,
                                  e.interval_start_s - start_s, e.interval_end_s - start_s});
  }
  figures.efficiency = efficiency.efficiency;
  figures.held_node_s = on_node_0.held_node_s(start_s, start_s + figures.time_s);
  figures.decisions = on_node_0.decisions(start_s, start_s + figures.time_s);
  for (analysis::window_efficiency const& w : efficiency.windows)
    figures.over_time.push_back({w.start_s - start_s, w.end_s - start_s, w.nodes, w.efficiency});
}

namespace {

/// All kernels of a name and sizes that are the first ones of their DPS threads, or all others.
struct kernel_class {
  std::vector<std::pair<node_id, call_statistics::sample>> of_nodes;
  double mean_s = 0;  ///< on a node of relative duration 1
  std::uint64_t count = 0;

  kernel_class(call_statistics::by_node const& all, call_statistics::sample call_statistics::durations::*which) {
    for (auto const& [node, durations] : all) {
      call_statistics::sample const& of = durations.*which;
      if (of.count > 0) of_nodes.emplace_back(node, of);
      count += of.count;
    }
  }
  void set_mean(std::map<node_id, double> const& relative) {
    double sum_s = 0, weighted_count = 0;
    for (auto const& [node, of] : of_nodes) {
      sum_s += of.sum_s;
      weighted_count += static_cast<double>(of.count) * relative.at(node);
    }
    mean_s = weighted_count > 0 ? sum_s / weighted_count : 0;
  }
  /// Of what is left when each node's mean is taken away.
  double standard_deviation_s(std::map<node_id, double> const& relative) const {
    if (count < 2) return 0;
    double squares_s2 = 0;
    for (auto const& [node, of] : of_nodes) {
      double const here_s = mean_s * relative.at(node);
      squares_s2 += of.sum_of_squares_s2 - 2 * here_s * of.sum_s + static_cast<double>(of.count) * here_s * here_s;
    }
    return std::sqrt(std::max(0.0, squares_s2) / static_cast<double>(count - 1));
  }
};

/// How long kernels last on each node, relative to their means, which are set by the way. As much work as was measured
/// is charged, on each node and of each class.
std::map<node_id, double> fit_nodes(std::vector<kernel_class*> const& classes) {
  std::map<node_id, double> relative, work_s;
  double work_of_all_s = 0;
  for (kernel_class const* k : classes) {
    for (auto const& [node, of] : k->of_nodes) {
      relative[node] = 1;
      work_s[node] += of.sum_s;
      work_of_all_s += of.sum_s;
    }
  }
  constexpr int most_rounds = 1000;
  constexpr double close = 1e-12;
  double change = 1;
  for (int round = 0; round < most_rounds && change > close; ++round) {
    std::map<node_id, double> charged_s;
    double all_s = 0;
    for (kernel_class* k : classes) {
      k->set_mean(relative);
      for (auto const& [node, of] : k->of_nodes) {
        double const here_s = static_cast<double>(of.count) * k->mean_s;
        charged_s[node] += here_s;
        all_s += here_s;
      }
    }
    if (!(all_s > 0) || !(work_of_all_s > 0)) break;
    change = 0;
    for (auto& [node, r] : relative) {
      if (!(charged_s[node] > 0) || !(work_s[node] > 0)) continue;
      double const next = work_s[node] / charged_s[node] * (all_s / work_of_all_s);
      change = std::max(change, std::abs(next - r));
      r = next;
    }
  }
  for (kernel_class* k : classes) k->set_mean(relative);
  return relative;
}

}  // namespace

void write_durations(std::string const& file, call_statistics const& all, std::string const& reference_core,
                     std::size_t nodes, std::size_t execution_threads, bool simulated) {
  struct recorded {
    std::string const& kernel;
    std::vector<std::int64_t> const& sizes;
    kernel_class firsts, others;
  };
  std::vector<recorded> kernels;
  for (auto const& [kernel, by_sizes] : all.kernels) {
    for (auto const& [sizes, of_nodes] : by_sizes) {
      kernels.push_back({kernel, sizes, kernel_class(of_nodes, &call_statistics::durations::firsts),
                         kernel_class(of_nodes, &call_statistics::durations::others)});
    }
  }
  std::vector<kernel_class*> classes;
  for (recorded& of : kernels) {
    classes.push_back(&of.firsts);
    classes.push_back(&of.others);
  }
  std::map<node_id, double> const relative = fit_nodes(classes);

  nlohmann::ordered_json to;
  to["reference_core"] = reference_core;
  if (simulated) to["simulated"] = true;
  if (execution_threads > 0) to["execution_threads"] = execution_threads;
  if (auto const runtime = all.runtime.estimated())
    to["runtime"] = {{"per_step_s", runtime->per_step_s},
                     {"per_object_s", runtime->per_object_s},
                     {"per_wake_s", runtime->per_wake_s}};
  if (relative.size() > 1) {
    for (node_id node = 0; node < nodes; ++node) {
      auto const known = relative.find(node);
      to["nodes"].push_back({{"node", node}, {"relative", known == relative.end() ? 1.0 : known->second}});
    }
  }
  to["kernels"] = nlohmann::ordered_json::object();
  for (recorded const& of : kernels) {
    kernel_class const& usual = of.others.count > 0 ? of.others : of.firsts;
    nlohmann::ordered_json entry{{"sizes", of.sizes},
                                 {"mean_s", usual.mean_s},
                                 {"count", usual.count},
                                 {"standard_deviation_s", usual.standard_deviation_s(relative)}};
    if (of.firsts.count > 0 && of.others.count > 0) entry["first_s"] = of.firsts.mean_s;
    to["kernels"][of.kernel].push_back(std::move(entry));
  }
  base::write_output(file, base::json_text(to) + "\n");
}

}  // namespace ovlp::OVLP_INLINE_CORE
