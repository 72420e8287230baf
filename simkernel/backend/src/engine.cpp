// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/simkernel/simulated.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <ovlp/analysis/dynamic_efficiency.hpp>
#include <ovlp/analysis/known_errors.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/base/host.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/machine/platform.hpp>
#include <ovlp/runtime/internal/main_run.hpp>
#include <ovlp/simkernel/durations.hpp>

#include "kernel_times.hpp"
#include "options.hpp"
#include "simulated_backend.hpp"
#include "without_effect.hpp"
#include "world/explored_run.hpp"

namespace ovlp::sim {

struct engine::implementation final : main_run {
  explicit implementation(std::unique_ptr<simulation_options> given)
      : options_given(std::move(given)),
        options(*options_given),
        on(machine::platform::find(options.platform, options.without)),
        efficiency(on.capacities(options.nodes)),
        kernels(options.mode(), sampling::parse(options.sample.value_or("5")), options.host_speed, on, options.nodes) {
    check_at_exit(options.application, true);
    at_borders();  // says what is wrong with --policy
    for (std::string const& file : options.durations) kernels.read(file);
    if (options.vary) kernels.vary_by(*options.vary);
    if (!options.charge_as.empty()) kernels.charge_as(options.charge_as);
    ovlp::run_facts const about{{"platform", machine::platform::text_of(options.platform)}};
    for (auto& file : make_files(options, 0, 0, emitters::one_thread, about)) sinks.own(std::move(file));
  }

  /// What simulating costs, and costs in the simulation.
  struct cost {
    machine::virtual_machine::usage used{};
    std::vector<double> node_cpu_s{};
    double wall_s = 0;
  };

  std::unique_ptr<simulation_options> const options_given;
  simulation_options const& options;
  machine::platform on;
  analysis::dynamic_efficiency efficiency;
  kernel_times kernels;
  std::optional<simulated_backend> world;
  std::map<std::uint64_t, cost> costs_before;  ///< until a call began
  cost of_last;                                ///< during the call that ended last
  duration_counts counts_before;               ///< until the last call began

  run_options const& common_options() const override { return options; }
  thread_manager* driver() override { return world ? world->find_driver() : nullptr; }

  void start() override {
    if (records()) sinks.add(efficiency);
    node_settings settings = begin_records(0, on.capacities(options.nodes));
    settings.concurrent_per_pair = on.runtime.concurrent_per_pair;
    world.emplace(on, program, kernels, settings, options);
    world->start_nodes(program.nodes_at_first(options.nodes));
    throw_if_failed();
  }

  cost so_far() const { return {world->used(), world->machine().node_cpu_s(), base::monotonic_s()}; }

  std::uint64_t begin(graph_definition const& graph, object_type const& type, void* object) override {
    cost const until_now = so_far();
    std::uint64_t const call = main_run::begin(graph, type, object);
    costs_before[call] = until_now;
    counts_before = kernels.counts();
    return call;
  }

  void ended(std::uint64_t call) override {
    cost const then = costs_before.extract(call).mapped(), now = so_far();
    of_last = {{now.used.communication_s - then.used.communication_s, now.used.flips - then.used.flips,
                now.used.messages - then.used.messages, now.used.objects - then.used.objects},
               now.node_cpu_s,
               now.wall_s - then.wall_s};
    for (std::size_t n = 0; n < then.node_cpu_s.size(); ++n) of_last.node_cpu_s[n] -= then.node_cpu_s[n];
  }

  void wait_until(std::function<bool()> const& done) override {
    throw_if_failed();
    bool happened = true;
    try {
      happened = world->run_until([&] { return world->failed() || done(); });
    } catch (std::bad_alloc const&) {
      fail("after " + base::fixed(world->now_s(), 6) + " s of simulated time, " + memory_ran_out);
    } catch (std::system_error const& no_stack) {
      fail(no_stack.what());
    }
    if (!happened) world->fail(stall(world->waiting()));
    throw_if_failed();
  }

  [[noreturn]] void fail(std::string const& why) {
    end_records(why);
    throw error(why);
  }

  void throw_if_failed() override {
    if (!world || !world->failed()) return;
    world->unwind();
    end_records(in_a_line(*world->failed()));
    throw_failure(*world->failed());
  }

