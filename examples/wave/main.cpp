// SPDX-License-Identifier: BSD-3-Clause
// Waves on a membrane that is plucked along a line, measured on this line: work grows as they spread, and shrinks when
// what is far away cannot come back before the end. So the program can use few nodes, then many, then few again.
//
//   wave --nodes 8 --iterations      work and efficiency over time
//   wave --nodes 8 --plan PLAN       strips move to the nodes that are held
//
// The membrane is cut into strips of rows. In each time step the active ones exchange borders, in this graph:
//
//                  relative(-1)
//   step --> ask  =============> lend --> advance --> add up
//   split    split relative(+1)  leaf     merge       reduce
#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <ovlp/ovlp.hpp>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "membrane.hpp"

/// The membrane, cut into strips of rows. A strip is computed as a whole if one of its rows has to be.
struct Shape {
  Membrane membrane;
  std::size_t strips;

  std::size_t first(std::size_t strip) const { return strip * membrane.rows / strips; }
  std::size_t rows(std::size_t strip) const { return first(strip + 1) - first(strip); }
  bool active(std::size_t strip, std::size_t step) const {
    return strip < strips && membrane.active(first(strip), first(strip + 1), step);
  }
  /// Its last step is two steps ago: now no neighbour asks for its rows any more.
  bool done(std::size_t strip, std::size_t step) const {
    return step > 1 && active(strip, step - 2) && !active(strip, step - 1);
  }
};
/// The state of a DPS thread: displacements at two times, one that is read and one that is written, by turns. Strips
/// that are not active have no rows: they need no memory, and no time to move.
struct Strip {
  std::array<Rows, 2> displacements;
  Rows& after(std::size_t steps) { return displacements[steps % 2]; }
};
using Strips = ovlp::threads<Strip>;
using Here = ovlp::here<Strip>;
using Checksum = std::uint64_t;

struct Step {
  std::size_t number;
};
struct Turn {
  std::size_t step, strip;
};
using Graph = ovlp::graph<Step, Checksum>;
enum class Side : std::uint8_t { above, below };  // where the neighbour is, seen from the strip that asks
struct Request {
  std::size_t step;
  Side side;
};
struct Border {
  Side side;
  Row cells;  ///< shared with the strip that they come from, not copied
};

/// Strips that are active in this step, and those that are to forget their rows.
void begin(Step step, ovlp::out<Turn>& turns, Shape const& shape) {
  for (std::size_t strip = 0; strip < shape.strips; ++strip) {
    if (shape.active(strip, step.number) || shape.done(strip, step.number)) turns.post({step.number, strip});
  }
}
/// Neighbours that were not active in the last step are at rest, or do not matter any more.
void ask(Here& here, Turn turn, ovlp::out<Request>& up, ovlp::out<Request>& down, Shape const& shape) {
  std::size_t const last = turn.step - 1;
  if (shape.done(turn.strip, turn.step)) here.state = {};
  if (!shape.active(turn.strip, turn.step)) return;
  if (shape.active(turn.strip - 1, last)) up.post({turn.step, Side::above});
  if (shape.active(turn.strip + 1, last)) down.post({turn.step, Side::below});
}
/// A strip that has done the step itself by then still has what was before: only the next step overwrites it.
Border lend(Here& here, Request request) {
  Rows const& rows = here.state.after(request.step - 1);
  return {request.side, request.side == Side::above ? rows.back() : rows.front()};
}
Rows at_rest(Shape const& shape, std::size_t strip) {
  Rows rows;
  for (std::size_t i = 0; i < shape.rows(strip); ++i) rows.emplace_back(shape.membrane.columns + 2);
  return rows;
}
Checksum advance_strip(Here& here, Turn const& turn, ovlp::in<Border>& borders, Shape const& shape) {
  Row above(shape.membrane.columns + 2), below = above;  // all 0, where no neighbour lends them
  for (Border& border : borders) (border.side == Side::above ? above : below) = std::move(border.cells);
  if (!shape.active(turn.strip, turn.step)) return 0;
  Strip& strip = here.state;
  if (strip.after(0).empty()) strip.displacements = {at_rest(shape, turn.strip), at_rest(shape, turn.strip)};
  Rows const& now = strip.after(turn.step - 1);
  Rows& next = strip.after(turn.step);
  std::size_t const middle = shape.membrane.middle() - shape.first(turn.strip);
  Checksum measured = 0;
  here.kernel("wave.advance", {now.size(), shape.membrane.columns}, [&] {
    advance(above, now, below, next);
    if (middle < next.size()) measured = measure(next[middle], turn.step);
  });
  return measured;
}
Graph one_step(Strips const& strips, Shape const& shape) {
  Graph g("step");
  auto first = g.split("step", strips, begin, shape);
  auto opener = g.split("ask", strips, ask, shape);
  auto neighbour = g.leaf("lend", strips, lend);
  auto closer = g.merge("advance", strips, advance_strip, shape);
  auto last = g.reduce<Checksum>("add up", strips, std::plus<>{});
  g.enter(first, ovlp::at(0));
  g.edge(first, opener, ovlp::by(&Turn::strip));
  g.edge(opener.port<0>(), neighbour, ovlp::relative(-1));
  g.edge(opener.port<1>(), neighbour, ovlp::relative(+1));
  g.edge(neighbour, closer, ovlp::at_opener());
  g.edge(closer, last, ovlp::at(0));
  g.leave(last);
  return g;
}

