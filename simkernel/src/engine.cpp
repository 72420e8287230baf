// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/simkernel/simulated.hpp>

#include <exception>
#include <functional>
#include <map>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include <ovlp/analysis/dynamic_efficiency.hpp>
#include <ovlp/flowgraph/error.hpp>
#include <ovlp/simkernel/platform.hpp>

#include "kernel_times.hpp"
#include "runtime/src/host.hpp"
#include "runtime/src/main_calls.hpp"
#include "runtime/src/program.hpp"
#include "runtime/src/run_options.hpp"
#include "runtime/src/statistics.hpp"
#include "world.hpp"

namespace ovlp::sim {
namespace {

execution_mode mode_of(run_options const& options) {
  if (options.execution == "partial") return execution_mode::partial;
  return options.execution == "sampled" ? execution_mode::sampled : execution_mode::direct;
}

run_options checked(run_options read, platform const& on) {
  if (read.no_alloc && read.execution != "partial") {
    throw config_error("--no-alloc: expected --execution partial, got " + read.execution +
                       ": bodies of kernels that run need their elements");
  }
  if (!read.nodes_given) read.nodes = on.node_count();
  return read;
}

/// Where the records of all nodes go.
class records final : public record_sink {
 public:
  explicit records(std::vector<double> reference_cores) : efficiency(std::move(reference_cores)) {}
  void step(step_record const& record) override {
    statistics.step(record);
    efficiency.step(record);
  }
  void kernel(kernel_record const& record) override { statistics.kernel(record); }
  void transfer(transfer_record const& record) override { statistics.transfer(record); }
  void control_message(std::uint64_t call) override { statistics.control_message(call); }
  void node(node_record const& record) override {
    statistics.node(record);
    efficiency.node(record);
  }

  statistics_sink statistics;
  analysis::dynamic_efficiency efficiency;
};

std::vector<double> capacities(platform const& on, std::size_t nodes) {
  std::vector<double> all;
  for (std::size_t n = 0; n < nodes; ++n) {
    all.push_back(on.kind_of(n).capacity());
  }
  return all;
}

}  // namespace

struct engine::implementation {
  explicit implementation(run_options const& read)
      : on(platform::find(read.platform)),
        options(checked(read, on)),
        sink(capacities(on, options.nodes)),
        kernels(mode_of(options), sampling::parse(options.sample), options.host_speed, on),
        recording(options.ask_for_figures()) {
    for (std::string const& file : options.durations) kernels.read(file);
    if (options.vary) kernels.vary(*options.vary);
  }

  platform on;
  run_options options;
  ovlp::program program;
  records sink;
  kernel_times kernels;
  bool recording;
  std::optional<sim::world> world;
  main_calls calls;
  std::map<std::uint64_t, sim::world::usage> used_before;  ///< until a call began
  sim::world::usage used{};                                ///< during the call that ended last
  bool written = false;                                    ///< what the options ask for

  /// Before the first call.
  void start() {
    if (world) return;
    program.close();
    node_settings settings;
    settings.nodes = options.nodes;
    settings.execution_threads = options.execution_threads;
    settings.stack_bytes = options.stack_kib * 1024;
    settings.concurrent_per_pair = on.runtime.concurrent_per_pair;
    settings.sink = recording ? &sink : nullptr;
    world.emplace(on, program, kernels, settings, on.make_network(options.nodes), mode_of(options), options.host_speed);
    if (options.execution_thread_per_core) world->use_a_thread_per_core();
    if (options.no_alloc) world->allocate_nothing();
    if (options.shuffle) world->shuffle(*options.shuffle);
    if (options.vary) world->vary(*options.vary);
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
    throw_failure(*world->failed());
  }

