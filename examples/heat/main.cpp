// SPDX-License-Identifier: BSD-3-Clause
// The temperature of a plate whose edges keep theirs, by Jacobi sweeps over strips of rows:
//
//   heat --nodes 4 --sync barrier      all strips meet after each sweep
//   heat --nodes 4 --sync neighbours   a strip waits for its neighbours only
//   heat --nodes 4 --plan PLAN         strips move to the nodes that are held
//
// The graphs, where `lend` and `take` are the neighbours':
//
//              relative(-1)
//   ask       =============> lend --> sweep --> combine      barrier: called for each sweep
//   everywhere relative(+1)  leaf     merge     reduce
//
//   relax     ---------------------------> combine           neighbours: called for all sweeps until nodes may change
//   everywhere - - relative(-1), (+1) - -> take              reduce, leaf
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <ovlp/ovlp.hpp>
#include <set>
#include <string>
#include <vector>

#include "strip.hpp"

using Strips = ovlp::threads<Strip>;
using Graph = ovlp::graph<Status, Status>;

Status combine(Status const& all, Status const& strip) {
  return {strip.sweeps, std::max(all.change, strip.change), all.checksum + strip.checksum};
}
Graph in_all(Strips const& strips, std::string const& name, Status (*leaf)(Here&, Status)) {
  return ovlp::everywhere(name, strips, leaf) >> ovlp::reduce("combine", strips.at(0), combine);
}

// With a barrier: a strip asks for the borders. A neighbour that has swept by then still has the rows of before, for
// only the next sweep overwrites them.

struct Request {
  int sweeps;
  Side side;
};

void ask(Here& here, Status, ovlp::out<Request>& up, ovlp::out<Request>& down) {
  if (has_above(here)) up.post({here.state.now.sweeps, Side::above});
  if (has_below(here)) down.post({here.state.now.sweeps, Side::below});
}
Border lend(Here& here, Request request) { return here.state.border(request.sweeps, request.side); }
Status sweep_between(Here& here, ovlp::in<Border>& borders) {
  for (Border& border : borders) here.state.take(std::move(border));
  return sweep_strip(here);
}
/// One sweep.
Graph with_barrier(Strips const& strips) {
  Graph g("ask");
  auto opener = g.everywhere("ask", strips, ask);
  auto neighbour = g.leaf("lend", strips, lend);
  auto closer = g.merge("sweep", strips, sweep_between);
  auto last = g.reduce<Status>("combine", strips, combine);
  g.enter(opener, ovlp::at(0));
  g.edge(opener.port<0>(), neighbour, ovlp::relative(-1));
  g.edge(opener.port<1>(), neighbour, ovlp::relative(+1));
  g.edge(neighbour, closer, ovlp::at_opener());
  g.edge(closer, last, ovlp::at(0));
  g.leave(last);
  return g;
}

// Without one: a strip posts its borders before each sweep, and `take` puts them where the neighbour waits for them.
// The call ends when the neighbours have taken the last ones, too.

Status relax(Here& here, Status wanted, ovlp::out<Border>& up, ovlp::out<Border>& down) {
  Strip& strip = here.state;
  while (strip.now.sweeps < wanted.sweeps) {
    here.iteration(strip.now.sweeps + 1);
    if (has_above(here)) up.post(strip.border(strip.now.sweeps, Side::below));
    if (has_below(here)) down.post(strip.border(strip.now.sweeps, Side::above));
    Rows const& rows = strip.after(strip.now.sweeps);
    here.wait_until([&] { return !rows.front().empty() && !rows.back().empty(); });
    sweep_strip(here);
  }
  return strip.now;
}
void take(Here& here, Border border) { here.state.take(std::move(border)); }
/// Up to so many sweeps.
Graph without_barrier(Strips const& strips) {
  Graph g("relax");
  auto strip = g.everywhere("relax", strips, relax);
  auto neighbour = g.leaf("take", strips, take);
  auto last = g.reduce<Status>("combine", strips, combine);
  g.enter(strip, ovlp::at(0));
  g.edge(strip.port<0>(), last, ovlp::at(0));
  g.edge(strip.port<1>(), neighbour, ovlp::relative(-1));
  g.edge(strip.port<2>(), neighbour, ovlp::relative(+1));
  g.leave(last);
  return g;
}

// Either way: sweeps, between which strips move to other nodes, if others are held from then on.

/// Neighbours on one node, as far as possible.
ovlp::mapping in_blocks(std::size_t strips, std::size_t nodes) {
  std::vector<ovlp::node_id> of(strips);
  for (std::size_t i = 0; i < strips; ++i) of[i] = static_cast<ovlp::node_id>(i * nodes / strips);
  return ovlp::mapping(of);
}

struct Sweeps {
  std::vector<int> stops;  ///< calls of the graph end after these; the last one is the end
  std::set<int> borders;   ///< after these, other nodes may be held
  double tolerance;        ///< it is enough when no cell changes by more
};
Status sweep_to_end(ovlp::here<>& here, Status now, Graph const& graph, Sweeps const& sweeps, Strips const& strips,
                    std::size_t count) {
  for (int stop : sweeps.stops) {
    now = here.call(graph, {stop});
    if (now.change < sweeps.tolerance) break;
    if (!sweeps.borders.contains(stop)) continue;
    here.end_of_iteration(
        stop, [&](ovlp::held_nodes const& held) { here.remap(strips, in_blocks(count, held.of(strips.name()))); });
  }
  return now;
}

