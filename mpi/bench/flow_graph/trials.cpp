// SPDX-License-Identifier: BSD-3-Clause
#include "trials.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include <ovlp/base/error.hpp>
#include <ovlp/base/host.hpp>

#include "bench/work.hpp"

namespace ovlp::overlap_bench {
namespace {

constexpr double ps_per_s = 1e12;

std::size_t participants(engine_base const& run) {
  if (run.nodes() < 3) {
    throw config_error("--nodes: expected at least 3, of which node 0 conducts and the others are the ranks, got " +
                       std::to_string(run.nodes()));
  }
  return run.nodes() - 1;
}

/// Of doubles: blocks are whole numbers of them.
std::size_t elements_of(std::size_t bytes) { return (bytes + sizeof(double) - 1) / sizeof(double); }

}  // namespace

trials::trials(engine_base& run, double add_s)
    : run_(run),
      ranks_(participants(run)),
      conductor_("conductor", mapping("node0")),
      operators_("operators", mapping::in_turn(ranks_, ranks_, 1)),
      workers_("workers", mapping::in_turn(ranks_, ranks_, 1)),
      graph_(make()) {
  run_.attach(times_);
  run_.add(graph_);
  run_.estimate("overlap_bench.work",
                [](std::span<std::int64_t const> sizes) { return static_cast<double>(sizes.front()) / ps_per_s; });
  run_.estimate("overlap_bench.align", 0);
  run_.estimate("overlap_bench.sum",
                [add_s](std::span<std::int64_t const> sizes) { return add_s * static_cast<double>(sizes.front()); });
}

void trials::operate(ranks_here& here, order what, out<block>& blocks, out<piece>& work) {
  rank_state& mine = here.state;
  std::size_t const ranks = here.size(), rank = here.index(), others = ranks - 1;
  std::size_t const elements = elements_of(what.bytes);
  if (mine.content.size() != elements) mine.content = buffer<double>(elements);
  bool const root = rank == 0;
  mine.reduces = what.what == operation::reduce || what.what == operation::all_reduce;
  if (mine.reduces) mine.sum = mine.content;

  auto const send = [&](std::size_t to, std::size_t phase, buffer<double> const& content) {
    blocks.post({static_cast<std::uint32_t>(to), static_cast<std::uint32_t>(phase), content});
  };
  auto const send_to_all = [&](std::size_t phase, buffer<double> const& content) {
    for (std::size_t distance = 1; distance < ranks; ++distance) send((rank + distance) % ranks, phase, content);
  };
  auto const work_begins = [&] {
    auto const slices = what.work_ps == 0 ? 1 : static_cast<std::int64_t>(what.slices);
    for (std::int64_t i = 0; i < slices; ++i) work.post({what.work_ps * (i + 1) / slices - what.work_ps * i / slices});
  };
  auto const await = [&](std::size_t phase, std::size_t count) {
    here.wait_until([&] { return mine.arrived[phase] == count; });
  };

  switch (what.what) {
    case operation::broadcast:
    case operation::scatter:  // here all blocks are alike: the root gives each rank the same memory
      if (root) send_to_all(0, mine.content);
      work_begins();
      if (!root) await(0, 1);
      break;
    case operation::reduce:
    case operation::gather:
      if (!root) send(0, 0, mine.content);
      work_begins();
      if (root) await(0, others);
      break;
    case operation::all_reduce:
      if (!root) send(0, 0, mine.content);
      work_begins();
      await(root ? 0 : 1, root ? others : 1);
      if (root) send_to_all(1, mine.sum);
      break;
    case operation::all_gather:
    case operation::all_to_all:
      send_to_all(0, mine.content);
      work_begins();
      await(0, others);
      break;
    case operation::all_to_allv:
      for (std::size_t distance = 1; distance < ranks; ++distance) {
        std::size_t const some = elements_of(bytes_at(distance, what.bytes, ranks));
        send((rank + distance) % ranks, 0, buffer<double>::uninitialized(some));
      }
      work_begins();
      await(0, others);
      break;
    case operation::barrier:
      send((rank + 1) % ranks, 0, {});
      work_begins();
      await(0, 1);
      for (std::size_t phase = 1; std::size_t{1} << phase < ranks; ++phase) {
        send((rank + (std::size_t{1} << phase)) % ranks, phase, {});
        await(phase, 1);
      }
      break;
  }
}

trials::taken trials::take(ranks_here& here, block block) {
  rank_state& mine = here.state;
  if (mine.reduces && block.phase == 0) {
    here.kernel("overlap_bench.sum", {block.content.size()}, [&] {
      std::transform(block.content.data(), block.content.data() + block.content.size(), mine.sum.data(),
                     mine.sum.mutate().data(), std::plus<>());
    });
  }
  ++mine.arrived[block.phase];
  return {};
}

graph<trials::order, std::vector<run_times>> trials::make() const {
  graph<order, std::vector<run_times>> g("trial");
  auto release = g.split("release", conductor_, [ranks = ranks_](order what, out<order>& each) {
    for (std::size_t rank = 0; rank < ranks; ++rank) each.post(what);
  });
  auto align = g.leaf("align", operators_, [](ranks_here& here, order what) {
    here.kernel("overlap_bench.align", {}, [&] {
      if (what.clock == base::monotonic_clock_name()) start_at(what.start_s);
    });
    return what;
  });
  auto start = g.split("operate", operators_, operate);
  auto arrive = g.leaf("take", operators_, take);
  auto compute = g.leaf("work", workers_, [](here<>& here, piece some) {
    here.kernel("overlap_bench.work", {some.work_ps},
                [&] { compute_for(static_cast<double>(some.work_ps) / ps_per_s); });
    return taken{};
  });
  auto const take_all = [](in<taken>& all) {
    all.drain();
    return taken{};
  };
  auto ended = g.merge("ended", conductor_, take_all);
  auto finish = g.merge("finish", conductor_, take_all);
  auto ask = g.split("ask", conductor_, [ranks = ranks_](taken, out<taken>& each) {
    for (std::size_t rank = 0; rank < ranks; ++rank) each.post({});
  });
  auto report = g.leaf("report", operators_, [all = times_](ranks_here& here, taken) {
    here.state.arrived.fill(0);
    here.state.reduces = false;
    node_times const times = all->take(here.node());
    double const end_s = std::max(times.ended_s, times.worked_s);
    return run_times{end_s - times.start_s, times.posted_s - times.start_s, end_s - times.worked_s};
  });
  auto list = g.gather<run_times>("list", conductor_);

  g.enter(release, at(0));
  g.edge(release, align, in_turn());
  g.edge(align, start, relative(0));
  g.edge(start.port<block>(), arrive, by(&block::to));
  g.edge(start.port<piece>(), compute, relative(0));
  g.edge(arrive, ended, at(0));
  g.edge(compute, ended, at(0));
  g.edge(ended, finish, at(0));
  g.edge(finish, ask, at(0));
  g.edge(ask, report, in_turn());
  g.edge(report, list, at(0));
  g.leave(list);
  return g;
}

std::vector<run_times> trials::run(trial const& what, std::size_t runs) {
  // Long enough for the order to have come to all ranks.
  double const until_start_s = 1e-3 + 1e-4 * static_cast<double>(ranks_);
  order one{what.what, what.bytes, std::llround(what.work_s * ps_per_s), static_cast<std::uint32_t>(what.slices),
            0,         {}};
  std::vector<run_times> all;
  for (std::size_t i = 0; i < runs; ++i) {
    if (run_.computes()) {
      one.clock = base::monotonic_clock_name();
      one.start_s = base::monotonic_s() + until_start_s;
    }
    run_times slowest{0, 0, 0};
    for (run_times const& times : run_(graph_, one)) {
      slowest.total_s = std::max(slowest.total_s, times.total_s);
      slowest.post_s = std::max(slowest.post_s, times.post_s);
      slowest.wait_s = std::max(slowest.wait_s, times.wait_s);
    }
    all.push_back(slowest);
  }
  return all;
}

}  // namespace ovlp::overlap_bench
