// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/simkernel/simulated.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include <ovlp/analysis/dynamic_efficiency.hpp>
#include <ovlp/analysis/efficiency_csv.hpp>
#include <ovlp/flowgraph/error.hpp>
#include <ovlp/machine/platform.hpp>
#include <ovlp/runtime/internal/calls.hpp>
#include <ovlp/runtime/internal/main_calls.hpp>
#include <ovlp/runtime/internal/process_exit.hpp>
#include <ovlp/runtime/internal/program.hpp>
#include <ovlp/runtime/internal/reallocation.hpp>
#include <ovlp/runtime/internal/statistics.hpp>
#include <ovlp/simkernel/durations.hpp>
#include <ovlp/support/host.hpp>

#include "kernel_times.hpp"
#include "options.hpp"
#include "simulated_backend.hpp"

namespace ovlp::sim {
namespace {

std::vector<double> capacities(machine::platform const& on, std::size_t nodes) {
  std::vector<double> all;
  for (std::size_t n = 0; n < nodes; ++n) {
    all.push_back(on.kind_of(n).capacity());
  }
  return all;
}

}  // namespace

struct engine::implementation {
  implementation(int argc, char** argv, ovlp::options& program_options)
      : options(argc, argv, program_options),
        on(machine::platform::find(options.platform, options.without)),
        efficiency(capacities(on, options.nodes)),
        kernels(options.mode(), sampling::parse(options.sample.value_or("5")), options.host_speed, on),
        recording(options.ask_for_figures() || !options.durations_file.empty()) {
    check_output_at_exit(options.application);
    for (std::string const& file : options.durations) kernels.read(file);
    if (options.vary) kernels.vary_by(*options.vary);
    if (auto trace = make_trace(options, 0)) sinks.own(std::move(trace));
  }

  simulation_options const options;
  machine::platform on;
  ovlp::program program;
  statistics_sink statistics;
  analysis::dynamic_efficiency efficiency;
  ovlp::sinks sinks;
  run_definitions names;
  kernel_times kernels;
  bool recording;
  std::optional<simulated_backend> world;
  main_calls calls;
  std::map<std::uint64_t, machine::virtual_machine::usage> used_before;  ///< until a call began
  machine::virtual_machine::usage used{};                                ///< during the call that ended last
  duration_counts counts_before;                                         ///< until the last call began
  std::optional<ovlp::summary> figures;  ///< of the call that ended last, once they are asked for
  bool written = false;                  ///< what the options ask for

  /// Before the first call.
  void start() {
    if (world) return;
    program.close();
    node_settings settings;
    settings.nodes = options.nodes;
    settings.execution_threads = options.execution_threads;
    settings.stack_bytes = options.stack_kib * 1024;
    settings.concurrent_per_pair = on.runtime.concurrent_per_pair;
    if (recording) {
      sinks.add(statistics);
      sinks.add(efficiency);
    }
    if (!sinks.empty()) {
      settings.sink = &sinks;
      names = program.definitions(options.application, "simulated", options.nodes, 0);
      sinks.begin(names);
    }
    world.emplace(on, program, kernels, settings, options);
    world->start_nodes(program.nodes_at_first(options.nodes));
    throw_if_failed();
  }

  void simulate_until(std::function<bool()> const& done) {
    throw_if_failed();
    bool happened = true;
    try {
      happened = world->run_until([&] { return world->failed() || done(); });
    } catch (std::bad_alloc const&) {
      throw error("memory ran out after " + std::to_string(world->now_s()) + " s of simulated time");
    }
    if (!happened) world->fail(stall(world->waiting()));
    throw_if_failed();
  }

  void throw_if_failed() {
    if (!world || !world->failed()) return;
    world->unwind();
    sinks.flush();
    throw_failure(*world->failed());
  }

  void wait_for_change(std::uint64_t change) {
    std::exception_ptr refused;
    simulate_until([&] {
      try {
        return world->driver().reallocation().change_made(change, nullptr);
      } catch (...) {
        refused = std::current_exception();
        return true;
      }
    });
    if (refused) std::rethrow_exception(refused);
  }

