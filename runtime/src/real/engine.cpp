// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/real.hpp>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <set>

#include <ovlp/flowgraph/error.hpp>
#include <ovlp/runtime/internal/calls.hpp>
#include <ovlp/runtime/internal/main_calls.hpp>
#include <ovlp/runtime/internal/process_exit.hpp>
#include <ovlp/runtime/internal/program.hpp>
#include <ovlp/runtime/internal/reallocation.hpp>
#include <ovlp/runtime/internal/statistics.hpp>
#include <ovlp/runtime/internal/thread_manager.hpp>
#include <ovlp/support/host.hpp>

#include "network.hpp"
#include "options.hpp"
#include "reactor.hpp"
#include "world.hpp"

namespace ovlp::real {
namespace {

std::optional<ticket> read_ticket(real_options const& options) {
  if (!options.worker) return std::nullopt;
  if (::isatty(STDIN_FILENO) == 1) return ticket::parse("");  // nobody is to type one
  // Byte by byte: what follows on standard input is not for us.
  std::string line;
  for (char c = 0; line.size() < 65536 && ::read(STDIN_FILENO, &c, 1) == 1 && c != '\n';) line += c;
  return ticket::parse(line);
}

/// Polling is worth it only where it takes no CPU time from others of the run.
std::size_t polling_us(real_options const& options, std::size_t nodes) {
  if (options.poll_us) return *options.poll_us;
  bool const crowded = options.hosts_file.empty() && nodes > support::available_cores();
  return crowded || support::own_cpu_limit() ? 0 : 50;
}

/// After a failure, how long operations may go on before nobody waits for them any more.
constexpr std::chrono::milliseconds operation_patience{300};

}  // namespace

struct engine::implementation {
  implementation(int argc, char** argv, ovlp::options& program_options)
      : options(argc, argv, program_options),
        given(read_ticket(options)),
        polling(polling_us(options, options.nodes)),
        reactor(polling),
        world(reactor, support::available_cores(), polling.count() > 0),
        recording(options.ask_for_figures() || !options.durations_file.empty()) {
    if (!options.worker) check_output_at_exit(options.application);
  }

  static std::unique_ptr<implementation> make(int argc, char** argv, ovlp::options& program_options) {
    report_uncaught_errors();
    try {
      return std::make_unique<implementation>(argc, argv, program_options);
    } catch (error const&) {
      throw;
    } catch (std::exception const& thrown) {
      throw error(std::string("the engine cannot start: ") + thrown.what());
    }
  }

  real_options const options;
  std::optional<ticket> given;  ///< of a process that node 0 launched
  ovlp::program program;
  statistics_sink statistics;
  ovlp::sinks sinks;
  run_definitions names;
  std::chrono::microseconds polling;  ///< how long an idle execution thread polls
  real::reactor reactor;
  real::world world;
  bool recording;
  std::optional<thread_manager> manager;
  std::optional<real::network> network;
  main_calls calls;
  std::optional<ovlp::summary> figures;  ///< of the call that ended last, once they have been asked for
  bool written = false;                  ///< what the options ask for

  /// Before the first call. In a launched process it does not return.
  void start() {
    if (manager) return;
    try {
      start_run();
    } catch (error const&) {
      throw;
    } catch (std::exception const& thrown) {  // no thread, no memory
      throw error(std::string("the run cannot start: ") + thrown.what());
    }
  }

  void start_run() {
    program.close();
    node_settings settings;
    settings.nodes = options.nodes;
    settings.cores = support::available_cores();
    settings.execution_threads = options.execution_thread_per_core ? settings.cores : options.execution_threads;
    settings.stack_bytes = options.stack_kib * 1024;
    node_id const self = given ? given->node : 0;
    if (recording) sinks.add(statistics);
    if (auto trace = make_trace(options, self)) sinks.own(std::move(trace));
    if (!sinks.empty()) {
      settings.sink = &sinks;
      names = program.definitions(options.application, "real", options.nodes, self);
      sinks.begin(names);
    }
    if (given) settings.launch = given->launch;
    cluster const where = given ? cluster{} : read_cluster(options);
    manager.emplace(self, program, world, settings);
    network.emplace(reactor, world, *manager, program, options, statistics, given, where);
    world.use(*network);
    if (given) serve();
    network->begin();
    std::set<node_id> others = program.nodes_at_first(options.nodes);
    others.erase(0);
    network->launch_all(others);
    throw_if_failed();
    manager->start();
    throw_if_failed();
  }