/// The plate without ovlp.
Status serially(std::size_t rows, std::size_t columns, int sweeps) {
  Rows from(rows + 2, Row(columns + 2));
  fill(from, 0);
  Rows to = from;
  Status now;
  for (; now.sweeps < sweeps; ++now.sweeps) {
    now.change = sweep(from, to);
    std::swap(from, to);
  }
  now.checksum = checksum(from, 0);
  return now;
}

int main(int argc, char** argv) try {
  std::size_t rows = 2000, columns = 2000, strips = 0;
  int sweeps = 100;
  double tolerance = 0;
  std::string sync = "barrier";
  bool verify = false;
  ovlp::options options{"heat", "Jacobi sweeps over a heated plate, in strips of rows"};
  options.add("--rows", rows, "rows of the plate").at_least(1);
  options.add("--columns", columns, "columns of the plate").at_least(1);
  options.add("--strips", strips, "strips of rows; 0: two for each node");
  options.add("--sweeps", sweeps, "how many, at most").at_least(1);
  options.add("--tolerance", tolerance, "stop when all cells change by less; needs a barrier").at_least(0);
  options.add("--sync", sync, "what a strip waits for after a sweep").one_of({"barrier", "neighbours"});
  options.add("--verify", verify, "compare with a serial computation, bit by bit");
  ovlp::engine run{argc, argv, options};
  if (strips == 0) strips = std::min(rows, 2 * run.nodes());
  if ((verify || tolerance > 0) && !run.computes()) {
    throw ovlp::config_error("--verify, --tolerance: expected --execution direct: other modes do not compute");
  }
  if (strips > rows) throw ovlp::config_error("--strips: expected at most one for each row");
  bool const barrier = sync == "barrier";
  if (tolerance > 0 && !barrier) throw ovlp::config_error("--tolerance: expected with --sync barrier only");

  run.plan().expect_borders_to(sweeps - 1);
  Strips const plate("strips", in_blocks(strips, run.held_at_start().of("strips")), [=](std::size_t i) {
    std::size_t const begin = i * rows / strips, end = (i + 1) * rows / strips;
    return Strip{begin, {Rows(end - begin + 2, Row(columns + 2)), {}}, {}};
  });
  Graph const filling = in_all(plate, "fill", fill_strip);
  Graph const to_stop = barrier ? with_barrier(plate) : without_barrier(plate);
  Sweeps to_end{{}, {}, tolerance};
  for (int k = 1; k < sweeps; ++k) {
    if (run.may_change_after(k)) to_end.borders.insert(k);
    if (barrier || to_end.borders.contains(k)) to_end.stops.push_back(k);
  }
  to_end.stops.push_back(sweeps);
  Graph const sweeping =
      ovlp::leaf("sweeps", ovlp::threads<>{"driver", 1}.at(0), sweep_to_end, to_stop, to_end, plate, strips);
  Graph const summing = in_all(plate, "checksum", checksum_strip);
  run.add(to_stop);
  run.add(sweeping);
  run.add(summing);
  run.record();
  for (auto const* aside : {"heat.fill", "heat.checksum"}) run.estimate(aside, 0.0);  // not part of what is predicted
  run(filling, {});
  Status const swept = run(sweeping, {sweeps});
  ovlp::summary figures = run.summary();
  std::uint64_t const sum = run(summing, {}).checksum;

  char checksum[17];
  std::snprintf(checksum, sizeof checksum, "%016" PRIx64, sum);
  std::printf("%zu x %zu cells, %zu strips, %s: %d sweeps in %.3f s", rows, columns, strips, sync.c_str(), swept.sweeps,
              figures.time_s);
  if (run.computes()) std::printf(", last change %.6g, checksum %s", swept.change, checksum);
  std::printf("\n");
  if (auto const within = figures.interval_line(); !within.empty()) std::printf("interval: %s\n", within.c_str());
  figures.set("rows", rows);
  figures.set("columns", columns);
  figures.set("strips", strips);
  figures.set("sync", sync);
  figures.result("sweeps", swept.sweeps);
  if (run.computes()) {
    figures.result("change", swept.change);
    figures.result("checksum", std::string(checksum));
  }
  run.write(figures);
  if (!verify) return 0;

  Status const expected = serially(rows, columns, swept.sweeps);
  bool const equal = expected.checksum == sum && expected.change == swept.change;
  std::printf("%s the serial computation\n", equal ? "verified: equal to" : "WRONG: differs from");
  return equal ? 0 : 1;
} catch (ovlp::config_error const& error) {
  std::fprintf(stderr, "heat: %s\n", error.what());
  return 2;
} catch (ovlp::error const& error) {
  std::fprintf(stderr, "heat: %s\n", error.what());
  return 1;
}
