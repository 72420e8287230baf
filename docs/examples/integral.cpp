// SPDX-License-Identifier: BSD-3-Clause
// Pi as an integral, with twice as many intervals each time until it changes by less than a tolerance.
#include <cmath>
#include <cstdio>
#include <ovlp/ovlp.hpp>

struct Estimate {
  long intervals;
  double value, change;
};
struct Piece {
  long first, last;
  Estimate before;
};
struct Sum {
  double value;
  Estimate before;
};

void cut(Estimate before, ovlp::out<Piece>& pieces) {
  long const pieces_wanted = 16;
  for (long i = 0; i < pieces_wanted; ++i)
    pieces.post({i * before.intervals / pieces_wanted, (i + 1) * before.intervals / pieces_wanted, before});
}
Sum integrate(ovlp::here<>& here, Piece piece) {
  double sum = 0;
  here.kernel("integrate", {piece.last - piece.first}, [&] {
    double const width = 1.0 / static_cast<double>(piece.before.intervals);
    for (long i = piece.first; i < piece.last; ++i) {
      double const x = (static_cast<double>(i) + 0.5) * width;
      sum += width * 4 / (1 + x * x);
    }
  });
  return {sum, piece.before};
}
Estimate improve(ovlp::in<Sum>& sums) {
  Estimate now{};
  while (auto sum = sums.wait()) {
    now.value += sum->value;
    now.intervals = 2 * sum->before.intervals;
    now.change = now.value - sum->before.value;
  }
  return now;
}

int main(int argc, char** argv) {
  double tolerance = 1e-8;
  ovlp::options options{"integral", "Pi as an integral"};
  options.add("--tolerance", tolerance, "stop when the value changes by less").at_least(1e-12);
  ovlp::engine run{argc, argv, options};
  ovlp::threads<> master{"master", 1}, workers{"workers", run.nodes()};

  ovlp::graph const step = ovlp::split("cut", master.at(0), cut) >>
                           ovlp::leaf("integrate", workers.in_turn(), integrate) >>
                           ovlp::merge("improve", master.at(0), improve);
  ovlp::graph<Estimate, Estimate> pi("pi");
  auto repeated = pi.repeat_until("improve until", master, step,
                                  [=](Estimate const& now) { return std::abs(now.change) < tolerance; });
  pi.enter(repeated, ovlp::at(0));
  pi.leave(repeated);

  run.record();
  Estimate const found = run(pi, {100, 0, 0});
  ovlp::summary figures = run.summary();
  std::printf("%.6f after %zu iterations\n", found.value, figures.iterations.size());
  figures.set("tolerance", tolerance);
  figures.result("value", found.value);
  run.write(figures);
}