  void wait_for_change(std::uint64_t change) {
    std::exception_ptr refused;
    simulate_until([&] {
      try {
        return world->driver().change_made(change, nullptr);
      } catch (...) {
        refused = std::current_exception();
        return true;
      }
    });
    if (refused) std::rethrow_exception(refused);
  }
};

engine::engine(int argc, char** argv) {
  report_uncaught_errors();
  ovlp::options none(program_name(argc, argv), "");
  implementation_ = std::make_unique<implementation>(read_command_line(argc, argv, none, backend_kind::simulated));
}

engine::engine(int argc, char** argv, options& application) {
  report_uncaught_errors();
  implementation_ =
      std::make_unique<implementation>(read_command_line(argc, argv, application, backend_kind::simulated));
}

engine::~engine() {
  implementation& run = *implementation_;
  if (!run.world || !run.world->failed()) write_if_asked(*this, run.options, run.written || !run.calls.any());
}

bool engine::computes() const { return implementation_->kernels.all_run(); }

void engine::estimate(std::string kernel, kernel_estimate seconds) {
  implementation_->kernels.estimate(std::move(kernel), std::move(seconds));
}

void engine::execute(std::string kernel, execution_mode mode) {
  implementation_->kernels.execute(std::move(kernel), mode);
}

std::size_t engine::nodes() const { return implementation_->options.nodes; }

void engine::add_graph(std::shared_ptr<graph_definition> const& graph) { implementation_->program.add(graph); }

std::uint64_t engine::begin_call(std::shared_ptr<graph_definition> const& graph, object_type const& type,
                                 void* object) {
  implementation& run = *implementation_;
  run.program.add(graph);
  run.start();
  run.throw_if_failed();
  world::usage const before = run.world->used();
  std::uint64_t const call = run.world->driver().call(*graph, type, object, 0, no_iteration);
  run.calls.begun(call, run.world->now_s(), monotonic_s());
  run.used_before[call] = before;
  return call;
}

void engine::finish_call(std::uint64_t call, object_type const& type, void* result_storage) {
  implementation& run = *implementation_;
  run.simulate_until([&] { return run.world->driver().result_there(call); });
  run.calls.ended(call, run.world->now_s(), monotonic_s());
  world::usage const before = run.used_before.extract(call).mapped(), now = run.world->used();
  run.used = {now.communication_s - before.communication_s, now.flips - before.flips};
  envelope_ptr const result = run.world->driver().take_result(call);
  type.move(result_storage, result->object());
}

void engine::resize_collection(collection_definition const& collection, std::size_t count) {
  implementation_->start();
  implementation_->wait_for_change(implementation_->world->driver().request_resize(collection, count));
}

void engine::remap_collection(collection_definition const& collection, mapping const& to) {
  implementation_->start();
  implementation_->wait_for_change(implementation_->world->driver().request_remap(collection, to));
}

void engine::record() {
  if (implementation_->world) throw config_error("record() comes before the first call");
  implementation_->recording = true;
}

ovlp::summary engine::summary() {
  implementation& run = *implementation_;
  run.throw_if_failed();
  if (!run.recording) throw config_error("summary() needs --summary, or record() before the first call");
  main_call const last = run.calls.take_last();
  ovlp::summary figures =
      summarize(run.options, "simulated", last, run.sink.statistics.take(last.call), run.sink.statistics);
  analysis::dynamic_efficiency::report const found =
      run.sink.efficiency.take(last.call, last.start_s, last.end_s, run.options.window_s);
  figures.backend_figures.emplace_back("platform", run.on.name);
  figures.backend_figures.emplace_back("execution", run.options.execution);
  figures.backend_figures.emplace_back("efficiency", found.efficiency);
  figures.backend_figures.emplace_back("communication_cpu_s", run.used.communication_s);
  figures.backend_figures.emplace_back("network_flips", static_cast<std::int64_t>(run.used.flips));
  if (run.options.execution == "sampled") {
    figures.backend_figures.emplace_back("sampling_error", run.kernels.sampling_error());
  }
  for (std::size_t i = 0; i < found.iterations.size(); ++i) {
    analysis::iteration_efficiency const& e = found.iterations[i];
    figures.iterations[i].efficiency = efficiency_summary{
        e.efficiency, e.interval_efficiency, e.interval_start_s - last.start_s, e.interval_end_s - last.start_s};
  }
  for (analysis::window_efficiency const& w : found.windows) {
    figures.over_time.push_back(
        {w.start_s - last.start_s, w.end_s - last.start_s, run.sink.statistics.held(w.start_s), w.efficiency});
  }
  return figures;
}

void engine::write(ovlp::summary const& figures) const {
  implementation_->written = true;
  if (!implementation_->options.summary_file.empty()) write_summary(implementation_->options.summary_file, figures);
  if (!implementation_->options.efficiency_file.empty()) {
    write_efficiency(implementation_->options.efficiency_file, figures);
  }
  if (!implementation_->options.over_time_file.empty()) {
    write_over_time(implementation_->options.over_time_file, figures);
  }
}

}  // namespace ovlp::sim