  call_statistics collect(std::uint64_t call) override { return statistics.take(call); }

  analysis::dynamic_efficiency::report efficiency_of(main_call const& of, call_statistics const&) override {
    return efficiency.take(of.call, of.start_s, of.end_s, options.window_s);
  }

  std::vector<double> capacities_now() override { return on.capacities(options.nodes); }

  void complete(ovlp::summary& all) override {
    all.host.wall_s = of_last.wall_s;
    simulation_summary& of = all.simulation.emplace();
    of.platform = on.name;
    of.platform_from = on.figures_from;
    of.execution = options.execution;
    of.communication_cpu_s = of_last.used.communication_s;
    of.node_cpu_s = of_last.node_cpu_s;
    of.network_flips = of_last.used.flips;
    of.overhead_from = overhead_from();
    if (auto const mean = kernels.weakest_mean()) {
      all.simulation->sampling_error = mean->relative_error;
    } else if (options.execution == "sampled") {
      all.simulation->sampling_error = 0;
    }
    duration_counts const call = counts_of_call();
    of.estimates = estimates_of(call);
    add_interval(of, call, all.time_s);
    if (node_memory const* const memory = world->memory()) {
      for (node_memory::usage const& u : memory->used()) {
        all.simulation->memory.push_back({u.node, u.bytes, u.peak_bytes});
      }
    }
    all.simulation->without_effect = without_effect();
    all.simulation->warnings = warnings();
  }

  void end() override {
    if (!world || !world->failed()) end_changes();
    bool const failed = world && world->failed();
    end_records(failed ? in_a_line(*world->failed()) : why_it_ends());
    if (failed) return;
    write_what_is_left(on.reference_core == "this machine" ? base::processor_name() : on.reference_core);
    if (world && !machine::platform::is_known(options.platform) &&
        options.platform != machine::platform::default_name()) {
      for (std::string const& line : without_effect()) {
        std::fprintf(stderr, "%s: note: no effect of %s\n", options.application.c_str(), line.c_str());
      }
    }
    for (std::string const& warning : warnings()) {
      std::fprintf(stderr, "%s: warning: %s\n", options.application.c_str(), warning.c_str());
    }
  }

  bool computes() const override { return kernels.all_run(); }
  void estimate(std::string kernel, kernel_estimate seconds) override {
    kernels.estimate(std::move(kernel), std::move(seconds));
  }
  void execute(std::string kernel, execution_mode mode) override { kernels.execute(std::move(kernel), mode); }

  std::string overhead_from() const {
    if (options.mode() == execution_mode::direct) return "measured";
    return kernels.runtime() ? "durations" : "platform";
  }

  /// What the platform's file says and nothing came of, in the whole run so far.
  std::vector<std::string> without_effect() const {
    run_facts facts{world->used(), world->machine().now_s(), overhead_from(), {}, world->used_nodes()};
    for (auto const& [kernel, counts] : kernels.counts()) {
      if (counts[static_cast<std::size_t>(duration_source::platform)] > 0) facts.by_models.insert(kernel);
    }
    return settings_without_effect(on, world->machine(), facts);
  }

  /// Kernels since the last call began.
  duration_counts counts_of_call() const {
    duration_counts all = kernels.counts();
    for (auto const& [kernel, earlier] : counts_before) {
      for (std::size_t from = 0; from < earlier.size(); ++from) all[kernel][from] -= earlier[from];
    }
    return all;
  }

  static std::map<std::string, std::map<std::string, std::uint64_t>> estimates_of(duration_counts const& call) {
    std::map<std::string, std::map<std::string, std::uint64_t>> all;
    bool measured_only = true;
    for (auto const& [kernel, counts] : call) {
      for (std::size_t from = 0; from < counts.size(); ++from) {
        if (counts[from] == 0) continue;
        all[kernel][duration_sources[from]] = counts[from];
        measured_only = measured_only && static_cast<duration_source>(from) == duration_source::measured;
      }
    }
    if (measured_only) all.clear();
    return all;
  }

  struct run_kind {
    std::optional<analysis::predicted> what;
    std::string why_none;
  };

  /// 12 nodes from a calibration of 4: docs/lab/validation.md.
  static constexpr std::size_t most_beyond = 3;

