// SPDX-License-Identifier: BSD-3-Clause
#include "world/explored_run.hpp"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <ovlp/analysis/dynamic_efficiency.hpp>
#include <ovlp/analysis/identities.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/base/host.hpp>
#include <ovlp/records/recorded_run.hpp>
#include <ovlp/runtime/internal/calls.hpp>
#include <ovlp/runtime/internal/main_run.hpp>

#include "search/interleaving_file.hpp"
#include "search/request.hpp"
#include "world/explored_backend.hpp"
#include "world/fork_server.hpp"
#include "world/kept_object.hpp"

namespace ovlp::explore {
namespace {

/// Writes what another strategy chooses into the report.
class reported_order final : public strategy {
 public:
  reported_order(strategy& of, shared_report& to, bool whole) : of_(of), to_(to), whole_(whole) {}
  std::size_t choose(std::span<choice const> possible) override {
    std::size_t const chosen = of_.choose(possible);
    if (chosen != give_up) whole_ ? to_.chooses(possible, chosen) : to_.chooses(possible.subspan(chosen, 1), 0);
    return chosen;
  }
  void happened(std::span<resource const> touched) override {
    to_.touched(whole_ ? touched : std::span<resource const>());
    of_.happened(touched);
  }

 private:
  strategy& of_;
  shared_report& to_;
  bool const whole_;
};

std::size_t os_threads() {
  std::error_code wrong;
  auto const all = std::filesystem::directory_iterator("/proc/self/task", wrong);
  return wrong ? 1 : static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

/// A debugger that holds the process stops it here.
void stop_for_debugger() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("TracerPid:") && line.substr(10).find_first_not_of("\t 0") != std::string::npos)
      ::raise(SIGTRAP);
  }
}

struct explored_run final : main_run {
  explored_run(std::unique_ptr<run_options> given, exploring const& how)
      : options(std::move(given)), efficiency(capacities_now()) {
    if (how.server >= 0) server.emplace(how.server);
    if (!how.interleaving.empty()) {
      given_file = read_interleaving_file(how.interleaving);
      asked.differs = given_file.differs;
      if (given_file.most_choices > 0) asked.most_choices = given_file.most_choices;
      check_at_exit(options->application, true);
      for (auto& file : make_files(*options, 0, 0, emitters::one_thread)) sinks.own(std::move(file));
    }
    at_borders();  // says what is wrong with --policy
  }

  std::unique_ptr<run_options> const options;
  analysis::dynamic_efficiency efficiency;
  std::optional<fork_server> server;
  request asked;
  interleaving_file given_file;
  std::unique_ptr<strategy> chooses;
  std::optional<reported_order> reported;
  std::optional<explored_backend> world;
  run_collector records_of_run;
  outcome what_came;
  struct program_check {
    std::string name;
    std::function<bool()> holds;
    engine_base::checked when;
  };
  std::vector<program_check> checks;
  std::map<graph_definition const*, same_result> comparisons;
  std::map<std::uint64_t, graph_definition const*> graph_of_call;
  std::size_t threads_at_first = 0;  ///< of the OS; of a process that is not forked, a library's
  bool told = false;

  run_options const& common_options() const override { return *options; }
  thread_manager* driver() override { return world ? world->find_driver() : nullptr; }
  bool watches_steps() const override { return false; }  // a process that is forked has no other threads

  void start() override {
    threads_at_first = os_threads();
    if (server) {
      if (threads_at_first > 1)
        throw config_error("the program has " + std::to_string(threads_at_first) +
                           " OS threads at its first call, and a process that is forked has one");
      asked = server->serve();
    }
    chooses = make_strategy(asked);
    strategy* order = chooses.get();
    if (server) order = &reported.emplace(*chooses, server->report(), asked.moments);
    if (records()) sinks.add(efficiency);
    sinks.add(records_of_run);
    explored_backend::settings how;
    how.node = begin_records(0, capacities_now());
    how.node.cores = std::numeric_limits<std::size_t>::max();  // as many execution threads as DPS threads
    how.most_choices = asked.most_choices;
    if (asked.texts) {
      how.text = [this](std::uint64_t name, std::string const& of) { server->report().text(name, of); };
      how.object = [this](std::uint64_t name, std::uint64_t hash) { server->report().object(name, hash); };
    }
    if (!server) how.on_failure = stop_for_debugger;
    if (!checks.empty()) how.check = [this](bool at_end) { return look_at_checks(at_end); };
    world.emplace(program, std::move(how), *order);
    world->start_nodes(program.nodes_at_first(options->nodes));
    throw_if_failed();
  }

  std::uint64_t begin(graph_definition const& graph, object_type const& type, void* object) override {
    let_others_go_first();
    std::uint64_t const call = main_run::begin(graph, type, object);
    graph_of_call[call] = &graph;
    return call;
  }

  /// The main program does something more; if it has calls under way, others may go on before that.
  void let_others_go_first() {
    if (calls.any_open()) wait_until([] { return true; });
  }

  void resize(collection_definition const& collection, std::size_t count) override {
    let_others_go_first();
    main_run::resize(collection, count);
  }
  void remap(collection_definition const& collection, mapping const& to) override {
    let_others_go_first();
    main_run::remap(collection, to);
  }

