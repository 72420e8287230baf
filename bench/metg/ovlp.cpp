// SPDX-License-Identifier: BSD-3-Clause
// METG of ovlp. A column of the grid is a DPS thread; its tasks are the turns of one operation, which posts each output
// to the columns that need it and waits until its own inputs are there, as the strips of examples/heat do:
//
//                by(&Input::to)
//   march      - - - - - - - - -> take
//   everywhere ------------------------> add up
//                                        reduce
//
//   metg_ovlp --execution-threads 2 --cores 2 --pattern fft
//   taskset -c 0 metg_ovlp --nodes 2 --launch 'taskset -c {node} {program} {arguments}' --cores 2 --poll-us 50
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/ovlp.hpp>

#include "contestant.hpp"

namespace {

using namespace bench::metg;

struct Input {
  output from;
  std::uint32_t to;
};

/// What has come for the steps that are open.
struct Column {
  std::vector<inputs> open;

  inputs& of(std::uint32_t step) { return open[step % open.size()]; }
  void take(output const& from) { of(from.step + 1).take(from); }
};
using Here = ovlp::here<Column>;

std::uint64_t march(Here& here, grid tasks, ovlp::out<Input>& outputs) {
  auto const self = static_cast<std::uint32_t>(here.index());
  std::uint64_t last_value = 0;
  for (std::uint32_t step = 0; step < tasks.steps; ++step) {
    inputs& in = here.state.of(step);
    here.wait_until([&] { return in.columns == tasks.dependencies(step, self); });
    output made{};
    here.kernel("metg.task", {static_cast<std::int64_t>(tasks.iterations)},
                [&] { made = tasks.compute(step, self, std::exchange(in, {})); });
    for_each(tasks.dependents(step, self), [&](std::uint32_t to) {
      if (to == self) here.state.take(made);
      else outputs.post({made, to});
    });
    last_value = made.value;
  }
  return last_value;
}
void take(Here& here, Input input) { here.state.take(input.from); }

/// Neighbours on one node, as far as possible.
ovlp::mapping in_blocks(std::size_t columns, std::size_t nodes) {
  std::string text;
  for (std::size_t i = 0; i < columns; ++i)
    text += ovlp::node_name(static_cast<ovlp::node_id>(i * nodes / columns)) + ' ';
  return text;
}

}  // namespace

int main(int argc, char** argv) try {
  request asked;
  ovlp::options options{"metg_ovlp", "Minimum effective task granularity of ovlp"};
  asked.describe([&](char const* name, auto& variable, char const* text) { options.add(name, variable, text); });
  ovlp::engine run{argc, argv, options};

  ovlp::threads<Column> const columns{
      "columns", in_blocks(asked.width, run.nodes()),
      [open = asked.grid().steps_open()](std::size_t) { return Column{std::vector<inputs>(open)}; }};
  ovlp::graph const marching{
      "metg", ovlp::everywhere("march", columns, march).aside(ovlp::leaf("take", columns.by(&Input::to), take)) >>
                  ovlp::reduce("add up", columns.at(0), std::plus<>{})};

  compete("ovlp", asked, [&](grid const& tasks) { return run(marching, tasks); });
} catch (std::exception const& error) {
  std::fprintf(stderr, "metg_ovlp: %s\n", error.what());
  return 1;
}