  /// A node is slow as some were that were measured: to 0.3 of its speed, or bandwidth, and never faster than usual.
  static bool slows_down_as_measured(net::factor_over_time const& factor) {
    bool faster = false;
    for (double t = 0; std::isfinite(t); t = factor.next_change_s(t)) faster |= factor.at(t) > 1;
    return !faster && factor.least() >= 0.3;
  }

  /// Of which kind of runs that were measured this is one, or why of none.
  run_kind kind_of_run() const {
    auto const none = [](std::string why) { return run_kind{{}, std::move(why)}; };
    std::string const platform = "platform '" + on.name + "'";
    if (!on.calibrated) return none(platform + " was not calibrated by ovlp calibrate");
    if (on.shares_host_evenly()) {
      if (options.nodes > on.kind_of(0).cores) return none("no more processes than cores of one machine were measured");
      return {analysis::predicted::time_on_this_machine, ""};
    }
    if (on.speed_deviation() == 0) return none(platform + " does not say how much nodes differed in calibration");
    auto const comes = [end_s = world->machine().now_s()](std::shared_ptr<net::factor_over_time const> const& factor) {
      return factor != nullptr && (factor->at(0) != 1 || factor->next_change_s(0) < end_s);
    };
    std::size_t slow = 0;
    std::set<machine::node_kind const*> kinds;
    for (std::size_t node = 0; node < options.nodes; ++node) {
      machine::node_kind const& kind = on.kind_of(node);
      if (kind.cores > 1) return none("no nodes of several cores were measured");
      if (!kind.slowdowns.empty()) return none("no nodes with random slowdowns were measured");
      kinds.insert(&kind);
      if (!comes(kind.speed_over_time) && !comes(kind.link.over_time)) continue;
      ++slow;
      for (auto const& factor : {kind.speed_over_time, kind.link.over_time}) {
        if (factor != nullptr && !slows_down_as_measured(*factor))
          return none("no nodes that are faster than usual, or below 0.3 of it, were measured");
      }
    }
    // The same node before and after the slow one is in two entries of the file; the slow one is as the others but for
    // what changes with time.
    auto const differs = [&](machine::node_kind const* kind) {
      machine::node_kind const& first = **kinds.begin();
      return kind->speed != first.speed || kind->capacity() != first.capacity() ||
             kind->link.out_Bps != first.link.out_Bps || kind->link.latency_s != first.link.latency_s;
    };
    if (std::ranges::any_of(kinds, differs)) return none("no nodes of several kinds were measured");
    if (slow > 1) return none("no runs with several slow nodes were measured");
    if (slow > 0 && options.nodes == 1) return none("no runs on a slow node alone were measured");
    bool const beyond = options.nodes > on.node_count();
    if (options.nodes > most_beyond * on.node_count())
      return none("no runs on more than three times as many nodes as were calibrated were measured");
    if (slow > 0 && beyond) return none("no runs with a slow node on more nodes than were calibrated were measured");
    return {slow > 0 ? analysis::predicted::time_of_unequal_nodes
            : beyond ? analysis::predicted::time_beyond_calibration
                     : analysis::predicted::time,
            ""};
  }

  /// Why no such prediction was measured, on whatever platform; empty: some were.
  std::string why_no_interval(duration_counts const& call) const {
    if (!options.without.empty()) return "--without changes the model";
    if (options.vary) return "--vary predicts one of many possible runs";
    if (!options.charge_as.empty()) return "--charge-as charges what another run took";
    if (auto const notes = notes_of_processors(false); !notes.empty()) return notes.front();
    std::uint64_t charged = 0;
    for (auto const& [kernel, counts] : call) {
      for (std::size_t from = 0; from < counts.size(); ++from) {
        if (counts[from] == 0) continue;
        if (static_cast<duration_source>(from) != duration_source::durations)
          return "kernel '" + kernel + "' took its duration from: " + duration_sources[from] + "; expected durations";
        charged += counts[from];
      }
    }
    if (charged == 0) return "no kernel was charged by --durations";
    if (kernels.uses_simulated()) return "--durations are those of a simulation, expected measured ones";
    if (kernels.uses_models()) return "a kernel was charged by a model, expected measured durations of its sizes";
    return "";
  }

