// SPDX-License-Identifier: BSD-3-Clause
// Pi as an integral, with twice as many intervals each time.
#include <cstdio>
#include <ovlp/ovlp.hpp>

struct Estimate {
  long intervals;
  double pi;
};
struct Piece {
  long first, last, intervals;
};

void cut(Estimate now, ovlp::out<Piece>& pieces) {
  long const count = 16;
  for (long i = 0; i < count; ++i)
    pieces.post({i * now.intervals / count, (i + 1) * now.intervals / count, now.intervals});
}
double integrate(ovlp::here<>& here, Piece piece) {
  double sum = 0;
  here.kernel("integral.sum", {piece.last - piece.first}, [&] {
    double const width = 1.0 / static_cast<double>(piece.intervals);
    for (long i = piece.first; i < piece.last; ++i) {
      double const x = (static_cast<double>(i) + 0.5) * width;
      sum += width * 4 / (1 + x * x);
    }
  });
  return sum;
}
Estimate refine(Estimate const& before, ovlp::in<double>& sums) {  // `before` is what `cut` got
  Estimate now{2 * before.intervals, 0};
  for (double sum : sums) now.pi += sum;
  return now;
}

int main(int argc, char** argv) {
  std::size_t steps = 7;
  ovlp::options options{"integral", "Pi as an integral"};
  options.add("--steps", steps, "how often").at_least(1);
  ovlp::engine run{argc, argv, options};
  ovlp::threads<> master{"master", 1}, workers{"workers", run.nodes()};

  ovlp::graph const step{"step", ovlp::split("cut", master.at(0), cut) >>
                                     ovlp::leaf("integrate", workers.in_turn(), integrate) >>
                                     ovlp::merge("refine", master.at_opener(), refine)};
  ovlp::graph<Estimate, Estimate> pi("pi");
  auto repeated = pi.repeat("steps", master, step, steps);
  pi.enter(repeated, ovlp::at(0));
  pi.leave(repeated);

  run.record();
  Estimate const found = run(pi, {100, 0});
  ovlp::summary figures = run.summary();
  std::printf("%.6f after %zu iterations\n", found.pi, figures.iterations.size());
  figures.set("steps", steps);
  figures.result("pi", found.pi);
  run.write(figures);
}