  ovlp::summary figures_of(main_call const& call) {
    ovlp::summary all = summarize(options, "simulated", call, statistics.take(call.call), statistics);
    analysis::dynamic_efficiency::report const found =
        efficiency.take(call.call, call.start_s, call.end_s, options.window_s);
    all.efficiency = found.efficiency;
    all.simulation = simulation_summary{on.name, options.execution, used.communication_s, used.flips, {}, {}, {}};
    if (auto const mean = kernels.weakest_mean()) {
      all.simulation->sampling_error = mean->relative_error;
    } else if (options.execution == "sampled") {
      all.simulation->sampling_error = 0;
    }
    all.simulation->estimates = estimates_since(counts_before);
    all.simulation->warnings = warnings();
    for (std::size_t i = 0; i < found.iterations.size(); ++i) {
      analysis::iteration_efficiency const& e = found.iterations[i];
      all.iterations[i].efficiency = efficiency_summary{
          e.efficiency, e.interval_efficiency, e.interval_start_s - call.start_s, e.interval_end_s - call.start_s};
    }
    for (analysis::window_efficiency const& w : found.windows) {
      all.over_time.push_back(
          {w.start_s - call.start_s, w.end_s - call.start_s, statistics.held(w.start_s), w.efficiency});
    }
    return all;
  }

  std::map<std::string, std::map<std::string, std::uint64_t>> estimates_since(duration_counts const& before) const {
    std::map<std::string, std::map<std::string, std::uint64_t>> all;
    bool measured_only = true;
    for (auto const& [kernel, counts] : kernels.counts()) {
      auto const earlier = before.find(kernel);
      for (std::size_t from = 0; from < counts.size(); ++from) {
        std::uint64_t const count = counts[from] - (earlier == before.end() ? 0 : earlier->second[from]);
        if (count == 0) continue;
        all[kernel][duration_sources[from]] = count;
        measured_only = measured_only && static_cast<duration_source>(from) == duration_source::measured;
      }
    }
    if (measured_only) all.clear();
    return all;
  }

  /// That kernels are of one processor and the platform's figures of another.
  std::vector<std::string> notes_of_processors(bool measured_kernels) const {
    std::vector<std::string> all;
    for (auto const& [file, core] : kernels.cores_of_files()) {
      bool const calibrated_elsewhere = !on.processor.empty() && !same_core(core, on.processor);
      if (!calibrated_elsewhere && same_core(core, on.reference_core)) continue;
      all.push_back(file + " has durations of '" + core + "', but the platform" +
                    (calibrated_elsewhere ? " was calibrated on '" + on.processor
                                          : "'s reference core is '" + on.reference_core) +
                    "': they are charged as they are");
    }
    std::string const here = support::processor_name();
    bool const measures = options.execution != "partial" || measured_kernels;
    if (measures && options.host_speed == 1 && !on.processor.empty() && !same_core(here, on.processor)) {
      all.push_back("kernels are measured on '" + here + "', but the platform was calibrated on '" + on.processor +
                    "': they are charged as measured; --host-speed scales them");
    }
    return all;
  }