  /// How far measured runs were from predictions like this one.
  void add_interval(simulation_summary& of, duration_counts const& call, double time_s) const {
    auto const [what, why_none] = kind_of_run();
    of.interval_from = what ? why_no_interval(call) : why_none;
    if (!of.interval_from.empty()) return;
    of.interval_of = analysis::key_of(*what);
    auto const known = analysis::known_error_of(*what);
    double const deviation = on.speed_deviation();
    of.interval_from = known ? known->text(*what, deviation) : "too few runs of this kind were measured";
    if (!known) return;
    of.prediction_spread = analysis::spread_of_predictions(deviation);
    auto const [low, high] = known->around(1, of.prediction_spread);
    of.interval = {std::max(0.0, low) * time_s, high * time_s};
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
    std::string const here = base::processor_name();
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
    if (!on.assumption.empty()) all.push_back("platform '" + on.name + "': " + on.assumption);
    if (on.calibrated && !on.shares_host_evenly() && options.nodes > on.node_count()) {
      all.push_back("platform '" + on.name + "' was calibrated on " + std::to_string(on.node_count()) +
                    " nodes, and the run has " + std::to_string(options.nodes) +
                    ": what only shows when more nodes communicate at once was not measured");
    }
    auto const mean = kernels.weakest_mean();
    if (mean && mean->relative_error > weak) {
      all.push_back("the mean charged for " + mean->of + " is of " + std::to_string(mean->samples) +
                    " measurements and has a standard error of " +
                    std::to_string(std::lround(100 * mean->relative_error)) +
                    " %: expected at most 10 %; --sample 5% measures until it is small");
    }
    std::size_t const cores = std::ranges::max(on.nodes, {}, &machine::node_kind::cores).cores;
    std::size_t const at_once = options.execution_threads > 0 ? std::min(cores, options.execution_threads) : cores;
    if (std::size_t const measured = kernels.cores_of_demands(); measured > 0 && at_once > measured) {
      all.push_back("how kernels slow each other down was measured with " + std::to_string(measured) +
                    " execution threads, and nodes compute with up to " + std::to_string(at_once) +
                    ": expected a recording with as many (--execution-threads)");
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
    bool const nothing_charged = none(duration_source::durations) && none(duration_source::interpolated);
    if (!options.durations.empty() && nothing_charged && overhead_from() != "durations") {
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
    bool const nodes_vary = std::ranges::any_of(on.nodes, [](machine::node_kind const& kind) {
      return kind.quota.has_value() || kind.speed_deviation > 0 || !kind.slowdowns.empty();
    });
    if (options.vary && !nodes_vary && !kernels.vary()) {
      without_effect("--vary", "neither --durations nor the platform says how anything varies");
    }
    if (world && world->memory() != nullptr) {
      for (std::string& line : memory_warnings(world->memory()->used())) all.push_back(std::move(line));
      for (std::uint32_t c = 0; c < program.collections(); ++c) {
        collection_definition const& threads = program.collection(c);
        if (threads.state.empty || threads.state.type != nullptr) continue;
        all.push_back("memory_bytes does not count the states of '" + threads.name + "', which are no data objects");
      }
    }
    if (std::uint64_t const count = world ? world->used().whole_latencies : 0; count > 0) {
      all.push_back(std::to_string(count) +
                    " objects waited for others to the same node and then for the whole latency: "
                    "with network.model \"" +
                    on.network.name +
                    "\" objects do not follow one another down the wire, "
                    "so times may be too long; the other models let them");
    }
    if (options.window_s > 0 && !records()) {
      without_effect("--window", "expected with --efficiency-over-time or --summary");
    }
    return all;
  }
};

engine::engine(int argc, char** argv)
    : engine(argc, argv, *std::make_unique<ovlp::options>(program_name(argc, argv), "")) {}

engine::engine(int argc, char** argv, options& application) : engine_base(make_run(argc, argv, application)) {}

std::unique_ptr<engine_base::implementation> engine::make_run(int argc, char** argv, options& application) {
  auto given = std::make_unique<simulation_options>(argc, argv, application);
  if (given->exploring.asked()) {
    explore::exploring const how = given->exploring;
    return explore::make_explored_run(std::move(given), how);
  }
  return std::make_unique<implementation>(std::move(given));
}

engine::~engine() = default;

}  // namespace ovlp::sim
