// SPDX-License-Identifier: BSD-3-Clause
// Each node has a part for each other node, of so many bytes, and is done when it has one of each.
//
//   all_to_all_sim --nodes 256 --bytes 1024 --execution partial --no-alloc --platform gigabit
#include <functional>

#include "pattern.hpp"

namespace {

struct Order {
  std::size_t bytes;
};
struct Part {
  std::size_t to;
  std::uint64_t value;
  ovlp::buffer<char> content;
};
struct Place {
  std::size_t parts = 0;
  std::uint64_t sum = 0;
};
using Here = ovlp::here<Place>;

/// What node `from` gives to node `to`.
std::uint64_t value(std::size_t from, std::size_t to) { return bench::value_of(from) ^ to; }

/// Begins with the next node, so that not all send to node 0 first. Ends when this node has what the others gave, and
/// they have what it gave.
std::uint64_t deal(Here& here, Order order, ovlp::out<Part>& parts) {
  for (std::size_t i = 1; i < here.size(); ++i) {
    std::size_t const to = (here.index() + i) % here.size();
    parts.post({to, value(here.index(), to), ovlp::buffer<char>::uninitialized(order.bytes)});
  }
  here.wait_until([&] { return here.state.parts + 1 == here.size(); });
  return here.state.sum;
}
void take(Here& here, Part part) {
  ++here.state.parts;
  here.state.sum += part.value;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t bytes = 1024;
  ovlp::options options{"all_to_all", "A part from each node to each other node"};
  options.add("--bytes", bytes, "of a part");
  ovlp::engine run{argc, argv, options};

  ovlp::threads<Place> places{"places", run.nodes()};
  ovlp::graph const exchange{
      "all to all", ovlp::everywhere("deal", places, deal).aside(ovlp::leaf("take", places.by(&Part::to), take)) >>
                        ovlp::reduce("add up", places.at(0), std::plus<>{})};
  std::uint64_t sum = 0;
  for (std::size_t from = 0; from < run.nodes(); ++from) {
    for (std::size_t to = 0; to < run.nodes(); ++to) sum += from == to ? 0 : value(from, to);
  }
  return bench::measure(run, exchange, {bytes}, sum, {{"contestant", "all_to_all"}, {"bytes", bytes}});
}