  void end_of_iteration(int iteration, std::function<void(held_nodes const&)> const& change) override {
    let_others_go_first();
    main_run::end_of_iteration(iteration, change);
  }

  void wait_until(std::function<bool()> const& done) override {
    throw_if_failed();
    bool const here = world->run_until(done);
    if (!here) {
      world->explain(what_came);
      tell();
      // What is asked for of a run that is not at its end is that it says so; and there is no end to unwind.
      if (what_came.given_up || world->lasts()) ::_exit(what_came.given_up ? 0 : 1);
      world->fail(world->as_stall());
    }
    throw_if_failed();
  }

  void throw_if_failed() override {
    if (!world || !world->failed()) return;
    what_came.failure = in_a_line(*world->failed());
    tell();
    world->unwind();
    end_records(what_came.failure);
    throw_failure(*world->failed());
  }

  void finish_call(std::uint64_t call, object_type const& type, void* result_storage) override {
    same_result const same = find_comparison(call);
    main_run::finish_call(call, type, result_storage);
    kept_object const got = keep(type, result_storage);
    std::size_t const number = what_came.results.size();
    what_came.results.push_back(got.hash());
    if (asked.is_expected) return server->report().result(got);
    std::string wrong;
    if (server && number < server->expected().size()) {
      kept_object const& expected = server->expected()[number];
      wrong = difference(type, expected, got, asked.tolerance, same);
      if (wrong.empty()) what_came.results.back() = expected.hash();
    } else if (!server && number < given_file.plain_results.size() && given_file.plain_results[number] != got.hash()) {
      wrong = "is another one than in the plain order";
    }
    if (!wrong.empty() && what_came.failure.empty())
      what_came.failure = "the result of call " + std::to_string(number + 1) + " " + wrong;
  }

  void compare(graph_definition const& graph, same_result same) override {
    main_run::compare(graph, same);
    comparisons[&graph] = std::move(same);
  }
  void check(std::string name, std::function<bool()> holds, engine_base::checked when) override {
    main_run::check(name, holds, when);
    checks.push_back({std::move(name), std::move(holds), when});
  }

  same_result find_comparison(std::uint64_t call) const {
    auto const graph = graph_of_call.find(call);
    auto const known = graph == graph_of_call.end() ? comparisons.end() : comparisons.find(graph->second);
    return known == comparisons.end() ? same_result() : known->second;
  }

  std::string look_at_checks(bool at_end) const {
    for (program_check const& one : checks) {
      if (!at_end && one.when == engine_base::checked::at_the_end) continue;
      try {
        if (!one.holds()) return "check '" + one.name + "' does not hold";
      } catch (std::exception const& thrown) {
        return "check '" + one.name + "' threw: " + thrown.what();
      }
    }
    return "";
  }

  call_statistics collect(std::uint64_t call) override { return statistics.take(call); }
  analysis::dynamic_efficiency::report efficiency_of(main_call const& of, call_statistics const&) override {
    return efficiency.take(of.call, of.start_s, of.end_s, options->window_s);
  }
  std::vector<double> capacities_now() override { return std::vector<double>(options->nodes, 1.0); }

  void end() override {
    if (world && !world->failed()) {
      end_changes();
      if (!calls.any_open() && std::uncaught_exceptions() == 0) world->let_end(what_came);
    }
    if (world && !world->failed()) {
      end_records(why_it_ends());
      look_at_identities();
      write_what_is_left(wants_durations() ? base::processor_name() : "");
    }
    tell();
  }

  /// What must hold of the records of every run. Of a run that fails they are not whole.
  void look_at_identities() {
    if (!what_came.failure.empty() || calls.any_open() || std::uncaught_exceptions() > 0) return;
    recorded_run const run = records_of_run.take();
    std::vector<std::string> const broken = analysis::identities(run).broken();
    if (!broken.empty()) what_came.failure = "the records of the run contradict themselves: " + broken.front();
  }

  /// Whoever asked for this run: how it ended. Without a server the user, if it failed.
  void tell() {
    if (std::exchange(told, true)) return;
    if (world) what_came.choices = world->choices();
    if (what_came.failure.empty() && os_threads() > threads_at_first)
      what_came.failure = "the program has started OS threads: what they do first nobody chooses";
    if (server) return server->report().ended(what_came);
    say_what_did_not_happen();
    if (what_came.failure.empty()) return;
    stop_for_debugger();
    fail_at_exit(options->application, "in this interleaving: " + what_came.failure);
  }

  /// Of the file: that it is of another program, or of another version of it.
  void say_what_did_not_happen() const {
    std::size_t const waited = static_cast<given_order const&>(*chooses).not_come_up();
    if (!world || waited == 0) return;
    std::fprintf(stderr,
                 "%s: note: %zu of the %zu events that the interleaving holds back, or that they wait for, did not "
                 "happen: it was made for another program, other arguments, or another version\n",
                 options->application.c_str(), waited, asked.differs.size());
  }
};

}  // namespace

std::unique_ptr<engine_base::implementation> make_explored_run(std::unique_ptr<run_options> options,
                                                               exploring const& how) {
  return std::make_unique<explored_run>(std::move(options), how);
}

}  // namespace ovlp::explore