  /// Why what was predicted so far may be weak, and what had no effect; a line each.
  std::vector<std::string> warnings() const {
    constexpr double weak = 0.1;
    std::vector<std::string> all;
    auto const mean = kernels.weakest_mean();
    if (mean && mean->relative_error > weak) {
      all.push_back("the mean charged for " + mean->of + " is of " + std::to_string(mean->samples) +
                    " measurements and has a standard error of " +
                    std::to_string(std::lround(100 * mean->relative_error)) +
                    " %: expected at most 10 %; --sample 5% measures until it is small");
    }
    std::array<std::uint64_t, duration_sources.size()> sums{};
    for (auto const& [kernel, counts] : kernels.counts()) {
      for (std::size_t from = 0; from < counts.size(); ++from) sums[from] += counts[from];
    }
    auto const none = [&](duration_source from) { return sums[static_cast<std::size_t>(from)] == 0; };
    for (std::string& note : notes_of_processors(!none(duration_source::measured))) all.push_back(std::move(note));
    auto const without_effect = [&](std::string const& option, std::string const& why) {
      all.push_back(option + " had no effect: " + why);
    };
    if (!options.durations.empty() && none(duration_source::durations) && none(duration_source::interpolated)) {
      without_effect("--durations", options.execution == "partial" ? "no kernel that it knows was done"
                                                                   : "expected with --execution partial");
    } else {
      for (std::string const& file : kernels.unused_files()) {
        without_effect("--durations " + file, "no kernel that it knows was done, or later files know them all");
      }
    }
    if (options.sample && none(duration_source::sampled)) {
      without_effect("--sample", options.execution == "sampled" ? "of no kernel a mean was charged"
                                                                : "expected with --execution sampled");
    }
    if (options.host_speed != 1 && options.execution != "direct" && none(duration_source::measured)) {
      without_effect("--host-speed", "nothing was measured");
    }
    bool const nodes_vary = std::ranges::any_of(
        on.nodes, [](machine::node_kind const& kind) { return kind.quota.has_value() || kind.speed_deviation > 0; });
    if (options.vary && !nodes_vary && !kernels.vary()) {
      without_effect("--vary", "neither --durations nor the platform says how anything varies");
    }
    if (options.window_s > 0 && !recording) {
      without_effect("--window", "expected with --efficiency-over-time or --summary");
    }
    return all;
  }
};

engine::engine(int argc, char** argv) {
  report_uncaught_errors();
  ovlp::options none(program_name(argc, argv), "");
  implementation_ = std::make_unique<implementation>(argc, argv, none);
}

engine::engine(int argc, char** argv, options& application) {
  report_uncaught_errors();
  implementation_ = std::make_unique<implementation>(argc, argv, application);
}

engine::~engine() {
  implementation& run = *implementation_;
  run.sinks.flush();
  if (run.world && run.world->failed()) return;
  std::string const core = run.on.reference_core == "this machine" ? support::processor_name() : run.on.reference_core;
  write_what_is_left(*this, run.options, run.written, core, [&] {
    run.calls.last();
    return run.statistics.take(all_calls);
  });
  for (std::string const& warning : run.warnings()) {
    std::fprintf(stderr, "%s: warning: %s\n", run.options.application.c_str(), warning.c_str());
  }
}

bool engine::computes() const { return implementation_->kernels.all_run(); }

void engine::estimate(std::string kernel, kernel_estimate seconds) {
  implementation_->kernels.estimate(std::move(kernel), std::move(seconds));
}

void engine::execute(std::string kernel, execution_mode mode) {
  implementation_->kernels.execute(std::move(kernel), mode);
}

std::size_t engine::nodes() const { return implementation_->options.nodes; }

void engine::add_graph(std::shared_ptr<graph_definition> const& graph) {
  implementation_->calls.check_caller();
  implementation_->program.add(graph);
}

std::uint64_t engine::begin_call(std::shared_ptr<graph_definition> const& graph, object_type const& type,
                                 void* object) {
  implementation& run = *implementation_;
  run.calls.check_caller();
  run.program.add(graph);
  run.start();
  run.throw_if_failed();
  machine::virtual_machine::usage const before = run.world->used();
  std::uint64_t const call = run.world->driver().calls().begin(*graph, type, object, 0, no_iteration);
  run.calls.begun(call, run.program.number_of(*graph), run.world->now_s(), support::monotonic_s(), run.sinks);
  run.used_before[call] = before;
  run.counts_before = run.kernels.counts();
  return call;
}

void engine::finish_call(std::uint64_t call, object_type const& type, void* result_storage) {
  implementation& run = *implementation_;
  run.calls.check_caller();
  run.simulate_until([&] { return run.world->driver().calls().result_there(call); });
  run.calls.ended(call, run.world->now_s(), support::monotonic_s(), run.sinks);
  machine::virtual_machine::usage const before = run.used_before.extract(call).mapped(), now = run.world->used();
  run.figures.reset();
  run.used = {now.communication_s - before.communication_s, now.flips - before.flips};
  envelope_ptr const result = run.world->driver().calls().take_result(call);
  type.move(result_storage, result->object());
}

void engine::resize_collection(collection_definition const& collection, std::size_t count) {
  implementation_->calls.check_caller();
  implementation_->start();
  implementation_->wait_for_change(implementation_->world->driver().reallocation().request_resize(collection, count));
}

void engine::remap_collection(collection_definition const& collection, mapping const& to) {
  implementation_->calls.check_caller();
  implementation_->start();
  implementation_->wait_for_change(implementation_->world->driver().reallocation().request_remap(collection, to));
}

void engine::record() {
  if (implementation_->world) throw config_error("record() comes before the first call");
  implementation_->recording = true;
}

void engine::attach(std::shared_ptr<record_sink> sink) {
  if (implementation_->world) throw config_error("attach() comes before the first call");
  if (!sink) throw config_error("attach() expects a sink, got none");
  implementation_->sinks.own(std::move(sink));
}

ovlp::summary engine::summary() {
  implementation& run = *implementation_;
  run.calls.check_caller();
  run.throw_if_failed();
  if (!run.recording) throw config_error("summary() needs --summary, or record() before the first call");
  main_call const& last = run.calls.last();
  if (!run.figures) run.figures = run.figures_of(last);
  return *run.figures;
}

void engine::write(ovlp::summary const& figures) const {
  implementation_->written = true;
  simulation_options const& options = implementation_->options;
  write_figures(options, figures);
  if (!options.efficiency_file.empty()) analysis::write_efficiency(options.efficiency_file, figures);
  if (!options.over_time_file.empty()) analysis::write_efficiency_over_time(options.over_time_file, figures);
}

}  // namespace ovlp::sim
