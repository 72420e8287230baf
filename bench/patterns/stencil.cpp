// SPDX-License-Identifier: BSD-3-Clause
// A ring of strips, one on each node. In each sweep a strip gives its borders to both neighbours and goes on when it
// has theirs; so neighbours are at most one sweep apart. What a strip computes is one number, which can be checked
// whatever is charged for the sweep.
//
//   stencil_sim --nodes 1024 --sweeps 100 --bytes 8192 --execution partial --no-alloc --platform gigabit
#include <array>
#include <functional>
#include <vector>

#include "pattern.hpp"

namespace {

enum class Side : std::uint8_t { left, right };

struct Order {
  int sweeps;
  std::size_t bytes;
};
struct Border {
  int sweep;
  Side from;
  std::uint64_t value;
  ovlp::buffer<char> content;
};
struct Strip {
  std::uint64_t value = 0;
  int sweep = 0;
  std::array<std::array<std::uint64_t, 2>, 2> borders{};  ///< by sweep, odd or even, and side
  std::array<int, 2> missing{2, 2};                       ///< of them
};
using Here = ovlp::here<Strip>;

std::size_t place(int sweep) { return static_cast<std::size_t>(sweep) % 2; }
std::uint64_t next(std::uint64_t left, std::uint64_t value, std::uint64_t right) {
  return left + 3 * value + 5 * right;
}

std::uint64_t relax(Here& here, Order order, ovlp::out<Border>& left, ovlp::out<Border>& right) {
  Strip& strip = here.state;
  for (; strip.sweep < order.sweeps; ++strip.sweep) {
    here.iteration(strip.sweep + 1);
    left.post({strip.sweep, Side::right, strip.value, ovlp::buffer<char>::uninitialized(order.bytes)});
    right.post({strip.sweep, Side::left, strip.value, ovlp::buffer<char>::uninitialized(order.bytes)});
    std::size_t const now = place(strip.sweep);
    here.wait_until([&] { return strip.missing[now] == 0; });
    here.kernel("stencil.sweep", {}, [] {});
    strip.missing[now] = 2;
    strip.value = next(strip.borders[now][0], strip.value, strip.borders[now][1]);
  }
  return strip.value ^ here.index();
}
void take(Here& here, Border border) {
  std::size_t const sweep = place(border.sweep);
  here.state.borders[sweep][static_cast<std::size_t>(border.from)] = border.value;
  --here.state.missing[sweep];
}

/// What the strips have in the end, added up.
std::uint64_t serially(std::size_t strips, int sweeps) {
  std::vector<std::uint64_t> now(strips), then(strips);
  for (std::size_t i = 0; i < strips; ++i) now[i] = bench::value_of(i);
  for (int sweep = 0; sweep < sweeps; ++sweep, now.swap(then)) {
    for (std::size_t i = 0; i < strips; ++i)
      then[i] = next(now[(i + strips - 1) % strips], now[i], now[(i + 1) % strips]);
  }
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < strips; ++i) sum += now[i] ^ i;
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  int sweeps = 100;
  std::size_t bytes = 8192;
  double sweep_us = 100;
  ovlp::options options{"stencil", "A ring of strips that exchange borders"};
  options.add("--sweeps", sweeps, "how many").at_least(1);
  options.add("--bytes", bytes, "of a border");
  options.add("--sweep-us", sweep_us, "charged for a sweep").at_least(0);
  ovlp::engine run{argc, argv, options};
  run.estimate("stencil.sweep", 1e-6 * sweep_us);

  ovlp::threads<Strip> strips{"strips", run.nodes(), [](std::size_t index) { return Strip{bench::value_of(index)}; }};
  ovlp::graph<Order, std::uint64_t> stencil("stencil");
  auto strip = stencil.everywhere("relax", strips, relax);
  auto neighbour = stencil.leaf("take", strips, take);
  auto last = stencil.reduce<std::uint64_t>("add up", strips, std::plus<>{});
  stencil.enter(strip, ovlp::at(0));
  stencil.edge(strip.port<0>(), last, ovlp::at(0));
  stencil.edge(strip.port<1>(), neighbour, ovlp::relative(-1));
  stencil.edge(strip.port<2>(), neighbour, ovlp::relative(+1));
  stencil.leave(last);

  return bench::measure(run, stencil, {sweeps, bytes}, serially(run.nodes(), sweeps),
                        {{"contestant", "stencil"}, {"sweeps", sweeps}, {"bytes", bytes}});
}
