// SPDX-License-Identifier: BSD-3-Clause
// Node 0 has a part for each node, of so many bytes; each node keeps its part and says so.
//
//   scatter_sim --nodes 1024 --bytes 65536 --execution partial --no-alloc --platform gigabit
#include <functional>

#include "pattern.hpp"

namespace {

struct Order {
  std::size_t bytes;
};
struct Part {
  std::size_t node;
  std::uint64_t value;
  ovlp::buffer<char> content;
};
struct Place {
  Part kept{};
};
using Here = ovlp::here<Place>;

void scatter(Order order, ovlp::out<Part>& parts, std::size_t nodes) {
  for (std::size_t i = 0; i < nodes; ++i) {
    parts.post({i, bench::value_of(i), ovlp::buffer<char>::uninitialized(order.bytes)});
  }
}
/// What each place tells of its part differs by the place.
std::uint64_t keep(Here& here, Part part) {
  here.state.kept = std::move(part);
  return here.state.kept.value ^ here.index() ^ here.state.kept.content.size();
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t bytes = 65536;
  ovlp::options options{"scatter", "A part from node 0 to each node"};
  options.add("--bytes", bytes, "of a part");
  ovlp::engine run{argc, argv, options};

  ovlp::threads<> master{"master", 1};
  ovlp::threads<Place> places{"places", run.nodes()};
  ovlp::graph const scattering{"scatter", ovlp::split("scatter", master.at(0), scatter, run.nodes()) >>
                                              ovlp::leaf("keep", places.by(&Part::node), keep) >>
                                              ovlp::reduce("kept", master.at(0), std::plus<>{})};
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < run.nodes(); ++i) sum += bench::value_of(i) ^ i ^ bytes;
  return bench::measure(run, scattering, {bytes}, sum, {{"contestant", "scatter"}, {"bytes", bytes}});
}
