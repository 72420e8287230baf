// SPDX-License-Identifier: BSD-3-Clause
// ovlp replay
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/host.hpp>
#include <ovlp/base/json_object.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/progress.hpp>
#include <ovlp/base/version.hpp>
#include <ovlp/machine/platform.hpp>
#include <ovlp/mpi/describe.hpp>
#include <ovlp/mpi/replay.hpp>
#include <ovlp/mpi/trace_file.hpp>
#include <ovlp/records/run_recorder.hpp>

#include "mpi_trace.hpp"
#include "options.hpp"
#include "parts.hpp"
#include "subcommands.hpp"

namespace ovlp::tools {
namespace {

using json = nlohmann::ordered_json;

struct replay_command {
  std::string trace, platform, map, collectives, summary, record;
  std::uint64_t eager_bytes = mpi::replay_options().eager_bytes;
  double flops = mpi::usual_flops;
};

/// One replay, with what was given and what came.
struct replayed {
  mpi::trace trace;
  machine::platform platform;
  mpi::replay_options options;
  mpi::replay_result result;
  std::size_t records;
  double wall_s;
};

json traffic_of(mpi::replay_result::traffic const& of) { return {{"messages", of.messages}, {"bytes", of.bytes}}; }

json summary_of(replayed const& what) {
  json collectives, ranks = json::array(), left_out = json::array();
  for (mpi::left_out_calls const& one : what.trace.left_out)
    left_out.push_back({{"call", one.name}, {"calls", one.calls}, {"ranks", one.ranks}});
  for (std::size_t o = 0; o < mpi::operation_names.size(); ++o)
    collectives[std::string(mpi::operation_names[o])] =
        what.options.collectives.name(mpi::operation{static_cast<std::uint8_t>(o)});
  for (std::size_t r = 0; r < what.result.ranks.size(); ++r) {
    mpi::rank_times const& t = what.result.ranks[r];
    ranks.push_back({{"rank", r},
                     {"node", what.options.nodes[r]},
                     {"computing_s", t.computing_s},
                     {"sending_s", t.sending_s},
                     {"waiting_s", t.waiting_s},
                     {"collective_s", t.collective_s},
                     {"end_s", t.end_s}});
  }
  return {{"trace", what.trace.name},
          {"platform", what.platform.name},
          {"eager_bytes", what.options.eager_bytes},
          {"collectives", std::move(collectives)},
          {"records", what.records},
          {"left_out", std::move(left_out)},
          {"time_s", what.result.time_s},
          {"traffic", traffic_of(what.result.all)},
          {"traffic_between_nodes", traffic_of(what.result.between_nodes)},
          {"ranks", std::move(ranks)},
          {"host", {{"wall_s", what.wall_s}, {"peak_memory_bytes", base::peak_memory_bytes()}}}};
}

void print(replayed const& what) {
  mpi::replay_result const& result = what.result;
  auto const count = static_cast<double>(result.ranks.size());
  std::printf("%s, %zu ranks on %s: %.6f s\n", what.trace.name.c_str(), result.ranks.size(), what.platform.name.c_str(),
              result.time_s);
  std::printf("messages   %llu of %llu bytes; between nodes %llu of %llu bytes\n",
              static_cast<unsigned long long>(result.all.messages), static_cast<unsigned long long>(result.all.bytes),
              static_cast<unsigned long long>(result.between_nodes.messages),
              static_cast<unsigned long long>(result.between_nodes.bytes));
  std::printf("a rank        least [s]     mean [s]     most [s]\n");
  auto const row = [&](char const* name, double mpi::rank_times::*time) {
    auto const of = [&](mpi::rank_times const& t) { return t.*time; };
    auto const [first, last] = std::ranges::minmax(result.ranks, {}, time);
    double sum_s = 0;
    for (mpi::rank_times const& t : result.ranks) sum_s += of(t);
    std::printf("%-10s %12.6f %12.6f %12.6f\n", name, of(first), sum_s / count, of(last));
  };
  row("computing", &mpi::rank_times::computing_s);
  row("sending", &mpi::rank_times::sending_s);
  row("waiting", &mpi::rank_times::waiting_s);
  row("collective", &mpi::rank_times::collective_s);
  row("end", &mpi::rank_times::end_s);
}

std::shared_ptr<record_sink> recorder_for(replay_command const& command, mpi::trace const& trace,
                                          std::string& failure) {
  if (command.record.empty()) return nullptr;
  run_facts about{{"trace", command.trace}, {"version", std::string(version())}};
  if (!trace.left_out.empty()) about["left_out"] = mpi::describe_left_out(trace);
  return make_run_recorder(command.record, about, emitters::one_thread,
                           [&failure](std::string const& why) { failure = why; });
}

void run_replay(replay_command const& command) {
  for (std::string const& output : {command.summary, command.record}) expect_another_file(output, command.trace);
  base::expect_outputs({{command.summary, "{\"trace\""}});
  machine::platform const platform = machine::platform::find(command.platform);
  if (!platform.assumption.empty()) say("replay", platform.assumption);
  mpi::collective_choice const collectives(command.collectives);
  replayed all{read_mpi_trace("replay", command.trace, command.flops), platform, {}, {}, 0, 0};
  all.options.nodes = mpi::place_ranks(all.trace.ranks.size(), platform, command.map);
  all.options.eager_bytes = command.eager_bytes;
  all.options.collectives = collectives;
  for (mpi::trace_of_rank const& rank : all.trace.ranks) all.records += rank.records.size();

  std::string failure;
  {
    std::shared_ptr<record_sink> const recorder = recorder_for(command, all.trace, failure);
    all.options.sink = recorder.get();
    base::notice_interrupts();
    base::progress progress("ovlp replay", all.records, "records");
    all.options.progress = [&](std::size_t records) { progress.advance(records); };
    double const begun_s = base::monotonic_s();
    all.result = mpi::replay(all.trace, platform, all.options);
    all.wall_s = base::monotonic_s() - begun_s;
  }
  if (!failure.empty()) throw io_error(failure);
  if (!command.summary.empty()) base::write_output(command.summary, base::json_text(summary_of(all)) + "\n");
  if (command.summary != "-") print(all);
}

}  // namespace

void add_replay(CLI::App& ovlp) {
  auto const command = std::make_shared<replay_command>();
  CLI::App& replay = add_part(ovlp, "replay");
  add_required(replay, "trace", command->trace, "TRACE",
               "trace: ovlp's own, Dimemas, OTF2, GOAL or SimGrid's time-independent");
  add_required(replay, "--platform", command->platform, "PLATFORM", "platform: gigabit and the like, or a file (JSON)");
  add_option(replay, "--map", command->map, "NODES",
             "node of each rank, as \"node0*2 node1\"; by default in even blocks over the platform's nodes");
  add_option(replay, "--eager-bytes", command->eager_bytes, "N",
             "largest message that is sent before its receiver is there, if the trace does not say (65536)",
             whole_number(0, std::numeric_limits<std::size_t>::max()));
  add_option(replay, "--collectives", command->collectives, "NAMES",
             "algorithms: linear, binomial, ... for all operations that know it, all_reduce=ring for one; commas "
             "between");
  add_option(replay, "--flops", command->flops, "N",
             "of SimGrid's traces: operations of the reference core a second (1e9)", quantity(1e-3, 1e18));
  add_option(replay, "--summary", command->summary, "FILE",
             "write all figures as JSON; - for standard output, and no text");
  add_option(replay, "--record", command->record, "FILE", "store what happens, for ovlp export, report and metrics");
  replay.footer(
      "Examples:\n"
      "  ovlp replay cg.mpitrace --platform gigabit\n"
      "  ovlp replay cg.dim --platform cluster.json --map \"node[0-3]*2\" --collectives all_reduce=ring\n"
      "  ovlp replay cg.mpitrace --platform gigabit --record cg.sqlite && ovlp export cg.sqlite --to paraver -o "
      "cg.prv\n"
      "Traces: docs/formats/mpi-trace.md, what is modelled: docs/overlap-replay.md");
  replay.callback([command] { run_replay(*command); });
}

}  // namespace ovlp::tools