Checksum pluck_strip(Here& here, Step step, Shape const& shape) {
  if (!shape.active(here.index(), step.number)) return 0;
  Rows rows = at_rest(shape, here.index());
  here.kernel("wave.pluck", {rows.size(), shape.membrane.columns},
              [&] { pluck(shape.membrane, shape.first(here.index()), rows); });
  here.state = {{rows, rows}};
  return 0;
}

/// In turn: active strips lie side by side, so that each node has as many. Blocks of strips would send less, but nodes
/// far from the middle would idle: on 8 nodes of platform gigabit the run takes 1.6 times as long with them.
ovlp::mapping over(std::size_t nodes, std::size_t strips) { return ovlp::mapping::in_turn(strips, nodes); }

struct Iterations {
  std::vector<std::size_t> ends;  ///< after these time steps
  std::set<int> borders;          ///< after these iterations, other nodes may be held
};
Checksum iterate(ovlp::here<>& here, Step step, Graph const& next, Iterations const& iterations, Strips const& strips,
                 std::size_t count) {
  Checksum measured = 0;
  int k = 0;
  for (std::size_t const end : iterations.ends) {
    here.iteration(++k);
    while (step.number < end) {
      ++step.number;
      measured += here.call(next, step);
    }
    if (!iterations.borders.contains(k)) continue;
    here.end_of_iteration(
        k, [&](ovlp::held_nodes const& held) { here.remap(strips, over(held.of(strips.name()), count)); });
  }
  return measured;
}

/// Without ovlp, and without leaving out any row.
Checksum serially(Membrane const& membrane) {
  Row const edge(membrane.columns + 2);
  Rows now(membrane.rows, edge);
  pluck(membrane, 0, now);
  Rows next = now;
  Checksum measured = 0;
  for (std::size_t step = 1; step <= membrane.steps; ++step) {
    advance(edge, now, edge, next);
    std::swap(now, next);
    measured += measure(now[membrane.middle()], step);
  }
  return measured;
}

int main(int argc, char** argv) try {
  Membrane membrane{2000, 500, 2000};
  std::size_t strips = 0, steps_per_iteration = 50;
  bool verify = false;
  ovlp::options options{"wave", "Waves on a membrane, as far as they matter for what is measured"};
  options.add("--rows", membrane.rows, "rows of the membrane").at_least(1);
  options.add("--columns", membrane.columns, "columns of the membrane").at_least(1);
  options.add("--strips", strips, "strips of rows; 0: two for each node, at least 16");
  options.add("--steps", membrane.steps, "time steps").at_least(1).at_most(1'000'000);
  options.add("--steps-per-iteration", steps_per_iteration, "time steps after which nodes may change").at_least(1);
  options.add("--verify", verify, "compare with a serial computation of all rows, bit by bit");
  ovlp::engine run{argc, argv, options};
  if (strips == 0) strips = std::min(membrane.rows, std::max<std::size_t>(2 * run.nodes(), 16));
  if (strips > membrane.rows) throw ovlp::config_error("--strips: expected at most one for each row");
  if (verify && !run.computes()) {
    throw ovlp::config_error("--verify: expected --execution direct: other modes do not compute");
  }

  Iterations iterations;
  for (std::size_t end = 0; end < membrane.steps;) {
    end += std::min(steps_per_iteration, membrane.steps - end);
    iterations.ends.push_back(end);
  }
  int const last = static_cast<int>(iterations.ends.size());
  run.plan().expect_borders_to(last - 1);
  for (int k = 1; k < last; ++k)
    if (run.may_change_after(k)) iterations.borders.insert(k);
  Shape const shape{membrane, strips};
  Strips const all("strips", over(run.held_at_start().of("strips"), strips));
  Graph const plucking =
      ovlp::everywhere("pluck", all, pluck_strip, shape) >> ovlp::reduce("plucked", all.at(0), std::plus<>{});
  Graph const next = one_step(all, shape);
  Graph const waves = ovlp::leaf("waves", ovlp::threads<>{"driver", 1}.at(0), iterate, next, iterations, all, strips);
  run.add(next);
  run.add(waves);
  run.record();
  run.estimate("wave.pluck", 0.0);  // not part of what is predicted
  run.estimate("wave.advance", [](std::span<std::int64_t const> sizes) {
    return 8e-9 * static_cast<double>(sizes[0] * sizes[1]);  // as measured on one core of an Intel Xeon
  });
  run(plucking, {0});
  Checksum const measured = run(waves, {0});
  ovlp::summary figures = run.summary();

  char checksum[17];
  std::snprintf(checksum, sizeof checksum, "%016" PRIx64, measured);
  std::printf("%zu x %zu cells, %zu strips: %zu steps in %.3f s", membrane.rows, membrane.columns, strips,
              membrane.steps, figures.time_s);
  if (run.computes()) std::printf(", checksum %s", checksum);
  std::printf("\n");
  figures.set("rows", membrane.rows);
  figures.set("columns", membrane.columns);
  figures.set("strips", strips);
  figures.set("steps", membrane.steps);
  figures.set("steps_per_iteration", steps_per_iteration);
  if (run.computes()) figures.result("checksum", std::string(checksum));
  run.write(figures);
  if (!verify) return 0;

  bool const equal = serially(membrane) == measured;
  std::printf("%s the serial computation\n", equal ? "verified: equal to" : "WRONG: differs from");
  return equal ? 0 : 1;
} catch (ovlp::config_error const& error) {
  std::fprintf(stderr, "wave: %s\n", error.what());
  return 2;
} catch (ovlp::error const& error) {
  std::fprintf(stderr, "wave: %s\n", error.what());
  return 1;
}
