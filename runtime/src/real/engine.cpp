// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/real.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/base/host.hpp>
#include <ovlp/runtime/internal/main_run.hpp>

#include "control_socket.hpp"
#include "network.hpp"
#include "options.hpp"
#include "orders.hpp"
#include "reactor.hpp"
#include "world.hpp"

namespace ovlp::real {
namespace {

/// Polling is worth it only where it takes no CPU time from others of the run.
std::size_t polling_us(real_options const& options, std::size_t nodes) {
  if (options.poll_us) return *options.poll_us;
  bool const crowded = options.where().local() && nodes > base::available_cores();
  return crowded || base::own_cpu_limit() ? 0 : 50;
}

/// Of a node: the cores that its process may use, shared evenly with those of the same machine.
double capacity_of_node(real_options const& options, std::size_t nodes_on_machine) {
  auto cores = static_cast<double>(base::available_cores());
  if (auto const limit = base::own_cpu_limit()) cores = std::min(cores, limit->cores);
  cores /= static_cast<double>(nodes_on_machine);
  bool const limited = options.execution_threads > 0;
  return limited ? std::min(cores, static_cast<double>(options.execution_threads)) : cores;
}

/// After a failure, how long operations may go on before nobody waits for them any more.
constexpr std::chrono::milliseconds operation_patience{300};

}  // namespace

struct engine::implementation final : main_run {
  implementation(int argc, char** argv, ovlp::options& program_options)
      : options(argc, argv, program_options),
        given(options.launched_as()),
        polling(polling_us(options, options.nodes)),
        reactor(polling) {
    check_at_exit(options.application, !options.worker);  // a worker prints through node 0
    at_borders();                                         // says what is wrong with --policy
  }

  static std::unique_ptr<implementation> make(int argc, char** argv, ovlp::options& program_options) try {
    return std::make_unique<implementation>(argc, argv, program_options);
  } catch (error const&) {
    throw;
  } catch (std::exception const& thrown) {
    throw error("the engine cannot start: " + explained(thrown));
  }

  real_options const options;
  std::optional<ticket> given;        ///< of a process that node 0 launched, or made a node
  std::chrono::microseconds polling;  ///< how long an idle execution thread polls
  real::reactor reactor;
  std::optional<real::world> world;
  std::optional<common_parts> common;
  std::optional<thread_manager> manager;
  std::optional<real::network> network;
  std::optional<control_socket> control;
  processor_use used;  ///< as far as nodes have told
  bool told = false;   ///< the main program has heard of the failure

  run_options const& common_options() const override { return options; }
  thread_manager* driver() override { return manager ? &*manager : nullptr; }
  bool durations_need_no_records() const override { return true; }

  void start() override try {
    if (options.mpi() != nullptr && options.mpi()->rank() > 0) serve_mpi();
    make_node();
    if (given) {
      auto const [status, all_ended] = serve();
      if (!all_ended) end_at_once(status);
      if (status == 0) network->say_goodbye();
      std::exit(status);
    }
    network->begin();
    std::set<node_id> others = program.nodes_at_first(options.nodes);
    others.erase(0);
    network->launch_all(others);
    throw_if_failed();
    manager->start();
    throw_if_failed();
    if (!options.control.empty()) {
      control.emplace(options.control, [this](std::string const& line) {
        return answer_order(line, options.application, at_borders());
      });
    }
  } catch (error const&) {
    throw;
  } catch (std::exception const& thrown) {  // no thread, no memory
    throw error("the run cannot start: " + explained(thrown));
  }

  void make_node() {
    node_id const self = given ? given->node : 0;
    if (given && given->of_job) at_borders().measure_for_node_0();
    run_facts const about{{"clock", base::monotonic_clock_name()}};
    for (auto& file : make_files(options, self, given ? given->launch : 0, emitters::several_threads, about))
      sinks.own(std::move(file));
    std::vector<double> capacities(options.nodes, 0);
    std::size_t const on_machine = given ? given->on_machine : options.nodes_on_machine_of(0);
    double const capacity = capacity_of_node(options, on_machine);
    // A limit that a node has for itself is its capacity; one that nodes share lets them wait for each other.
    bool const own_quota = on_machine == 1 && base::own_cpu_limit().has_value();
    capacities.at(self) = capacity;
    statistics.keep_work_over_time();
    statistics.account_for_process(self);
    node_settings settings = begin_records(self, std::move(capacities));
    if (wants_durations()) settings.costs = &statistics.collect_runtime_costs();
    settings.cores = base::available_cores();
    if (options.execution_thread_per_core) settings.execution_threads = settings.cores;
    if (given) settings.launch = given->launch;
    if (settings.launch > 0) settings.orders = nullptr;  // of the node's first life
    settings.start_s = given ? given->start_s : base::monotonic_s();
    common.emplace(program, settings.nodes, settings.stack_bytes);
    world.emplace(reactor, base::available_cores(), polling.count() > 0);
    manager.emplace(self, program, *world, settings, *common);
    network.emplace(reactor, *world, *manager, program, options, statistics, capacity, own_quota, given);
    world->use(*network);
  }

  /// The status of this node, and whether its operations have ended: after a failure one may go on.
  std::pair<int, bool> serve() {
    manager->start(given->joins_later);
    int const status = network->serve();
    manager->stop();
    sinks.flush();
    if (given->launch == 0) end_order(given->node, given->start_s);
    if (status != 0) return {status, world->join_within(operation_patience)};
    world->join();
    return {status, true};
  }

