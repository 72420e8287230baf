// SPDX-License-Identifier: BSD-3-Clause
// Replay of a trace that is made here: a stencil on a ring or a torus of ranks, with an all-reduce every ten steps.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <ovlp/mpi/replay.hpp>
#include <ovlp/mpi/trace_file.hpp>
#include <string>
#include <vector>

#include "../contestant.hpp"

namespace {

using namespace ovlp::mpi;
using ovlp::mpi::index;  // and not that of <strings.h>

/// Of ranks in `width` columns, on a torus; of one row it is a ring.
trace stencil(int ranks, int width, int steps) {
  trace made;
  made.name = "stencil";
  made.ranks.resize(static_cast<std::size_t>(ranks));
  auto& all = made.communicators.emplace_back();
  for (int r = 0; r < ranks; ++r) {
    all.push_back(r);
    int const x = r % width, y = r / width, height = ranks / width;
    std::vector<rank_id> neighbours{y * width + (x + 1) % width, y * width + (x + width - 1) % width};
    if (height > 1) {
      neighbours.push_back((y + 1) % height * width + x);
      neighbours.push_back((y + height - 1) % height * width + x);
    }
    auto& records = made.ranks[static_cast<std::size_t>(r)].records;
    for (int step = 0; step < steps; ++step) {
      for (index i = 0; i < neighbours.size(); ++i) {
        auto const tag = static_cast<std::int32_t>(i ^ 1U);  // what comes from one side is sent to the other
        records.emplace_back(receive{neighbours[i], tag, 8192, 0, i});
      }
      for (index i = 0; i < neighbours.size(); ++i)
        records.emplace_back(send{neighbours[i], static_cast<std::int32_t>(i), 8192});
      records.emplace_back(compute{1e-3 * (1 + 0.1 * ((r * 7 + step * 3) % 11))});
      for (index i = 0; i < neighbours.size(); ++i) records.emplace_back(wait{i});
      if (step % 10 == 9) records.emplace_back(collective{operation::all_reduce, 0, 0, 8, 8});
    }
  }
  return made;
}

}  // namespace

int main(int argc, char** argv) try {
  int ranks = 64, width = 0;
  double records_wanted = 1e6;
  std::string platform = PLATFORMS "/gigabit.json", file;
  CLI::App app("replay of a stencil");
  app.add_option("--ranks", ranks)->check(CLI::Range(2, 1'000'000));
  app.add_option("--width", width, "of the torus; else a ring");
  app.add_option("--records", records_wanted, "of the trace, about");
  app.add_option("--platform", platform);
  app.add_option("--file", file, "the trace is written there and read again first: .mpitrace or .dim");
  CLI11_PARSE(app, argc, argv);
  if (width == 0) width = ranks;

  int const per_step = width == ranks ? 7 : 13;
  trace t = stencil(ranks, width, static_cast<int>(records_wanted / ranks / per_step) + 1);
  double read_cpu_s = 0;
  if (!file.empty()) {
    write_trace(t, file);
    double const begun_cpu_s = bench::process_cpu_s();
    t = read_trace(file);
    read_cpu_s = bench::process_cpu_s() - begun_cpu_s;
  }
  std::size_t records = 0;
  for (trace_of_rank const& r : t.ranks) records += r.records.size();
  auto const on = ovlp::machine::platform::find(platform);
  replay_options how;
  for (int r = 0; r < ranks; ++r) how.nodes.push_back(static_cast<std::uint32_t>(r));
  double const start_cpu_s = bench::process_cpu_s();
  replay_result const result = replay(t, on, how);
  double const cpu_s = bench::process_cpu_s() - start_cpu_s;
  bench::report({{"contestant", "ovlp"},
                 {"ranks", ranks},
                 {"records", records},
                 {"messages", result.all.messages},
                 {"simulated_s", result.time_s},
                 {"read_cpu_s", read_cpu_s},
                 {"cpu_s", cpu_s},
                 {"records_per_cpu_s", static_cast<double>(records) / cpu_s}});
} catch (std::exception const& wrong) {
  std::fprintf(stderr, "%s\n", wrong.what());
  return 1;
}