  [[noreturn]] void serve() {
    manager->start(given->joins_later);
    int const status = network->serve();
    manager->stop();
    sinks.flush();
    if (status != 0) {
      if (world.join_within(operation_patience)) std::exit(status);
      std::cout.flush();
      std::fflush(nullptr);
      ::_exit(status);
    }
    world.join();
    network->say_goodbye();
    std::exit(status);
  }

  void wait_for_change(std::uint64_t change) {
    bool made = false;
    std::exception_ptr refused;
    world.block_main([&] {
      try {
        made = manager->reallocation().change_made(change, nullptr);
      } catch (...) {
        refused = std::current_exception();
      }
      return made || refused || network->failed();
    });
    if (refused) std::rethrow_exception(refused);
    throw_if_failed();
  }

  void throw_if_failed() {
    if (!network) return;
    auto const what = network->failed();
    if (!what) return;
    // All others end, and what they printed is out, before the caller hears of it: it may end at once.
    if (manager) manager->stop();
    world.join_within(operation_patience);
    network->finish(false);
    throw_failure(*what);
  }

  /// A failed run does not wait for an operation of this node that goes on; but nothing that it uses may go away.
  void end_failed(failure const& what) {
    if (world.join_within(operation_patience)) return;
    network->finish(false);
    std::cout.flush();
    if (std::uncaught_exceptions() > 0) {  // on its way to someone who will not report it
      try {
        throw_failure(what);
      } catch (error const& e) {
        std::fprintf(stderr, "ovlp: %s\n", e.what());
      }
    }
    std::fprintf(stderr, "ovlp: node0 ends while an operation still runs\n");
    std::fflush(nullptr);
    ::_exit(1);
  }
};

engine::engine(int argc, char** argv) {
  ovlp::options none(program_name(argc, argv), "");
  implementation_ = implementation::make(argc, argv, none);
}

engine::engine(int argc, char** argv, options& application)
    : implementation_(implementation::make(argc, argv, application)) {}

engine::~engine() {
  implementation& run = *implementation_;
  if (!run.network || !run.network->failed()) {
    write_what_is_left(*this, run.options, run.written, support::processor_name(), [&] {
      run.calls.last();  // without a call there is no network
      call_statistics all = run.network->collect(all_calls);
      run.throw_if_failed();
      return all;
    });
  }
  if (run.manager) run.manager->stop();
  run.sinks.flush();
  if (auto const what = run.network ? run.network->failed() : std::nullopt) run.end_failed(*what);
  run.world.join();
  if (run.network) run.network->finish(!run.calls.any_open());
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
  double const now_s = run.world.now_s();
  std::uint64_t const call = run.manager->calls().begin(*graph, type, object, 0, no_iteration);
  run.calls.begun(call, run.program.number_of(*graph), now_s, now_s, run.sinks);
  return call;
}

void engine::finish_call(std::uint64_t call, object_type const& type, void* result_storage) {
  implementation& run = *implementation_;
  run.calls.check_caller();
  run.world.block_main([&] { return run.network->failed() || run.manager->calls().result_there(call); });
  run.throw_if_failed();
  double const now_s = run.world.now_s();
  run.calls.ended(call, now_s, now_s, run.sinks);
  run.figures.reset();
  envelope_ptr const result = run.manager->calls().take_result(call);
  type.move(result_storage, result->object());
}

void engine::resize_collection(collection_definition const& collection, std::size_t count) {
  implementation_->calls.check_caller();
  implementation_->start();
  implementation_->wait_for_change(implementation_->manager->reallocation().request_resize(collection, count));
}

void engine::remap_collection(collection_definition const& collection, mapping const& to) {
  implementation_->calls.check_caller();
  implementation_->start();
  implementation_->wait_for_change(implementation_->manager->reallocation().request_remap(collection, to));
}

void engine::record() {
  if (implementation_->manager) throw config_error("record() comes before the first call");
  implementation_->recording = true;
}

void engine::attach(std::shared_ptr<record_sink> sink) {
  if (implementation_->manager) throw config_error("attach() comes before the first call");
  if (!sink) throw config_error("attach() expects a sink, got none");
  implementation_->sinks.own(std::move(sink));
}

ovlp::summary engine::summary() {
  implementation& run = *implementation_;
  run.calls.check_caller();
  run.throw_if_failed();
  if (!run.recording) throw config_error("summary() needs --summary, or record() before the first call");
  main_call const& last = run.calls.last();
  if (!run.figures) {
    call_statistics const all = run.network->collect(last.call);
    run.throw_if_failed();
    run.figures = summarize(run.options, "real", last, all, run.statistics);
  }
  return *run.figures;
}

void engine::write(ovlp::summary const& figures) const {
  implementation_->written = true;
  write_figures(implementation_->options, figures);
}

}  // namespace ovlp::real