  /// A process of MPI: a node whenever it gets a ticket. Node 0 tells how the run ended: a launcher ends all processes
  /// when one ends with another status than 0, and what node 0 has to say would be lost.
  [[noreturn]] void serve_mpi() {
    while (auto const line = options.mpi()->wait_for_ticket()) {
      take_ticket(*line);
      make_node();
      bool const all_ended = serve().second;
      network->say_goodbye();
      if (!all_ended) {
        while (options.mpi()->wait_for_ticket()) {
        }
        options.mpi()->end();
        end_at_once(0);
      }
      network.reset();
      manager.reset();
      common.reset();
      world.reset();
      sinks.clear();
    }
    options.mpi()->end();
    std::exit(0);
  }

  /// This may be called where nobody catches anything any more.
  void take_ticket(std::string const& line) try {
    given = ticket::parse(line);
    if (given->nodes != options.nodes) {
      throw config_error(node_name(given->node) + " was started with --nodes " + std::to_string(options.nodes) +
                         ", node0 with --nodes " + std::to_string(given->nodes));
    }
  } catch (config_error const& wrong) {
    std::fprintf(stderr, "%s: %s\n", options.application.c_str(), wrong.what());
    end_at_once(1);
  }

  bool holds_all_nodes() const override { return false; }

  void wait_until(std::function<bool()> const& done) override {
    world->block_main([&] { return network->failed() || done(); });
    throw_if_failed();
  }

  call_statistics collect(std::uint64_t call) override {
    call_statistics all = network->collect(call);
    throw_if_failed();
    used.add(all.processors);
    return all;
  }

  analysis::dynamic_efficiency::report efficiency_of(main_call const& of, call_statistics const& all) override {
    analysis::dynamic_efficiency found(network->capacities());
    for (node_record const& change : statistics.node_changes()) found.node(change);
    std::map<std::int32_t, iteration_work> iterations = all.iterations;
    for (auto& [index, i] : iterations) i.start_s = std::max(i.start_s, of.start_s);  // clocks differ a little
    found.add(of.call, iterations, all.over_time);
    return found.take(of.call, of.start_s, of.end_s, options.window_s);
  }

  std::vector<double> capacities_now() override { return network->capacities(); }

  void throw_if_failed() override {
    if (!network) return;
    auto const what = network->failed();
    if (!what) return;
    told = true;
    // All others end, and what they printed is out, before the caller hears of it: it may end at once.
    if (manager) manager->stop();
    world->join_within(operation_patience);
    network->finish(false);
    end_records(in_a_line(*what));
    throw_failure(*what);
  }

  void end() override {
    if (options.mpi() != nullptr && options.mpi()->rank() > 0) {
      if (std::uncaught_exceptions() > 0) return;  // the process ends, and the launcher the others
      serve_mpi();                                 // its program has called no graph
    }
    control.reset();
    if (!network || !network->failed()) end_changes();
    if (!network || !network->failed()) write_what_is_left(base::processor_name());
    tell_waits();
    if (manager) manager->stop();
    auto const what = network ? network->failed() : std::nullopt;
    end_records(what ? in_a_line(*what) : why_it_ends(), used);
    if (what) end_failed(*what);
    if (world) world->join();
    if (network) network->finish(!calls.any_open());
    tell_failure();
    join_records();
    if (options.mpi() != nullptr) options.mpi()->end(network && network->failed());
  }

  /// What went wrong after the main program had last asked: nothing else would say it.
  void tell_failure() {
    auto const what = network ? network->failed() : std::nullopt;
    if (what && !told && std::uncaught_exceptions() == 0) fail_at_exit(options.application, in_a_line(*what));
  }

  /// Whether a run that was measured had the processors to itself.
  void tell_waits() {
    if (!network || network->failed() || std::uncaught_exceptions() > 0) return;
    try {
      if (!options.record_file.empty()) collect(all_calls);
    } catch (std::exception const& wrong) {
      fail_at_exit(options.application, wrong.what());
    }
    if (std::string const line = warning_of(used); !line.empty() && records())
      std::fprintf(stderr, "%s: warning: %s\n", options.application.c_str(), line.c_str());
  }

  /// The others have written theirs.
  void join_records() {
    if (options.record_file.empty() || !world || options.worker) return;  // a worker that cannot join ends here, too
    sinks.clear();
    try {
      join_run_records(options.record_file);
    } catch (std::exception const& wrong) {
      fail_at_exit(options.application, std::string("--record: ") + wrong.what());
    }
  }

  /// A failed run does not wait for an operation of this node that goes on; but nothing that it uses may go away.
  void end_failed(failure const& what) {
    if (world->join_within(operation_patience)) return;
    network->finish(false);
    if (options.mpi() != nullptr) options.mpi()->end(true);
    std::cout.flush();
    if (std::uncaught_exceptions() > 0) {  // on its way to someone who will not report it
      try {
        throw_failure(what);
      } catch (error const& e) {
        std::fprintf(stderr, "ovlp: %s\n", e.what());
      }
    }
    std::fprintf(stderr, "ovlp: node0 ends while an operation still runs\n");
    end_at_once(1);
  }
};

engine::engine(int argc, char** argv)
    : engine(argc, argv, *std::make_unique<ovlp::options>(program_name(argc, argv), "")) {}

engine::engine(int argc, char** argv, options& application)
    : engine_base(implementation::make(argc, argv, application)) {}

engine::~engine() = default;

}  // namespace ovlp::real
